/* SPDX-License-Identifier: MIT */
/*
 * The processor's counters, prefetchers and clock, on machines that count, ignore, fault, stand
 * still, and claim less than they have.
 */
#include "kernel/console/console.h"
#define console_printf(...) (void)0
#include "kernel/cpu/cpu_controls.c"
#include "tests/unit/msr_double.h"
#include "tests/unit/test.h"

static void advance(uint32_t msr, bool on)
{
	if (on && find_msr(msr))
		find_msr(msr)->value += 1000;
}

/* Advance the counters that are enabled. */
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

static struct counters c;

static void expect_counters(uint32_t cycles, uint32_t instructions, uint32_t mispredicts,
	uint32_t smis)
{
	assert_int_equal(cycles, c.of[COUNT_CYCLES].msr);
	assert_int_equal(instructions, c.of[COUNT_INSTRUCTIONS].msr);
	assert_int_equal(mispredicts, c.of[COUNT_MISPREDICTS].msr);
	assert_int_equal(smis, c.of[COUNT_SMIS].msr);
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

	MACHINE(all, intel_pmu);
	counters_start(&c, &journal, work);
	expect_counters(0x30a, 0x309, 0xc1, 0x34);
	assert_int_equal(0xffffffffffffULL, c.of[COUNT_CYCLES].mask);
	assert_int_equal(0xffffffffffffULL, c.of[COUNT_INSTRUCTIONS].mask);
	assert_int_equal(0xffffffffffULL, c.of[COUNT_MISPREDICTS].mask);
	assert_int_equal(0xffffffff, c.of[COUNT_SMIS].mask);
	assert_int_equal(0x4300c5, value_of(0x186));
	assert_int_equal(0x333, value_of(0x38d));
	assert_int_equal(0x70000000fULL, value_of(0x38f));
	EXPECT_AS_BEFORE(intel_pmu);
	MACHINE(no_branches, intel_pmu);
	counters_start(&c, &journal, work);
	expect_counters(0x30a, 0x309, 0, 0x34);
	EXPECT_AS_BEFORE(intel_pmu);
}

/* Instructions and cycles are the first two; the third, the reference clock, is not used. */
TEST(two_fixed_counters_are_enough)
{
	static const struct cpuid_answer two[] = { INTEL, PMU_FIXED(0, 2) },
					 one[] = { INTEL, PMU_FIXED(0, 1) };

	MACHINE(two, intel_pmu);
	counters_start(&c, &journal, work);
	expect_counters(0x30a, 0x309, 0xc1, 0x34);
	EXPECT_AS_BEFORE(intel_pmu);
	MACHINE(one, intel_pmu);
	counters_start(&c, &journal, work);
	expect_counters(0, 0, 0, 0x34);
	EXPECT_AS_BEFORE(intel_pmu);
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

	for (unsigned i = 0; i < sizeof claims / sizeof *claims; i++) {
		const struct cpuid_answer answers[] = { INTEL, claims[i].leaf };

		MACHINE(answers, intel_pmu);
		counters_start(&c, &journal, work);
		if (c.of[COUNT_CYCLES].msr != claims[i].cycles ||
			c.of[COUNT_MISPREDICTS].msr != claims[i].mispredicts)
			fail_msg("claims %u: expected counters %#x and %#x, came %#x and %#x", i,
				claims[i].cycles, claims[i].mispredicts, c.of[COUNT_CYCLES].msr,
				c.of[COUNT_MISPREDICTS].msr);
		EXPECT_AS_BEFORE(intel_pmu);
	}
}

TEST(counters_may_have_64_bits)
{
	static const struct cpuid_answer wide[] = { INTEL, PMU_LEAF(0x07400402, 0, 64, 3) };

	MACHINE(wide, intel_pmu);
	counters_start(&c, &journal, work);
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

/*
 * Counters that a firmware left running are stopped first; bits of the control that are not ours
 * stay.
 */
TEST(counters_that_run_are_stopped_first)
{
	static const struct cpu_ops running = { double_cpuid, read_running, double_write };
	static const struct cpuid_answer all[] = { INTEL, PMU(0) };
	static const struct value found[] = { { 0x34, 5, 0 }, { 0xc1, 17, 0 },
		{ 0x186, 0x4300c0, 0 }, { 0x309, 1, 0 }, { 0x30a, 2, 0 }, { 0x38d, 0x333, 0 },
		{ 0x38f, 0x70000000fULL, 0 } };
	static const struct value stopped[] = { { 0x34, 5, 0 }, { 0xc1, 17, 0 }, { 0x186, 0, 0 },
		{ 0x309, 1, 0 }, { 0x30a, 2, 0 }, { 0x38d, 0x300, 0 }, { 0x38f, 0x400000008, 0 } };

	MACHINE(all, found);
	journal.cpu = &running;
	counters_start(&c, &journal, counters_exercise);
	expect_counters(0x30a, 0x309, 0xc1, 0x34);
	MACHINE(all, stopped);
	journal.cpu = &running;
	counters_start(&c, &journal, counters_exercise);
	expect_counters(0x30a, 0x309, 0xc1, 0x34);
	assert_int_equal(0x700000009ULL, value_of(0x38f));
	EXPECT_AS_BEFORE(stopped);
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

	MACHINE(second, amd_pmu);
	counters_start(&c, &journal, work);
	expect_counters(0xc0010201, 0xc0010203, 0xc0010205, 0xc0010207);
	assert_int_equal(0x4300c3, value_of(0xc0010204));
	assert_int_equal(0xf, value_of(0xc0000301));
	assert_int_equal(0, value_of(0xc0010208)); /* the fifth has nothing to count */
	for (unsigned i = 0; i < COUNTS; i++)
		assert_int_equal(0xffffffffffffULL, c.of[i].mask);
	EXPECT_AS_BEFORE(amd_pmu);
	MACHINE(first, amd_pmu);
	counters_start(&c, &journal, work);
	expect_counters(0, 0, 0, 0);
	assert_int_equal(0, box.writes);
}

/* The six counters came before their common control, which faults there. */
TEST(amd_counters_without_a_common_control)
{
	static const struct cpuid_answer older[] = { AMD, { 0x80000001, { 0, 0, 1 << 23, 0 } } };

	machine(older, sizeof older / sizeof *older, amd_pmu + 1,
		sizeof amd_pmu / sizeof *amd_pmu - 1);
	counters_start(&c, &journal, work);
	expect_counters(0xc0010201, 0xc0010203, 0xc0010205, 0xc0010207);
}

static void stand_still(void)
{
}

/* They read back what is written, SMIs among them, whose standing still would say: none. */
TEST(amd_counters_that_stand_still)
{
	static const struct cpuid_answer claims[] = { AMD, { 0x80000001, { 0, 0, 1 << 23, 0 } } };

	memset(&c, 0xff, sizeof c);
	MACHINE(claims, amd_pmu);
	counters_start(&c, &journal, stand_still);
	expect_counters(0, 0, 0, 0);
	EXPECT_AS_BEFORE(amd_pmu);
}

/* Without the claim, reading MSR E8h may be anything. */
TEST(aperf_is_used_where_it_is_claimed)
{
	static const struct cpuid_answer none[] = { INTEL },
					 claimed[] = { INTEL, { 6, { 0, 0, 1, 0 } } };
	static const struct value only_aperf[] = { { 0xe8, 1, 0 } };

	memset(&c, 0xff, sizeof c);
	MACHINE(none, only_aperf);
	counters_start(&c, &journal, work);
	expect_counters(0, 0, 0, 0);
	MACHINE(claimed, only_aperf);
	counters_start(&c, &journal, work);
	expect_counters(0xe8, 0, 0, 0);
	assert_int_equal(UINT64_MAX, c.of[COUNT_CYCLES].mask);
}

TEST(counters_that_do_not_count)
{
	static const struct cpuid_answer claims[] = { INTEL, PMU(0), { 6, { 0, 0, 1, 0 } } };
	static const struct value only_aperf[] = { { 0xe8, 1, 0 } };

	MACHINE(claims, only_aperf);
	counters_start(&c, &journal, work);
	expect_counters(0xe8, 0, 0, 0);
	assert_int_equal(0, journal.n);
	box.ignores = true;
	counters_start(&c, &journal, work);
	expect_counters(0xe8, 0, 0, 0);
	assert_int_equal(0, journal.n);
	MACHINE(claims, intel_pmu);
	counters_start(&c, &journal, stand_still);
	expect_counters(0, 0, 0, 0x34);
	EXPECT_AS_BEFORE(intel_pmu);
}

/* --- prefetchers --- */

static const struct cpuid_answer intel[] = { INTEL };
static const struct cpuid_answer amd[] = { AMD };

TEST(intel_prefetchers)
{
	static const struct value msrs[] = { { 0x1a4, 0x822, 0 } };

	MACHINE(intel, msrs);
	assert_null(prefetch_set(&journal, true));
	assert_int_equal(0x822, value_of(0x1a4));
	assert_null(prefetch_set(&journal, false));
	assert_int_equal(0x82f, value_of(0x1a4));
	assert_null(prefetch_set(&journal, true)); /* as found: one was off */
	assert_int_equal(0x822, value_of(0x1a4));
	assert_null(prefetch_set(&journal, false));
	EXPECT_AS_BEFORE(msrs);
}

/* Two threads of a core share an MSR: the second one's journal must not make our value last. */
TEST(shared_by_two)
{
	static const struct value msrs[] = { { 0x1a4, 0, 0 } };
	struct msr_journal other = { .cpu = &test_cpu };

	MACHINE(intel, msrs);
	assert_null(prefetch_set(&journal, false));
	assert_null(prefetch_set(&other, false));
	assert_int_equal(0, msr_restore(&other, 0));
	EXPECT_AS_BEFORE(msrs);
}

/* From Golden Cove on bit 5 too; where the register refuses it, the four others all the same. */
TEST(intel_fifth_prefetcher)
{
	static const struct cpuid_answer golden[] = { { 0,
		{ 0x20, 0x756e6547, 0x6c65746e, 0x49656e69 } } };
	static const struct value with[] = { { 0x1a4, 0x800, 0 } },
				  without[] = { { 0x1a4, 0x800, 1 << 5 } };

	MACHINE(golden, with);
	assert_null(prefetch_set(&journal, false));
	assert_int_equal(0x82f, value_of(0x1a4));
	EXPECT_AS_BEFORE(with);
	MACHINE(golden, without);
	assert_null(prefetch_set(&journal, false));
	assert_int_equal(0x80f, value_of(0x1a4));
	EXPECT_AS_BEFORE(without);
}

TEST(amd_prefetchers)
{
	static const struct cpuid_answer known[] = { AMD, { 0x80000021, { 1 << 13, 0, 0, 0 } } };
	static const struct value msrs[] = { { 0xc0000108, 0x3c0, 0 } };

	MACHINE(known, msrs);
	assert_null(prefetch_set(&journal, false));
	assert_int_equal(0x3ef, value_of(0xc0000108));
	EXPECT_AS_BEFORE(msrs);
	MACHINE(amd, msrs);
	assert_non_null(prefetch_set(&journal, false));
	assert_int_equal(0, box.writes);
}

TEST(prefetchers_that_cannot_be_turned_off)
{
	static const struct cpuid_answer small[] = { INTEL, { 0x1a, { 0x20000001, 0, 0, 0 } } };
	static const struct value with[] = { { 0x1a4, 0, 0 } }, without[] = { { 0x10, 0, 0 } };

	MACHINE(small, with);
	assert_non_null(prefetch_set(&journal, false));
	MACHINE(intel, without);
	assert_string_equal("no such MSR here", prefetch_set(&journal, false));
	box.ignores = true;
	assert_string_equal("the MSR ignores what is written", prefetch_set(&journal, false));
	assert_int_equal(0, journal.n);
}

/* --- the clock --- */

/*
 * Returns the reason of a choice on the present machine; expected_how: the expected way of setting
 * it.
 */
static const char *control(uint64_t choice, const char *expected_how)
{
	const char *how = "as before", *why = control_clock(&journal, choice, &how);

	assert_string_equal(expected_how, how);
	return why;
}

static void expect_clock(uint64_t choice, const char *how, const struct value *msrs, size_t n)
{
	assert_null(control(choice, how));
	expect_values(msrs, n, "while the clock is set");
}

/* A machine whose clock is set as asked, that way: then it has these values, and later its own. */
#define EXPECT_CLOCK(answers, msrs, choice, how, ...)                                              \
	do {                                                                                       \
		MACHINE(answers, msrs);                                                            \
		expect_clock(choice, how, VALUES(__VA_ARGS__));                                    \
		EXPECT_AS_BEFORE(msrs);                                                            \
	} while (0)

#define LEAF_6(eax, ecx)                                                                           \
	{                                                                                          \
		6,                                                                                 \
		{                                                                                  \
			eax, 0, ecx, 0                                                             \
		}                                                                                  \
	}
#define TURBO LEAF_6(1 << 7 | 1 << 1, 0)

TEST(intel_clock_by_hwp)
{
	static const struct cpuid_answer hwp[] = { INTEL, TURBO },
					 bias[] = { INTEL, LEAF_6(1 << 7 | 1 << 1, 1 << 3) };
	static const struct value fixed[] = { { 0xce, 0x1a00, 0 }, { 0x199, 0x2a00, 0 },
		{ 0x1a0, 0x850089, 0 }, { 0x770, 1, 0 }, { 0x771, 0x01081830, 0 },
		{ 0x774, 0x80003001, 0 } };
	static const struct value highest[] = { { 0x1a0, 0x850089, 0 }, { 0x1b0, 6, 0 },
		{ 0x770, 1, 0 }, { 0x771, 0x01081830, 0 }, { 0x774, 0x40080003001, 0 } };

	EXPECT_CLOCK(hwp, fixed, CLOCK_FIXED, "hwp", { 0x774, 0x00181818, 0 },
		{ 0x1a0, 0x4000850089ULL, 0 }, { 0x199, 0x2a00, 0 });
	/* 772h no longer decides; turbo is the firmware's choice */
	EXPECT_CLOCK(bias, highest, CLOCK_MAX, "hwp", { 0x774, 0x00303030, 0 }, { 0x1b0, 0, 0 },
		{ 0x1a0, 0x850089, 0 });
}

/* Half a change is undone. */
TEST(intel_clock_by_perf_ctl)
{
	static const struct cpuid_answer turbo[] = { INTEL, TURBO };
	static const struct value msrs[] = { { 0xce, 0x1a00, 0 }, { 0x199, 0x2a07, 0 },
		{ 0x1a0, 1, 0 }, { 0x770, 0, 0 } };
	static const struct value no_turbo_switch[] = { { 0xce, 0x1a00, 0 }, { 0x199, 0x2a07, 0 },
		{ 0x1a0, 1, UINT64_MAX } };

	EXPECT_CLOCK(turbo, msrs, CLOCK_FIXED, "perf-ctl", { 0x199, 0x1a07, 0 });
	MACHINE(turbo, no_turbo_switch);
	assert_non_null(control(CLOCK_FIXED, "perf-ctl"));
	assert_int_equal(0, journal.n);
	EXPECT_AS_BEFORE(no_turbo_switch);
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

	/* turbo no longer disengaged; CPUID does not list 1b0h */
	EXPECT_CLOCK(speedstep, msrs, CLOCK_MAX, "perf-ctl", { 0x199, 0x2c07, 0 },
		{ 0x1a0, 0x10001, 0 }, { 0x1b0, 6, 0 });
	EXPECT_CLOCK(speedstep, no_turbo, CLOCK_MAX, "perf-ctl", { 0x199, 0x1a00, 0 });
	MACHINE(speedstep, locked);
	assert_string_equal("the MSR ignores what is written", control(CLOCK_MAX, "perf-ctl"));
	assert_int_equal(0, journal.n);
	EXPECT_AS_BEFORE(locked);
}

/* Boost is the firmware's choice where the highest clock is asked for. */
TEST(amd_clock)
{
	static const struct value p_states[] = { { 0xc0010015, 0x10, 0 }, { 0xc0010062, 2, 0 },
		{ 0xc0010064, 1ULL << 63, 0 } };
	static const struct value cppc[] = { { 0xc0010015, 0x10, 0 }, { 0xc0010062, 2, 0 },
		{ 0xc00102b0, 0xa6643010, 0 }, { 0xc00102b1, 1, 0 },
		{ 0xc00102b3, 0x80ff00a6, 0 } };

	EXPECT_CLOCK(amd, p_states, CLOCK_FIXED, "p-state", { 0xc0010015, 0x2000010, 0 },
		{ 0xc0010062, 0, 0 });
	EXPECT_CLOCK(amd, cppc, CLOCK_FIXED, "cppc", { 0xc00102b3, 0x646464, 0 });
	EXPECT_CLOCK(amd, p_states, CLOCK_MAX, "p-state", { 0xc0010015, 0x10, 0 },
		{ 0xc0010062, 0, 0 });
	EXPECT_CLOCK(amd, cppc, CLOCK_MAX, "cppc", { 0xc00102b3, 0xa6a6a6, 0 });
}

/* The registers are there, but CPUID does not list what they do: neither SpeedStep nor turbo. */
TEST(what_is_not_claimed_is_not_used)
{
	static const struct value msrs[] = { { 0xce, 0x1a00, 0 }, { 0x199, 0x0800, 0 },
		{ 0x1a0, 1, 0 }, { 0x1ad, 0, 0 }, { 0x1b0, 6, 0 }, { 0x770, 1, 0 },
		{ 0x771, 0x01081830, 0 }, { 0x774, 0, 0 } };

	for (uint64_t choice = CLOCK_FIXED; choice <= CLOCK_MAX; choice++)
		EXPECT_CLOCK(intel, msrs, choice, "perf-ctl", { 0x199, 0x1a00, 0 }, { 0x1a0, 1, 0 },
			{ 0x1b0, 6, 0 }, { 0x774, 0, 0 });
}

/* Each of the eight bytes may be the highest. */
TEST(the_highest_of_eight_ratios)
{
	for (unsigned i = 0; i < 8; i++) {
		const struct value msrs[] = { { 0xce, 0x1a00, 0 }, { 0x199, 0x0800, 0 },
			{ 0x1ad, 0x2020202020202020ULL + (5ULL << 8 * i), 0 } };

		EXPECT_CLOCK(intel, msrs, CLOCK_MAX, "perf-ctl", { 0x199, 0x2500, 0 });
	}
}

/* P-state 0 from each of the eight. */
TEST(amd_p_state_0)
{
	for (uint64_t found = 0; found < 8; found++) {
		const struct value msrs[] = { { 0xc0010062, found, 0 },
			{ 0xc0010064, 1ULL << 63, 0 } };

		EXPECT_CLOCK(amd, msrs, CLOCK_MAX, "p-state", { 0xc0010062, 0, 0 });
	}
}

/* States are managed, but which ones there are cannot be read. */
TEST(levels_that_cannot_be_read)
{
	static const struct cpuid_answer managed[] = { INTEL, LEAF_6(1 << 7, 0) };
	static const struct value hwp[] = { { 0xce, 0x1a00, 0 }, { 0x770, 1, 0 }, { 0x774, 0, 0 } };
	static const struct value cppc[] = { { 0xc0010015, 0, 0 }, { 0xc00102b1, 1, 0 },
		{ 0xc00102b3, 0, 0 } };

	for (unsigned i = 0; i < 2; i++) {
		const char *how = i ? "cppc" : "hwp";

		if (i)
			MACHINE(amd, cppc);
		else
			MACHINE(managed, hwp);
		assert_string_equal("the base frequency is unknown", control(CLOCK_FIXED, how));
		assert_string_equal("the highest frequency is unknown", control(CLOCK_MAX, how));
		assert_int_equal(0, box.writes);
	}
}

TEST(clock_that_cannot_be_set)
{
	static const struct cpuid_answer other[] = { { 0,
		{ 1, 0x746e6543, 0x736c7561, 0x48727561 } } };
	static const struct value none[] = { { 0x10, 0, 0 } };
	const char *how;

	for (uint64_t choice = CLOCK_FIXED; choice <= CLOCK_MAX; choice++) {
		MACHINE(other, none);
		assert_string_equal("not known for this vendor", control(choice, ""));
		MACHINE(intel, none);
		assert_non_null(control_clock(&journal, choice, &how));
		MACHINE(amd, none);
		assert_non_null(control_clock(&journal, choice, &how));
		box.ignores = true;
		assert_non_null(control_clock(&journal, choice, &how));
		assert_int_equal(0, journal.n);
	}
}

/* CPUs of a core share an MSR: the one changed first knows what the firmware had there. */

static unsigned at_work; /* CPUs that were asked for something, a digit each */

static int run_on(struct room *room, unsigned cpu, void (*fn)(void *), void *arg)
{
	at_work = at_work * 10 + cpu;
	fn(arg);
	return 0;
}

static int run_wait(struct room *room, unsigned cpu)
{
	return 0;
}

TEST(shared_registers_come_back_in_the_reverse_order)
{
	static struct processor list[4];
	static unsigned ready[3] = { 0, 2, 1 };
	static const struct value shared[] = { { 0x1a4, 5, 0 } };
	struct room room = { .facts.cpus = 3, .run_on = run_on, .run_wait = run_wait };

	MACHINE(intel, shared);
	memset(list, 0, sizeof list);
	processors.list = list;
	processors.ready = ready;
	at_work = 0;
	for (unsigned cpu = 0; cpu < 3; cpu++) {
		*controls_of(cpu) = (struct cpu_controls){ .journal.cpu = &test_cpu };
		assert_int_equal(MSR_CHANGED,
			msr_change(&controls_of(cpu)->journal, 0x1a4, 0xf, 10 + cpu));
	}
	counters.of[COUNT_SMIS].msr = 0x34;
	cpu_controls_restore(&room);
	EXPECT_VALUES({ 0x1a4, 5, 0 });
	assert_int_equal(21, at_work);
	assert_int_equal(0, counters.of[COUNT_SMIS].msr); /* nothing counts any more */
	processors = (struct processors){ 0 };
}
