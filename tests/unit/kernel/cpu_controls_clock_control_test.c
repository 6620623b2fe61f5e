/* SPDX-License-Identifier: MIT */
/* The clock as asked, on processors that claim less than they have, or have less than usual. */
#include "kernel/cpu/cpu_controls.h"
#include "tests/unit/msr_double.h"
#include "tests/unit/test.h"

static struct msr_journal journal;

static const char *control(uint64_t choice, const char *expected_how)
{
	const char *how = "as before", *why;

	journal = (struct msr_journal){ .cpu = &test_cpu };
	why = control_clock(&journal, choice, &how);
	assert_string_equal(expected_how, how);
	return why;
}

/* The registers are there, but CPUID does not list what they do. */
TEST(what_is_not_claimed_is_not_used)
{
	static const struct answer plain[] = { INTEL };
	static const struct value msrs[] = { { 0xce, 0x1a00, 0 }, { 0x199, 0x0800, 0 },
		{ 0x1a0, 1, 0 }, { 0x1ad, 0, 0 }, { 0x1b0, 6, 0 }, { 0x770, 1, 0 },
		{ 0x771, 0x01081830, 0 }, { 0x774, 0, 0 } };

	for (uint64_t choice = CLOCK_FIXED; choice <= CLOCK_MAX; choice++) {
		MACHINE(plain, msrs);
		assert_null(control(choice, "perf-ctl"));
		assert_int_equal(0x1a00, value_of(0x199));
		assert_int_equal(1, value_of(0x1a0)); /* neither SpeedStep nor turbo */
		assert_int_equal(6, value_of(0x1b0));
		assert_int_equal(0, value_of(0x774));
		EXPECT_AS_BEFORE(&journal, msrs);
	}
}

/* States are managed, but which ones there are cannot be read. */
TEST(levels_that_cannot_be_read)
{
	static const struct answer intel[] = { INTEL, { 6, { 1 << 7, 0, 0, 0 } } };
	static const struct answer amd[] = { AMD };
	static const struct value hwp[] = { { 0xce, 0x1a00, 0 }, { 0x770, 1, 0 }, { 0x774, 0, 0 } };
	static const struct value cppc[] = { { 0xc0010015, 0, 0 }, { 0xc00102b1, 1, 0 },
		{ 0xc00102b3, 0, 0 } };

	MACHINE(intel, hwp);
	assert_string_equal("the base frequency is unknown", control(CLOCK_FIXED, "hwp"));
	assert_string_equal("the highest frequency is unknown", control(CLOCK_MAX, "hwp"));
	assert_int_equal(0, box.writes);
	MACHINE(amd, cppc);
	assert_string_equal("the base frequency is unknown", control(CLOCK_FIXED, "cppc"));
	assert_string_equal("the highest frequency is unknown", control(CLOCK_MAX, "cppc"));
	assert_int_equal(0, box.writes);
}

/* Each of the eight bytes may be the highest. */
TEST(the_highest_of_eight_ratios)
{
	static const struct answer plain[] = { INTEL };

	for (unsigned i = 0; i < 8; i++) {
		const struct value msrs[] = { { 0xce, 0x1a00, 0 }, { 0x199, 0x0800, 0 },
			{ 0x1ad, 0x2020202020202020ULL + (5ULL << 8 * i), 0 } };

		MACHINE(plain, msrs);
		assert_null(control(CLOCK_MAX, "perf-ctl"));
		assert_int_equal(0x2500, value_of(0x199));
	}
}

/* P-state 0 from each of the eight. */
TEST(amd_p_state_0)
{
	static const struct answer amd[] = { AMD };

	for (uint64_t found = 0; found < 8; found++) {
		const struct value msrs[] = { { 0xc0010062, found, 0 },
			{ 0xc0010064, 1ULL << 63, 0 } };

		MACHINE(amd, msrs);
		assert_null(control(CLOCK_MAX, "p-state"));
		assert_int_equal(0, value_of(0xc0010062));
		EXPECT_AS_BEFORE(&journal, msrs);
	}
}

TEST(another_vendor_has_no_way)
{
	static const struct answer other[] = { { 0, { 1, 0x746e6543, 0x736c7561, 0x48727561 } } };
	static const struct value none[] = { { 0x10, 0, 0 } };

	MACHINE(other, none);
	assert_string_equal("not known for this vendor", control(CLOCK_FIXED, ""));
}
