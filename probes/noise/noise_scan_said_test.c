/* SPDX-License-Identifier: MIT */
/* "One cause" is said only where chance is excluded: Poisson's tail against known values. */
#include "engine/run_text.h"
#include "probes/noise/noise.c"
#include "tests/unit/fake_room.h"

static double tail(double expected, unsigned count)
{
	double below = 0;

	for (unsigned k = 0; k < count; k++)
		below += exp(-expected + k * log(expected) - lgamma(k + 1.0));
	return 1 - below;
}

/* Never where chance is not excluded; and from little beyond the limit on. */
TEST(as_poissons_tail_says)
{
	static const double expected[] = { 0.01, 0.5, 1, 3, 10, 100, 600 };

	for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
		for (unsigned count = 0; count < 1000; count++) {
			double p = tail(expected[i], count);
			bool beyond = noise_beyond_chance(expected[i], count);

			if (beyond ? p > NOISE_CHANCE : p < NOISE_CHANCE / 3 && p > 1e-9)
				fail_msg("%u events where %g are expected: p %g, but said %d",
					count, expected[i], p, beyond);
		}
	assert_false(noise_beyond_chance(0, 0));
	assert_true(noise_beyond_chance(0, 1));
	assert_true(noise_beyond_chance(1000, 5000));
}

/* Two CPUs: 1000 gaps that take 1 %, 10 that take 50 %. */
TEST(overlaps_of_strangers)
{
	struct cpu_gaps cpus[] = {
		{ .gaps = 1000, .gap_ticks = 1e7, .observed_ticks = 1e9 },
		{ .gaps = 10, .gap_ticks = 5e8, .observed_ticks = 1e9 },
	};
	struct gap_monitor m = { .n = 2, .cpus = cpus };

	assert_true(fabs(noise_expected_overlaps(&m) - 500.1) < 1e-9);
	m.n = 1;
	assert_true(noise_expected_overlaps(&m) == 0);
}

/* Tests, to the letter, the sentences about the system's counts during the scan for gaps. */

static struct facts facts; /* of the room, beside those of fake_room.h */
static struct longest said_longest;
static unsigned cpu;

/* Print the counts of a scan of one second by `cpus` CPUs that saw this many gaps. */
static void say_of(struct system_count *counts, unsigned n, unsigned cpus, uint64_t gaps)
{
	struct options opt = { .profile = PROFILE_SMOKE };
	struct gap_monitor monitor = { .n = cpus };
	struct cpu_gaps g = { .monitor = &monitor,
		.cpu = cpu,
		.longest = said_longest,
		.observed_ticks = 1e9,
		.gaps = gaps,
		.counts = counts,
		.ncounts = n };
	struct room room;
	struct bench b = { .room = &room, .opt = &opt };

	fake_reset(&room);
	room.facts.topology = facts.topology;
	room.facts.rt_pause_ns = facts.rt_pause_ns;
	room.facts.rt_period_ns = facts.rt_period_ns;
	cpu_gaps_say_counts(&b, &g);
}

#define HEAD "  Counted on CPU 0 during the scan; which gap is whose is not known:\n"

TEST(each_kind_has_its_words)
{
	struct system_count counts[] = {
		{ "interrupts", "LOC", "Local timer interrupts", 2500 },
		{ "softirqs", "TIMER", "", 31 },
		{ "switches", "involuntary", "", 4 },
		{ "seconds", "irq", "", 0.041 },
		{ "seconds", "steal", "", 0.0005 },
	};

	say_of(counts, 5, 1, 2600);
	assert_string_equal(fake_said,
		HEAD "    2500 Local timer interrupts (LOC), 31 softirqs TIMER,\n"
		     "    4 involuntary switches, 4.10 % of the time in interrupts,\n"
		     "    0.05 % of the time stolen by the hypervisor\n");
}

/* Eight kinds are said, and all times; 78 columns are used before a line is broken. */
TEST(the_rarest_are_only_counted)
{
	struct system_count counts[11];

	for (unsigned i = 0; i < 10; i++)
		counts[i] = (struct system_count){ "interrupts", "LOC", "", 100 - i };
	counts[10] = (struct system_count){ "seconds", "waited", "", 0.5 };
	say_of(counts, 11, 1, 3000);
	assert_string_equal(fake_said,
		HEAD
		"    100 interrupts LOC, 99 interrupts LOC, 98 interrupts LOC,\n"
		"    97 interrupts LOC, 96 interrupts LOC, 95 interrupts LOC,\n"
		"    94 interrupts LOC, 93 interrupts LOC,\n"
		"    50.00 % of the time while others ran, and 2 more kinds\n"
		"  At least 2045 of the 3000 gaps are none of these. The system\n"
		"  does not count what a hypervisor, an SMI or the core's other thread takes.\n");
}

/*
 * No sentence follows if the counts explain at least half of the gaps, or if several CPUs scanned.
 */
TEST(gaps_without_a_count_are_told)
{
	struct system_count one = { "interrupts", "LOC", "", 50 };

	say_of(&one, 1, 1, 100);
	assert_string_equal(fake_said, HEAD "    50 interrupts LOC\n");
	say_of(&one, 1, 2, 1000);
	assert_string_equal(fake_said, HEAD "    50 interrupts LOC\n");
	say_of(&one, 1, 1, 101);
	assert_non_null(strstr(fake_said, "At least 51 of the 101 gaps are none of these."));
	say_of(&one, 0, 1, 101);
	assert_string_equal(fake_said, "");
}

TEST(each_time_has_its_words)
{
	struct system_count counts[] = {
		{ "seconds", "waited", "", 0.5 },
		{ "seconds", "softirq", "", 0.25 },
		{ "seconds", "irq", "", 0.01 },
		{ "seconds", "steal", "", 1 },
	};

	say_of(counts, 4, 1, 0);
	assert_string_equal(fake_said,
		HEAD "    50.00 % of the time while others ran, 25.00 % of the time in softirqs,\n"
		     "    1.00 % of the time in interrupts,\n"
		     "    100.00 % of the time stolen by the hypervisor\n");
}

/* A line ends at column 78 at most, with its comma. */
TEST(a_line_is_full)
{
	static const char words[] = "xxxxxxxxx xxxxxxxxx xxxxxxxxx xxxxxxxxx";
	struct system_count counts[] = { { "interrupts", "A", "", 1 },
		{ "softirqs", "xxxxxxxxx xxxxx", "", 22 }, { "softirqs", "C", "", 3 } };

	for (unsigned more = 0; more < 2; more++) {
		memcpy(counts[0].words, words + !more, sizeof words - !more);
		say_of(counts, 3, 1, 0);
		size_t columns = strcspn(fake_said + strlen(HEAD), "\n");

		if (columns != (more ? 50 : 78))
			fail_msg("expected a line of %u columns, came %zu in:\n%s", more ? 50 : 78,
				columns, fake_said);
	}
}

/* Switches count as interrupts do; softirqs and times make no gap. */
TEST(what_makes_a_gap)
{
	struct system_count counts[32] = {
		{ "switches", "voluntary", "", 30 },
		{ "interrupts", "LOC", "", 20 },
		{ "softirqs", "TIMER", "", 400 },
		{ "seconds", "irq", "", 400 },
	};

	for (unsigned i = 4; i < 32; i++)
		counts[i] = (struct system_count){ "softirqs", "NET_RX", "", 1 };
	say_of(counts, 31, 1, 100);
	assert_null(strstr(fake_said, "At least"));
	say_of(counts, 31, 1, 102);
	assert_non_null(strstr(fake_said, "At least 52 of the 102 gaps are none of these."));
	say_of(counts, 32, 1, 102); /* as many as are kept: there may be others */
	assert_null(strstr(fake_said, "At least"));
	say_of(NULL, 3, 1, 102);
	assert_string_equal(fake_said, "");
}

/* Beside each other, and each without the other; a CPU has the number that the system gives it. */
TEST(the_thread_was_stopped)
{
	static const char stopped[] =
		"  3 gaps of 50 ms, whole periods of 2.0 s apart: the system stops a\n"
		"  real-time thread so (sched_rt_runtime_us). They come from --scheduler "
		"fifo.\n";
	static const struct cpu_location places[] = { { .id = 11 }, { .id = 12 } };
	static struct kept gaps[] = { { 1e9, 50e6, 0 }, { 3e9, 50e6, 0 }, { 7e9, 50e6, 0 } };
	struct system_count count = { "switches", "voluntary", "", 30 };

	facts = (struct facts){ .topology = places, .rt_pause_ns = 50e6, .rt_period_ns = 2e9 };
	said_longest = (struct longest){ gaps, 3, 3 };
	say_of(NULL, 0, 1, 3);
	assert_string_equal(fake_said, stopped);
	say_of(&count, 1, 1, 3);
	assert_non_null(strstr(fake_said, "  Counted on CPU 11 during"));
	assert_non_null(strstr(fake_said, stopped));
	cpu = 1;
	say_of(&count, 1, 1, 3);
	assert_non_null(strstr(fake_said, "  Counted on CPU 12 during"));
	assert_null(strstr(fake_said, stopped));
	cpu = 0;
	said_longest.n = 0;
	facts = (struct facts){ 0 };
}
