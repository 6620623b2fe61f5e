/* SPDX-License-Identifier: MIT */
/* Rows and values of the probe `wake` in a room where CPUs take known times, and its loops. */
#include <pthread.h>

#include "probes/wake/wake.c"
#include "tests/unit/guard.h"
#include "tests/unit/lines_of_rows.h"

#define CPUS 5

/* The measuring CPU's thread, a core of its cache, one of its package, and of another one. */
static const struct cpu_location places[CPUS] = {
	{ .id = 0, .core = 0, .l3 = 0 },
	{ .id = 1, .core = 0, .thread = 1, .l3 = 0 },
	{ .id = 2, .core = 1, .l3 = 0 },
	{ .id = 8, .core = 4, .l3 = 1 },
	{ .id = 32, .package = 1, .core = 0, .l3 = 2 },
};

/* The CPUs of this room: their features, delays and failures. */
static struct {
	uint32_t states; /* CPUID 5 EDX */
	bool monitor, extensions;
	double hop; /* ticks of a line to a CPU, times the CPU's number; not to the thread */
	unsigned late_hops; /* the number of first hops that take ten times as long */
	double rises;       /* ticks until a clock is up; less than 0: never */
	unsigned failures;  /* the number of first wakes that fail */
	bool deaf;          /* MWAIT by one hint, always */
	uint32_t deaf_to;
	unsigned wakes;
	uint64_t dwells; /* ticks waited, together */
} cpus;

static void compute(const struct waking *w, struct woken_chain *chains)
{
	uint64_t at = 0;

	for (unsigned i = 0; i < w->nchains; i++) {
		bool slow = cpus.rises < 0 ? i % 5 == 0 : (double)at < cpus.rises;
		uint64_t ticks = w->chain * 64 * (slow ? 2 : 1);

		at += ticks + 50;
		chains[i] = (struct woken_chain){ at, ticks };
	}
}

static double takes(const struct waking *w)
{
	double hop = cpus.hop * w->cpu;

	if (w->by == WAKE_BY_TIMER)
		return w->in == WAIT_HALT ? 900 : 400;
	if (w->by == WAKE_BY_STORE && w->in == WAIT_PAUSE && cpus.late_hops && cpus.late_hops--)
		return 10 * hop + FAKE_CALL;
	double exit = w->in == WAIT_MWAIT ? 100.0 * (w->hint + 1) : w->in == WAIT_HALT ? 700 : 0;
	double way = w->by == WAKE_BY_STORE ? hop : w->by == WAKE_BY_NMI ? 350 : 250;

	return way + exit + hop + FAKE_CALL;
}

static int wake_cpu(struct room *e, const struct waking *w, double *ticks,
	struct woken_chain *chains, const char **why)
{
	cpus.wakes++;
	cpus.dwells += w->dwell;
	fake_time += w->dwell + 1000;
	if (cpus.failures || (cpus.deaf && w->in == WAIT_MWAIT && w->hint == cpus.deaf_to)) {
		cpus.failures -= cpus.failures > 0;
		*why = "something else woke it";
		return -1;
	}
	*ticks = takes(w);
	compute(w, chains);
	return 0;
}

static int run_on(struct room *e, unsigned cpu, void (*fn)(void *), void *arg)
{
	return -1; /* `wake` does without */
}

static struct cpuid cpuid(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	struct cpuid c = fake_cpuid(e, leaf, subleaf);

	if (leaf == 1)
		c.ecx = (c.ecx & ~HAS_MONITOR) | (cpus.monitor ? HAS_MONITOR : 0);
	if (leaf == 5)
		c = (struct cpuid){ 64, 64, cpus.extensions, cpus.states };
	return c;
}

static void begin(void)
{
	memset(&cpus, 0, sizeof cpus);
	cpus.states = 0x10220; /* two sub-states of C1 and of the next, one of the last but three */
	cpus.monitor = cpus.extensions = true;
	cpus.hop = 60;
	prepare_run("wake", fake_call);
	options.profile = PROFILE_FULL;
	room.kind = ROOM_BARE;
	room.facts.ring0 = true;
	room.facts.cpus = CPUS;
	room.facts.topology = places;
	room.cpuid = cpuid;
	room.wake = wake_cpu;
	room.run_on = run_on;
}

BEFORE_EACH(begin);

/* There is no other probe in these runs: without a name, too, this one alone is measured. */
const struct probe probes[] = { { .name = "wake", .needs = NEED_RING0, .hooks = &probe_wake } };
const unsigned probe_count = 1;

static void expect_of(double cpu, const char *variant, const char *key, double is)
{
	of_row("cpu", cpu);
	expect(variant, key, is);
	of_row(NULL, 0);
}

/* From the write until it executes: the answer's way and the empty loop are no part of it. */
TEST(a_line_and_the_loop_are_subtracted)
{
	run_rows();
	expect_of(2, "store-pause", "median", 120);
	expect_of(2, "store-pause", "hand_over_ns", 120);
	expect_of(2, "store-mwait", "median", 120 + 100);
	expect_of(2, "interrupt-pause", "median", 250);
	expect_of(2, "interrupt-hlt", "median", 250 + 700);
	expect_of(2, "interrupt-mwait", "median", 250 + 100);
	expect_of(2, "nmi-hlt", "median", 350 + 700);
	expect_of(4, "nmi-hlt", "median", 350 + 700);
	expect_of(4, "store-pause", "median", 240);
	expect("timer-pause", "median", 400);
	expect("timer-hlt", "median", 900);
	assert_float_equal(950, summary("wake_hlt_ns"), 0.01);
	assert_float_equal(220, summary("wake_mwait_ns"), 0.01);
	assert_float_equal(120 + 100 * 0x31, summary("wake_deepest_ns"), 0.01);
	assert_float_equal(900, summary("wake_timer_ns"), 0.01);
}

/* The time of another state is neither that of C1 nor of the deepest. */
TEST(a_state_that_was_not_measured_has_no_value)
{
	cpus.deaf = true;
	run_rows();
	assert_true(isnan(summary("wake_mwait_ns")));
	assert_float_equal(120 + 100 * 0x31, summary("wake_deepest_ns"), 0.01);
	cpus.deaf_to = 0x30;
	run_rows();
	assert_float_equal(220, summary("wake_mwait_ns"), 0.01);
	assert_true(isnan(summary("wake_deepest_ns")));
	assert_true(isnan(summary("wake_clock_ns")));
}

/* The quickest of all hand-overs counts, and each row has its own. */
TEST(a_line_that_takes_longer_is_none)
{
	cpus.late_hops = HAND_OVERS - 1;
	strcpy(options.probes, "wake:interrupt-hlt");
	run_rows();
	expect_of(2, "interrupt-hlt", "median", 950);
	strcpy(options.probes, "wake:store-pause");
	cpus.late_hops = HAND_OVERS;
	run_rows();
	of_row("cpu", 2);
	expect_skip("store-pause", "a CPU was taken away: a line took it 600 ns");
}

static bool has_hint(const char *variant, double hint)
{
	of_row("hint", hint);
	json_t *line = line_of("row", variant);
	bool has = line;

	json_decref(line);
	of_row(NULL, 0);
	return has;
}

/* Each that CPUID 5 names: a state's number less 1 in the upper bits, that of the sub-state. */
TEST(the_hints_of_mwait)
{
	run_rows();
	for (unsigned hint = 0; hint < 0x80; hint++) {
		bool is = hint == 0 || hint == 1 || hint == 0x10 || hint == 0x11 || hint == 0x30;

		if (has_hint("store-mwait", hint) != is || has_hint("interrupt-mwait", hint) != is)
			fail_msg("hint %#x: expected %d", hint, is);
	}
	cpus.extensions = false; /* then the leaf says nothing of states */
	run_rows();
	assert_true(has_hint("store-mwait", 0));
	assert_false(has_hint("store-mwait", 1));
	assert_false(has_hint("store-mwait", 0x10));
	cpus.monitor = false;
	run_rows();
	assert_null(line_of("row", "store-mwait"));
	assert_null(line_of("skip", "store-mwait"));
	assert_true(isnan(summary("wake_mwait_ns")));
	assert_null(strstr(fake_out, "wake_deepest_ns"));
}

static void expect_shares(double cpu, const char *shares)
{
	of_row("cpu", cpu);
	json_t *line = line_of("row", "interrupt-hlt");
	const char *came =
		json_string_value(json_object_get(json_object_get(line, "more"), "shares"));

	if (!shares ? !!line : !came || strcmp(came, shares))
		fail_msg("CPU %g: expected %s, came %s", cpu, shares ? shares : "no row",
			came ? came : "none");
	json_decref(line);
	of_row(NULL, 0);
}

/* One of each kind; in profile default the nearest that is no thread of the measuring core. */
TEST(which_cpus_are_woken)
{
	run_rows();
	expect_shares(1, "core");
	expect_shares(2, "cache");
	expect_shares(3, "package");
	expect_shares(4, "none");
	options.profile = PROFILE_DEFAULT;
	options.probes[0] = 0;
	run_rows();
	expect_shares(1, NULL);
	expect_shares(2, "cache");
	expect_shares(3, NULL);
	assert_true(has_hint("store-mwait", 0));
	assert_true(has_hint("store-mwait", 0x30));
	assert_false(has_hint("store-mwait", 1));
	assert_false(has_hint("store-mwait", 0x10));
	assert_null(line_of("row", "nmi-hlt"));
	assert_null(line_of("row", "timer-pause"));
	expect("timer-hlt", "median", 900);
	room.facts.cpus = 2; /* there is its thread alone */
	run_rows();
	expect_shares(1, "core");
}

TEST(why_nothing_is_woken)
{
	room.facts.cpus = 1;
	run_rows();
	expect_skip("interrupt-hlt", "no second processor");
	expect("timer-hlt", "median", 900);
	begin();
	room.wake = NULL;
	run_rows();
	expect_skip("interrupt-hlt", "only in room bare: here the firmware has interrupts");
	expect_skip("timer-hlt", "only in room bare: here the firmware has interrupts");
	room.facts.ring0 = false;
	run_rows();
	expect_skip("timer-hlt", "needs ring 0");
}

/* Twice something else may wake it: then the row is given up. */
TEST(it_is_tried_again)
{
	strcpy(options.probes, "wake:nmi-hlt");
	cpus.failures = 2;
	run_rows();
	expect_of(2, "nmi-hlt", "median", 1050);
	cpus.failures = 3;
	run_rows();
	of_row("cpu", 2);
	expect_skip("nmi-hlt", "something else woke it");
}

TEST(it_waits_as_long_as_the_row_says)
{
	strcpy(options.probes, "wake:timer-pause");
	run_rows();
	assert_int_equal(cpus.wakes * 100000, cpus.dwells);
	strcpy(options.probes, "wake:interrupt-hlt");
	room.facts.cpus = 2;
	cpus.wakes = 0;
	cpus.dwells = 0;
	run_rows();
	uint64_t wakes = (cpus.wakes - 2 * HAND_OVERS) / 2;

	assert_int_equal(wakes * (100000 + 2000000) + 2 * HAND_OVERS * 2000, cpus.dwells);
}

/* The first chain that begins when the clock is up, and all that follow are as fast. */
TEST(when_a_clock_is_up)
{
	strcpy(options.probes, "wake:clock-hlt,wake:clock-mwait");
	run_rows();
	of_row("cpu", 2);
	assert_float_equal(50, number("clock-hlt", "median"), 0);
	assert_float_equal(1, number("clock-hlt", "first_ghz"), 1e-6);
	cpus.rises = 20000;
	run_rows();
	double each = 2 * 64 * CHAIN + 50, first = ceil(cpus.rises / each) * each + 50;

	assert_float_equal(first, number("clock-hlt", "median"), 0.5);
	assert_float_equal(first, number("clock-mwait", "median"), 0.5);
	assert_float_equal(first, summary("wake_clock_ns"), 0.5);
	assert_float_equal(0.5, number("clock-mwait", "first_ghz"), 1e-6); /* of 1 GHz */
	cpus.rises = 1e9; /* all of them are slow, and alike */
	run_rows();
	assert_float_equal(50, number("clock-hlt", "median"), 0);
	assert_true(isnan(number("clock-hlt", "first_ghz")));
	cpus.rises = -1;
	run_rows();
	json_t *line = line_of("skip", "clock-hlt");

	assert_non_null(strstr(json_string_value(json_object_get(line, "reason")),
		"its clock does not settle within "));
	json_decref(line);
}

TEST(seven_in_a_row_are_not_enough)
{
	struct woken_chain c[CHAINS];

	for (unsigned i = 0; i < CHAINS; i++)
		c[i] = (struct woken_chain){ 1000 * (i + 1), i == SETTLED - 1 ? 110 : 100 };
	assert_float_equal(1000 * (SETTLED + 1) - 100, clock_up(c, CHAINS), 0);
	c[SETTLED - 1].ticks = 104; /* within 5 % */
	assert_float_equal(900, clock_up(c, CHAINS), 0);
	c[SETTLED].ticks = 106;
	assert_float_equal(900, clock_up(c, CHAINS), 0);
	c[SETTLED - 1].ticks = 106;
	assert_float_equal(1000 * (SETTLED + 2) - 100, clock_up(c, CHAINS), 0);
}

/* --- the loops --- */

static uint64_t store(uint32_t *to, uint64_t word, uint64_t *line, uint64_t patience)
{
	return loop_wake_store((uintptr_t)to, word, (uintptr_t)line, patience, 0, 0).value;
}

/* Four bytes are written, whatever is read afterwards; with no patience nothing is. */
TEST(what_the_store_writes)
{
	uint32_t words[3];
	uint64_t line;

	for (uint64_t patience = 0; patience < 24; patience++) {
		memset(words, 0xff, sizeof words);
		line = patience % 2 ? 3 : 0;
		assert_int_equal(patience ? line : 0,
			store(&words[1], 0x123456789 + patience, &line, patience));
		assert_int_equal(patience ? (uint32_t)(0x23456789 + patience) : UINT32_MAX,
			words[1]);
		assert_int_equal(UINT32_MAX, words[0]);
		assert_int_equal(UINT32_MAX, words[2]);
		assert_int_equal(patience % 2 ? 3 : 0, line);
	}
	assert_int_equal(0, loop_wake_wrmsr(0x830, 1, (uintptr_t)&line, 0, 0, 0).value);
}

static _Alignas(128) uint32_t word;
static _Alignas(128) uint64_t answer;

static void *answerer(void *arg)
{
	while (!__atomic_load_n(&word, __ATOMIC_ACQUIRE))
		;
	__atomic_store_n(&answer, 7, __ATOMIC_RELEASE);
	return NULL;
}

TEST(another_one_answers)
{
	pthread_t thread;

	assert_int_equal(0, pthread_create(&thread, NULL, answerer, NULL));
	assert_int_equal(7, store(&word, 1, &answer, UINT64_MAX));
	pthread_join(thread, NULL);
}
