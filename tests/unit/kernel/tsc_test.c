/* SPDX-License-Identifier: MIT */
/* The choice among sources that disagree about the TSC's rate. */
#include "kernel/cpu/tsc.c"
#include "tests/unit/test.h"

static struct facts facts;

static void add(const char *name, double hz, bool claimed)
{
	facts.tsc[facts.tsc_sources++] = (struct tsc_source){ name, hz, claimed };
}

/* Entries beyond the sources that were added count for nothing. */
BEFORE_EACH(start)
{
	facts = (struct facts){ 0 };
	for (unsigned i = 0; i < TSC_SOURCES; i++)
		facts.tsc[i] = (struct tsc_source){ "beyond", 7e9, false };
}

static void assert_chosen(const char *name, double hz, double ppm)
{
	assert_true(tsc_choose(&facts));
	assert_string_equal(facts.tsc_source, name);
	assert_true(facts.tsc_hz == hz);
	assert_true(facts.tsc_disagree_ppm > ppm - 0.5 && facts.tsc_disagree_ppm < ppm + 0.5);
}

TEST(nothing_is_no_clock)
{
	assert_false(tsc_choose(&facts));
	add("hpet", 0, false);
	assert_false(tsc_choose(&facts));
}

TEST(the_middle_of_three)
{
	add("hpet", 43e9, false); /* as once seen: a broken one does not win */
	add("pm-timer", 2.5e9, false);
	add("pit", 2.499e9, false);
	assert_chosen("pm-timer", 2.5e9, 16200000);
}

/* In any order; of five, the third. */
TEST(the_middle_in_any_order)
{
	static const double hz[] = { 2.1e9, 2.5e9, 2.3e9, 2.2e9, 2.4e9 };
	static const char *const names[] = { "a", "b", "c", "d", "e" };

	for (unsigned first = 0; first < 5; first++)
		for (unsigned step = 1; step < 5; step++) {
			start();
			for (unsigned i = 0; i < 5; i++) {
				unsigned k = (first + i * step) % 5;

				add(names[k], hz[k], false);
			}
			assert_chosen("c", 2.3e9, 86956.5);
		}
	start();
	add("hpet", 2e9, false);
	add("pm-timer", 3e9, false);
	add("pit", 1e9, false);
	assert_chosen("hpet", 2e9, 500000);
	start();
	for (unsigned i = 0; i < TSC_SOURCES; i++) /* all places taken */
		add("pit", 2e9, false);
	assert_chosen("pit", 2e9, 0);
}

TEST(the_first_of_two_and_one_alone)
{
	add("pm-timer", 2e9, false);
	add("pit", 2.0002e9, false);
	assert_chosen("pm-timer", 2e9, 100);
	start();
	add("pit", 2e9, false);
	assert_chosen("pit", 2e9, 0);
}

TEST(a_claim_needs_a_witness)
{
	add("cpuid-15h", 2.5e9, true);
	add("cpuid-16h", 2.4e9, true);
	add("hpet", 2.5002e9, false);
	assert_chosen("cpuid-15h", 2.5e9, 80);
	facts.tsc[2].hz = 2.4001e9; /* then 15h lies, and 16h may be right */
	assert_chosen("cpuid-16h", 2.4e9, 41.7);
	facts.tsc[2].hz = 2.2e9;
	assert_chosen("hpet", 2.2e9, 0);
	facts.tsc[2].hz = 0; /* nothing else to go by */
	assert_chosen("cpuid-15h", 2.5e9, 0);
}

/* 500 parts in a million of the timed rate: from there on a claim is another rate. */
TEST(how_near_a_claim_must_be)
{
	static const struct {
		double claimed;
		bool near;
	} claims[] = { { 1.9990001e9, true }, { 1.999e9, false }, { 2.0009999e9, true },
		{ 2.001e9, false }, { 2.0010004e9, false }, { 0, false } };

	for (unsigned i = 0; i < sizeof claims / sizeof *claims; i++) {
		start();
		add("cpuid-15h", claims[i].claimed, true);
		add("hpet", 2e9, false);
		assert_true(tsc_choose(&facts));
		if (facts.tsc_hz != (claims[i].near ? claims[i].claimed : 2e9))
			fail_msg("%.0f Hz claimed, 2 GHz timed: %.0f Hz chosen", claims[i].claimed,
				facts.tsc_hz);
	}
	start();
	add("cpuid-15h", 0, true);
	assert_false(tsc_choose(&facts));
}

TEST(a_delay_counts_only_without_counters)
{
	add("hpet", 2e9, false);
	add("pm-timer", 2.00002e9, false);
	add("stall", 2.2e9, false);
	assert_chosen("pm-timer", 2.00002e9, 10);
	facts.tsc[1].hz = 0;
	assert_chosen("hpet", 2e9, 100000);
}

/* Counters that stand still, stop, or are no counters: every wait ends. */

static uint64_t value, readings, stops_after;

/* A microsecond a reading, until it stops. */
static uint64_t read_double(const struct counter *c)
{
	readings++;
	if (readings < stops_after)
		value++;
	return value & ((1ULL << c->bits) - 1);
}

static const struct counter counter = {
	.name = "double", .hz = 1e6, .bits = 24, .read = read_double
};

static void begin(uint64_t after)
{
	value = 0xffffff - 10;
	readings = 0;
	stops_after = after;
}

TEST(one_that_counts)
{
	begin(UINT64_MAX);
	assert_true(counter_moves(&counter));
	begin(UINT64_MAX);
	assert_true(counter_wait(&counter, 25000));
	assert_in_range(readings, 25000, 25002);
}

TEST(one_that_stands_still)
{
	begin(0);
	assert_false(counter_moves(&counter));
	assert_true(readings > 1000);
	begin(0);
	assert_false(counter_wait(&counter, 25000));
}

TEST(one_that_stops)
{
	begin(100);
	assert_true(counter_moves(&counter));
	assert_false(counter_wait(&counter, 25000));
}

TEST(elapsed)
{
	assert_int_equal(counter_elapsed(0xfffff0, 0x10, 24), 0x20);
	assert_int_equal(counter_elapsed(0xfffffff0, 0x10, 32), 0x20);
	assert_int_equal(counter_elapsed(10, 20, 16), 10);
	assert_true(counter_elapsed(20, 10, 64) == (uint64_t)-10);
}

static bool plausible(uint32_t period, uint32_t configuration)
{
	const struct hpet h = { .period = period, .configuration = configuration };

	return hpet_is_plausible(&h);
}

TEST(registers_of_an_hpet)
{
	assert_true(plausible(10000000, 0));             /* QEMU: 100 MHz */
	assert_true(plausible(69841279, 3));             /* 14.318 MHz */
	assert_false(plausible(UINT32_MAX, UINT32_MAX)); /* nothing is there */
	assert_false(plausible(69841279, UINT32_MAX));
	assert_false(plausible(0, 0));
	assert_false(plausible(100000001, 0));
}
