/* SPDX-License-Identifier: MIT */
/*
 * Saving, changing, checking and restoring MSRs, prefetchers and the clock with them, on machines
 * that keep values, fault and silently ignore.
 */
#include "kernel/cpu/cpu_controls.c"
#include "tests/unit/msr_double.h"
#include "tests/unit/test.h"

static const struct cpuid_answer intel[] = { INTEL };
static const struct cpuid_answer amd[] = { AMD };

TEST(changed_bits_only_and_all_restored)
{
	static const struct value msrs[] = { { 0x10, 0xff00, 0 }, { 0x11, 7, 0 } };
	struct msr_journal j = { .cpu = &test_cpu };

	MACHINE(intel, msrs);
	assert_int_equal(MSR_CHANGED, msr_change(&j, 0x10, 0x0ff0, 0x5550));
	assert_int_equal(0xf550, value_of(0x10));
	assert_int_equal(MSR_CHANGED, msr_change(&j, 0x11, 1, 0));
	assert_int_equal(MSR_CHANGED, msr_change(&j, 0x10, 0xffff, 0));
	assert_int_equal(2, j.n);
	EXPECT_AS_BEFORE(&j, msrs);
	assert_int_equal(0, j.n);
}

/* Two threads of a core share an MSR: the second one's journal must not make our value last. */
TEST(shared_by_two)
{
	static const struct value msrs[] = { { 0x1a4, 0, 0 } };
	struct msr_journal a = { .cpu = &test_cpu }, b = { .cpu = &test_cpu };

	MACHINE(intel, msrs);
	assert_null(prefetch_set(&a, false));
	assert_null(prefetch_set(&b, false));
	assert_int_equal(0, msr_restore(&b, 0));
	EXPECT_AS_BEFORE(&a, msrs);
}

TEST(absent_is_an_answer)
{
	static const struct value msrs[] = { { 0x10, 1, 0 } };
	struct msr_journal j = { .cpu = &test_cpu };

	MACHINE(intel, msrs);
	assert_int_equal(MSR_ABSENT, msr_change(&j, 0x99, 1, 1));
	assert_int_equal(0, j.n);
	assert_int_equal(0, box.writes);
}

TEST(ignored_is_noticed)
{
	static const struct value msrs[] = { { 0x10, 0x30, 0x10 } };
	struct msr_journal j = { .cpu = &test_cpu };

	MACHINE(intel, msrs);
	box.ignores = true;
	assert_int_equal(MSR_IGNORED, msr_change(&j, 0x99, 1, 1));
	assert_int_equal(MSR_IGNORED, msr_change(&j, 0x10, 0xff, 0)); /* one bit is stuck */
	assert_int_equal(0x30, value_of(0x10));
	assert_int_equal(0, j.n);
}

TEST(a_value_that_does_not_come_back_is_counted)
{
	static const struct value msrs[] = { { 0x10, 3, 0 } };
	struct msr_journal j = { .cpu = &test_cpu };

	MACHINE(intel, msrs);
	assert_int_equal(MSR_CHANGED, msr_change(&j, 0x10, 3, 0));
	find_msr(0x10)->fixed = 1; /* locked meanwhile */
	assert_int_equal(1, msr_restore(&j, 0));
}

/* What others write with its own value is written once more, whatever it is by then. */
TEST(kept_is_restored)
{
	static const struct value msrs[] = { { 0x10, 5, 0 }, { 0x11, 7, 0 } };
	struct msr_journal j = { .cpu = &test_cpu };

	MACHINE(intel, msrs);
	assert_int_equal(MSR_ABSENT, msr_keep(&j, 0x99));
	assert_int_equal(MSR_CHANGED, msr_keep(&j, 0x10));
	assert_int_equal(MSR_CHANGED, msr_keep(&j, 0x10));
	assert_int_equal(1, j.n);
	assert_int_equal(0, box.writes);
	find_msr(0x10)->value = 6;
	assert_int_equal(MSR_CHANGED, msr_change(&j, 0x11, 1, 0));
	assert_int_equal(MSR_CHANGED, msr_keep(&j, 0x11)); /* changed already: as found */
	EXPECT_AS_BEFORE(&j, msrs);
	assert_int_equal(0, j.n);
}

TEST(no_more_than_the_journal_holds)
{
	struct value msrs[MSR_CHANGES + 1] = { 0 };
	struct msr_journal j = { .cpu = &test_cpu };

	for (unsigned i = 0; i <= MSR_CHANGES; i++)
		msrs[i].msr = i;
	MACHINE(intel, msrs);
	for (unsigned i = 0; i < MSR_CHANGES; i++)
		assert_int_equal(MSR_CHANGED, msr_change(&j, i, 1, 1));
	assert_int_equal(MSR_FULL, msr_change(&j, MSR_CHANGES, 1, 1));
	assert_int_equal(MSR_FULL, msr_keep(&j, MSR_CHANGES));
	assert_int_equal(0, value_of(MSR_CHANGES));
	EXPECT_AS_BEFORE(&j, msrs);
}

TEST(intel_prefetchers)
{
	static const struct value msrs[] = { { 0x1a4, 0x822, 0 } };
	struct msr_journal j = { .cpu = &test_cpu };

	MACHINE(intel, msrs);
	assert_null(prefetch_set(&j, true));
	assert_int_equal(0x822, value_of(0x1a4));
	assert_null(prefetch_set(&j, false));
	assert_int_equal(0x82f, value_of(0x1a4));
	assert_null(prefetch_set(&j, true)); /* as found: one was off */
	assert_int_equal(0x822, value_of(0x1a4));
	assert_null(prefetch_set(&j, false));
	EXPECT_AS_BEFORE(&j, msrs);
}

/* From Golden Cove on bit 5 too; where the register refuses it, the four others all the same. */
TEST(intel_fifth_prefetcher)
{
	static const struct cpuid_answer golden[] = { { 0,
		{ 0x20, 0x756e6547, 0x6c65746e, 0x49656e69 } } };
	static const struct value with[] = { { 0x1a4, 0x800, 0 } },
				  without[] = { { 0x1a4, 0x800, 1 << 5 } };
	struct msr_journal j = { .cpu = &test_cpu };

	MACHINE(golden, with);
	assert_null(prefetch_set(&j, false));
	assert_int_equal(0x82f, value_of(0x1a4));
	EXPECT_AS_BEFORE(&j, with);
	MACHINE(golden, without);
	assert_null(prefetch_set(&j, false));
	assert_int_equal(0x80f, value_of(0x1a4));
	EXPECT_AS_BEFORE(&j, without);
}

TEST(amd_prefetchers)
{
	static const struct cpuid_answer known[] = { AMD, { 0x80000021, { 1 << 13, 0, 0, 0 } } };
	static const struct value msrs[] = { { 0xc0000108, 0x3c0, 0 } };
	struct msr_journal j = { .cpu = &test_cpu };

	MACHINE(known, msrs);
	assert_null(prefetch_set(&j, false));
	assert_int_equal(0x3ef, value_of(0xc0000108));
	EXPECT_AS_BEFORE(&j, msrs);
	MACHINE(amd, msrs);
	assert_non_null(prefetch_set(&j, false));
	assert_int_equal(0, box.writes);
}

TEST(prefetchers_that_cannot_be_turned_off)
{
	static const struct cpuid_answer small[] = { INTEL, { 0x1a, { 0x20000001, 0, 0, 0 } } };
	static const struct value with[] = { { 0x1a4, 0, 0 } }, without[] = { { 0x10, 0, 0 } };
	struct msr_journal j = { .cpu = &test_cpu };

	MACHINE(small, with);
	assert_non_null(prefetch_set(&j, false));
	MACHINE(intel, without);
	assert_string_equal("no such MSR here", prefetch_set(&j, false));
	box.ignores = true;
	assert_string_equal("the MSR ignores what is written", prefetch_set(&j, false));
	assert_int_equal(0, j.n);
}

#define TURBO                                                                                      \
	{                                                                                          \
		6,                                                                                 \
		{                                                                                  \
			1 << 7 | 1 << 1, 0, 0, 0                                                   \
		}                                                                                  \
	}

TEST(intel_clock_by_hwp)
{
	static const struct cpuid_answer hwp[] = { INTEL, TURBO };
	static const struct value msrs[] = { { 0xce, 0x1a00, 0 }, { 0x199, 0x2a00, 0 },
		{ 0x1a0, 0x850089, 0 }, { 0x770, 1, 0 }, { 0x771, 0x01081830, 0 },
		{ 0x774, 0x80003001, 0 } };
	struct msr_journal j = { .cpu = &test_cpu };
	const char *how;

	MACHINE(hwp, msrs);
	assert_null(control_clock(&j, CLOCK_FIXED, &how));
	assert_string_equal("hwp", how);
	assert_int_equal(0x00181818, value_of(0x774));
	assert_int_equal(0x4000850089ULL, value_of(0x1a0));
	assert_int_equal(0x2a00, value_of(0x199));
	EXPECT_AS_BEFORE(&j, msrs);
}

TEST(intel_clock_by_perf_ctl)
{
	static const struct cpuid_answer turbo[] = { INTEL, TURBO };
	static const struct value msrs[] = { { 0xce, 0x1a00, 0 }, { 0x199, 0x2a07, 0 },
		{ 0x1a0, 1, 0 }, { 0x770, 0, 0 } };
	static const struct value no_turbo_switch[] = { { 0xce, 0x1a00, 0 }, { 0x199, 0x2a07, 0 },
		{ 0x1a0, 1, UINT64_MAX } };
	struct msr_journal j = { .cpu = &test_cpu };
	const char *how;

	MACHINE(turbo, msrs);
	assert_null(control_clock(&j, CLOCK_FIXED, &how));
	assert_string_equal("perf-ctl", how);
	assert_int_equal(0x1a07, value_of(0x199));
	EXPECT_AS_BEFORE(&j, msrs);
	MACHINE(turbo, no_turbo_switch);
	assert_non_null(control_clock(&j, CLOCK_FIXED, &how));
	assert_int_equal(0, j.n); /* half a change was undone */
	EXPECT_AS_BEFORE(&j, no_turbo_switch);
}

TEST(amd_clock)
{
	static const struct value p_states[] = { { 0xc0010015, 0x10, 0 }, { 0xc0010062, 2, 0 },
		{ 0xc0010064, 1ULL << 63, 0 } };
	static const struct value cppc[] = { { 0xc0010015, 0x10, 0 }, { 0xc0010062, 2, 0 },
		{ 0xc00102b0, 0xa6643010, 0 }, { 0xc00102b1, 1, 0 },
		{ 0xc00102b3, 0x80ff00a6, 0 } };
	struct msr_journal j = { .cpu = &test_cpu };
	const char *how;

	MACHINE(amd, p_states);
	assert_null(control_clock(&j, CLOCK_FIXED, &how));
	assert_string_equal("p-state", how);
	assert_int_equal(0x2000010, value_of(0xc0010015));
	assert_int_equal(0, value_of(0xc0010062));
	EXPECT_AS_BEFORE(&j, p_states);
	MACHINE(amd, cppc);
	assert_null(control_clock(&j, CLOCK_FIXED, &how));
	assert_string_equal("cppc", how);
	assert_int_equal(0x646464, value_of(0xc00102b3));
	EXPECT_AS_BEFORE(&j, cppc);
}

TEST(clock_that_cannot_be_set)
{
	static const struct cpuid_answer other[] = { { 0,
		{ 1, 0x746e6543, 0x736c7561, 0x48727561 } } };
	static const struct value none[] = { { 0x10, 0, 0 } };
	struct msr_journal j = { .cpu = &test_cpu };
	const char *how;

	for (uint64_t choice = CLOCK_FIXED; choice <= CLOCK_MAX; choice++) {
		MACHINE(other, none);
		assert_non_null(control_clock(&j, choice, &how));
		MACHINE(intel, none);
		assert_non_null(control_clock(&j, choice, &how));
		MACHINE(amd, none);
		assert_non_null(control_clock(&j, choice, &how));
		box.ignores = true;
		assert_non_null(control_clock(&j, choice, &how));
		assert_int_equal(0, j.n);
	}
}

TEST(intel_highest_clock_by_hwp)
{
	static const struct cpuid_answer hwp[] = { INTEL,
		{ 6, { 1 << 7 | 1 << 1, 0, 1 << 3, 0 } } };
	static const struct value msrs[] = { { 0x1a0, 0x850089, 0 }, { 0x1b0, 6, 0 },
		{ 0x770, 1, 0 }, { 0x771, 0x01081830, 0 }, { 0x774, 0x40080003001, 0 } };
	struct msr_journal j = { .cpu = &test_cpu };
	const char *how;

	MACHINE(hwp, msrs);
	assert_null(control_clock(&j, CLOCK_MAX, &how));
	assert_string_equal("hwp", how);
	assert_int_equal(0x00303030, value_of(0x774)); /* and 772h no longer decides */
	assert_int_equal(0, value_of(0x1b0));
	assert_int_equal(0x850089, value_of(0x1a0)); /* turbo is the firmware's choice */
	EXPECT_AS_BEFORE(&j, msrs);
}

/* The highest of the turbo ratios, else the base ratio; SpeedStep on, or nothing is changed. */
TEST(intel_highest_clock_by_perf_ctl)
{
	static const struct cpuid_answer speedstep[] = { INTEL, TURBO, { 1, { 0, 0, 1 << 7, 0 } } };
	static const struct value msrs[] = { { 0xce, 0x1a00, 0 }, { 0x199, 0x100001a07, 0 },
		{ 0x1a0, 1, 0 }, { 0x1ad, 0x2526272a2b2c2c2b, 0 }, { 0x1b0, 6, 0 },
		{ 0x770, 0, 0 } };
	static const struct value no_turbo[] = { { 0xce, 0x1a00, 0 }, { 0x199, 0x0800, 0 },
		{ 0x1a0, 1 << 16, 0 }, { 0x770, 0, 0 } };
	static const struct value locked[] = { { 0xce, 0x1a00, 0 }, { 0x199, 0x0800, 0 },
		{ 0x1a0, 1, UINT64_MAX }, { 0x770, 0, 0 } };
	struct msr_journal j = { .cpu = &test_cpu };
	const char *how;

	MACHINE(speedstep, msrs);
	assert_null(control_clock(&j, CLOCK_MAX, &how));
	assert_string_equal("perf-ctl", how);
	assert_int_equal(0x2c07, value_of(0x199)); /* turbo no longer disengaged */
	assert_int_equal(0x10001, value_of(0x1a0));
	assert_int_equal(6, value_of(0x1b0)); /* CPUID does not list it */
	EXPECT_AS_BEFORE(&j, msrs);
	MACHINE(speedstep, no_turbo);
	assert_null(control_clock(&j, CLOCK_MAX, &how));
	assert_int_equal(0x1a00, value_of(0x199));
	EXPECT_AS_BEFORE(&j, no_turbo);
	MACHINE(speedstep, locked);
	assert_string_equal("the MSR ignores what is written", control_clock(&j, CLOCK_MAX, &how));
	assert_int_equal(0, j.n);
	EXPECT_AS_BEFORE(&j, locked);
}

TEST(amd_highest_clock)
{
	static const struct value p_states[] = { { 0xc0010015, 0x10, 0 }, { 0xc0010062, 2, 0 },
		{ 0xc0010064, 1ULL << 63, 0 } };
	static const struct value cppc[] = { { 0xc0010015, 0x10, 0 }, { 0xc00102b0, 0xa6643010, 0 },
		{ 0xc00102b1, 1, 0 }, { 0xc00102b3, 0x80100020, 0 } };
	struct msr_journal j = { .cpu = &test_cpu };
	const char *how;

	MACHINE(amd, p_states);
	assert_null(control_clock(&j, CLOCK_MAX, &how));
	assert_string_equal("p-state", how);
	assert_int_equal(0x10, value_of(0xc0010015)); /* boost is the firmware's choice */
	assert_int_equal(0, value_of(0xc0010062));
	EXPECT_AS_BEFORE(&j, p_states);
	MACHINE(amd, cppc);
	assert_null(control_clock(&j, CLOCK_MAX, &how));
	assert_string_equal("cppc", how);
	assert_int_equal(0xa6a6a6, value_of(0xc00102b3));
	EXPECT_AS_BEFORE(&j, cppc);
}

/* A counter goes on while it is looked at: only other values that did not come back are lost. */
TEST(a_counter_is_not_lost)
{
	static const struct value msrs[] = { { 0xc1, 1000, 0 }, { 0x186, 1000, 0 } };
	struct msr_journal j = { .cpu = &test_cpu };

	MACHINE(intel, msrs);
	assert_int_equal(MSR_CHANGED, msr_preset(&j, 0xc1, 0));
	assert_int_equal(MSR_CHANGED, msr_change(&j, 0x186, UINT64_MAX, 0));
	box.msrs[0].fixed = box.msrs[1].fixed = 7;
	box.msrs[0].value = box.msrs[1].value = 5;
	assert_int_equal(1, msr_restore(&j, 0));
}
