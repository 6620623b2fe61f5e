/* SPDX-License-Identifier: MIT */
/* Rows of the probe `storeload` in a room where it is known what each step takes. */
#include "tests/unit/lines_of_rows.h"

#define LINE 64
#define PAGE 4096

/* Cycles of a step, which are ticks here. */
static struct {
	uint64_t forward, same, fail, load, alias, line, page;
} takes;

static bool crosses(uint64_t at, uint64_t size)
{
	return at / size != (at + 7) / size;
}

static uint64_t split(uint64_t at)
{
	return crosses(at, PAGE) ? takes.page : crosses(at, LINE) ? takes.line : 0;
}

static uint64_t of_step(loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	if (loop == loop_store_chase)
		return takes.load + (a[1] % PAGE ? 0 : takes.alias);
	if (loop == loop_store_load_same)
		return takes.same;
	if (loop == loop_store_load_4_8)
		return takes.fail;
	return loop == loop_store_load_8_8 || loop == loop_store_load_other ? takes.forward : 1;
}

static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct timed t;
	uint64_t more = 0;

	fake_load = takes.load + (loop == loop_chase ? split(a[0]) : 0);
	t = fake_call(e, loop, a);
	if (loop == loop_store_chase || loop == loop_store_load_same ||
		loop == loop_store_load_4_8 || loop == loop_store_load_8_8 ||
		loop == loop_store_load_other)
		more = 8 * a[0] * of_step(loop, a);
	t.ticks += more;
	fake_time += more;
	return t;
}

static void start(const char *probes)
{
	prepare_run(probes, call);
	takes = (typeof(takes)){ 5, 1, 13, 4, 6, 7, 19 };
}

static const char measured[] =
	"storeload:forward,storeload:same-register,storeload:other-register,storeload:larger,"
	"storeload:alias,storeload:apart,storeload:load,storeload:load-line,storeload:load-page";

static void expect_summary(const char *name, double is)
{
	double came = summary(name);

	if (!(fabs(came - is) < 0.02) && !(isnan(came) && isnan(is)))
		fail_msg("%s: expected %g, came %g", name, is, came);
}

TEST(a_step_is_an_eighth_of_a_turn)
{
	start(measured);
	assert_int_equal(0, bench_run(&room, &options));
	expect("forward", "median", 5);
	expect("same-register", "median", 1);
	expect("other-register", "median", 5);
	expect("larger", "median", 13);
	expect("alias", "median", 10);
	expect("apart", "median", 4);
	expect("load", "median", 4);
	expect("load-line", "median", 11);
	expect("load-page", "median", 23);
	expect_summary("store_forward_cycles", 5);
	expect_summary("store_forward_same_cycles", 1);
	expect_summary("store_forward_fail_cycles", 13);
	expect_summary("alias_4k_cycles", 6);
	expect_summary("split_line_cycles", 7);
	expect_summary("split_page_cycles", 19);
}

/* Less than 1.2 times as much is no failure, less than half a cycle no alias and no split. */
TEST(what_costs_no_more_is_not_resolved)
{
	start(measured);
	takes = (typeof(takes)){ 10, 10, 11, 4, 0, 0, 0 };
	assert_int_equal(0, bench_run(&room, &options));
	expect_summary("store_forward_cycles", 10);
	expect_summary("store_forward_same_cycles", 10);
	expect_summary("store_forward_fail_cycles", NAN);
	expect_summary("alias_4k_cycles", NAN);
	expect_summary("split_line_cycles", NAN);
	expect_summary("split_page_cycles", NAN);
	assert_non_null(strstr(fake_out, "\"a load of more than was stored takes no longer\""));
	assert_non_null(strstr(fake_out, "\"a load 4 KiB behind a store takes no longer\""));
	assert_non_null(strstr(fake_out, "\"a load across lines takes no longer\""));
	assert_non_null(strstr(fake_out, "\"a load across pages takes no longer\""));
}

/* A value that is more than another one is as good as both. */
TEST(without_its_control_nothing_is_resolved)
{
	start("storeload:larger,storeload:alias,storeload:load-line,storeload:load-page");
	assert_int_equal(0, bench_run(&room, &options));
	expect("larger", "median", 13);
	expect_summary("store_forward_cycles", NAN);
	expect_summary("store_forward_fail_cycles", NAN);
	expect_summary("alias_4k_cycles", NAN);
	expect_summary("split_line_cycles", NAN);
	expect_summary("split_page_cycles", NAN);
}
