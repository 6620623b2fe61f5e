/* SPDX-License-Identifier: MIT */
/*
 * A processor's MSRs and CPUID, made up: it has the MSRs of its list; any other faults, or is
 * silently ignored where `ignores`. Included by a test, after cmocka.
 */
#ifndef TESTS_UNIT_MSR_DOUBLE_H
#define TESTS_UNIT_MSR_DOUBLE_H

#include "kernel/cpu/msr.h"
#include "tests/unit/test.h"

#define GENERAL_PROTECTION 13
#define MOST               24

struct value {
	uint32_t msr;
	uint64_t value;
	uint64_t fixed; /* bits that do not take what is written */
};

struct cpuid_answer {
	uint32_t leaf;
	struct cpuid c;
};

static struct {
	struct value msrs[MOST];
	struct cpuid_answer answers[8];
	bool ignores;
	unsigned writes;
} box;

static struct value *find_msr(uint32_t msr)
{
	for (unsigned i = 0; i < MOST; i++)
		if (box.msrs[i].msr == msr)
			return &box.msrs[i];
	return NULL;
}

static struct cpuid double_cpuid(uint32_t leaf, uint32_t subleaf)
{
	for (unsigned i = 0; i < 8; i++)
		if (box.answers[i].leaf == leaf)
			return box.answers[i].c;
	return (struct cpuid){ 0, 0, 0, 0 };
}

static int double_read(uint32_t msr, uint64_t *value)
{
	const struct value *v = find_msr(msr);

	if (!v && !box.ignores)
		return GENERAL_PROTECTION;
	*value = v ? v->value : 0;
	return 0;
}

static int double_write(uint32_t msr, uint64_t value)
{
	struct value *v = find_msr(msr);

	box.writes++;
	if (!v)
		return box.ignores ? 0 : GENERAL_PROTECTION;
	v->value = (v->value & v->fixed) | (value & ~v->fixed);
	return 0;
}

static const struct cpu_ops test_cpu = { double_cpuid, double_read, double_write };
static struct msr_journal journal; /* of the present machine */

static inline uint64_t value_of(uint32_t msr)
{
	const struct value *v = find_msr(msr);

	return v ? v->value : 0;
}

#define INTEL                                                                                      \
	{                                                                                          \
		0,                                                                                 \
		{                                                                                  \
			0x20, 0x756e6547, 0x6c65746e, 0x49656e69                                   \
		}                                                                                  \
	}
#define AMD                                                                                        \
	{ 0, { 0x10, 0x68747541, 0x444d4163, 0x69746e65 } },                                       \
	{                                                                                          \
		0x80000000,                                                                        \
		{                                                                                  \
			0x80000022, 0, 0, 0                                                        \
		}                                                                                  \
	}

static void machine(const struct cpuid_answer *answers, size_t nanswers, const struct value *msrs,
	size_t nmsrs)
{
	memset(&box, 0, sizeof box);
	journal = (struct msr_journal){ .cpu = &test_cpu };
	for (unsigned i = 0; i < MOST; i++)
		box.msrs[i].msr = UINT32_MAX;
	for (unsigned i = 0; i < 8; i++)
		box.answers[i].leaf = UINT32_MAX;
	memcpy(box.answers, answers, nanswers * sizeof *answers);
	memcpy(box.msrs, msrs, nmsrs * sizeof *msrs);
}

#define MACHINE(answers, msrs)                                                                     \
	machine(answers, sizeof answers / sizeof *answers, msrs, sizeof msrs / sizeof *msrs)

static inline void expect_values(const struct value *msrs, size_t n, const char *when)
{
	for (size_t i = 0; i < n; i++)
		if (value_of(msrs[i].msr) != msrs[i].value)
			fail_msg("MSR %#x: expected %#llx %s, is %#llx", msrs[i].msr,
				(unsigned long long)msrs[i].value, when,
				(unsigned long long)value_of(msrs[i].msr));
}

#define VALUES(...)                                                                                \
	(const struct value[]){ __VA_ARGS__ },                                                     \
		sizeof((const struct value[]){ __VA_ARGS__ }) / sizeof(struct value)
#define EXPECT_VALUES(...) expect_values(VALUES(__VA_ARGS__), "now")

/* Restores and demands that every MSR is as it was. */
static inline void expect_as_before(const struct value *msrs, size_t n)
{
	assert_int_equal(0, msr_restore(&journal, 0));
	assert_int_equal(0, journal.n);
	expect_values(msrs, n, "as before");
}

#define EXPECT_AS_BEFORE(msrs) expect_as_before(msrs, sizeof msrs / sizeof *msrs)

#endif
