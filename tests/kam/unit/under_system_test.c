/* SPDX-License-Identifier: MIT */
/* The parameters of a machine under a system, computed by hand. */
#include "tests/kam/cpu/under_system.h"
#include "tests/kam/run/machine_facts.h"
#include "tests/unit/test.h"

TEST(test_no_system)
{
	struct cpu before, after;

	cpu_init(&before);
	after = before;
	system_start(&after);
	assert_memory_equal(&before, &after, sizeof before);
}

/* 2 % in gaps of 100 us: one in 5 ms, of which the core sees 4.9 ms. */
TEST(test_stolen_time)
{
	struct cpu c;

	cpu_init(&c);
	c.hz = 100000000;
	c.tsc_hz = 50000000;
	c.stolen_ppm = 20000;
	c.gap_us = 100;
	system_start(&c);
	assert_int_equal(c.spike_ticks, 5000);
	assert_int_equal(c.spike_every, 490000);
}

/* At 80 %: L3 and memory take as many nanoseconds as before, L1 and L2 as many cycles. */
TEST(test_lower_clock)
{
	struct cpu c;

	cpu_init(&c);
	c.hz = 100000000;
	c.level[2].latency = 50;
	c.memory_latency = 200;
	c.memory_gap = 10;
	c.clock_percent = 80;
	system_start(&c);
	assert_int_equal(c.hz, 80000000);
	assert_int_equal(c.level[1].latency, 14);
	assert_int_equal(c.level[2].latency, 40);
	assert_int_equal(c.memory_latency, 160);
	assert_int_equal(c.memory_gap, 8);
}

TEST(test_small_pages)
{
	struct facts f;
	struct cpu c;

	cpu_init(&c);
	c.memory_bytes = PAGE_1G;
	machine_facts(&f, &c);
	assert_int_equal(f.pages, PAGE_4K | PAGE_2M | PAGE_1G);
	c.small_pages = 1;
	machine_facts(&f, &c);
	assert_int_equal(f.pages, PAGE_4K);
}
