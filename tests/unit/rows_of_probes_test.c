/* SPDX-License-Identifier: MIT */
/* Rows of single probes, run in a room where time is made up: what their lines have. */
#include "probes/loops/leaf.h"
#include "tests/unit/lines_of_rows.h"
#include "tests/unit/test.h"

/* C functions and divisions take time as well: a call each four times the inlined test. */
static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct timed t = fake_call(e, loop, a);
	uint64_t more = 0;

	if (loop == loop_timed_call && a[0] == (uint64_t)(uintptr_t)leaf_sum_odd_calls)
		more = 8 * a[1] * a[2];
	else if (loop == loop_timed_call && a[0] == (uint64_t)(uintptr_t)leaf_sum_odd_inlined)
		more = 2 * a[1] * a[2];
	else if (loop == loop_timed_call)
		more = 1000 * a[1];
	else if (loop == loop_div_rdtscp || loop == loop_div_lfence || loop == loop_div_cpuid)
		more = 64 * a[2];
	t.ticks += more;
	fake_time += more;
	return t;
}

TEST(a_row_of_calls_has_its_ratio_to_the_inlined_test)
{
	prepare_run("ilp:odd-inlined,ilp:odd-calls", call);
	bench_run(&room, &options);
	expect("odd-inlined", "median", 2);
	expect("odd-calls", "median", 8);
	expect("odd-calls", "ratio", 4);
}

/* However soon they agree. */
TEST(rows_of_clocks_have_many_samples)
{
	static const char *const variants[] = { "div3-lfence", "div3-cpuid", "core-clock" };

	prepare_run("clock", call);
	bench_run(&room, &options);
	for (unsigned i = 0; i < sizeof variants / sizeof *variants; i++)
		if (number(variants[i], "samples") < 31)
			fail_msg("%s: expected 31 samples at least, came %g", variants[i],
				number(variants[i], "samples"));
}

/* All of the arena is no numbers before each row. */
static void poison(struct room *e, const char *line, size_t n, double part)
{
	struct arena arena;

	(void)line;
	(void)n;
	(void)part;
	assert_int_equal(0, fake_arena(e, PAGE_2M, &arena));
	memset(arena.base, 0xff, arena.bytes);
}

TEST(products_are_of_what_was_filled_in)
{
	prepare_run("matmul", call);
	room.progress = poison;
	bench_run(&room, &options);
	json_t *skip = line_of("skip", "ijk");

	if (skip)
		fail_msg("expected no skip, came: %s",
			json_string_value(json_object_get(skip, "reason")));
	assert_true(number("ijk", "median") > 0);
	assert_true(number("ikj", "median") > 0);
}
