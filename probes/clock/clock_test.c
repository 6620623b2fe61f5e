/* SPDX-License-Identifier: MIT */
/* Rows of the probe `clock` where it is known what each read, division and add takes. */
#include "tests/unit/lines_of_rows.h"

#define STAMP      20  /* ticks of eight stamps with what is between them */
#define CPUID      150 /* of one stamp with a cpuid */
#define DIVISION   64  /* of three divisions, but for those without a fence */
#define REMAINDERS 90  /* of three remainders with their stamps */
#define SYSTEM     40  /* of a call to the system's clock */

static bool still, coarse; /* the TSC does not advance; it does not see the adds */
static bool unlike;        /* no two chains of adds one after the other take as long */
static unsigned calls;     /* to the system's clock */
static const int64_t *steps;

static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	static unsigned chains;
	struct timed t = fake_call(e, loop, a);
	uint64_t more = 0;

	if (loop == loop_rdtsc || loop == loop_rdtscp || loop == loop_lfence_rdtsc ||
		loop == loop_scoped_timer)
		more = STAMP * a[0];
	else if (loop == loop_cpuid_rdtsc)
		more = CPUID * a[0];
	else if (loop == loop_div_rdtscp || loop == loop_div_lfence || loop == loop_div_cpuid)
		more = DIVISION * a[2];
	else if (loop == loop_rem3_rdtsc || loop == loop_rem3_rdtscp || loop == loop_rem3_fenced)
		more = REMAINDERS - t.ticks;
	else if (unlike && (loop == loop_add_chain || loop == loop_add_chain_double))
		more = t.ticks * (chains++ % 16) / 10;
	if (loop == loop_tsc_step && still)
		t.value = UINT64_MAX;
	if (coarse)
		t.ticks = 0;
	t.ticks += more;
	fake_time += more;
	return t;
}

static uint64_t os_clock(struct room *e)
{
	static uint64_t now;

	fake_time += SYSTEM;
	return now += (uint64_t)steps[calls++ % 8];
}

static void start(const char *probes, const int64_t advances[8])
{
	prepare_run(probes, call);
	still = coarse = unlike = false;
	calls = 0;
	steps = advances;
	room.system.os_clock_ns = advances ? os_clock : NULL;
}

/* The room can do all but what a test takes away. */
TEST(what_is_timed_is_the_number)
{
	static const int64_t advances[8] = { 0, 30, 9, 0, 12, 50, -20, 30 };
	static const struct {
		const char *variant;
		double median;
	} rows[] = { { "rdtsc", STAMP / 8. }, { "lfence-rdtsc", STAMP / 8. },
		{ "scoped-timer", STAMP / 8. }, { "cpuid-rdtsc", CPUID },
		{ "div3-lfence", DIVISION }, { "div3-cpuid", DIVISION },
		{ "rem3-rdtsc", REMAINDERS }, { "step", 8 }, { "core-clock", 1 },
		{ "adds-plain", 1 }, { "adds-delta", 1 }, { "os-clock", SYSTEM + 100 / 256. },
		{ "os-clock-step", 9 } };
	static const char *const with_rdtscp[] = { "rem3-rdtscp", "rem3-fenced" };
	const char *why;

	start("clock", advances);
	assert_int_equal(0, bench_run(&room, &options));
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		expect(rows[i].variant, "median", rows[i].median);
	for (unsigned i = 0; i < 2; i++)
		if (machine_has(&(struct bench){ .room = &room }, NEED_RDTSCP, &why))
			expect(with_rdtscp[i], "median", REMAINDERS);
		else /* the CPUID is the host's, and some guests have none */
			expect_skip(with_rdtscp[i], why);
	expect("div3-bare", "median", 0);
	expect("rdtsc", "instructions", 1 + 2 / 8.); /* and those of the loop */
	expect("lfence-rdtsc", "instructions", 3 + 2 / 8.);
	expect("scoped-timer", "instructions", 9 + 2 / 8.);
	expect("cpuid-rdtsc", "instructions", 5);
	expect("rdtsc", "ns", STAMP / 8.); /* the TSC has 1 GHz, and so has the core */
	expect("rdtsc", "ipc", (1 + 2 / 8.) / (STAMP / 8.));
	expect("step", "ns", 8);
	expect("adds-plain", "iqr_over_median", 0);
}

TEST(a_core_clock_that_moves_disturbs)
{
	static const int64_t advances[8] = { 9, 9, 9, 9, 9, 9, 9, 9 };
	static const char *const variants[] = { "div3-lfence", "rem3-rdtsc", "os-clock" };

	start("clock", advances);
	fake_restless = true;
	bench_run(&room, &options);
	expect_all_disturbed(variants, 3);
	start("clock", advances);
	unlike = true;
	bench_run(&room, &options);
	expect_all_disturbed((const char *const[]){ "core-clock" }, 1);
}

TEST(a_clock_that_stands_still_is_a_skip)
{
	static const int64_t never[8] = { 0 }, back[8] = { -1, -1, -1, -1, -1, -1, -1, -1 };

	start("clock:os-clock-step,clock:step", never);
	still = true;
	bench_run(&room, &options);
	expect_skip("os-clock-step", "the system's clock did not advance in 256 reads");
	expect_skip("step", "the TSC does not advance");
	assert_int_equal(257, calls);
	start("clock:os-clock-step", back);
	bench_run(&room, &options);
	expect_skip("os-clock-step", "the system's clock did not advance in 256 reads");
}

TEST(without_a_system_there_is_no_clock_of_its)
{
	start("clock:os-clock,clock:os-clock-step", NULL);
	bench_run(&room, &options);
	expect_skip("os-clock", "no operating system's clock in this room");
	expect_skip("os-clock-step", "no operating system's clock in this room");
}

TEST(adds_that_take_no_time)
{
	start("clock:core-clock", NULL);
	coarse = true;
	bench_run(&room, &options);
	expect_skip("core-clock", "the TSC is too coarse for 65536 adds");
}
