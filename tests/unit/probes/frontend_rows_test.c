/* SPDX-License-Identifier: MIT */
/* Rows of `frontend`: their samples, and where their edges are looked for. */
#include <sys/mman.h>

#include "tests/unit/prepared.h"
#include "tests/unit/test.h"

static struct {
	void *base;
	size_t bytes;
	bool refused, unsealed;
} code;

static void *code_open(struct room *e, size_t bytes)
{
	if (code.base)
		munmap(code.base, code.bytes);
	code.bytes = bytes;
	code.base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return code.refused ? NULL : code.base;
}

static int code_seal(struct room *e)
{
	return code.unsealed ? -1 : mprotect(code.base, code.bytes, PROT_READ | PROT_EXEC);
}

static void start(unsigned samples)
{
	plan_small("frontend", PROFILE_FULL);
	room.code_open = code_open;
	room.code_seal = code_seal;
	room.samples = samples;
	code.refused = code.unsealed = false;
}

TEST(each_row_does_what_it_says)
{
	start(0);
	assert_true(plan.n > 70);
	for (unsigned i = 0; i < plan.n; i++) {
		double ops = 0;

		expect_ready(&plan.rows[i]);
		expect_sample(&plan.rows[i]);
		ops = job.ops;
		assert_int_equal(0, job.empty_args[2]);
		assert_int_equal(1, room.call(&room, job.loop, job.empty_args).value);
		room.samples = 1; /* where nothing disturbs one, a sample is shorter */
		expect_ready(&plan.rows[i]);
		expect_sample(&plan.rows[i]);
		assert_true(job.ops < ops || row_get(&plan.rows[i], "bytes", 0) > MIB);
		room.samples = 0;
	}
}

TEST(without_memory_for_code_there_is_no_row)
{
	start(0);
	code.unsealed = true;
	assert_int_equal(-1, make_ready(&plan.rows[0]));
	assert_string_equal("generated code cannot be made executable", job.skip);
	code.refused = true;
	assert_int_equal(-1, make_ready(&plan.rows[0]));
	assert_string_equal("no 2 KiB for generated code", job.skip);
}

/* The step of a kind lies within a twentieth; no size is planned twice. */
TEST(edges_are_bisected)
{
	static struct result results[1200];
	unsigned from = 0, rounds = 0, low = 0, high = 1 << 30;

	start(0);
	planner.results = results;
	while (from < plan.n && rounds++ < 20) {
		for (; from < plan.n; from++) {
			const struct row *row = &plan.rows[from];
			unsigned x = (unsigned)row_get(row, "bytes", 0);
			double ns = x <= 20480 ? 0.1 : 0.3;
			bool dense = !strcmp(row->variant, "dense");

			low = dense && x <= 20480 && x > low ? x : low;
			high = dense && x > 20480 && x < high ? x : high;
			assert_int_equal(0, x % 32);
			results[planner.nresults++] = (struct result){ .row = row,
				.median = ns,
				.min = ns,
				.max = ns,
				.cycles = 3 * ns,
				.core_hz = 3e9,
				.samples = 9 };
		}
		planner.probe->hooks->plan_edges(&planner);
	}
	assert_int_equal(20480, low);
	assert_true(high <= 1.05 * 20480);
	assert_true(rounds < 8);
}
