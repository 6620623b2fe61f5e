/* SPDX-License-Identifier: MIT */
/* Rows of `walks` in a room where it is known what each load takes, and what is found of them. */
#include "engine/find.h"
#include "probes/walks/walks.c"
#include "tests/unit/lines_of_rows.h"

#define HELD 100 /* ticks of a round without a walk */
#define READ 20  /* of an entry, */
#define FAR  300 /* and more of one whose line was flushed */

/* The page table entries that table_entries() returns, each in a line of its own. */
static _Alignas(64) uint64_t tables[TABLE_LEVELS][8];
static unsigned levels = 4;
static size_t page_bytes = PAGE_4K;
static unsigned attempts;
static const char *refusal;
static bool disproved;

static unsigned table_entries(struct room *e, uint64_t address, uint64_t *out[TABLE_LEVELS])
{
	unsigned n = levels - (page_bytes == PAGE_2M ? 1 : page_bytes == PAGE_1G ? 2 : 0);

	for (unsigned i = 0; i < n; i++)
		out[i] = tables[i];
	return n;
}

/*
 * Returns the number of table levels, from the lowest up, where the two addresses have different
 * entries.
 */
static unsigned differ(uint64_t a, uint64_t b)
{
	unsigned n = 0;

	while (a / (page_bytes << 9 * n) != b / (page_bytes << 9 * n))
		n++;
	return n;
}

static unsigned entries_of(void)
{
	uint64_t *out[TABLE_LEVELS];

	return table_entries(NULL, 0, out);
}

/* Loops of ring 0 are done here: their loads, and what a walk of the second one reads. */
static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	const uint64_t *first = (const uint64_t *)(uintptr_t)a[1], *lines;
	unsigned read;

	if (loop != loop_walk_cr3 && loop != loop_walk_invlpg)
		return fake_call(e, loop, a);
	lines = (const uint64_t *)(uintptr_t)a[2];
	read = differ(*first, a[1]);
	if (loop == loop_walk_invlpg) {
		assert_int_equal(0, differ(a[4], read ? *first : a[4]));
		read = read ? entries_of() : 0;
	}
	for (unsigned i = 0; i < a[3]; i++) /* the page's own first */
		assert_int_equal(lines[i], (uintptr_t)tables[entries_of() - 1 - i]);
	uint64_t ticks = a[0] * (HELD + read * READ + (read ? a[3] * FAR : 0));

	fake_time += ticks;
	return (struct timed){ a[0] * *(const uint64_t *)(uintptr_t)*first + disproved, ticks };
}

static int attempt(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS], const uint32_t *msrs,
	const char **why)
{
	assert_true(loop == loop_walk_cr3 || loop == loop_walk_invlpg);
	assert_int_equal(1, a[0]);
	assert_null(msrs);
	attempts++;
	*why = refusal;
	return refusal ? -1 : 0;
}

static void start(const char *what)
{
	prepare_run(what, call);
	room.kind = ROOM_BARE;
	room.facts.ring0 = true;
	room.facts.table_levels = levels = 4;
	room.facts.pages = PAGE_4K;
	room.table_entries = table_entries;
	room.attempt = attempt;
	attempts = 0;
	refusal = NULL;
	disproved = false;
	page_bytes = PAGE_4K;
	options.profile = PROFILE_FULL;
}

TEST(two_pages_differ_in_so_many_tables_and_no_more)
{
	static const size_t sizes_of[] = PAGE_SIZES;

	for (unsigned size = 0; size < 3; size++)
		for (unsigned reads = 1; reads <= 3 - size; reads++)
			for (uint64_t base = 6 * MIB; base < 3 * GIB; base += 15 * MIB - 52 * KIB) {
				struct arena a = { .base = (unsigned char *)(uintptr_t)(base &
							   -(uint64_t)sizes_of[size]),
					.bytes = 4 * GIB,
					.page_bytes = sizes_of[size] };
				uint64_t first, second, from = (uintptr_t)a.base;

				page_bytes = sizes_of[size];
				assert_true(place(&a, reads, &first, &second));
				assert_int_equal(reads, differ(first, second));
				assert_true(first >= from && second > first);
				assert_true(second + page_bytes <= from + a.bytes);
				assert_true((second - first) / page_bytes >= (size < 2 ? 17 : 1));
				/* one page less than it takes */
				a.bytes = second + page_bytes - from;
				assert_true(place(&a, reads, &first, &second));
				a.bytes -= page_bytes;
				assert_false(place(&a, reads, &first, &second));
			}
	page_bytes = PAGE_4K;
}

/* An arena of 8 MiB has no pages of two gigabytes, nor so far apart for two of 2 MiB each. */
TEST(a_walk_is_what_a_round_takes_longer)
{
	start("walks:cr3,walks:invlpg");
	assert_int_equal(0, bench_run(&room, &options));
	expect("cr3", "median", READ);
	expect("invlpg", "median", 4 * READ);
	for (unsigned n = 1; n <= 4; n++) {
		char text[64];

		snprintf(text, sizeof text, "\"flushed\":%u", n);
		const char *line = strstr(fake_out, text);

		assert_non_null(line);
		line = strstr(line, "\"median\":");
		assert_non_null(line);
		assert_int_equal(4 * READ + n * FAR, strtol(line + 9, NULL, 10));
	}
	assert_true(fabs(summary("walk_leaf_4k_cycles") - READ) < 0.01);
	assert_true(fabs(summary("walk_root_4k_cycles") - 4 * READ) < 0.01);
	assert_true(fabs(summary("walk_memory_4k_cycles") - 4 * READ - 4 * FAR) < 0.1);
	assert_true(isnan(summary("walk_leaf_2m_cycles")));
	assert_int_equal(6, attempts); /* each row once */
	assert_non_null(strstr(fake_out, "the arena has no two pages so far apart"));
}

TEST(with_five_levels_a_walk_reads_one_more)
{
	start("walks:invlpg");
	room.facts.table_levels = levels = 5;
	assert_int_equal(0, bench_run(&room, &options));
	assert_non_null(strstr(fake_out, "\"levels\":5,\"reads\":5,\"flushed\":5"));
	assert_true(fabs(summary("walk_root_4k_cycles") - 5 * READ) < 0.01);
}

static unsigned times(const char *text)
{
	unsigned n = 0;

	for (const char *at = fake_out; (at = strstr(at, text)); at++)
		n++;
	return n;
}

/* No number rests on lines of other tables, or on none. */
TEST(what_cannot_be_measured_is_a_skip)
{
	start("walks:invlpg");
	levels = 3;
	bench_run(&room, &options);
	assert_int_equal(5, times("\"reason\":\"the page tables are others than planned\""));
	start("walks:invlpg");
	room.table_entries = NULL;
	bench_run(&room, &options);
	assert_int_equal(5, times("\"reason\":\"the page tables are others than planned\""));
	start("walks:cr3");
	refusal = "general protection";
	bench_run(&room, &options);
	expect_skip("cr3", "the machine refuses it: general protection");
	start("walks:cr3");
	room.attempt = NULL;
	bench_run(&room, &options);
	expect_skip("cr3", "no privileged instructions in this room");
	start("walks:cr3");
	room.facts.ring0 = false;
	bench_run(&room, &options);
	expect_skip("cr3", "needs ring 0");
	start("walks:cr3");
	disproved = true;
	assert_int_equal(1, bench_run(&room, &options));
}
