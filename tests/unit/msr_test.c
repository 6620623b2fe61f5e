/* SPDX-License-Identifier: MIT */
/*
 * Saving, changing, checking and restoring MSRs, on machines that keep values, fault and silently
 * ignore. The double has the MSRs of its list; any other faults, or is ignored where `ignores`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/counters.h"
#include "kernel/prefetch.h"
#include "kernel/steady.h"

#define GENERAL_PROTECTION 13
#define MOST               24

struct value {
	uint32_t msr;
	uint64_t value;
	uint64_t fixed; /* bits that do not take what is written */
};

struct answer {
	uint32_t leaf;
	struct cpuid c;
};

static struct {
	struct value msrs[MOST];
	struct answer answers[8];
	bool ignores;
	unsigned writes;
} box;

static struct value *find(uint32_t msr)
{
	for (unsigned i = 0; i < MOST; i++)
		if (box.msrs[i].msr == msr)
			return &box.msrs[i];
	return NULL;
}

static struct cpuid double_cpuid(uint32_t leaf, uint32_t subleaf)
{
	(void)subleaf;
	for (unsigned i = 0; i < 8; i++)
		if (box.answers[i].leaf == leaf)
			return box.answers[i].c;
	return (struct cpuid){ 0, 0, 0, 0 };
}

static int double_read(uint32_t msr, uint64_t *value)
{
	const struct value *v = find(msr);

	if (!v && !box.ignores)
		return GENERAL_PROTECTION;
	*value = v ? v->value : 0;
	return 0;
}

static int double_write(uint32_t msr, uint64_t value)
{
	struct value *v = find(msr);

	box.writes++;
	if (!v)
		return box.ignores ? 0 : GENERAL_PROTECTION;
	v->value = (v->value & v->fixed) | (value & ~v->fixed);
	return 0;
}

static const struct silicon silicon = { double_cpuid, double_read, double_write };

static uint64_t value_of(uint32_t msr)
{
	const struct value *v = find(msr);

	return v ? v->value : 0;
}

static void advance(uint32_t msr, bool on)
{
	if (on && find(msr))
		find(msr)->value += 1000;
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

#define INTEL { 0, { 0x20, 0x756e6547, 0x6c65746e, 0x49656e69 } }
#define AMD   { 0, { 0x10, 0x68747541, 0x444d4163, 0x69746e65 } }, { 0x80000000, { 0x80000022, 0, 0, 0 } }

static void machine(const struct answer *answers, size_t nanswers, const struct value *msrs,
	size_t nmsrs)
{
	memset(&box, 0, sizeof box);
	for (unsigned i = 0; i < MOST; i++)
		box.msrs[i].msr = UINT32_MAX;
	for (unsigned i = 0; i < 8; i++)
		box.answers[i].leaf = UINT32_MAX;
	memcpy(box.answers, answers, nanswers * sizeof *answers);
	memcpy(box.msrs, msrs, nmsrs * sizeof *msrs);
}

#define MACHINE(answers, msrs) \
	machine(answers, sizeof answers / sizeof *answers, msrs, sizeof msrs / sizeof *msrs)

/* Restores and demands that every MSR is as it was; counters need not be. */
static void expect_as_before(struct msr_journal *j, const struct value *msrs, size_t n)
{
	assert_int_equal(0, msr_restore(j, 0));
	for (size_t i = 0; i < n; i++)
		if (msrs[i].msr != 0xe8 && value_of(msrs[i].msr) != msrs[i].value)
			fail_msg("MSR %#x: expected %#llx as before, is %#llx", msrs[i].msr,
				(unsigned long long)msrs[i].value,
				(unsigned long long)value_of(msrs[i].msr));
}

#define EXPECT_AS_BEFORE(j, msrs) expect_as_before(j, msrs, sizeof msrs / sizeof *msrs)

static const struct answer intel[] = { INTEL };
static const struct answer amd[] = { AMD };

static void changed_bits_only_and_all_restored(void **state)
{
	static const struct value msrs[] = { { 0x10, 0xff00, 0 }, { 0x11, 7, 0 } };
	struct msr_journal j = { .on = &silicon };

	(void)state;
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
static void shared_by_two(void **state)
{
	static const struct value msrs[] = { { 0x1a4, 0, 0 } };
	struct msr_journal a = { .on = &silicon }, b = { .on = &silicon };

	(void)state;
	MACHINE(intel, msrs);
	assert_null(prefetch_set(&a, false));
	assert_null(prefetch_set(&b, false));
	assert_int_equal(0, msr_restore(&b, 0));
	EXPECT_AS_BEFORE(&a, msrs);
}

static void absent_is_an_answer(void **state)
{
	static const struct value msrs[] = { { 0x10, 1, 0 } };
	struct msr_journal j = { .on = &silicon };

	(void)state;
	MACHINE(intel, msrs);
	assert_int_equal(MSR_ABSENT, msr_change(&j, 0x99, 1, 1));
	assert_int_equal(0, j.n);
	assert_int_equal(0, box.writes);
}

static void ignored_is_noticed(void **state)
{
	static const struct value msrs[] = { { 0x10, 0x30, 0x10 } };
	struct msr_journal j = { .on = &silicon };

	(void)state;
	MACHINE(intel, msrs);
	box.ignores = true;
	assert_int_equal(MSR_IGNORED, msr_change(&j, 0x99, 1, 1));
	assert_int_equal(MSR_IGNORED, msr_change(&j, 0x10, 0xff, 0)); /* one bit is stuck */
	assert_int_equal(0x30, value_of(0x10));
	assert_int_equal(0, j.n);
}

static void a_value_that_does_not_come_back_is_counted(void **state)
{
	static const struct value msrs[] = { { 0x10, 3, 0 } };
	struct msr_journal j = { .on = &silicon };

	(void)state;
	MACHINE(intel, msrs);
	assert_int_equal(MSR_CHANGED, msr_change(&j, 0x10, 3, 0));
	find(0x10)->fixed = 1; /* locked meanwhile */
	assert_int_equal(1, msr_restore(&j, 0));
}

static void no_more_than_the_journal_holds(void **state)
{
	struct value msrs[MSR_CHANGES + 1] = { 0 };
	struct msr_journal j = { .on = &silicon };

	(void)state;
	for (unsigned i = 0; i <= MSR_CHANGES; i++)
		msrs[i].msr = i;
	MACHINE(intel, msrs);
	for (unsigned i = 0; i < MSR_CHANGES; i++)
		assert_int_equal(MSR_CHANGED, msr_change(&j, i, 1, 1));
	assert_int_equal(MSR_FULL, msr_change(&j, MSR_CHANGES, 1, 1));
	assert_int_equal(0, value_of(MSR_CHANGES));
	EXPECT_AS_BEFORE(&j, msrs);
}

static void intel_prefetchers(void **state)
{
	static const struct value msrs[] = { { 0x1a4, 0x822, 0 } };
	struct msr_journal j = { .on = &silicon };

	(void)state;
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

static void amd_prefetchers(void **state)
{
	static const struct answer known[] = { AMD, { 0x80000021, { 1 << 13, 0, 0, 0 } } };
	static const struct value msrs[] = { { 0xc0000108, 0x3c0, 0 } };
	struct msr_journal j = { .on = &silicon };

	(void)state;
	MACHINE(known, msrs);
	assert_null(prefetch_set(&j, false));
	assert_int_equal(0x3ef, value_of(0xc0000108));
	EXPECT_AS_BEFORE(&j, msrs);
	MACHINE(amd, msrs);
	assert_non_null(prefetch_set(&j, false));
	assert_int_equal(0, box.writes);
}

static void prefetchers_that_cannot_be_turned_off(void **state)
{
	static const struct answer small[] = { INTEL, { 0x1a, { 0x20000001, 0, 0, 0 } } };
	static const struct value with[] = { { 0x1a4, 0, 0 } }, without[] = { { 0x10, 0, 0 } };
	struct msr_journal j = { .on = &silicon };

	(void)state;
	MACHINE(small, with);
	assert_non_null(prefetch_set(&j, false));
	MACHINE(intel, without);
	assert_string_equal("no such MSR here", prefetch_set(&j, false));
	box.ignores = true;
	assert_string_equal("the MSR does not keep what is written", prefetch_set(&j, false));
	assert_int_equal(0, j.n);
}

static void expect_counters(const struct counters *c, uint32_t cycles, uint32_t instructions,
	uint32_t mispredicts, uint32_t smis)
{
	assert_int_equal(cycles, c->of[COUNT_CYCLES].msr);
	assert_int_equal(instructions, c->of[COUNT_INSTRUCTIONS].msr);
	assert_int_equal(mispredicts, c->of[COUNT_MISPREDICTS].msr);
	assert_int_equal(smis, c->of[COUNT_SMIS].msr);
}

/* Version 5, four counters of 48 bits, 7 events; three fixed ones of 48 bits. */
#define PMU(events_absent) { 0xa, { 0x07300405, events_absent, 0, 48 << 5 | 3 } }

static const struct value intel_pmu[] = { { 0x34, 5, 0 }, { 0xc1, 17, 0 }, { 0x186, 0, 0 },
	{ 0x309, 1, 0 }, { 0x30a, 2, 0 }, { 0x38d, 0x300, 0 }, { 0x38f, 0x70000000fULL, 0 } };

static void intel_counters(void **state)
{
	static const struct answer all[] = { INTEL, PMU(0) }, no_branches[] = { INTEL, PMU(1 << 6) };
	struct msr_journal j = { .on = &silicon };
	struct counters c;

	(void)state;
	MACHINE(all, intel_pmu);
	counters_start(&c, &j, work);
	expect_counters(&c, 0x30a, 0x309, 0xc1, 0x34);
	assert_int_equal(0xffffffffffffULL, c.of[COUNT_CYCLES].mask);
	assert_int_equal(0x4300c5, value_of(0x186));
	assert_int_equal(0x333, value_of(0x38d));
	assert_int_equal(0x70000000fULL, value_of(0x38f));
	EXPECT_AS_BEFORE(&j, intel_pmu);
	MACHINE(no_branches, intel_pmu);
	counters_start(&c, &j, work);
	expect_counters(&c, 0x30a, 0x309, 0, 0x34);
	EXPECT_AS_BEFORE(&j, intel_pmu);
}

static const struct value amd_pmu[] = { { 0xc0000301, 0, 0 }, { 0xc0010200, 0, 0 },
	{ 0xc0010201, 9, 0 }, { 0xc0010202, 0, 0 }, { 0xc0010203, 9, 0 }, { 0xc0010204, 0x76, 0 },
	{ 0xc0010205, 9, 0 }, { 0xc0010206, 0, 0 }, { 0xc0010207, 9, 0 } };

static void amd_counters(void **state)
{
	static const struct answer second[] = { AMD, { 0x80000001, { 0, 0, 1 << 23, 0 } },
		{ 0x80000022, { 1, 0, 0, 0 } } };
	struct msr_journal j = { .on = &silicon };
	struct counters c;

	(void)state;
	MACHINE(second, amd_pmu);
	counters_start(&c, &j, work);
	expect_counters(&c, 0xc0010201, 0xc0010203, 0xc0010205, 0xc0010207);
	assert_int_equal(0x4300c3, value_of(0xc0010204));
	assert_int_equal(0xf, value_of(0xc0000301));
	EXPECT_AS_BEFORE(&j, amd_pmu);
	MACHINE(amd, amd_pmu);
	counters_start(&c, &j, work);
	expect_counters(&c, 0, 0, 0, 0);
	assert_int_equal(0, box.writes);
}

static void stand_still(void)
{
}

static void counters_that_do_not_count(void **state)
{
	static const struct answer claims[] = { INTEL, PMU(0), { 6, { 0, 0, 1, 0 } } };
	static const struct value only_aperf[] = { { 0xe8, 1, 0 } };
	struct msr_journal j = { .on = &silicon };
	struct counters c;

	(void)state;
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

#define TURBO { 6, { 1 << 7 | 1 << 1, 0, 0, 0 } }

static void intel_clock_by_hwp(void **state)
{
	static const struct answer hwp[] = { INTEL, TURBO };
	static const struct value msrs[] = { { 0xce, 0x1a00, 0 }, { 0x199, 0x2a00, 0 },
		{ 0x1a0, 0x850089, 0 }, { 0x770, 1, 0 }, { 0x771, 0x01081830, 0 },
		{ 0x774, 0x80003001, 0 } };
	struct msr_journal j = { .on = &silicon };
	const char *how;

	(void)state;
	MACHINE(hwp, msrs);
	assert_null(steady_clock(&j, &how));
	assert_string_equal("hwp", how);
	assert_int_equal(0x00181818, value_of(0x774));
	assert_int_equal(0x4000850089ULL, value_of(0x1a0));
	assert_int_equal(0x2a00, value_of(0x199));
	EXPECT_AS_BEFORE(&j, msrs);
}

static void intel_clock_by_perf_ctl(void **state)
{
	static const struct answer turbo[] = { INTEL, TURBO };
	static const struct value msrs[] = { { 0xce, 0x1a00, 0 }, { 0x199, 0x2a07, 0 },
		{ 0x1a0, 1, 0 }, { 0x770, 0, 0 } };
	static const struct value no_turbo_switch[] = { { 0xce, 0x1a00, 0 }, { 0x199, 0x2a07, 0 },
		{ 0x1a0, 1, UINT64_MAX } };
	struct msr_journal j = { .on = &silicon };
	const char *how;

	(void)state;
	MACHINE(turbo, msrs);
	assert_null(steady_clock(&j, &how));
	assert_string_equal("perf-ctl", how);
	assert_int_equal(0x1a07, value_of(0x199));
	EXPECT_AS_BEFORE(&j, msrs);
	MACHINE(turbo, no_turbo_switch);
	assert_non_null(steady_clock(&j, &how));
	assert_int_equal(0, j.n); /* half a change was undone */
	EXPECT_AS_BEFORE(&j, no_turbo_switch);
}

static void amd_clock(void **state)
{
	static const struct value p_states[] = { { 0xc0010015, 0x10, 0 }, { 0xc0010062, 2, 0 } };
	static const struct value cppc[] = { { 0xc0010015, 0x10, 0 }, { 0xc0010062, 2, 0 },
		{ 0xc00102b0, 0xa6643010, 0 }, { 0xc00102b1, 1, 0 }, { 0xc00102b3, 0x80ff00a6, 0 } };
	struct msr_journal j = { .on = &silicon };
	const char *how;

	(void)state;
	MACHINE(amd, p_states);
	assert_null(steady_clock(&j, &how));
	assert_string_equal("p-state", how);
	assert_int_equal(0x2000010, value_of(0xc0010015));
	assert_int_equal(0, value_of(0xc0010062));
	EXPECT_AS_BEFORE(&j, p_states);
	MACHINE(amd, cppc);
	assert_null(steady_clock(&j, &how));
	assert_string_equal("cppc", how);
	assert_int_equal(0x646464, value_of(0xc00102b3));
	EXPECT_AS_BEFORE(&j, cppc);
}

static void clock_that_cannot_be_fixed(void **state)
{
	static const struct answer other[] = { { 0, { 1, 0x746e6543, 0x736c7561, 0x48727561 } } };
	static const struct value none[] = { { 0x10, 0, 0 } };
	struct msr_journal j = { .on = &silicon };
	const char *how;

	(void)state;
	MACHINE(other, none);
	assert_non_null(steady_clock(&j, &how));
	MACHINE(intel, none);
	assert_non_null(steady_clock(&j, &how));
	MACHINE(amd, none);
	assert_non_null(steady_clock(&j, &how));
	box.ignores = true;
	assert_non_null(steady_clock(&j, &how));
	assert_int_equal(0, j.n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changed_bits_only_and_all_restored),
		cmocka_unit_test(shared_by_two),
		cmocka_unit_test(absent_is_an_answer),
		cmocka_unit_test(ignored_is_noticed),
		cmocka_unit_test(a_value_that_does_not_come_back_is_counted),
		cmocka_unit_test(no_more_than_the_journal_holds),
		cmocka_unit_test(intel_prefetchers),
		cmocka_unit_test(amd_prefetchers),
		cmocka_unit_test(prefetchers_that_cannot_be_turned_off),
		cmocka_unit_test(intel_counters),
		cmocka_unit_test(amd_counters),
		cmocka_unit_test(counters_that_do_not_count),
		cmocka_unit_test(intel_clock_by_hwp),
		cmocka_unit_test(intel_clock_by_perf_ctl),
		cmocka_unit_test(amd_clock),
		cmocka_unit_test(clock_that_cannot_be_fixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
