/* SPDX-License-Identifier: MIT */
/* Rows and values of the probe `skew` in a room whose clocks are known, and its loop. */
#include <pthread.h>

#include "probes/skew/skew.c"
#include "tests/unit/lines_of_rows.h"

#define CPUS 4
#define STEP 2 /* of the counter, as it is measured in this room */

/*
 * The four CPUs: how far each counter is ahead of the first CPU's, and how long a line travels each
 * way, ns.
 */
static struct {
	double ahead[CPUS], ppm[CPUS], jumps; /* jumps: added after the third exchange */
	int64_t forth, back;
	uint64_t values[2]; /* that the loop returns on both sides */
	uint64_t adjust[CPUS];
	unsigned exchanges, deaf, no_msr;
	unsigned cpu; /* at work */
	void (*fn[CPUS])(void *);
	void *arg[CPUS];
} four;

static double ahead(void)
{
	double more = four.exchanges > 3 ? four.jumps : 0;

	return four.ahead[four.cpu] + four.ppm[four.cpu] * 1e-6 * (double)fake_time + more;
}

static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct skew_side *s = (struct skew_side *)(uintptr_t)a[4];

	if (loop != loop_bounce_stamps)
		return fake_call(e, loop, a);
	assert_int_equal(!!four.cpu, a[1]);
	if (four.cpu) {
		s->least = (int64_t)((double)four.forth + ahead());
	} else {
		const uint64_t *line_of = (const uint64_t *)(uintptr_t)a[0];

		assert_int_equal(0, line_of[0]);
		assert_true((int64_t)(fake_time - line_of[1]) > 1LL << 61); /* no CPU's stamp */
		four.exchanges++;
		fake_time += 2 * a[2] * 50;
		four.cpu = 1; /* the other one, by whose clock this is */
		while (!four.fn[four.cpu])
			four.cpu++;
		s->least = (int64_t)((double)four.back - ahead());
		four.cpu = 0;
	}
	s->last = fake_time;
	return (struct timed){ four.values[a[1]], 0 };
}

static int run_on(struct room *e, unsigned cpu, void (*fn)(void *), void *arg)
{
	four.fn[cpu] = fn;
	four.arg[cpu] = arg;
	if (fn != read_adjust)
		((struct cpu_task *)arg)->ready = 1;
	return cpu == four.deaf ? -1 : 0;
}

static int run_wait(struct room *e, unsigned cpu)
{
	four.cpu = cpu;
	four.fn[cpu](four.arg[cpu]);
	four.fn[cpu] = NULL;
	four.cpu = 0;
	return 0;
}

static int read_msr(struct room *e, uint32_t msr, uint64_t *value)
{
	*value = four.adjust[four.cpu];
	return msr != 0x3b || four.cpu == four.no_msr;
}

static void expect_said(const char *text)
{
	if (!strstr(fake_said, text))
		fail_msg("expected '%s', was said:\n%s", text, strstr(fake_said, "skew\n"));
}

static uint32_t features;

static struct cpuid cpuid(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	struct cpuid c = fake_cpuid(e, leaf, subleaf);

	if (leaf == 7)
		c.ebx = features;
	return c;
}

static void begin(void)
{
	memset(&four, 0, sizeof four);
	four.forth = four.back = 100;
	four.values[0] = 2 * ROUNDS;
	four.values[1] = 2 * ROUNDS + 1;
	four.no_msr = CPUS;
	features = 2;
	prepare_run("skew", call);
	options.profile = PROFILE_DEFAULT;
	room.facts.cpus = CPUS;
	room.facts.ring0 = true;
	room.run_on = run_on;
	room.run_wait = run_wait;
	room.read_msr = read_msr;
	room.cpuid = cpuid;
}

BEFORE_EACH(begin);

static void expect_of(double cpu, const char *variant, const char *key, double is, double room_for)
{
	of_row("cpu", cpu);
	double came = number(variant, key);

	if (!(fabs(came - is) <= room_for))
		fail_msg("%s of CPU %g, %s: expected %g, came %g", variant, cpu, key, is, came);
}

static void expect_bracket(const char *name, double value, double low, double high, double room_for)
{
	double v = summary(name), l = summary_number(name, "low"), h = summary_number(name, "high");

	if (!(fabs(v - value) <= room_for && fabs(l - low) <= room_for &&
		    fabs(h - high) <= room_for))
		fail_msg("%s: expected %g (%g..%g), came %g (%g..%g)", name, value, low, high, v, l,
			h);
}

/* A message takes 100 ns each way, so the offset is known to 100 ns and a step of the counter. */
TEST(in_the_middle_of_its_bounds)
{
	four.ahead[1] = 12345;
	four.ahead[2] = -700;
	run_rows();
	double step = 100 + STEP;

	expect_of(1, "offset", "median", 12345, 0.01);
	expect_of(1, "offset", "low_ns", 12345 - step, 0.01);
	expect_of(1, "offset", "high_ns", 12345 + step, 0.01);
	expect_of(2, "offset", "median", -700, 0.01);
	expect_of(3, "offset", "median", 0, 0.01);
	expect_of(3, "offset", "samples", 9, 0);
	expect_of(1, "drift", "median", 0, 1e-9);
	expect_bracket("tsc_skew_ns", 12345, 12345 - step, 12345 + step, 0.5);
}

TEST(what_is_said)
{
	run_rows();
	expect_said("  No TSC is known to differ from CPU 0's; by 102.0 ns at most.\n");
	expect_said("  None is known to drift; by 0.5");
	assert_null(strstr(fake_said, "TSC_ADJUST of"));
	four.ahead[2] = -70000;
	four.ppm[3] = 3;
	four.adjust[1] = 9;
	run_rows();
	expect_said("  The TSC of CPU 2 is 70000.0 ns from CPU 0's (69898.0 to 70102.0).\n");
	expect_said("  That of CPU 3 drifts by 3.0");
	expect_said("  TSC_ADJUST of the CPUs differs by 9 ticks.\n");
}

/* One way takes longer: then the middle is not where the offset is, but the bounds have it. */
TEST(ways_that_differ)
{
	four.back = 300;
	run_rows();
	expect_of(1, "offset", "median", -100, 0.01);
	expect_of(1, "offset", "low_ns", -300 - STEP, 0.01);
	expect_of(1, "offset", "high_ns", 100 + STEP, 0.01);
	expect_bracket("tsc_skew_ns", 100, 0, 300 + STEP, 0.5);
}

/* In so many seconds between offset and drift; its bounds are those of both offsets. */
TEST(what_drifts)
{
	static const double seconds[] = { 0.05, 0.4, 2 };

	for (options.profile = PROFILE_SMOKE; options.profile <= PROFILE_FULL; options.profile++) {
		four.exchanges = 0;
		four.ppm[2] = -20;
		run_rows();
		double apart = seconds[options.profile], bounds = 2 * (100 + STEP) / apart * 1e-3;

		expect_of(2, "drift", "median", -20, 0.05 + 1e-3 / apart);
		expect_of(2, "drift", "low_ppm", -20 - bounds, 0.1 * bounds + 0.2);
		expect_of(2, "drift", "high_ppm", -20 + bounds, 0.1 * bounds + 0.2);
		expect_of(1, "drift", "high_ppm", bounds, 0.1 * bounds);
	}
}

/* It has moved beyond the bounds of the first exchange while the row was measured. */
TEST(the_bracket_has_what_a_drift_moves)
{
	four.ppm[1] = 1900;
	run_rows();
	of_row("cpu", 1);
	double is = 1900e-6 * number("offset", "at_ticks");

	assert_true(is > number("offset", "high_ns"));
	double high = summary_number("tsc_skew_ns", "high");

	assert_true(high > is && high < is + 200);
}

/* An offset that is another one in the middle of its exchanges: the later one counts. */
TEST(an_offset_that_jumps)
{
	four.jumps = 5000;
	run_rows();
	expect_of(1, "offset", "low_ns", 5000 - 100 - STEP, 0.01);
	expect_of(1, "offset", "high_ns", 5000 + 100 + STEP, 0.01);
}

TEST(hand_overs_are_counted)
{
	four.values[0] = 2 * ROUNDS - 1;
	bench_run(&room, &options);
	of_row("cpu", 1);
	expect_skip("offset", "a CPU was taken away: 199 of 200 hand-overs");
	expect_skip("drift", "the offset was not measured");
	begin();
	four.values[1] = 2 * ROUNDS + 2;
	assert_int_equal(1, bench_run(&room, &options));
	expect_skip("offset", "proof failed: the line was handed over 200 times, not 200");
	begin();
	four.deaf = 3;
	run_rows();
	of_row("cpu", 3);
	expect_skip("offset", "CPU 3 did not answer");
	begin();
	four.forth = four.back = 0;
	four.ahead[1] = 0;
	four.back = -20; /* no way takes less than no time */
	assert_int_equal(1, bench_run(&room, &options));
	of_row("cpu", 1);
	expect_skip("offset", "proof failed: a line came before it was sent");
}

static void expect_adjust(double ticks, double least, double most)
{
	run_rows();
	near("ticks", ticks, number("adjust", "median"));
	near("least", least, number("adjust", "least_ticks"));
	near("most", most, number("adjust", "most_ticks"));
	near("value", ticks, summary("tsc_adjust_ticks"));
}

TEST(adjustments_of_all_cpus)
{
	for (unsigned i = 0; i < CPUS; i++)
		four.adjust[i] = (uint64_t)-1000;
	expect_adjust(0, -1000, -1000);
	four.adjust[3] = 37;
	four.adjust[1] = (uint64_t)-1003;
	expect_adjust(1040, -1003, 37);
	four.no_msr = 2;
	run_rows();
	expect_skip("adjust", "CPU 2 has no MSR 3Bh");
	four.deaf = 1;
	run_rows();
	expect_skip("adjust", "CPU 1 did not answer");
	features = 0xfffffffd;
	run_rows();
	expect_skip("adjust", "CPUID says that there is no TSC_ADJUST");
	room.facts.ring0 = false;
	run_rows();
	expect_skip("adjust", "needs ring 0");
}

/* In the middle of 1000 and of 3000 ticks, with what the drift itself may move meanwhile. */
TEST(drift_of_two_offsets)
{
	struct cpu_clock c = { .offset = { true, -40, 60, 1000000, 1001000 } };
	struct bounds now = { true, 110, 130, 2000000, 2003000 };
	double apart = 1001000;

	assert_true(set_drift(&c, &now));
	near("ppm", (120 - 10) / apart * 1e6, c.ppm);
	double low = (110 - 60) / apart * 1e6, high = (130 + 40) / apart * 1e6;
	double moved = 2000 / apart;

	near("low", low - high * moved / (1 - moved), c.ppm_low);
	near("high", high + high * moved / (1 - moved), c.ppm_high);
	now.to = 2250000; /* more than a tenth */
	assert_false(set_drift(&c, &now));
	now.from = now.to = 900000;
	assert_false(set_drift(&c, &now));
}

/* The bounds of what is farthest from 0, on either side. */
TEST(farthest_of_several)
{
	struct farthest f = { 0 };

	take_farthest(&f, 3, -2, -12, 8);
	assert_int_equal(3, f.cpu);
	near("value", 2, f.value);
	near("low", 0, f.low);
	near("high", 12, f.high);
	take_farthest(&f, 5, -40, -50, -30);
	take_farthest(&f, 6, 35, 33, 37);
	assert_int_equal(5, f.cpu);
	near("value", 40, f.value);
	near("low", 33, f.low);
	near("high", 50, f.high);
}

/* One of each die, and 64 evenly spread. */
TEST(cpus_of_a_large_machine)
{
	static struct cpu_location at[1000];
	struct facts f = { .cpus = 1000, .topology = at };
	unsigned n = 0;

	for (unsigned i = 0; i < 1000; i++)
		at[i].die = i / 100;
	at[333].package = 7;
	for (unsigned i = 0; i < 1000; i++)
		n += chosen(&f, i);
	assert_true(chosen(&f, 900) && chosen(&f, 333) && chosen(&f, 16) && !chosen(&f, 17));
	assert_in_range(n, 63, 75);
	f.topology = NULL;
	assert_false(chosen(&f, 333));
	f.cpus = 64;
	for (unsigned i = 0; i < 64; i++)
		assert_true(chosen(&f, i));
}

/* The loop itself. */

static _Alignas(128) volatile uint64_t line[16];

static uint64_t stamps(unsigned mine, uint64_t rounds, uint64_t patience, uint64_t record[2])
{
	return loop_bounce_stamps((uintptr_t)line, mine, rounds, patience, (uintptr_t)record, 0)
		.value;
}

/* Alone, who begins reads its counter, writes it down and hands over. */
TEST(the_first_hand_over)
{
	uint64_t record[2] = { INT64_MAX, 7 }, before = __builtin_ia32_rdtsc();

	line[0] = 0;
	line[1] = before - NO_STAMP;
	assert_int_equal(2, stamps(0, 1, 1000, record));
	assert_int_equal(1, line[0]);
	assert_true(line[1] >= before && line[1] <= __builtin_ia32_rdtsc());
	assert_int_equal(line[1], record[1]);
	assert_int_equal(line[1] - before + NO_STAMP, record[0]);
	line[0] = 0;
	line[1] = before + NO_STAMP / 2; /* another one's, far ahead */
	assert_int_equal(2, stamps(0, 1, 1000, record));
	assert_true((int64_t)record[0] < 0);
	assert_int_equal(line[1] - before - NO_STAMP / 2, record[0]);
	line[0] = 0;
	line[1] = 0; /* what was less stays */
	uint64_t least = record[0];

	assert_int_equal(2, stamps(0, 1, 1000, record));
	assert_int_equal(least, record[0]);
}

TEST(no_rounds_and_nobody)
{
	uint64_t record[2] = { 11, 12 };

	line[0] = 1;
	line[1] = 5;
	assert_int_equal(1, stamps(1, 0, 1000, record));
	assert_int_equal(1, line[0]);
	line[0] = 3;
	assert_int_equal(0, stamps(0, 9, 1000, record));
	assert_int_equal(3, line[0]);
	assert_int_equal(5, line[1]);
	assert_int_equal(11, record[0]);
	assert_int_equal(12, record[1]);
}

static void *second(void *arg)
{
	uint64_t *record = arg;

	record[2] = stamps(1, 1000, 1ULL << 32, record);
	return NULL;
}

/* Between two threads, wherever they run: neither way takes less than no time. */
TEST(to_and_fro)
{
	uint64_t first[2] = { INT64_MAX }, other[3] = { INT64_MAX };
	pthread_t thread;

	line[0] = 0;
	line[1] = __builtin_ia32_rdtsc() - NO_STAMP;
	assert_int_equal(0, pthread_create(&thread, NULL, second, other));
	assert_int_equal(2000, stamps(0, 1000, 1ULL << 32, first));
	pthread_join(thread, NULL);
	assert_int_equal(2001, other[2]);
	assert_int_equal(2000, line[0]);
	assert_int_equal(line[1], other[1]);
	assert_true((int64_t)(first[0] + other[0]) > 0);
	assert_true(first[0] < NO_STAMP / 2 || (int64_t)first[0] < 0);
}
