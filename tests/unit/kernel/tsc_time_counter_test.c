/* SPDX-License-Identifier: MIT */
/* Counters that stand still, stop, or are no counters: every wait ends. */
#include "kernel/cpu/tsc.h"
#include "tests/unit/test.h"

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
