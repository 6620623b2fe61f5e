/* SPDX-License-Identifier: MIT */
/* Timers whose deadline cannot be believed. */
#include "kernel/smp/wake_up.c"
#include "tests/unit/msr_double.h"
#include "tests/unit/test.h"

static bool is_wrong(uint32_t signature, uint32_t features, uint32_t microcode)
{
	const struct cpuid_answer answers[] = { INTEL, { 1, { signature, 0, features, 0 } } };
	static const struct value none[] = { { 0x10, 0, 0 } };

	MACHINE(answers, none);
	return deadline_is_wrong(&test_cpu, microcode);
}

TEST(errata_of_the_deadline)
{
	assert_true(is_wrong(0x306c3, 0, 0x21));
	assert_false(is_wrong(0x306c3, 0, 0x22));
	assert_false(is_wrong(0x306c3, CPUID_HYPERVISOR, 0x21)); /* the host's matter */
	assert_true(is_wrong(0x306f2, 0, 0x39));
	assert_false(is_wrong(0x306f3, 0, 0)); /* a stepping that Linux does not name */
	assert_true(is_wrong(0x50654, 0, 0x02000013));
	assert_false(is_wrong(0x50657, 0, 0x02000013)); /* Cascade Lake */
	assert_true(is_wrong(0x906ea, 0, 0x51));
	assert_false(is_wrong(0x90672, 0, 0)); /* Alder Lake */
}
