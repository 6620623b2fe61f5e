/* SPDX-License-Identifier: MIT */
/* Rows of `mlp`: which loop walks how many chains, what is flushed, and how they are warmed up. */
#include "probes/lanes.h"
#include "tests/unit/prepared.h"

static void ready(const char *text, enum profile profile)
{
	plan_small("mlp", profile);
	expect_ready(row_planned(text));
}

/* Up to 12 chains have registers, and then eight steps a round; more are walked in groups. */
static void each_number_of_chains_has_its_loop(void **state)
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
		{ "batch bytes=4194304 lanes=13", 0, loop_lanes_many, { 1256, 13, 1, 0 } },
		{ "batch-work bytes=4194304 lanes=16 work=6", 0, loop_batch_work, { 1024, 16 } },
		{ "batch-prefetch bytes=4194304 lanes=16 work=6", 0, loop_batch_prefetch,
			{ 1024, 16 } } };

	(void)state;
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
static void chains_that_are_too_many_are_not_walked(void **state)
{
	static const struct {
		unsigned nodes, lanes;
		uint64_t steps; /* 0: too many */
	} few[] = { { 8192, 1024, 0 }, { 9216, 1024, 8 }, { 16384, 1024, 8 }, { 17408, 1024, 16 },
		{ 9, 1, 8 }, { 8, 1, 0 }, { 16384, 1, 16376 }, { 16392, 1, 16384 } };

	(void)state;
	for (unsigned i = 0; i < sizeof few / sizeof *few; i++) {
		char text[64], reason[96];

		memory_bytes = 128 * few[i].nodes;
		plan_of(probe_named("mlp"), PROFILE_DEFAULT);
		snprintf(text, sizeof text, "chains bytes=%lu lanes=%u", memory_bytes,
			few[i].lanes);
		snprintf(reason, sizeof reason, "%u chains are too many for %u nodes", few[i].lanes,
			few[i].nodes);
		given_bytes = FAKE_ARENA;
		int is = make_ready(row_planned(text));

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

static struct {
	uint64_t list[32768], n;
	bool fails;
	unsigned flushes;
} flushed;

static struct timed noted_call(struct env *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct timed t = fake_call(e, loop, a);

	if (loop == loop_flush) {
		flushed.flushes++;
		flushed.n = a[1];
		assert_in_range(flushed.n, 0, 32768);
		memcpy(flushed.list, (const void *)(uintptr_t)a[0],
			flushed.n * sizeof *flushed.list);
		t.value += flushed.fails;
	}
	return t;
}

/* What each chain will load, in its order, and the node where it ends. */
static void every_line_of_a_sample_is_flushed(void **state)
{
	(void)state;
	ready("chains bytes=4194304 lanes=6", PROFILE_FULL);
	env.call = noted_call;
	for (unsigned sample = 0; sample < 2; sample++) {
		flushed.flushes = 0;
		job.refresh(&planner, &job);
		uint64_t steps = 8 * job.args[1], n = 0;
		const uint64_t *starts = (const uint64_t *)(uintptr_t)job.args[0];

		assert_int_equal(1, flushed.flushes);
		assert_int_equal(6 * (steps + 1), flushed.n);
		for (unsigned lane = 0; lane < 6; lane++)
			for (uint64_t k = 0, at = starts[lane]; k <= steps;
				k++, at = *(uint64_t *)(uintptr_t)at)
				assert_int_equal(at, flushed.list[n++]);
		assert_int_equal(job.expect, fake_call(&env, job.loop, job.args).value);
	}
}

static void what_is_not_flushed_is_not_measured(void **state)
{
	(void)state;
	ready("chains bytes=4194304 lanes=6", PROFILE_FULL);
	env.call = noted_call;
	flushed.fails = true;
	job.refresh(&planner, &job);
	flushed.fails = false;
	assert_true(job.expect != fake_call(&env, job.loop, job.args).value);
	flushed.flushes = 0;
	ready("chains bytes=1048576 lanes=8", PROFILE_FULL);
	env.call = noted_call;
	job.refresh(&planner, &job);
	assert_int_equal(0, flushed.flushes);
}

/* A walk around a buffer of up to four last caches; of a larger one nothing would be left. */
static void caches_are_filled_first(void **state)
{
	static const struct {
		uint64_t last;
		unsigned calls;
	} caches[] = { { MIB, 3 }, { MIB - 64, 2 }, { 900 * KIB, 2 }, { 2 * MIB, 3 } };

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_number_of_chains_has_its_loop),
		cmocka_unit_test(chains_that_are_too_many_are_not_walked),
		cmocka_unit_test(every_line_of_a_sample_is_flushed),
		cmocka_unit_test(what_is_not_flushed_is_not_measured),
		cmocka_unit_test(caches_are_filled_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
