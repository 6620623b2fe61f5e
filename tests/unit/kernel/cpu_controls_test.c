/* SPDX-License-Identifier: MIT */
/* The processor's counters, on machines that count, ignore, fault and stand still. */
#include "kernel/cpu/cpu_controls.c"
#include "tests/unit/msr_double.h"
#include "tests/unit/test.h"

static void advance(uint32_t msr, bool on)
{
	if (on && find_msr(msr))
		find_msr(msr)->value += 1000;
}

/* What an enabled counter does meanwhile. */
static void work(void)
{
	bool global = !(double_cpuid(0x80000022, 0).eax & 1) || (value_of(0xc0000301) & 1);

	advance(0x309, (value_of(0x38d) & 3) && (value_of(0x38f) >> 32 & 1));
	advance(0x30a, (value_of(0x38d) & 0x30) && (value_of(0x38f) >> 32 & 2));
	advance(0xc1, (value_of(0x186) & 1 << 22) && (value_of(0x38f) & 1));
	for (unsigned i = 0; i < 3; i++)
		advance(0xc0010201 + 2 * i, global && (value_of(0xc0010200 + 2 * i) & 1 << 22));
	advance(0xe8, true);
}

static void expect_counters(const struct counters *c, uint32_t cycles, uint32_t instructions,
	uint32_t mispredicts, uint32_t smis)
{
	assert_int_equal(cycles, c->of[COUNT_CYCLES].msr);
	assert_int_equal(instructions, c->of[COUNT_INSTRUCTIONS].msr);
	assert_int_equal(mispredicts, c->of[COUNT_MISPREDICTS].msr);
	assert_int_equal(smis, c->of[COUNT_SMIS].msr);
}

/* Leaf 0xa: version, number, width, events; events absent; the fixed ones. */
#define PMU_LEAF(eax, events_absent, width, fixed)                                                 \
	{                                                                                          \
		0xa,                                                                               \
		{                                                                                  \
			eax, events_absent, 0, (width) << 5 | (fixed)                              \
		}                                                                                  \
	}

/* Version 5, four counters of 40 bits, 7 events; some fixed ones of 48 bits. */
#define PMU_FIXED(events_absent, fixed) PMU_LEAF(0x07280405, events_absent, 48, fixed)

#define PMU(events_absent) PMU_FIXED(events_absent, 3)

static const struct value intel_pmu[] = { { 0x34, 5, 0 }, { 0xc1, 17, 0 }, { 0x186, 0, 0 },
	{ 0x309, 1, 0 }, { 0x30a, 2, 0 }, { 0x38d, 0x300, 0 }, { 0x38f, 0x70000000fULL, 0 } };

TEST(intel_counters)
{
	static const struct cpuid_answer all[] = { INTEL, PMU(0) },
					 no_branches[] = { INTEL, PMU(1 << 6) };
	struct msr_journal j = { .cpu = &test_cpu };
	struct counters c;

	MACHINE(all, intel_pmu);
	counters_start(&c, &j, work);
	expect_counters(&c, 0x30a, 0x309, 0xc1, 0x34);
	assert_int_equal(0xffffffffffffULL, c.of[COUNT_CYCLES].mask);
	assert_int_equal(0xffffffffffffULL, c.of[COUNT_INSTRUCTIONS].mask);
	assert_int_equal(0xffffffffffULL, c.of[COUNT_MISPREDICTS].mask);
	assert_int_equal(0xffffffff, c.of[COUNT_SMIS].mask);
	assert_int_equal(0x4300c5, value_of(0x186));
	assert_int_equal(0x333, value_of(0x38d));
	assert_int_equal(0x70000000fULL, value_of(0x38f));
	EXPECT_AS_BEFORE(&j, intel_pmu);
	MACHINE(no_branches, intel_pmu);
	counters_start(&c, &j, work);
	expect_counters(&c, 0x30a, 0x309, 0, 0x34);
	EXPECT_AS_BEFORE(&j, intel_pmu);
}

/* Instructions and cycles are the first two; the third, the reference clock, is not used. */
TEST(two_fixed_counters_are_enough)
{
	static const struct cpuid_answer two[] = { INTEL, PMU_FIXED(0, 2) },
					 one[] = { INTEL, PMU_FIXED(0, 1) };
	struct msr_journal j = { .cpu = &test_cpu };
	struct counters c;

	MACHINE(two, intel_pmu);
	counters_start(&c, &j, work);
	expect_counters(&c, 0x30a, 0x309, 0xc1, 0x34);
	EXPECT_AS_BEFORE(&j, intel_pmu);
	MACHINE(one, intel_pmu);
	counters_start(&c, &j, work);
	expect_counters(&c, 0, 0, 0, 0x34);
	EXPECT_AS_BEFORE(&j, intel_pmu);
}

/* Each claim of leaf 0xa, as much of it as is enough and just too little. */
TEST(what_intel_claims_is_used)
{
	static const struct {
		struct cpuid_answer leaf;
		uint32_t cycles, mispredicts;
	} claims[] = {
		{ PMU_LEAF(0x07300401, 0, 48, 3), 0, 0 }, /* the first version has no fixed ones */
		{ PMU_LEAF(0x07300402, 0, 48, 3), 0x30a, 0xc1 },
		{ PMU_LEAF(0x07300402, 0, 48, 16), 0x30a, 0xc1 },
		{ PMU_LEAF(0x06300402, 0, 48, 3), 0x30a, 0 }, /* the 7th event is missing */
		{ PMU_LEAF(0x07300002, 0, 48, 3), 0x30a, 0 }, /* no counter that takes events */
		{ PMU_LEAF(0x07300012, 0, 48, 3), 0x30a, 0 },
		{ PMU_LEAF(0x07300102, 0, 48, 3), 0x30a, 0xc1 },
		{ PMU_LEAF(0x07301002, 0, 48, 3), 0x30a, 0xc1 },
	};
	struct msr_journal j = { .cpu = &test_cpu };
	struct counters c;

	for (unsigned i = 0; i < sizeof claims / sizeof *claims; i++) {
		const struct cpuid_answer answers[] = { INTEL, claims[i].leaf };

		MACHINE(answers, intel_pmu);
		counters_start(&c, &j, work);
		if (c.of[COUNT_CYCLES].msr != claims[i].cycles ||
			c.of[COUNT_MISPREDICTS].msr != claims[i].mispredicts)
			fail_msg("claims %u: expected counters %#x and %#x, came %#x and %#x", i,
				claims[i].cycles, claims[i].mispredicts, c.of[COUNT_CYCLES].msr,
				c.of[COUNT_MISPREDICTS].msr);
		EXPECT_AS_BEFORE(&j, intel_pmu);
	}
}

TEST(counters_may_have_64_bits)
{
	static const struct cpuid_answer wide[] = { INTEL, PMU_LEAF(0x07400402, 0, 64, 3) };
	struct msr_journal j = { .cpu = &test_cpu };
	struct counters c;

	MACHINE(wide, intel_pmu);
	counters_start(&c, &j, work);
	assert_int_equal(UINT64_MAX, c.of[COUNT_CYCLES].mask);
	assert_int_equal(UINT64_MAX, c.of[COUNT_MISPREDICTS].mask);
}

/* A counter that runs goes on between any two looks at it. */
static int read_running(uint32_t msr, uint64_t *value)
{
	uint64_t running = value_of(0x38f);

	advance(msr,
		(msr == 0x309 && (running >> 32 & 1) && (value_of(0x38d) & 3)) ||
			(msr == 0x30a && (running >> 32 & 2) && (value_of(0x38d) & 0x30)) ||
			(msr == 0xc1 && (running & 1) && (value_of(0x186) & 1 << 22)));
	return double_read(msr, value);
}

/* As left behind by a firmware that counted; of the control, bits that are not ours stay. */
TEST(counters_that_run_are_stopped_first)
{
	static const struct cpu_ops running = { double_cpuid, read_running, double_write };
	static const struct cpuid_answer all[] = { INTEL, PMU(0) };
	static const struct value found[] = { { 0x34, 5, 0 }, { 0xc1, 17, 0 },
		{ 0x186, 0x4300c0, 0 }, { 0x309, 1, 0 }, { 0x30a, 2, 0 }, { 0x38d, 0x333, 0 },
		{ 0x38f, 0x70000000fULL, 0 } };
	static const struct value stopped[] = { { 0x34, 5, 0 }, { 0xc1, 17, 0 }, { 0x186, 0, 0 },
		{ 0x309, 1, 0 }, { 0x30a, 2, 0 }, { 0x38d, 0x300, 0 }, { 0x38f, 0x400000008, 0 } };
	struct msr_journal j = { .cpu = &running };
	struct counters c;

	MACHINE(all, found);
	counters_start(&c, &j, counters_exercise);
	expect_counters(&c, 0x30a, 0x309, 0xc1, 0x34);
	j.n = 0;
	MACHINE(all, stopped);
	counters_start(&c, &j, counters_exercise);
	expect_counters(&c, 0x30a, 0x309, 0xc1, 0x34);
	assert_int_equal(0x700000009ULL, value_of(0x38f));
	EXPECT_AS_BEFORE(&j, stopped);
}

static const struct value amd_pmu[] = { { 0xc0000301, 0, 0 }, { 0xc0010200, 0, 0 },
	{ 0xc0010201, 9, 0 }, { 0xc0010202, 0, 0 }, { 0xc0010203, 9, 0 }, { 0xc0010204, 0x76, 0 },
	{ 0xc0010205, 9, 0 }, { 0xc0010206, 0, 0 }, { 0xc0010207, 9, 0 }, { 0xc0010208, 0, 0 },
	{ 0xc0010209, 9, 0 } };

TEST(amd_counters)
{
	static const struct cpuid_answer first[] = { AMD };
	static const struct cpuid_answer second[] = { AMD, { 0x80000001, { 0, 0, 1 << 23, 0 } },
		{ 0x80000022, { 1, 0, 0, 0 } } };
	struct msr_journal j = { .cpu = &test_cpu };
	struct counters c;

	MACHINE(second, amd_pmu);
	counters_start(&c, &j, work);
	expect_counters(&c, 0xc0010201, 0xc0010203, 0xc0010205, 0xc0010207);
	assert_int_equal(0x4300c3, value_of(0xc0010204));
	assert_int_equal(0xf, value_of(0xc0000301));
	assert_int_equal(0, value_of(0xc0010208)); /* the fifth has nothing to count */
	for (unsigned i = 0; i < COUNTS; i++)
		assert_int_equal(0xffffffffffffULL, c.of[i].mask);
	EXPECT_AS_BEFORE(&j, amd_pmu);
	MACHINE(first, amd_pmu);
	counters_start(&c, &j, work);
	expect_counters(&c, 0, 0, 0, 0);
	assert_int_equal(0, box.writes);
}

/* The six counters came before their common control, which faults there. */
TEST(amd_counters_without_a_common_control)
{
	static const struct cpuid_answer older[] = { AMD, { 0x80000001, { 0, 0, 1 << 23, 0 } } };
	struct msr_journal j = { .cpu = &test_cpu };
	struct counters c;

	machine(older, sizeof older / sizeof *older, amd_pmu + 1,
		sizeof amd_pmu / sizeof *amd_pmu - 1);
	counters_start(&c, &j, work);
	expect_counters(&c, 0xc0010201, 0xc0010203, 0xc0010205, 0xc0010207);
}

static void stand_still(void)
{
}

/* They read back what is written, SMIs among them, whose standing still would say: none. */
TEST(amd_counters_that_stand_still)
{
	static const struct cpuid_answer claims[] = { AMD, { 0x80000001, { 0, 0, 1 << 23, 0 } } };
	struct msr_journal j = { .cpu = &test_cpu };
	struct counters c;

	memset(&c, 0xff, sizeof c);
	MACHINE(claims, amd_pmu);
	counters_start(&c, &j, stand_still);
	expect_counters(&c, 0, 0, 0, 0);
	EXPECT_AS_BEFORE(&j, amd_pmu);
}

/* Without the claim, reading MSR E8h may be anything. */
TEST(aperf_is_used_where_it_is_claimed)
{
	static const struct cpuid_answer none[] = { INTEL },
					 claimed[] = { INTEL, { 6, { 0, 0, 1, 0 } } };
	static const struct value only_aperf[] = { { 0xe8, 1, 0 } };
	struct msr_journal j = { .cpu = &test_cpu };
	struct counters c;

	memset(&c, 0xff, sizeof c);
	MACHINE(none, only_aperf);
	counters_start(&c, &j, work);
	expect_counters(&c, 0, 0, 0, 0);
	MACHINE(claimed, only_aperf);
	counters_start(&c, &j, work);
	expect_counters(&c, 0xe8, 0, 0, 0);
	assert_int_equal(UINT64_MAX, c.of[COUNT_CYCLES].mask);
}

TEST(counters_that_do_not_count)
{
	static const struct cpuid_answer claims[] = { INTEL, PMU(0), { 6, { 0, 0, 1, 0 } } };
	static const struct value only_aperf[] = { { 0xe8, 1, 0 } };
	struct msr_journal j = { .cpu = &test_cpu };
	struct counters c;

	MACHINE(claims, only_aperf);
	counters_start(&c, &j, work);
	expect_counters(&c, 0xe8, 0, 0, 0);
	assert_int_equal(0, j.n);
	box.ignores = true;
	counters_start(&c, &j, work);
	expect_counters(&c, 0xe8, 0, 0, 0);
	assert_int_equal(0, j.n);
	MACHINE(claims, intel_pmu);
	counters_start(&c, &j, stand_still);
	expect_counters(&c, 0, 0, 0, 0x34);
	EXPECT_AS_BEFORE(&j, intel_pmu);
}

/* The clock as asked, on processors that claim less than they have, or have less than usual. */

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
	static const struct cpuid_answer plain[] = { INTEL };
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
	static const struct cpuid_answer intel[] = { INTEL, { 6, { 1 << 7, 0, 0, 0 } } };
	static const struct cpuid_answer amd[] = { AMD };
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
	static const struct cpuid_answer plain[] = { INTEL };

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
	static const struct cpuid_answer amd[] = { AMD };

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
	static const struct cpuid_answer other[] = { { 0,
		{ 1, 0x746e6543, 0x736c7561, 0x48727561 } } };
	static const struct value none[] = { { 0x10, 0, 0 } };

	MACHINE(other, none);
	assert_string_equal("not known for this vendor", control(CLOCK_FIXED, ""));
}
