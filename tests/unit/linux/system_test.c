/* SPDX-License-Identifier: MIT */
/* How the kernel was built and started, by its own words. */
#include <stdio.h>
#include <string.h>

#include "linux/system.h"
#include "tests/unit/test.h"

static void expect_options(const char *line, const char *chosen)
{
	char out[64];

	kernel_options_choose(line, out, sizeof out);
	assert_string_equal(chosen, out);
}

TEST(options_that_decide)
{
	expect_options("", "");
	expect_options("root=/dev/sda1 ro quiet\n", "");
	expect_options("BOOT_IMAGE=/x  mitigations=off quiet nohz_full=1-3 isolcpus=nohz,1\n",
		"mitigations=off nohz_full=1-3 isolcpus=nohz,1");
	expect_options("nopti nosmt=force idle=poll", "nopti nosmt=force idle=poll");
	expect_options("spectre_v2=on intel_idle.max_cstate=0",
		"spectre_v2=on intel_idle.max_cstate=0");
	expect_options("nopticalillusion ptic=1 midle=poll xmitigations=off", "");
	expect_options("preempt=full -- idle=poll mitigations=off", "preempt=full");
	/* What does not fit is left out whole. */
	expect_options("isolcpus=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23 tsc=x",
		"tsc=x");
}

static void expect_preemption(const char *version, const char *mode, const char *text)
{
	char out[32];

	kernel_preemption(version, mode, out, sizeof out);
	assert_string_equal(text, out);
}

TEST(preemption)
{
	expect_preemption("#1 SMP PREEMPT_DYNAMIC Debian 6.1", "", "dynamic");
	expect_preemption("#1 SMP PREEMPT_DYNAMIC Debian 6.1", "none (voluntary) full",
		"dynamic: voluntary");
	expect_preemption("#1 SMP PREEMPT_RT Debian", "", "real-time");
	expect_preemption("#1 SMP PREEMPT Thu", "", "full");
	expect_preemption("#1 SMP Thu", "", "none or voluntary");
}
