/* SPDX-License-Identifier: MIT */
/* The choice among sources that disagree about the TSC's rate, and how each is timed. */
#include "kernel/console/console.h"
#include "kernel/cpu/x86.h"
#include "kernel/firmware/firmware_calls.h"
#include "tests/unit/test.h"

/* The machine's time in ticks of its TSC, of 2 GHz, and what reading it takes. */
static uint64_t tsc, step;

static uint64_t read_tsc(void)
{
	return tsc += step;
}

static unsigned stalls, said;
static bool boot_services;

/* The first call takes longest, and of the others the third is the shortest: 0.01 % too long. */
static bool stall(uint64_t microseconds)
{
	static const double late[] = { 1, 0.02, 0.01, 0.0001, 0.05, 0.03 };

	tsc += (uint64_t)((double)microseconds * 2000 * (1 + late[stalls++ % 6]));
	return true;
}

static bool has_boot_services(void)
{
	return boot_services;
}

#define rdtsc                read_tsc
#define console_printf(...)  said++
#define firmware_stall       stall
#define boot_services_active has_boot_services
#include "kernel/cpu/tsc.c"

static struct facts facts;

static void add(const char *name, double hz, bool claimed)
{
	add_source(&facts, name, hz, claimed);
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
	expect_broken("f->tsc_sources < TSC_SOURCES", add("pit", 2e9, false));
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
	step = MOVE_TICKS / 100; /* far fewer readings until a wait has lasted long enough */
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

/*
 * A counter of 1 MHz by the machine's time. An SMI comes after all readings but each third; they
 * grow.
 */
static uint64_t read_disturbed(const struct counter *c)
{
	uint64_t count = (tsc += 800) / 2000;

	if (++readings % 3)
		tsc += 100000 + tsc / 1000;
	return count & ((1ULL << c->bits) - 1);
}

/* The narrowest of the stamps: 100 us and more that come between would move the rate by 0.1 %. */
TEST(a_window_between_interruptions)
{
	struct counter c[] = { { .name = "absent" },
		{ .name = "double", .hz = 1e6, .bits = 24, .read = read_disturbed } };

	tsc = readings = 0;
	step = 20;
	for (unsigned w = 0; w < WINDOWS; w++)
		time_window(c, 2, w);
	for (unsigned w = 0; w < WINDOWS; w++)
		if (fabs(c[1].rates[w] / 2e9 - 1) > 1e-4)
			fail_msg("window %u: expected 2 GHz, came %.0f Hz", w, c[1].rates[w]);
	assert_true(c[0].rates[0] == 0);
}

TEST(a_counter_that_stops_in_a_window_is_given_up)
{
	struct counter c[] = { counter,
		{ .name = "next", .hz = 1e6, .bits = 24, .read = read_disturbed } };

	begin(100);
	said = 0;
	time_window(c, 2, 0);
	assert_true(c[0].hz == 0);
	assert_int_equal(1, said);
	assert_true(fabs(c[1].rates[0] / 2e9 - 1) < 1e-3);
}

TEST(the_shortest_delay_counts)
{
	stalls = 0;
	step = 20;
	boot_services = false;
	time_stall(&facts);
	assert_int_equal(0, facts.tsc_sources);
	boot_services = true;
	time_stall(&facts);
	assert_int_equal(1, facts.tsc_sources);
	assert_string_equal("stall", facts.tsc[0].name);
	if (fabs(facts.tsc[0].hz / 2.0002e9 - 1) > 1e-5)
		fail_msg("expected 2.0002 GHz, came %.0f Hz", facts.tsc[0].hz);
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
