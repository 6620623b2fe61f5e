/* SPDX-License-Identifier: MIT */
/* Rows of `privileged` that flush lines: in which state these are before each sample. */
#include "tests/unit/prepared.h"

#define LINES 128

static char called[8]; /* f: flush, r: read, w: write; of all lines */
static uint64_t first; /* address that was flushed */

static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	size_t n = strlen(called);

	assert_true(n + 1 < sizeof called);
	if (loop == loop_flush) {
		assert_int_equal(LINES, a[1]);
		first = *(const uint64_t *)(uintptr_t)a[0];
	} else {
		assert_int_equal(first, a[0]);
		assert_int_equal(LINES * 64, a[1]);
		assert_int_equal(1, a[2]);
	}
	called[n] = loop == loop_flush ? 'f'
		: loop == loop_read_64 ? 'r'
				       : (assert_ptr_equal(loop_write_64, loop), 'w');
	return fake_call(e, loop, a);
}

TEST(lines_are_put_into_their_state)
{
	static const struct {
		const char *row;
		loop_fn *loop;
		const char *calls;
	} rows[] = { { "clflush-absent", loop_flush, "f" }, { "clflush-clean", loop_flush, "fr" },
		{ "clflush-dirty", loop_flush, "fw" }, { "clflushopt-absent", loop_flushopt, "f" },
		{ "clflushopt-clean", loop_flushopt, "fr" },
		{ "clflushopt-dirty", loop_flushopt, "fw" },
		{ "clwb-absent", loop_write_back, "f" }, { "clwb-clean", loop_write_back, "fr" },
		{ "clwb-dirty", loop_write_back, "fw" } };

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		plan_small("privileged", PROFILE_DEFAULT);
		expect_ready(row_planned(rows[i].row));
		room.call = call;
		for (unsigned sample = 0; sample < 2; sample++) {
			memset(called, 0, sizeof called);
			job.refresh(&planner, &job);
			if (strcmp(called, rows[i].calls))
				fail_msg("%s: expected the calls '%s', came '%s'", rows[i].row,
					rows[i].calls, called);
		}
		assert_ptr_equal(rows[i].loop, job.loop);
		assert_true(job.ops == LINES);
		assert_int_equal(LINES, job.args[1]);
		assert_int_equal(0, job.empty_args[1]);
		uint64_t sum = 0;

		for (unsigned k = 0; k < LINES; k++) { /* each line once, side by side */
			uint64_t at = ((const uint64_t *)(uintptr_t)job.args[0])[k];

			assert_int_equal(first + 64 * k, at);
			assert_int_equal(0, at % 64);
			sum += at;
		}
		assert_int_equal(sum, job.expect);
	}
}
