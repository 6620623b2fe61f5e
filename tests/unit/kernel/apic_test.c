/* SPDX-License-Identifier: MIT */
/* The entries of a local vector table after it is masked. */
#include "kernel/smp/apic.c"
#include "tests/unit/test.h"

#define MASKED (1U << 16)

TEST(thermal_smi_stays)
{
	assert_int_equal(lvt_in_bare(0x330, 0x200), 0x200);
	assert_int_equal(lvt_in_bare(0x330, 0x200 | MASKED), 0x200 | MASKED);
	assert_int_equal(lvt_in_bare(0x330, 0xfa), 0xfa | MASKED);   /* an interrupt */
	assert_int_equal(lvt_in_bare(0x330, 0x400), 0x400 | MASKED); /* an NMI */
	assert_int_equal(lvt_in_bare(0x340, 0x200), 0x200 | MASKED); /* a counter's, like Linux */
}

/* An old APIC has neither a thermal entry nor the counters'. */
TEST(only_what_is_there)
{
	unsigned n[7] = { 0 };

	for (unsigned max = 3; max < 7; max++)
		for (unsigned i = 0; i < LVTS; i++)
			n[max] += lvt_exists(i, 0x80000014 | max << 16);
	assert_int_equal(n[3], 3);
	assert_int_equal(n[4], 4);
	assert_int_equal(n[5], 5);
	assert_int_equal(n[6], 5);
}
