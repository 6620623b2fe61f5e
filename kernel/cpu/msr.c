/* SPDX-License-Identifier: MIT */
#include "kernel/cpu/msr.h"
#include "kernel/cpu/safe.h"
#include "kernel/cpu/x86.h"

static unsigned find(const struct msr_journal *j, uint32_t msr)
{
	unsigned i = 0;

	while (i < j->n && j->list[i].msr != msr)
		i++;
	return i;
}

static bool write_verified(struct msr_journal *j, uint32_t msr, uint64_t value)
{
	uint64_t now;

	return j->cpu->write(msr, value) == 0 && j->cpu->read(msr, &now) == 0 && now == value;
}

static void journal_add(struct msr_journal *j, uint32_t msr, uint64_t before, bool moves)
{
	j->list[j->n].msr = msr;
	j->list[j->n].moves = moves;
	j->list[j->n++].before = before;
}

static enum msr_result change(struct msr_journal *j, uint32_t msr, uint64_t mask, uint64_t value,
	bool moves)
{
	unsigned at = find(j, msr);
	uint64_t before, wanted;

	if (at == MSR_CHANGES)
		return MSR_FULL;
	if (j->cpu->read(msr, &before))
		return MSR_ABSENT;
	wanted = (before & ~mask) | (value & mask);
	if (wanted == before)
		return MSR_CHANGED;
	if (write_verified(j, msr, wanted)) {
		if (at == j->n)
			journal_add(j, msr, before, moves);
		return MSR_CHANGED;
	}
	j->cpu->write(msr, before);
	return MSR_IGNORED;
}

enum msr_result msr_change(struct msr_journal *j, uint32_t msr, uint64_t mask, uint64_t value)
{
	return change(j, msr, mask, value, false);
}

enum msr_result msr_preset(struct msr_journal *j, uint32_t msr, uint64_t value)
{
	return change(j, msr, UINT64_MAX, value, true);
}

enum msr_result msr_keep(struct msr_journal *j, uint32_t msr)
{
	unsigned at = find(j, msr);
	uint64_t value;

	if (at == MSR_CHANGES)
		return MSR_FULL;
	if (j->cpu->read(msr, &value))
		return MSR_ABSENT;
	if (at == j->n)
		journal_add(j, msr, value, false);
	return MSR_CHANGED;
}

void msr_undo(struct msr_journal *j, uint32_t msr)
{
	unsigned i = find(j, msr);

	if (i < j->n)
		j->cpu->write(msr, j->list[i].before);
}

unsigned msr_restore(struct msr_journal *j, unsigned first)
{
	unsigned lost = 0;

	while (j->n > first) {
		unsigned i = --j->n;

		lost += !write_verified(j, j->list[i].msr, j->list[i].before) && !j->list[i].moves;
	}
	return lost;
}

const char *msr_why(enum msr_result r)
{
	static const char *const why[] = { "", "no such MSR here",
		"the MSR ignores what is written", "too many changes" };

	return why[r];
}

static struct cpuid read_cpuid(uint32_t leaf, uint32_t subleaf)
{
	return cpuid(leaf, subleaf);
}

const struct cpu_ops this_cpu = { read_cpuid, safe_rdmsr, safe_wrmsr };

uint64_t tsc_per_second;

enum cpu_vendor cpu_vendor(const struct cpu_ops *cpu)
{
	return cpuid_vendor(cpu->cpuid(0, 0));
}

bool cpu_has_leaf(const struct cpu_ops *cpu, uint32_t leaf)
{
	return cpuid_includes(cpu->cpuid(cpuid_range(leaf), 0), leaf);
}

struct cpuid cpu_leaf(const struct cpu_ops *cpu, uint32_t leaf)
{
	return cpu_has_leaf(cpu, leaf) ? cpu->cpuid(leaf, 0) : (struct cpuid){ 0, 0, 0, 0 };
}
