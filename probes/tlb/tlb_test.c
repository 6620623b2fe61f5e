/* SPDX-License-Identifier: MIT */
/* Rows of `tlb`: where both chains lie and in which order they go, and what a sample is made of. */
#include <sys/mman.h>

#include "probes/tlb/tlb.c"
#include "tests/unit/prepared.h"

#define SPACE       (600 * MIB) /* of address space: a page is there once it is touched */
#define SPREAD_LOAD 9           /* ticks */
#define PACKED_LOAD 4

static unsigned char *space;

static struct {
	uint64_t loads[16], warm[16], ends[2]; /* of each walk, of the last one of each chain */
	bool of_control[16];
	unsigned walks, wrong_at; /* the walk that ends elsewhere; 0: none */
	unsigned char *control;   /* from here on */
} seen;

static struct timed walked(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct timed t = fake_call(e, loop, a);

	if (loop != loop_chase_warm)
		return t;
	/* of the second link of each node, or behind the nodes of the spread chain */
	bool control = a[0] % 16 || (unsigned char *)(uintptr_t)a[0] >= seen.control;

	if (seen.ends[control] && seen.ends[control] != a[0])
		fail_msg("walk %u does not go on where the last one ended", seen.walks);
	seen.ends[control] = t.value;
	assert_in_range(seen.walks, 0, 15);
	seen.of_control[seen.walks] = control;
	seen.warm[seen.walks] = 16 * a[2];
	seen.loads[seen.walks++] = 16 * a[1];
	t.ticks = 16 * a[1] * (control ? PACKED_LOAD : SPREAD_LOAD);
	t.value += seen.walks == seen.wrong_at;
	return t;
}

static int ready(const char *text, size_t bytes)
{
	memory_bytes = 4 * MIB;
	arena_bytes = bytes;
	plan_of(probe_named("tlb"), PROFILE_DEFAULT);
	memset(&seen, 0, sizeof seen);
	room.call = walked;
	planner.clock_turns = 64;
	planner.turn_cycles = 64;
	job = (struct job){ .row = row_planned(text),
		.arena = { .base = space, .bytes = bytes, .page_bytes = PAGE_4K } };
	return job.row->prepare(&planner, job.row, &job);
}

/* Each chain three times around and then timed; one alone once around. */
TEST(a_sample_is_the_difference_of_two_chains)
{
	static const struct {
		const char *row;
		uint64_t laps, loads, spread; /* bytes of the spread chain */
		bool of[2];
		double part;
	} rows[] = { { "cost pages=91 stride_bytes=65536", 96, 4096, 91 * 64 * KIB, { true, true },
			     1 },
		{ "spread pages=16 stride_bytes=65536", 16, 4096, MIB, { true, false }, 1 },
		{ "control pages=91 stride_bytes=65536", 96, 4096, 91 * 64 * KIB, { false, true },
			1 },
		{ "cost pages=2048 stride_bytes=65536", 2048, 4096, 128 * MIB, { true, true }, 1 },
		{ "cost pages=2896 stride_bytes=65536", 2896, 5792, 181 * MIB, { true, true }, 1 },
		/* in 256 regions: of 32 pages of each, one needs the upper entry in either order */
		{ "upper pages=8192 stride_bytes=2097152", 8192, 16384, 512 * MIB, { true, true },
			31 / 32. } };

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sample s = { 0 };
		bool both = rows[i].of[0] && rows[i].of[1];
		unsigned n = 0;

		assert_int_equal(0, ready(rows[i].row, SPACE));
		seen.control = space + rows[i].spread;
		for (unsigned twice = 0; twice < 2; twice++) {
			seen.walks = n = 0;
			assert_int_equal(0, job.sampler(&planner, &job, &s));
		}
		for (unsigned chain = 0; chain < 2; chain++) {
			uint64_t warm = (both ? 3 : 1) * rows[i].laps;

			if (!rows[i].of[chain])
				continue;
			if (seen.loads[n] != rows[i].loads || seen.warm[n] != warm ||
				seen.of_control[n] != chain)
				fail_msg("%s: walk %u has %lu loads after %lu of chain %u",
					rows[i].row, n, seen.loads[n], seen.warm[n],
					seen.of_control[n]);
			n++;
		}
		assert_int_equal(n, seen.walks);
		near(rows[i].row,
			((rows[i].of[0] ? SPREAD_LOAD : 0) +
				(rows[i].of[1] ? both ? -PACKED_LOAD : PACKED_LOAD : 0)) /
				rows[i].part,
			s.value);
		near("control", both ? PACKED_LOAD : 0, s.control);
		near("clock", 1e9 * 64 * 64 / (64 * 64 + FAKE_CALL), s.core_hz);
	}
}

TEST(a_walk_that_ends_elsewhere_is_a_wrong_row)
{
	for (unsigned wrong = 1; wrong <= 3; wrong++) {
		struct sample s;

		assert_int_equal(0, ready("cost pages=91 stride_bytes=65536", SPACE));
		seen.control = space + 91 * 64 * KIB;
		seen.wrong_at = wrong;
		assert_int_equal(wrong <= 2 ? -1 : 0, job.sampler(&planner, &job, &s));
		assert_int_equal(wrong <= 2, job.disproved);
		assert_int_equal(wrong <= 2, strstr(job.skip, "the chase ended at 0x") != NULL);
	}
}

TEST(pages_that_are_not_there_are_a_skip)
{
	assert_int_equal(-1, ready("cost pages=1 stride_bytes=2097152", SPACE));
	assert_string_equal(job.skip, "pages of 2048 KiB cannot be had");
	assert_int_equal(0, ready("cost pages=91 stride_bytes=65536", SPACE));
	job.arena.bytes = 5 * MIB;
	planner.work.used = 0;
	assert_int_equal(-1, job.row->prepare(&planner, job.row, &job));
	assert_string_equal(job.skip, "needs 6 MiB, the arena has 5");
	planner.work.bytes = planner.work.used = 0;
	assert_int_equal(-1, job.row->prepare(&planner, job.row, &job));
	assert_string_equal(job.skip, "no scratch memory");
}

static struct tlb_chains build(const struct translations *t, uint64_t bytes)
{
	const struct arena arena = { .base = space, .bytes = bytes };
	struct tlb_chains c;

	memset(&c, 0, sizeof c);
	if (tlb_build(&planner, &arena, t, &c))
		fail_msg("%lu pages do not fit into %lu bytes", t->pages, bytes);
	return c;
}

/* Both chains fit in tlb_bytes(), not in one byte less, and do not overlap. */
TEST(both_chains_fill_what_they_say)
{
	static const struct translations kinds[] = { { TLB_COST, 1, 0, 1, PAGE_4K },
		{ TLB_COST, 16, 0, 33, PAGE_4K }, { TLB_COST, 1, 0, 1000, PAGE_4K },
		{ TLB_COST, 1, 0, 5, PAGE_2M }, { TLB_UPPER, 16, 128, 4096, PAGE_4K } };

	plan_small("tlb", PROFILE_DEFAULT);
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const struct translations *t = &kinds[i];
		uint64_t stride = t->group * t->page_bytes, bytes = tlb_bytes(&planner, t);
		struct tlb_chains c = build(t, bytes);
		uint64_t spread = t->regions ? 128 * PAGE_2M : t->pages * stride;
		uint64_t packed = t->regions ? 0 : t->pages * 128;

		for (uint64_t k = 0; k < t->pages; k++) {
			uint64_t a = chain_at(&c.spread, CHAIN_POINTER, k) - (uintptr_t)space;
			uint64_t b = chain_at(&c.control, CHAIN_POINTER, k) - (uintptr_t)space;

			assert_in_range(a, 0, spread - 8);
			if (t->regions) /* in the same lines */
				assert_in_range(b, 0, spread - 8);
			else
				assert_in_range(b, spread, spread + packed - 8);
		}
		assert_in_range(bytes, spread + packed, spread + packed + PAGE_4K - 1);
		const struct arena less = { .base = space, .bytes = bytes - 1 };

		assert_int_equal(-1, tlb_build(&planner, &less, t, &c));
	}
}

/* The control visits 64 KiB, at random, then the next 64 KiB. */
TEST(the_control_goes_block_by_block)
{
	const struct translations t = { TLB_COST, 1, 0, 2000, PAGE_4K };

	plan_small("tlb", PROFILE_DEFAULT);
	struct tlb_chains c = build(&t, SPACE);
	unsigned in_order = 0;

	for (uint64_t k = 0; k < t.pages; k++) {
		uint64_t at = chain_at(&c.control, CHAIN_POINTER, k) - (uintptr_t)c.control.base;

		assert_int_equal(k / 512, at / (64 * KIB));
		in_order += at / 128 == k;
		at = chain_at(&c.spread, CHAIN_POINTER, k) - (uintptr_t)space;
		assert_int_equal(k / 512, at / PAGE_2M);
	}
	assert_in_range(in_order, 0, 30);
}

/*
 * Each region once, then each again in the same order, for another page of it; the control has the
 * same lines, region by region, at random within one.
 */
TEST(regions_in_turn_and_region_by_region)
{
	const struct translations t = { TLB_UPPER, 16, 128, 4096, PAGE_4K };
	bool used[128 * 32] = { false }, again[128 * 32] = { false };
	unsigned first[128], in_order = 0;

	plan_small("tlb", PROFILE_DEFAULT);
	struct tlb_chains c = build(&t, SPACE);

	for (unsigned k = 0; k < t.pages; k++) {
		uint64_t at = chain_at(&c.spread, CHAIN_POINTER, k) - (uintptr_t)space;
		unsigned region = (unsigned)(at / PAGE_2M);

		if (k < 128)
			first[k] = region;
		assert_int_equal(first[k % 128], region);
		assert_false(used[at / (64 * KIB)]);
		used[at / (64 * KIB)] = true;
		at = chain_at(&c.control, CHAIN_POINTER, k) - (uintptr_t)space;
		assert_int_equal(k / 32, at / PAGE_2M);
		assert_int_equal(8, at % 64);
		assert_false(again[at / (64 * KIB)]);
		again[at / (64 * KIB)] = true;
		in_order += at / (64 * KIB) == k;
	}
	assert_in_range(in_order, 0, 400);
	assert_memory_equal(used, again, sizeof used);
	for (unsigned i = 0; i < 128; i++)
		for (unsigned k = 0; k < i; k++)
			assert_true(first[i] != first[k]);
}

TEST(regions_of_an_upper_entry)
{
	const struct translations t = { TLB_UPPER, 16, 128, 0, PAGE_4K };
	const struct translations large = { TLB_UPPER, 1, 128, 0, PAGE_2M };

	assert_int_equal(PAGE_2M, tlb_region_bytes(PAGE_4K));
	assert_true(tlb_region_bytes(PAGE_2M) == PAGE_1G);
	assert_int_equal(128 * 32, tlb_upper_pages(&t));
	assert_int_equal(128 * 512, tlb_upper_pages(&large));
}

/*
 * The number of regions is the largest of 512, 256 and 128 that fits beside the orders of 8192
 * pages.
 */
TEST(as_many_regions_as_fit)
{
	plan_small("tlb", PROFILE_DEFAULT);
	for (uint32_t regions = 128; regions <= 512; regions *= 2) {
		const struct translations t = { TLB_UPPER, 16, regions, 8192, PAGE_4K };

		planner.arena.bytes = tlb_bytes(&planner, &t);
		assert_int_equal(regions, tlb_upper_regions(&planner, PAGE_4K));
		planner.arena.bytes--;
		assert_int_equal(regions == 128 ? 0 : regions / 2,
			tlb_upper_regions(&planner, PAGE_4K));
		planner.arena.reach = planner.arena.bytes + 1; /* what single pages may be of */
		assert_int_equal(regions, tlb_upper_regions(&planner, PAGE_4K));
		planner.arena.reach = 0;
	}
}

/*
 * Small pages are one of each group of 16 if 512 such groups fit, else side by side. Larger pages
 * are always side by side, or there are none.
 */
TEST(groups_where_they_fit)
{
	plan_small("tlb", PROFILE_DEFAULT);
	const struct translations t = { TLB_COST, 16, 0, 512, PAGE_4K };
	size_t enough = tlb_bytes(&planner, &t);

	for (unsigned less = 0; less < 2; less++) {
		arena_bytes = enough - less;
		plan_of(probe_named("tlb"), PROFILE_DEFAULT);
		row_planned(less ? "cost pages=64 stride_bytes=4096"
				 : "cost pages=64 stride_bytes=65536");
	}
	arena_bytes = 1024 * GIB;
	plan_of(probe_named("tlb"), PROFILE_DEFAULT);
	row_planned("cost pages=64 stride_bytes=2097152");
	large_pages = 0;
	plan_of(probe_named("tlb"), PROFILE_DEFAULT);
	large_pages = PAGE_2M;
	for (unsigned i = 0; i < plan.n; i++)
		assert_int_equal(PAGE_4K, plan.rows[i].page_bytes);
}

static double most_pages(size_t page)
{
	double most = 0;

	for (unsigned i = 0; i < plan.n; i++)
		if (plan.rows[i].page_bytes == page)
			most = fmax(most, row_get(&plan.rows[i], "pages", 0));
	return most;
}

/* Counts up to the first that does not fit, which says so. */
TEST(the_first_that_does_not_fit_is_the_last)
{
	plan_small("tlb", PROFILE_DEFAULT);
	const struct translations t = { TLB_COST, 1, 0, 1024, PAGE_4K };
	size_t enough = tlb_bytes(&planner, &t);

	for (unsigned less = 0; less < 2; less++) {
		arena_bytes = enough - less;
		plan_of(probe_named("tlb"), PROFILE_DEFAULT);
		assert_true(most_pages(PAGE_4K) == (less ? 1024 : 1448));
	}
}

/* Results of the planned rows of `cost`: two levels that end after `first` and `second` pages. */
static void measure(size_t page, double first, double second)
{
	static struct result results[300];

	planner.results = results;
	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];
		double pages = row_get(row, "pages", 0);
		double cycles = pages <= first ? 0 : pages <= second ? 7 : 40;

		if (strcmp(row->variant, "cost") || row->page_bytes != page)
			continue;
		assert_in_range(planner.nresults, 0, 299);
		results[planner.nresults++] = (struct result){ .row = row,
			.median = cycles / 3,
			.min = cycles / 3,
			.max = cycles / 3,
			.cycles = cycles,
			.core_hz = 3e9,
			.samples = 9,
			.page_bytes = page };
	}
}

static void expect_between(unsigned at, uint64_t page, double low, double high)
{
	const struct row *row = &plan.rows[at];
	double pages = row_get(row, "pages", 0);

	assert_string_equal("cost", row->variant);
	assert_int_equal(page == PAGE_4K ? ANSWER_TLB : ANSWER_TLB_2M, row->answer);
	assert_int_equal(page, row->page_bytes);
	assert_true(row_get(row, "stride_bytes", 0) == (page == PAGE_4K ? 64 * KIB : PAGE_2M));
	if (!(pages > low && pages < high))
		fail_msg("expected a count between %g and %g, came %g", low, high, pages);
}

/* A count within each gap where a level ends, of both page sizes. */
TEST(edges_are_looked_for_within_their_gaps)
{
	arena_bytes = 16 * GIB;
	plan_of(probe_named("tlb"), PROFILE_DEFAULT);
	unsigned before = plan.n;

	planner.probe->hooks->plan_edges(&planner, &medians);
	assert_int_equal(before, plan.n);
	measure(PAGE_4K, 64, 1500);
	measure(PAGE_2M, 32, 1024);
	planner.probe->hooks->plan_edges(&planner, &medians);
	assert_int_equal(before + 4, plan.n);
	expect_between(before, PAGE_4K, 64, 91);
	expect_between(before + 1, PAGE_4K, 1448, 2048);
	expect_between(before + 2, PAGE_2M, 32, 45);
	expect_between(before + 3, PAGE_2M, 1024, 1448);
}

BEFORE_ALL(reserve_space)
{
	space = mmap(NULL, SPACE + PAGE_2M, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(space, MAP_FAILED);
	space = (unsigned char *)(((uintptr_t)space + PAGE_2M - 1) & ~(PAGE_2M - 1));
}

/* Rows of `tlb` with pages of 2 MiB that are more than the arena: memory beside it is taken. */

#define NODE 7

static struct {
	unsigned times;
	uint32_t node;
	size_t page, bytes; /* what there is */
} asked;

static int arena_beside(struct room *e, uint32_t node, size_t page_bytes, struct arena *out)
{
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

static int ready_beside(const char *text)
{
	job = (struct job){ .row = row_planned(text),
		.arena = { .base = space + 400 * MIB,
			.bytes = arena_bytes,
			.page_bytes = PAGE_2M,
			.node = NODE } };
	planner.work.used = 0;
	return job.row->prepare(&planner, job.row, &job);
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

/* Only a row that the arena cannot hold asks for memory, and it asks for the arena's own node. */
TEST(memory_beside_is_taken_where_the_arena_is_too_small)
{
	begin(300 * MIB);
	assert_int_equal(0, ready_beside("cost pages=16 stride_bytes=2097152"));
	assert_int_equal(0, asked.times);
	assert_int_equal(0, ready_beside("cost pages=64 stride_bytes=2097152"));
	assert_int_equal(1, asked.times);
	assert_int_equal(NODE, asked.node);
}

TEST(what_is_not_there_is_a_skip)
{
	begin(300 * MIB);
	assert_int_equal(-1, ready_beside("cost pages=181 stride_bytes=2097152"));
	assert_string_equal("needs 363 MiB, the arena has 64", job.skip);
	assert_int_equal(0, asked.times);
	asked.bytes = 0;
	assert_int_equal(-1, ready_beside("cost pages=64 stride_bytes=2097152"));
	assert_string_equal("needs 129 MiB, the arena has 64", job.skip);
	asked.bytes = 300 * MIB;
	asked.page = PAGE_4K;
	assert_int_equal(-1, ready_beside("cost pages=64 stride_bytes=2097152"));
	assert_string_equal("memory of node 7 has pages of 4 KiB, the arena of 2048", job.skip);
}
