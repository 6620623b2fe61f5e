/* SPDX-License-Identifier: MIT */
/* Rows of the probe `limits` in a room where it is known what each instruction takes. */
#include "probes/limits/limits.c"
#include "tests/unit/fake_code.h"
#include "tests/unit/lines_of_rows.h"

#define TURN 37 /* ticks of a turn, beside its instructions */

static unsigned interrupts;     /* of shorter calls, still to come */
static bool leaves_out;         /* nop takes no time to speak of */
static uint64_t grain;          /* of the counter, in ticks */
static uint64_t longest;        /* turns of a call */
static const char *wrong;       /* the kind whose longer loop returns a wrong value */
static bool stores_nothing;     /* store-64 */
static const double ticks[] = { /* of an instruction, in the order of the table; then 1 */
	0.25, 0.5, 0.5, 2, 1, 1, 0.5, 0.5, 1, 1, 1, 1, 1, 2, 0.4
};

static double ticks_of(unsigned kind)
{
	if (!kind && leaves_out)
		return 0.005;
	return kind < sizeof ticks / sizeof *ticks ? ticks[kind] : 1;
}

/* The number of the kind whose turns these are. */
static unsigned kind_of(const void *turns, bool *more)
{
	static unsigned char bytes[2][sizeof limits_kinds / sizeof *limits_kinds][CODE_BYTES / 2];
	static size_t size[2][sizeof limits_kinds / sizeof *limits_kinds];

	for (unsigned n = 0; n < 2 * limits_kind_count; n++) {
		unsigned kind = n / 2;

		*more = n % 2;
		if (!size[*more][kind]) {
			struct code_block c = code_begin(bytes[*more][kind], CODE_BYTES / 2);

			put_turns(&c, &limits_kinds[kind], *more);
			size[*more][kind] = c.at;
		}
		if (!memcmp(turns, bytes[*more][kind], size[*more][kind]))
			return kind;
	}
	fail_msg("the turns of no kind");
	return 0;
}

/*
 * Each kind takes its ticks an instruction, of which the longer loop has twice as many, and TURN a
 * turn. Of taken jumps, which are all of a turn, eight settle otherwise than sixteen.
 */
static double turn_ticks(unsigned kind, bool more)
{
	const struct limits_kind *k = &limits_kinds[kind];

	if (k->turn == TURN_TAKEN)
		return more ? 16 * ticks_of(kind) : 8 * 1.75 * ticks_of(kind);
	return TURN + (1 + more) * k->apart * ticks_of(kind);
}

static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	bool more = false, limits = loop == loop_limits_chains || loop == loop_limits_turns;
	unsigned i = limits ? kind_of((const void *)(uintptr_t)a[2], &more) : 0;
	const struct limits_kind *k = &limits_kinds[i];
	bool idle = limits && stores_nothing && !strcmp(k->variant, "store-64") && !more;
	uint64_t no_turns[LOOP_ARGS] = { 0, a[1], a[2], a[3] };
	struct timed t = fake_call(e, loop, idle ? no_turns : a);

	if (limits) {
		uint64_t took = (uint64_t)((double)a[0] * turn_ticks(i, more));

		if (!more && interrupts) {
			interrupts--;
			took *= 10;
		}
		longest = a[0] > longest ? a[0] : longest;
		t.ticks += took;
		fake_time += took;
		t.value ^= more && wrong && !strcmp(wrong, k->variant);
		t.value += idle ? a[0] : 0; /* as if it had counted its turns */
	}
	t.ticks -= t.ticks % grain;
	return t;
}

static struct cpuid has_none(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	struct cpuid c = fake_cpuid(e, leaf, subleaf);

	if (leaf == 1)
		c.ecx &= ~(1U << 12);
	if (leaf == 7)
		c.ebx = 0;
	return c;
}

static void start(const char *probes)
{
	prepare_run(probes, call);
	options.profile = PROFILE_DEFAULT;
	room.cpuid = has_none;
	give_code_memory(&room);
	interrupts = 0;
	leaves_out = stores_nothing = false;
	grain = 1;
	longest = 0;
	wrong = NULL;
}

/* Its value, and the bracket of a cycle more or less in a turn of `apart` instructions. */
static void expect_rate(const char *name, double value, double apart, const char *rests_on)
{
	json_t *line = summary_line(name);
	double is = json_number_value(json_object_get(line, "value"));
	double low = json_number_value(json_object_get(line, "low"));
	double high = json_number_value(json_object_get(line, "high"));
	const char *on = json_string_value(json_object_get(line, "rests_on"));

	if (fabs(is - value) > 0.002 * value ||
		fabs(low - apart / (apart / value + 1)) > 0.002 * value ||
		fabs(high - apart / (apart / value - 1)) > 0.002 * value || strcmp(on, rests_on))
		fail_msg("%s: expected %g on '%s', came %g (%g..%g) on '%s'", name, value, rests_on,
			is, low, high, on);
	json_decref(line);
}

/* The time of the turn's own instructions is in neither the row nor the value. */
TEST(an_instruction_is_what_more_of_them_take)
{
	start("limits");
	assert_int_equal(0, bench_run(&room, &options));
	for (unsigned i = 0; i < limits_kind_count; i++)
		if (!limits_kinds[i].needs)
			expect(limits_kinds[i].variant, "median", ticks_of(i));
	expect_rate("issue_width", 4, 120, "limits nop");
	expect_rate("adds_per_cycle", 2, 120, "limits add");
	expect_rate("multiplies_per_cycle", 0.5, 60, "limits imul");
	expect_rate("loads_per_cycle", 2, 60, "limits load-64");
	expect_rate("stores_per_cycle", 1, 60, "limits store-64");
}

TEST(the_widest_of_what_was_measured)
{
	start("limits:imul,limits:load-store,limits:store-64");
	assert_int_equal(0, bench_run(&room, &options));
	expect_rate("issue_width", 2.5, 60, "limits load-store");
	assert_true(isnan(summary("adds_per_cycle")));
}

/* A rate of 120 or more in a cycle is an emulator's. The next lower rate is the widest. */
TEST(what_takes_no_time_has_no_rate)
{
	start("limits:nop,limits:load-store,limits:imul");
	leaves_out = true;
	assert_int_equal(0, bench_run(&room, &options));
	expect_rate("issue_width", 2.5, 60, "limits load-store");
}

static void expect_turns(const char *probes, uint64_t step, uint64_t turns)
{
	start(probes);
	grain = step;
	assert_int_equal(0, bench_run(&room, &options));
	assert_int_equal(turns, longest);
}

/*
 * A counter that moves in steps of k ticks multiplies the turns by k, at most by 16. All times in
 * this room are even.
 */
TEST(as_long_as_the_counter_is_coarse)
{
	expect_turns("limits:nop", 2, 2 * 256);
	expect_turns("limits:nop", 8, 8 * 256);
	expect_turns("limits:nop", 26, 16 * 256);
	expect_turns("limits:branch-taken", 8, 8 * 1920);
}

TEST(an_interrupted_shorter_call_is_taken_again)
{
	start("limits:add");
	interrupts = 2;
	assert_int_equal(0, bench_run(&room, &options));
	assert_int_equal(0, interrupts);
	expect("add", "min", 0.5);
}

TEST(a_clock_that_moves_disturbs)
{
	static const char *const variants[] = { "add" };

	start("limits:add");
	assert_int_equal(0, bench_run(&room, &options));
	assert_true(number("add", "disturbed") == 0);
	start("limits:add");
	fake_restless = true;
	assert_int_equal(0, bench_run(&room, &options));
	expect_all_disturbed(variants, 1);
}

TEST(a_wrong_value_is_no_row)
{
	start("limits:add,limits:imul");
	wrong = "add";
	assert_int_equal(1, bench_run(&room, &options));
	assert_null(line_of("row", "add"));
	expect("imul", "median", 2);
}

/* The longer loop has stored the same to the same words before it. */
TEST(what_is_not_stored_is_no_row)
{
	start("limits:store-64");
	stores_nothing = true;
	assert_int_equal(1, bench_run(&room, &options));
	assert_null(line_of("row", "store-64"));
}

TEST(what_the_processor_lacks_is_skipped)
{
	start("limits");
	assert_int_equal(0, bench_run(&room, &options));
	expect_skip("shlx", "no BMI2 (CPUID.7)");
	expect_skip("load-256", "no AVX2 (CPUID.7 or XCR0)");
	expect_skip("fma-256", "no AVX2 (CPUID.7 or XCR0)");
	expect_skip("fma-512", "no AVX-512 (CPUID.7 or XCR0)");
}

static void expect_skipped(const char *reason)
{
	assert_int_equal(0, bench_run(&room, &options));
	assert_null(line_of("row", "add"));
	expect_skip("add", reason);
}

TEST(without_memory_for_code_there_is_no_row)
{
	start("limits:add");
	room.code_open = NULL;
	expect_skipped("no memory for generated code in this room");
	start("limits:add");
	code_memory.refused = true;
	expect_skipped("no 4 KiB for generated code");
	start("limits:add");
	code_memory.unsealed = true;
	expect_skipped("generated code cannot be made executable");
}
