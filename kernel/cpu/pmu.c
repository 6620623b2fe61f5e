/* SPDX-License-Identifier: MIT */
#include "kernel/cpu/pmu.h"

#include "kernel/cpu/x86.h"

enum {
	PMC0 = 0xc1,
	EVENT_SELECT0 = 0x186,
	FIXED_INSTRUCTIONS = 0x309,
	FIXED_CYCLES = 0x30a,
	FIXED_CONTROL = 0x38d,
	GLOBAL_CONTROL = 0x38f,
	AMD_EVENT_SELECT0 = 0xc0010200, /* the counter follows, then the next pair */
	AMD_GLOBAL_CONTROL = 0xc0000301,
};

#define COUNT_ALWAYS (0x43ULL << 16) /* enabled, in user and in supervisor mode */
#define PRESET       0x5a5a0000ULL   /* what a counter must read back before it counts */

static uint64_t bits(unsigned n)
{
	return n < 64 ? (1ULL << n) - 1 : UINT64_MAX;
}

static bool set_intel_counters(struct msr_journal *j, bool branches)
{
	const uint64_t used = 3ULL << 32 | 1;

	/* Stopped first and started last, so that they read back; restored in the other order. */
	return !msr_change(j, GLOBAL_CONTROL, used, 0) &&
		!msr_preset(j, FIXED_INSTRUCTIONS, PRESET) &&
		!msr_preset(j, FIXED_CYCLES, PRESET) &&
		(!branches ||
			(!msr_preset(j, PMC0, PRESET) &&
				!msr_change(j, EVENT_SELECT0, 0xffffffff, COUNT_ALWAYS | 0xc5))) &&
		!msr_change(j, FIXED_CONTROL, 0xff, 0x33) &&
		!msr_change(j, GLOBAL_CONTROL, used, used);
}

static void start_intel(struct counters *c, struct msr_journal *j)
{
	struct cpuid a = cpu_leaf(j->cpu, 0xa);
	unsigned width = a.eax >> 16 & 0xff, fixed_width = a.edx >> 5 & 0xff;
	bool branches = (a.eax >> 8 & 0xff) && a.eax >> 24 > 6 && !(a.ebx & 1 << 6);

	if ((a.eax & 0xff) < 2 || (a.edx & 31) < 2 || !set_intel_counters(j, branches))
		return;
	c->of[COUNT_INSTRUCTIONS] = (struct counter){ FIXED_INSTRUCTIONS, bits(fixed_width) };
	c->of[COUNT_CYCLES] = (struct counter){ FIXED_CYCLES, bits(fixed_width) };
	if (branches)
		c->of[COUNT_MISPREDICTS] = (struct counter){ PMC0, bits(width) };
}

/* Cycles not halted, retired instructions, retired mispredicted branches, SMIs received. */
static const uint8_t amd_events[COUNTS] = { 0x76, 0xc0, 0xc3, 0x2b };

static void start_amd(struct counters *c, struct msr_journal *j)
{
	bool global = cpu_leaf(j->cpu, 0x80000022).eax & 1;

	if (!(cpu_leaf(j->cpu, 0x80000001).ecx & 1 << 23)) /* the six core counters */
		return;
	if (global && msr_change(j, AMD_GLOBAL_CONTROL, bits(COUNTS), bits(COUNTS)))
		return;
	for (unsigned i = 0; i < COUNTS; i++) {
		uint32_t select = AMD_EVENT_SELECT0 + 2 * i;

		if (msr_change(j, select, UINT64_MAX, 0) || msr_preset(j, select + 1, PRESET + i) ||
			msr_change(j, select, UINT64_MAX, COUNT_ALWAYS | amd_events[i]))
			continue;
		c->of[i] = (struct counter){ select + 1, bits(48) };
	}
}

/*
 * An emulator that ignores unknown MSRs reads 0. Any machine's firmware has raised SMIs before we
 * run, so that 0 means: not counted here.
 */
static void find_intel_smis(struct counters *c, const struct cpu_ops *cpu)
{
	uint64_t count;

	if (cpu->read(MSR_SMI_COUNT, &count) == 0 && count != 0)
		c->of[COUNT_SMIS] = (struct counter){ MSR_SMI_COUNT, bits(32) };
}

static bool advances(const struct cpu_ops *cpu, uint32_t msr, void (*work)(void))
{
	uint64_t before, after;

	if (cpu->read(msr, &before))
		return false;
	work();
	return cpu->read(msr, &after) == 0 && after != before;
}

static void find_aperf(struct counters *c, const struct cpu_ops *cpu, void (*work)(void))
{
	if (!c->of[COUNT_CYCLES].msr && (cpu_leaf(cpu, 6).ecx & 1) &&
		advances(cpu, MSR_APERF, work))
		c->of[COUNT_CYCLES] = (struct counter){ MSR_APERF, UINT64_MAX };
}

void counters_start(struct counters *c, struct msr_journal *j, void (*work)(void))
{
	enum cpu_vendor vendor = cpu_vendor(j->cpu);

	*c = (struct counters){ 0 };
	if (vendor == VENDOR_INTEL)
		start_intel(c, j);
	else if (vendor == VENDOR_AMD)
		start_amd(c, j);
	for (unsigned i = COUNT_CYCLES; i <= COUNT_MISPREDICTS; i++)
		if (c->of[i].msr && !advances(j->cpu, c->of[i].msr, work))
			c->of[i].msr = 0;
	if (vendor == VENDOR_AMD && !c->of[COUNT_CYCLES].msr)
		c->of[COUNT_SMIS].msr = 0; /* it reads back what is written but does not count */
	if (vendor == VENDOR_INTEL)
		find_intel_smis(c, j->cpu);
	find_aperf(c, j->cpu, work);
}

void counters_exercise(void)
{
	uint64_t x = rdtsc();

	for (unsigned i = 0; i < 4096; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		if (x >> 63)
			__asm__ volatile("" ::: "memory");
		else
			__asm__ volatile("nop" ::: "memory");
	}
}
