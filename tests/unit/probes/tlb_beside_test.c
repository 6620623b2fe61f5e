/* SPDX-License-Identifier: MIT */
/* Rows of `tlb` with pages of 2 MiB that are more than the arena: memory beside it is taken. */
#include <math.h>
#include <sys/mman.h>

#include "probes/tlb.h"
#include "tests/unit/prepared.h"
#include "tests/unit/test.h"

#define SPACE (600 * MIB) /* of address space: a page is there once it is touched */
#define NODE  7

static unsigned char *space;

static struct {
	unsigned times;
	uint32_t node;
	size_t page, bytes; /* what there is */
} asked;

static int arena_beside(struct room *e, uint32_t node, size_t page_bytes, struct arena *out)
{
	(void)e;
	(void)page_bytes;
	asked.times++;
	asked.node = node;
	*out = (struct arena){
		.base = space, .bytes = asked.bytes, .page_bytes = asked.page, .node = node
	};
	return asked.bytes ? 0 : -1;
}

/* The arena has 64 MiB, and `beside` bytes are said to be beside it. */
static void begin(size_t beside)
{
	arena_bytes = 64 * MIB;
	beside_bytes = beside;
	plan_of(probe_named("tlb"), PROFILE_DEFAULT);
	room.arena_on = arena_beside;
	memset(&asked, 0, sizeof asked);
	asked.page = PAGE_2M;
	asked.bytes = beside;
}

static int ready(const char *text)
{
	job = (struct job){ .row = row_planned(text),
		.arena = { .base = space + 400 * MIB,
			.bytes = arena_bytes,
			.page_bytes = PAGE_2M,
			.node = NODE } };
	planner.work.used = 0;
	return job.row->prepare(&planner, job.row, &job);
}

static double most_pages(size_t page)
{
	double most = 0;

	for (unsigned i = 0; i < plan.n; i++)
		if (plan.rows[i].page_bytes == page)
			most = fmax(most, row_get(&plan.rows[i], "pages", 0));
	return most;
}

/* Up to the first that does not fit, which says so; small pages are of the arena alone. */
TEST(counts_reach_as_far_as_what_is_beside)
{
	begin(0);
	assert_true(most_pages(PAGE_2M) == 32);
	double small = most_pages(PAGE_4K);

	begin(16 * GIB);
	assert_true(most_pages(PAGE_2M) == 8192);
	assert_true(most_pages(PAGE_4K) == small);
	begin(32 * MIB); /* less than the arena */
	assert_true(most_pages(PAGE_2M) == 32);
}

/* Of the arena's own node, and only for rows that the arena cannot hold. */
TEST(memory_beside_is_taken_where_the_arena_is_too_small)
{
	begin(300 * MIB);
	assert_int_equal(0, ready("cost pages=16 stride_bytes=2097152"));
	assert_int_equal(0, asked.times);
	assert_int_equal(0, ready("cost pages=64 stride_bytes=2097152"));
	assert_int_equal(1, asked.times);
	assert_int_equal(NODE, asked.node);
}

TEST(what_is_not_there_is_a_skip)
{
	begin(300 * MIB);
	assert_int_equal(-1, ready("cost pages=181 stride_bytes=2097152"));
	assert_string_equal("needs 363 MiB, the arena has 64", job.skip);
	assert_int_equal(0, asked.times);
	asked.bytes = 0;
	assert_int_equal(-1, ready("cost pages=64 stride_bytes=2097152"));
	assert_string_equal("needs 129 MiB, the arena has 64", job.skip);
	asked.bytes = 300 * MIB;
	asked.page = PAGE_4K;
	assert_int_equal(-1, ready("cost pages=64 stride_bytes=2097152"));
	assert_string_equal("memory of node 7 has pages of 4 KiB, the arena of 2048", job.skip);
}

BEFORE_ALL(reserve_space)
{
	space = mmap(NULL, SPACE + PAGE_2M, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(space, MAP_FAILED);
	space = (unsigned char *)(((uintptr_t)space + PAGE_2M - 1) & ~(PAGE_2M - 1));
}
