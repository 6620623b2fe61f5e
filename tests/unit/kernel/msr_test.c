/* SPDX-License-Identifier: MIT */
/* Saving, changing, checking and restoring MSRs: machines that keep, fault and silently ignore. */
#include "tests/unit/msr_double.h"
#include "tests/unit/test.h"

static const struct cpuid_answer intel[] = { INTEL };

TEST(changed_bits_only_and_all_restored)
{
	static const struct value msrs[] = { { 0x10, 0xff00, 0 }, { 0x11, 7, 0 } };

	MACHINE(intel, msrs);
	assert_int_equal(MSR_CHANGED, msr_change(&journal, 0x10, 0x0ff0, 0x5550));
	assert_int_equal(0xf550, value_of(0x10));
	assert_int_equal(MSR_CHANGED, msr_change(&journal, 0x11, 1, 0));
	assert_int_equal(MSR_CHANGED, msr_change(&journal, 0x10, 0xffff, 0));
	assert_int_equal(2, journal.n);
	EXPECT_AS_BEFORE(msrs);
}

TEST(absent_is_an_answer)
{
	static const struct value msrs[] = { { 0x10, 1, 0 } };

	MACHINE(intel, msrs);
	assert_int_equal(MSR_ABSENT, msr_change(&journal, 0x99, 1, 1));
	assert_int_equal(0, journal.n);
	assert_int_equal(0, box.writes);
}

TEST(ignored_is_noticed)
{
	static const struct value msrs[] = { { 0x10, 0x30, 0x10 } };

	MACHINE(intel, msrs);
	box.ignores = true;
	assert_int_equal(MSR_IGNORED, msr_change(&journal, 0x99, 1, 1));
	assert_int_equal(MSR_IGNORED, msr_change(&journal, 0x10, 0xff, 0)); /* one bit is stuck */
	assert_int_equal(0x30, value_of(0x10));
	assert_int_equal(0, journal.n);
}

TEST(a_value_that_does_not_come_back_is_counted)
{
	static const struct value msrs[] = { { 0x10, 3, 0 } };

	MACHINE(intel, msrs);
	assert_int_equal(MSR_CHANGED, msr_change(&journal, 0x10, 3, 0));
	find_msr(0x10)->fixed = 1; /* locked meanwhile */
	assert_int_equal(1, msr_restore(&journal, 0));
}

/*
 * A register that others write with its own value is written once more, with its value of that
 * time.
 */
TEST(kept_is_restored)
{
	static const struct value msrs[] = { { 0x10, 5, 0 }, { 0x11, 7, 0 } };

	MACHINE(intel, msrs);
	assert_int_equal(MSR_ABSENT, msr_keep(&journal, 0x99));
	assert_int_equal(MSR_CHANGED, msr_keep(&journal, 0x10));
	assert_int_equal(MSR_CHANGED, msr_keep(&journal, 0x10));
	assert_int_equal(1, journal.n);
	assert_int_equal(0, box.writes);
	find_msr(0x10)->value = 6;
	assert_int_equal(MSR_CHANGED, msr_change(&journal, 0x11, 1, 0));
	assert_int_equal(MSR_CHANGED, msr_keep(&journal, 0x11)); /* changed already: as found */
	EXPECT_AS_BEFORE(msrs);
}

TEST(no_more_than_the_journal_holds)
{
	struct value msrs[MSR_CHANGES + 1] = { 0 };

	for (unsigned i = 0; i <= MSR_CHANGES; i++)
		msrs[i].msr = i;
	MACHINE(intel, msrs);
	for (unsigned i = 0; i < MSR_CHANGES; i++)
		assert_int_equal(MSR_CHANGED, msr_change(&journal, i, 1, 1));
	assert_int_equal(MSR_FULL, msr_change(&journal, MSR_CHANGES, 1, 1));
	assert_int_equal(MSR_FULL, msr_keep(&journal, MSR_CHANGES));
	assert_int_equal(0, value_of(MSR_CHANGES));
	EXPECT_AS_BEFORE(msrs);
}

/* A counter goes on while it is looked at: only other values that did not come back are lost. */
TEST(a_counter_is_not_lost)
{
	static const struct value msrs[] = { { 0xc1, 1000, 0 }, { 0x186, 1000, 0 } };

	MACHINE(intel, msrs);
	assert_int_equal(MSR_CHANGED, msr_preset(&journal, 0xc1, 0));
	assert_int_equal(MSR_CHANGED, msr_change(&journal, 0x186, UINT64_MAX, 0));
	box.msrs[0].fixed = box.msrs[1].fixed = 7;
	box.msrs[0].value = box.msrs[1].value = 5;
	assert_int_equal(1, msr_restore(&journal, 0));
}
