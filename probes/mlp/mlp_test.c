/* SPDX-License-Identifier: MIT */
/* Rows of `mlp`: which loop walks how many chains, what is flushed, and how they are warmed up. */
#include "probes/lanes.h"
#include "tests/unit/flushed_lines.h"
#include "tests/unit/summary_rows.h"

static void ready(const char *text, enum profile profile)
{
	plan_small("mlp", profile);
	expect_ready(row_planned(text));
}

/* Up to 12 chains have registers, and then eight steps a round; more are walked in groups. */
TEST(each_number_of_chains_has_its_loop)
{
	static const struct {
		const char *row;
		unsigned lanes; /* in registers; 0: another loop */
		loop_fn *loop;
		uint64_t args[4]; /* after the pointers */
	} loops[] = { { "chains bytes=4194304 lanes=1", 1, NULL, { 2048, 1, 1, 0 } },
		{ "chains bytes=4194304 lanes=12", 12, NULL, { 170, 12, 1, 0 } },
		{ "chains bytes=4194304 lanes=13", 0, loop_lanes_many, { 1256, 13, 1, 0 } },
		{ "chains bytes=4194304 lanes=128", 0, loop_lanes_many, { 128, 128, 1, 0 } },
		{ "chains bytes=4194304 lanes=256", 0, loop_lanes_many, { 64, 128, 2, 0 } },
		{ "chains bytes=4194304 lanes=1024", 0, loop_lanes_many, { 16, 128, 8, 0 } },
		{ "work bytes=4194304 lanes=1 work=3", 0, loop_lanes_work_3,
			{ 16384, 1, 1, 0x9e3779b97f4a7c15 } },
		{ "prefetch bytes=4194304 lanes=32 work=12", 0, loop_lanes_prefetch_12,
			{ 512, 32, 1, 0x9e3779b97f4a7c15 } },
		{ "batch bytes=4194304 lanes=12", 12, NULL, { 170, 0, 0, 0 } },
		{ "batch bytes=4194304 lanes=13", 0, loop_lanes_13, { 157, 0, 0, 0 } },
		{ "batch bytes=4194304 lanes=16", 0, loop_lanes_spilled, { 1024, 4, 0, 0 } },
		{ "batch bytes=4194304 lanes=128", 0, loop_lanes_spilled, { 128, 116, 0, 0 } },
		{ "batch-work bytes=4194304 lanes=16 work=6", 0, loop_batch_work, { 1024, 16 } },
		{ "batch-prefetch bytes=4194304 lanes=16 work=6", 0, loop_batch_prefetch,
			{ 1024, 16 } } };

	for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++) {
		ready(loops[i].row, PROFILE_FULL);
		assert_ptr_equal(job.loop,
			loops[i].lanes ? lanes_loop(loops[i].lanes) : loops[i].loop);
		for (unsigned k = 0; k < 4; k++)
			if (loops[i].args[k] != job.args[k + 1] && (k < 2 || loops[i].args[k]))
				fail_msg("%s: argument %u: expected %lu, came %lu", loops[i].row,
					k + 1, loops[i].args[k], job.args[k + 1]);
	}
}

/* No more chains than a few nodes for each; steps in groups of eight. */
TEST(chains_that_are_too_many_are_not_walked)
{
	static const struct {
		unsigned nodes, lanes;
		uint64_t steps; /* 0: too many */
	} few[] = { { 8192, 1024, 0 }, { 9216, 1024, 8 }, { 16384, 1024, 8 }, { 17408, 1024, 16 },
		{ 9, 1, 8 }, { 8, 1, 0 }, { 16384, 1, 16376 }, { 16392, 1, 16384 } };

	for (unsigned i = 0; i < sizeof few / sizeof *few; i++) {
		char text[64], reason[96];

		memory_bytes = 128 * few[i].nodes;
		plan_of(probe_named("mlp"), PROFILE_DEFAULT);
		snprintf(text, sizeof text, "chains bytes=%lu lanes=%u", memory_bytes,
			few[i].lanes);
		snprintf(reason, sizeof reason, "%u chains are too many for %u nodes", few[i].lanes,
			few[i].nodes);
		given_bytes = FAKE_ARENA;
		int is = ready_row(row_planned(text));

		if (few[i].steps) {
			assert_int_equal(0, is);
			assert_true(job.ops == (double)(few[i].steps * few[i].lanes));
			expect_sample(job.row);
			expect_sample(job.row);
		} else {
			assert_int_equal(-1, is);
			assert_string_equal(reason, job.skip);
		}
	}
}

/*
 * Each sample flushes every node that a chain will load, in its order, and the node where it ends.
 * The six chains are a sixth of the cycle apart, and the next sample goes on where they ended.
 */
TEST(every_line_of_a_sample_is_flushed)
{
	uint64_t end = 0;

	ready("chains bytes=4194304 lanes=6", PROFILE_FULL);
	room.call = noted_call;
	for (unsigned sample = 0; sample < 2; sample++) {
		flushed.flushes = 0;
		job.refresh(&planner, &job);
		uint64_t steps = 8 * job.args[1], n = 0;
		const uint64_t *starts = (const uint64_t *)(uintptr_t)job.args[0];

		assert_int_equal(1, flushed.flushes);
		assert_int_equal(6 * (steps + 1), flushed.n);
		assert_true(sample == 0 || starts[0] == end);
		for (unsigned lane = 1; lane < 6; lane++)
			assert_int_equal(starts[lane], after(starts[lane - 1], 32768 / 6));
		end = after(starts[0], steps);
		for (unsigned lane = 0; lane < 6; lane++)
			for (uint64_t k = 0, at = starts[lane]; k <= steps;
				k++, at = *(uint64_t *)(uintptr_t)at)
				assert_int_equal(at, flushed.list[n++]);
		assert_int_equal(job.expect, fake_call(&room, job.loop, job.args).value);
	}
}

/* Chains of a batch are a part of the cycle apart as well, and go on where they ended. */
TEST(batches_go_on_where_they_ended)
{
	static const char *const rows[] = { "batch bytes=2965824 lanes=4",
		"batch bytes=2965824 lanes=32", "batch-work bytes=2965824 lanes=16 work=6" };
	static const unsigned lanes[] = { 4, 32, 16 };

	for (unsigned i = 0; i < 3; i++) {
		uint64_t end = 0;

		ready(rows[i], PROFILE_FULL);
		for (unsigned sample = 0; sample < 3; sample++) {
			const uint64_t *starts = (const uint64_t *)(uintptr_t)job.args[0];

			job.refresh(&planner, &job);
			assert_true(sample == 0 || starts[0] == end);
			for (unsigned lane = 1; lane < lanes[i]; lane++)
				assert_int_equal(starts[lane],
					after(starts[lane - 1], 46341 / lanes[i]));
			end = after(starts[0], 16384 / lanes[i] / 8 * 8);
		}
	}
}

/* Lanes over elements are a part of the array apart, those together at one place; both go on. */
TEST(lanes_together_start_at_one_place)
{
	static const char *const rows[] = { "elements bytes=5242880 lanes=40",
		"elements-together bytes=5242880 lanes=40" };

	for (unsigned together = 0; together < 2; together++) {
		uint64_t end = 0;

		ready(rows[together], PROFILE_FULL);
		for (unsigned sample = 0; sample < 3; sample++) {
			const uint64_t *starts = (const uint64_t *)(uintptr_t)job.args[0];

			job.refresh(&planner, &job);
			assert_true(sample == 0 || starts[0] == end);
			for (unsigned lane = 1; lane < 40; lane++)
				assert_int_equal(starts[lane],
					together ? starts[0]
						 : after(starts[lane - 1], 655360 / 40));
			end = after(starts[0], job.args[1]);
			assert_int_equal(job.expect, fake_call(&room, job.loop, job.args).value);
		}
	}
}

/* [R]'s nodes are lines, although here lines come in pairs: 65536 of them in 4 MiB. */
TEST(batches_use_every_line)
{
	static bool seen[4 * MIB / 64];
	uint64_t at, nodes = 0;

	ready("batch bytes=4194304 lanes=1", PROFILE_FULL);
	job.refresh(&planner, &job);
	at = *(uint64_t *)argument(0);
	for (; nodes < sizeof seen; nodes++, at = *(uint64_t *)(uintptr_t)at) {
		uint64_t line = (at - (uintptr_t)job.arena.base) / 64;

		assert_in_range(line, 0, sizeof seen - 1);
		assert_false(seen[line]);
		seen[line] = true;
	}
}

/* In pages of 2 MiB wherever there are such. */
TEST(batches_are_in_large_pages)
{
	for (unsigned large = 0; large < 2; large++) {
		large_pages = large ? PAGE_2M : 0;
		wanted_page = PAGE_4K;
		plan_small("mlp", PROFILE_DEFAULT);
		assert_int_equal(large ? PAGE_2M : PAGE_4K,
			row_planned("batch bytes=1024 lanes=1")->page_bytes);
	}
	wanted_page = 0;
	large_pages = PAGE_2M;
}

TEST(what_is_not_flushed_is_not_measured)
{
	ready("chains bytes=4194304 lanes=6", PROFILE_FULL);
	room.call = noted_call;
	flushed.fails = true;
	job.refresh(&planner, &job);
	flushed.fails = false;
	assert_true(job.expect != fake_call(&room, job.loop, job.args).value);
	flushed.flushes = 0;
	ready("chains bytes=1048576 lanes=8", PROFILE_FULL);
	room.call = noted_call;
	job.refresh(&planner, &job);
	assert_int_equal(0, flushed.flushes);
}

/* A walk around a buffer of up to four last caches; of a larger one nothing would be left. */
TEST(caches_are_filled_first)
{
	static const struct {
		uint64_t last;
		unsigned calls;
	} caches[] = { { MIB, 5 }, { MIB - 64, 2 }, { 900 * KIB, 2 }, { 2 * MIB, 5 } };

	for (unsigned i = 0; i < sizeof caches / sizeof *caches; i++) {
		plan_small("mlp", PROFILE_DEFAULT);
		planner.caches = (struct caches){ .count = 3, .memory_ns = 100 };
		for (unsigned level = 0; level < 3; level++)
			planner.caches.bytes[level] = caches[i].last >> (2 - level) * 3;
		expect_ready(row_planned("batch bytes=4194304 lanes=8"));
		if (job.warm_calls != caches[i].calls)
			fail_msg("of a last cache of %lu KiB: expected %u calls, came %u",
				caches[i].last / KIB, caches[i].calls, job.warm_calls);
	}
}

/*
 * Only the row of one lane over elements walks the whole cycle to warm up: the rows after it find
 * the elements already walked.
 */
TEST(elements_are_walked_once)
{
	static const unsigned lanes[] = { 1, 2, 40 };

	for (unsigned i = 0; i < 3; i++) {
		char text[64];

		plan_small("mlp", PROFILE_FULL);
		planner.caches = (struct caches){ .count = 1, .bytes = { 2 * MIB } };
		snprintf(text, sizeof text, "elements bytes=5242880 lanes=%u", lanes[i]);
		expect_ready(row_planned(text));
		assert_int_equal(i ? 2 : 655360 / 16384 + 1, job.warm_calls);
	}
}

/* The last of these results is the row's own; the text is what it adds. */
static const char *extra_of(struct result *results, unsigned n)
{
	static char text[256];
	struct jsonl l;

	planner.results = results;
	planner.nresults = n;
	jsonl_begin(&l, text, sizeof text);
	job.extra(&planner, &job, &l, NULL, 0);
	jsonl_end(&l);
	return text;
}

/* Elements are counted by their bytes, and as L26 does: a line of 64 bytes for each load. */
TEST(loads_of_elements_count_as_lines_as_well)
{
	struct result result = { .median = 4 };

	ready("elements-256-mib bytes=5242880 lanes=40", PROFILE_FULL);
	result.row = job.row;
	const char *text = extra_of(&result, 1);

	if (!strstr(text, "\"gb_per_s\":2,") || !strstr(text, "\"lines_gib_per_s\":14.901"))
		fail_msg("expected 2 GB/s of elements and 14.901 GiB/s of lines, came %s", text);
}

/* Over the one chain of the same memory that prefetchers could follow as well. */
TEST(a_speedup_is_over_one_chain_of_the_same_kind)
{
	static const char *const others[] = { "chains bytes=1048576 lanes=1", /* other memory */
		"chains bytes=4194304 lanes=2", "batch bytes=4194304 lanes=1" };
	struct result results[] = { { .median = 80 }, { .median = 7 }, { .median = 20 } };
	struct row with_none;

	plan_small("mlp", PROFILE_FULL);
	results[0].row = row_planned("chains bytes=4194304 lanes=1");
	expect_ready(row_planned("chains bytes=4194304 lanes=8"));
	results[2].row = job.row;
	for (unsigned i = 0; i < 3; i++) {
		results[1].row = row_planned(others[i]);
		if (!strstr(extra_of(results, 3), "\"gb_per_s\":3.200000,\"speedup\":4,"))
			fail_msg("after '%s': expected 3.2 GB/s and 4, came %s", others[i],
				extra_of(results, 3));
	}
	with_none = *job.row;
	with_none.no_prefetch = true;
	job.row = results[2].row = &with_none;
	assert_null(strstr(extra_of(results, 3), "speedup"));
	results[0].median = 0; /* not measured */
	with_none.no_prefetch = false;
	assert_null(strstr(extra_of(results, 3), "speedup"));
}

/* Returns the numbers of chains of the rows with this level and page size, in their order. */
static const char *lanes_of(const char *level, size_t page)
{
	static char text[2048];
	size_t n = 0;

	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];

		if (!strcmp(row->variant, "chains") && !strcmp(row->level, level) &&
			row->page_bytes == page)
			n += (size_t)snprintf(text + n, sizeof text - n, " %.0f",
				row_get(row, "lanes", 0));
	}
	text[n] = 0;
	return text;
}

TEST(numbers_of_chains)
{
	static const char all[] = " 1 5 9 13 17 21 25 29 33 37 41 45 49 53 57 61 65 69 73 77 81"
				  " 85 89 93 97 101 105 109 113 117 121 125 2 6 10 14 18 22 26 30"
				  " 34 38 42 46 50 54 58 62 66 70 74 78 82 86 90 94 98 102 106"
				  " 110 114 118 122 126 3 7 11 15 19 23 27 31 35 39 43 47 51 55"
				  " 59 63 67 71 75 79 83 87 91 95 99 103 107 111 115 119 123 127"
				  " 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84"
				  " 88 92 96 100 104 108 112 116 120 124 128 256 512 1024";
	static const struct {
		enum profile profile;
		const char *level;
		size_t page;
		const char *lanes;
	} rows[] = {
		{ PROFILE_SMOKE, "memory", PAGE_2M,
			" 1 2 6 10 4 8 12 16 20 24 28 32 36 40 48 56 64" },
		{ PROFILE_SMOKE, "memory", PAGE_4K, " 1 2 4 8 12 16 20 24 28 32 36 64" },
		{ PROFILE_SMOKE, "l2", PAGE_2M, " 1 2 4 8 12 16 20 24 28 32 36" },
		{ PROFILE_DEFAULT, "memory", PAGE_2M,
			" 1 5 9 13 17 21 2 6 10 14 18 22 3 7 11 15 19 23 4 8 12 16 20"
			" 24 28 32 36 40 44 48 52 56 60 64 128 256 512 1024" },
		{ PROFILE_DEFAULT, "memory", PAGE_4K,
			" 1 2 4 8 12 16 20 24 28 32 36 64 128 256 512 1024" },
		{ PROFILE_DEFAULT, "l2", PAGE_2M, " 1 2 4 8 12 16 20 24 28 32 36" },
		{ PROFILE_FULL, "memory", PAGE_2M, all },
		{ PROFILE_FULL, "memory", PAGE_4K, all },
		{ PROFILE_FULL, "l2", PAGE_2M, " 1 2 4 8 12 16 20 24 28 32 36" },
	};

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		plan_small("mlp", rows[i].profile);
		const char *came = lanes_of(rows[i].level, rows[i].page);

		if (strcmp(came, rows[i].lanes))
			fail_msg("profile %u, %s: expected%s, came%s", rows[i].profile,
				rows[i].level, rows[i].lanes, came);
	}
}

/*
 * Tests `parallel_misses` from rows of `mlp`: the reference of the speed-up, and the reasons for a
 * refusal.
 */

#define ONE    120.0 /* ns of a miss alone */
#define MISSES 20.0  /* at once */
#define CHAINS 40

static struct result *lanes[CHAINS + 1]; /* by their number of chains */

/* Every number of chains up to 40, quiet. */
BEFORE_EACH(quiet)
{
	begin_of("mlp");
	for (unsigned k = 1; k <= CHAINS; k++) {
		add("mlp", "chains-reach", "lanes", k, ONE / fmin(k, MISSES), PAGE_2M);
		lanes[k] = &m.results[m.b.nresults - 1];
	}
}

/* Make rows first..last take `times` as long, with every sample disturbed. */
static void disturb(unsigned first, unsigned last, double times)
{
	for (unsigned k = first; k <= last; k++) {
		lanes[k]->median *= times;
		lanes[k]->floor = lanes[k]->median;
		lanes[k]->disturbed = lanes[k]->samples;
	}
}

/* Seen on a busy machine: two chains nine times as fast as one, and 207 misses, 88 % sure. */
TEST(one_disturbed_chain_is_no_reference)
{
	for (unsigned last = 1; last <= 3; last++) {
		quiet();
		disturb(1, last, 9);
		near("misses", MISSES, value("parallel_misses")->value);
	}
}

TEST(more_than_k_times_as_fast_is_refused)
{
	static const struct {
		double times;
		bool refused;
	} cases[] = { { 1.09, false }, { 1.12, true }, { 9, true } };

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		quiet();
		disturb(1, 4, cases[i].times);
		if (!cases[i].refused)
			near("misses", MISSES * cases[i].times, value("parallel_misses")->value);
		else if (!isnan(value("parallel_misses")->value))
			fail_msg("x%g: expected a refusal, came %g", cases[i].times,
				value("parallel_misses")->value);
		else
			assert_string_equal("k chains were more than 1.1 k times as fast as one",
				value("parallel_misses")->reason);
	}
}

/*
 * All values rest on one reference row. The median loss of 40 rows hardly moves with it, so its own
 * loss is counted in full.
 */
TEST(the_doubt_of_the_reference_counts_fully)
{
	double before = value("parallel_misses")->confidence;

	quiet();
	disturb(1, 4, 1);
	near("half of the confidence", before / 2, value("parallel_misses")->confidence);
}
