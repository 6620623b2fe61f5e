/* SPDX-License-Identifier: MIT */
/* The performance counters of layer B: what the model has counted, by the vendor's registers. */
#include "tests/kam/cpu/cpuid_model.h"
#include "tests/kam/image/full_system.h"
#include "tests/unit/test.h"

#define PRESET 0x5a5a0000ull
#define PLAIN  100 /* instructions that each reading adds; and one misprediction */

static struct cpu cpu;
static struct full_system machine;

static struct full_system *switched_on(enum counters counters, const char *vendor)
{
	cpu_init(&cpu);
	cpu.counters = counters;
	strcpy(cpu.vendor, vendor);
	machine = (struct full_system){ .cpu = &cpu };
	model_init(&machine.model, &cpu);
	system_counters_init(&machine);
	return &machine;
}

static void write_msr(struct full_system *w, uint32_t number, uint64_t value)
{
	struct msr *m = system_msr(w, number);

	assert_non_null(m);
	assert_true(m->write(w, m, value));
}

static uint64_t read_msr(struct full_system *w, uint32_t number)
{
	struct msr *m = system_msr(w, number);

	assert_non_null(m);
	return m->read ? m->read(w, m) : m->value;
}

static void happen(struct full_system *w, uint64_t instructions, uint64_t mispredicts,
	uint64_t smis)
{
	w->model.instructions += instructions;
	w->model.mispredicts += mispredicts;
	w->model.clock.spike.count += smis;
}

TEST(test_intel_counts_what_is_enabled)
{
	struct full_system *w = switched_on(COUNTERS_ALL, "GenuineIntel");

	write_msr(w, 0x309, PRESET);
	write_msr(w, 0xc1, PRESET);
	happen(w, 1000, 10, 0);
	assert_int_equal(read_msr(w, 0x309), PRESET);
	write_msr(w, 0x186, 0x4300c5);
	write_msr(w, 0x38d, 0x33);
	write_msr(w, 0x38f, 3ull << 32);
	happen(w, 1000, 10, 0);
	assert_int_equal(read_msr(w, 0x309), PRESET + 1000 + PLAIN);
	assert_int_equal(read_msr(w, 0xc1), PRESET); /* not enabled for all */
	write_msr(w, 0x38f, 3ull << 32 | 1);
	happen(w, 1000, 10, 0);
	assert_int_equal(read_msr(w, 0xc1), PRESET + 10 + 1);
	write_msr(w, 0x38f, 0);
	happen(w, 1000, 10, 0);
	assert_int_equal(read_msr(w, 0xc1), PRESET + 10 + 1);
	model_free(&w->model);
}

/* 3 GHz, and 1 us of plain C; each reading takes 100 ns. */
TEST(test_cycles_pass_in_plain_c_too)
{
	struct full_system *w = switched_on(COUNTERS_APERF, "GenuineIntel");
	uint64_t before = read_msr(w, 0xe8);

	system_pass_time(w, 1000);
	assert_int_equal(read_msr(w, 0xe8) - before, 3300);
	model_free(&w->model);
}

TEST(test_a_counter_is_as_wide_as_cpuid_says)
{
	struct full_system *w = switched_on(COUNTERS_ALL, "GenuineIntel");
	struct msr *m = system_msr(w, 0x309);

	assert_false(m->write(w, m, 1ull << 48));
	write_msr(w, 0xc1, 0x80000000);
	assert_int_equal(read_msr(w, 0xc1), 0xffff80000000);
	write_msr(w, 0x309, (1ull << 48) - 1);
	write_msr(w, 0x38d, 3);
	write_msr(w, 0x38f, 1ull << 32);
	happen(w, 2, 0, 0);
	assert_int_equal(read_msr(w, 0x309), 1 + PLAIN);
	assert_int_equal(cpuid_of(&cpu, 0xa, 0).eax >> 16 & 0xff, 48);
	assert_int_equal(cpuid_of(&cpu, 0xa, 0).edx >> 5 & 0xff, 48);
	model_free(&w->model);
}

TEST(test_amd_counts_by_event)
{
	static const uint8_t events[] = { 0xc0, 0xc3, 0x2b };
	static const uint64_t counted[] = { 1000 + PLAIN, 10 + 2, 3 };
	struct full_system *w = switched_on(COUNTERS_ALL, "AuthenticAMD");
	uint32_t i, base = 0xc0010200;

	for (i = 0; i < 3; i++)
		write_msr(w, base + 2 * i, 0x430000 | events[i]);
	happen(w, 1000, 10, 3);
	for (i = 0; i < 3; i++)
		assert_int_equal(read_msr(w, base + 2 * i + 1), counted[i]);
	write_msr(w, base, 0x030000 | 0xc0); /* not enabled */
	happen(w, 1000, 10, 3);
	assert_int_equal(read_msr(w, base + 1), counted[0] + 2 * PLAIN);
	model_free(&w->model);
}

TEST(test_each_vendor_has_its_own)
{
	struct full_system *w = switched_on(COUNTERS_ALL, "AuthenticAMD");

	assert_null(system_msr(w, 0x309));
	assert_int_equal(cpuid_of(&cpu, 0xa, 0).eax, 0);
	assert_true(cpuid_of(&cpu, 0x80000001, 0).ecx >> 23 & 1);
	model_free(&w->model);
	w = switched_on(COUNTERS_ALL, "GenuineIntel");
	assert_null(system_msr(w, 0xc0010200));
	assert_int_equal(cpuid_of(&cpu, 0, 0).eax, 0xa);
	assert_false(cpuid_of(&cpu, 0x80000001, 0).ecx >> 23 & 1);
	model_free(&w->model);
	w = switched_on(COUNTERS_NONE, "GenuineIntel");
	assert_int_equal(w->nmsrs, 0);
	assert_int_equal(cpuid_of(&cpu, 0, 0).eax, 7);
	assert_int_equal(cpuid_of(&cpu, 6, 0).ecx, 0);
	model_free(&w->model);
}

TEST(test_cpuid_need_not_call_the_tsc_invariant)
{
	cpu_init(&cpu);
	assert_int_equal(cpuid_of(&cpu, 0x80000007, 0).edx, 1 << 8);
	cpu.tsc_invariant = 0;
	assert_int_equal(cpuid_of(&cpu, 0x80000007, 0).edx, 0);
}
