/* SPDX-License-Identifier: MIT */
/*
 * Planned rows made ready: how much each does in a sample, that it is given up where arena or
 * scratch memory are too small, and stays within both.
 */
#include "tests/unit/fake_code.h"
#include "tests/unit/prepared.h"

/* The first row of each variant stands for the others. */
static bool is_first(unsigned at)
{
	for (unsigned i = 0; i < at; i++)
		if (!strcmp(plan.rows[i].variant, plan.rows[at].variant))
			return false;
	return true;
}

/* Those of `indirect`, `backend` and `frontend` are all made ready in their own tests. */
static const char *const by_loops[] = { "random", "bandwidth", "mlp", "stride", "shuffle", "window",
	"ways", "ilp", "matmul", "storeload", "branch" };

#define PROBES (sizeof by_loops / sizeof *by_loops)

/* Scratch memory from none to enough: without enough of it the row is given up, and says so. */
TEST(without_scratch_memory_a_row_is_given_up)
{
	for (unsigned p = 0; p < PROBES; p++) {
		plan_small(by_loops[p], PROFILE_DEFAULT);
		for (unsigned i = 0; i < plan.n; i++) {
			const struct row *row = &plan.rows[i];
			unsigned refused = 0;

			if (!is_first(i))
				continue;
			planner.work.bytes = 0;
			planner.shared_chain = NULL;
			for (; ready_row(row) == -1 && refused < 500; refused++) {
				if (strcmp(job.skip, "no scratch memory"))
					fail_msg("%s: is skipped: %s", row_text(row), job.skip);
				planner.work.bytes = 512 * (refused + 1);
				planner.shared_chain = NULL;
			}
			if (*job.skip)
				fail_msg("%s: expected to be ready at last, came '%s'",
					row_text(row), job.skip);
			planner.work.bytes = room.work_bytes;
		}
	}
}

enum { NO_ARENA = 0 };

/* The work of a row in one sample, and the smallest arena that it accepts. */
static const struct {
	const char *probe, *row;
	size_t bytes; /* of the arena */
	double ops;
	unsigned count_at; /* index of its loop's argument that is 0 in the empty call */
	unsigned min_samples, warm_calls;
	int needs; /* MiB that the skip's reason names when one byte is missing */
} wants[] = {
	{ "random", "read bytes=1024 width_bits=32", 2048, 65536, 3, 0, 1, 1 },
	{ "random", "write bytes=24576 width_bits=32", 24576, 64512, 3, 0, 1, 1 },
	{ "random", "read bytes=24576 width_bits=64", 24576, 65536, 3, 0, 1, 1 },
	{ "random", "read bytes=1048576 width_bits=128", 1310720, 65536, 3, 0, 1, 2 },
	{ "random", "write bytes=1048576 width_bits=64", 1572864, 131072, 3, 0, 1, 2 },
	{ "random", "read bytes=4194304 width_bits=32", 8388608, 262144, 3, 0, 4, 9 },
	{ "random", "write bytes=4194304 width_bits=128", 5242880, 262144, 3, 0, 1, 6 },
	{ "bandwidth", "words-read bytes=1024 width_bits=32", 5120, 131072, 2, 0, 0, 1 },
	{ "bandwidth", "read bytes=24576 width_bits=64", 28672, 245760, 2, 0, 0, 1 },
	{ "bandwidth", "write bytes=24576 width_bits=128", 28672, 516096, 2, 0, 0, 1 },
	{ "bandwidth", "copy bytes=24576 width_bits=128", 28672, 516096, 3, 0, 0, 1 },
	{ "bandwidth", "copy bytes=4194304 width_bits=128", 4198400, 4194304, 3, 0, 0, 5 },
	{ "bandwidth", "write bytes=1048576 width_bits=64", 1052672, 1048576, 2, 0, 0, 2 },
	{ "bandwidth", "read bytes=2965760 width_bits=128", 2969856, 2965760, 2, 0, 0, 3 },
	{ "bandwidth", "rep-movsb bytes=24576", 28672, 2088960, 3, 0, 0, 1 },
	{ "bandwidth", "rep-stosb bytes=24576", 28672, 2088960, 2, 0, 0, 1 },
	{ "bandwidth", "one-byte-per-line bytes=7340032 stride_bytes=64 run=1", 7344128, 7340032, 2,
		0, 0, 8 },
	{ "bandwidth", "mix-3-1 bytes=4194304 width_bits=128", 4198400, 4194304, 3, 0, 0, 5 },
	{ "bandwidth", "mix-2-1 bytes=4194304 width_bits=128", 4198400, 4194240, 3, 0, 0, 5 },
	{ "bandwidth", "mix-1-1 bytes=4194304 width_bits=128", 4198400, 4194304, 3, 0, 0, 5 },
	{ "mlp", "chains bytes=4194304 lanes=1", 4194304, 16384, 1, 7, 2, 5 },
	{ "mlp", "chains bytes=4194304 lanes=12", 4194304, 16320, 1, 7, 2, 5 },
	{ "mlp", "chains bytes=4194304 lanes=13", 4194304, 16328, 1, 7, 2, 5 },
	{ "mlp", "chains bytes=4194304 lanes=1024", 4194304, 16384, 1, 7, 2, 5 },
	{ "mlp", "chains bytes=1048576 lanes=1", 1048576, 8184, 1, 0, 2, 2 },
	{ "mlp", "chains bytes=1048576 lanes=2", 1048576, 8176, 1, 0, 2, 2 },
	{ "mlp", "chains bytes=1048576 lanes=16", 1048576, 8064, 1, 0, 2, 2 },
	{ "mlp", "work bytes=4194304 lanes=8 work=6", 4194304, 16384, 1, 7, 2, 5 },
	{ "mlp", "prefetch bytes=4194304 lanes=32 work=12", 4194304, 16384, 1, 7, 2, 5 },
	{ "mlp", "batch bytes=1024 lanes=1", 1024, 16384, 1, 0, 1, 1 },
	{ "mlp", "batch bytes=131072 lanes=16", 131072, 16384, 1, 0, 1, 1 },
	{ "mlp", "batch bytes=4194304 lanes=8", 4194304, 16384, 1, 0, 5, 5 },
	{ "mlp", "batch-work bytes=2048 lanes=16 work=3", 2048, 16384, 1, 0, 1, 1 },
	{ "mlp", "batch-prefetch bytes=4194304 lanes=32 work=0", 4194304, 16384, 1, 0, 5, 5 },
	{ "stride", "even stride_bytes=16 bytes=8388608", 8388608, 262144, 4, 3, 0, 9 },
	{ "stride", "even stride_bytes=24 bytes=8388608", 8388608, 174762, 4, 3, 0, 9 },
	{ "stride", "even stride_bytes=32 bytes=8388608", 8388608, 131072, 4, 3, 0, 9 },
	{ "stride", "odd stride_bytes=31 bytes=8388608", 8388608, 135300, 4, 3, 0, 9 },
	{ "stride", "odd stride_bytes=4095 bytes=8388608", 8388608, 1024, 4, 0, 0, 9 },
	{ "stride", "flush-beside apart_bytes=8", 32768, 64, 1, 0, 0, 1 },
	{ "stride", "flush-beside apart_bytes=256", 32768, 64, 1, 0, 0, 1 },
	{ "shuffle", "fisher-yates bytes=16384 elements=4096", 16384, 4096, 1, 10, 0, 1 },
	{ "window", "two-misses instructions=3 bytes=4194304", 4194304, 512, 2, 0, 2, 5 },
	{ "window", "two-misses instructions=1027 bytes=4194304", 4194304, 128, 2, 0, 2, 5 },
	{ "ways", "same-set ways=1 stride_bytes=65536", 65536, 4096, 1, 0, 0, 1 },
	{ "ways", "same-set ways=32 stride_bytes=65536", 2097152, 4096, 1, 0, 0, 3 },
	{ "ways", "same-pages ways=32 stride_bytes=65600", 2099200, 4096, 1, 0, 0, 3 },
	{ "ways", "same-index ways=32 stride_bytes=4096", 131072, 4096, 1, 0, 0, 1 },
	{ "ways", "same-index-twice ways=14 stride_bytes=4096", 188416, 4096, 1, 0, 0, 1 },
	{ "ways", "same-index-back ways=20 stride_bytes=4096", 212992, 4096, 1, 0, 0, 1 },
	{ "ilp", "differences elements=100", 8388608, 6400, 3, 0, 0, NO_ARENA },
	{ "ilp", "add lanes=1", 8388608, 7680, 0, 0, 0, NO_ARENA },
	{ "ilp", "multiply lanes=8", 8388608, 7680, 0, 0, 0, NO_ARENA },
	{ "ilp", "odd-calls elements=999", 8388608, 7992, 1, 0, 0, NO_ARENA },
	{ "ilp", "factorial-loop n=20", 8388608, 5120, 1, 0, 0, NO_ARENA },
	{ "matmul", "ijk n=32 rows=32", 24576, 262144, 1, 0, 0, 1 },
	{ "matmul", "ikj n=512 rows=16", 2228224, 4194304, 1, 0, 0, 3 },
};

/*
 * Returns true if the empty call's arguments differ from the other call's only in that count, which
 * is 0.
 */
static bool is_empty_twin(unsigned count_at)
{
	for (unsigned i = 0; i < LOOP_ARGS; i++)
		if (job.empty_args[i] != (i == count_at ? 0 : job.args[i]))
			return false;
	return job.args[count_at] != 0;
}

TEST(rows_stay_within_what_they_want)
{
	char why[64];

	for (unsigned i = 0; i < sizeof wants / sizeof *wants; i++) {
		plan_small(wants[i].probe, PROFILE_DEFAULT);
		const struct row *row = row_planned(wants[i].row);

		given_bytes = wants[i].bytes;
		memset(planner.work.base, UNTOUCHED, MIB);
		expect_ready(row);
		if (job.ops != wants[i].ops || job.min_samples != wants[i].min_samples ||
			job.warm_calls != wants[i].warm_calls)
			fail_msg("%s: expected %g ops, %u samples, %u calls to warm up, came %g, "
				 "%u, %u",
				row_text(row), wants[i].ops, wants[i].min_samples,
				wants[i].warm_calls, job.ops, job.min_samples, job.warm_calls);
		if (!is_empty_twin(wants[i].count_at))
			fail_msg("%s: argument %u is not what alone is 0 in the empty call",
				row_text(row), wants[i].count_at);
		expect_sample(row);
		expect_within(row);
		assert_in_range(planner.work.used, 0, MIB - 16 * KIB);
		for (unsigned k = 0; k < 16 * KIB; k++)
			if (planner.work.base[planner.work.used + k] != UNTOUCHED)
				fail_msg("%s: scratch memory beyond its %zu bytes was written",
					row_text(row), planner.work.used);
		given_bytes--;
		snprintf(why, sizeof why, "needs %d MiB, the arena has %llu", wants[i].needs,
			given_bytes / MIB);
		if (wants[i].needs == NO_ARENA)
			continue;
		expect_refused(row, why);
		if (job.asked < wants[i].bytes) /* it would be given that, and refuse it again */
			fail_msg("%s: it asks for %llu bytes and needs %zu", row_text(row),
				(unsigned long long)job.asked, wants[i].bytes);
	}
}
