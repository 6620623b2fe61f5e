/* SPDX-License-Identifier: MIT */
/* What a system makes of the machine that it runs on, computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/kam/cpu/under_system.h"
#include "tests/kam/run/machine_facts.h"

static void test_no_system(void **state)
{
	(void)state;
	struct cpu before, after;

	cpu_init(&before);
	after = before;
	system_start(&after);
	assert_memory_equal(&before, &after, sizeof before);
}

/* 2 % in gaps of 100 us: one in 5 ms, of which the core sees 4.9 ms. */
static void test_stolen_time(void **state)
{
	(void)state;
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
static void test_lower_clock(void **state)
{
	(void)state;
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

static void test_small_pages(void **state)
{
	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_system),
		cmocka_unit_test(test_stolen_time),
		cmocka_unit_test(test_lower_clock),
		cmocka_unit_test(test_small_pages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
