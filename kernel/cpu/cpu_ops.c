/* SPDX-License-Identifier: MIT */
#include "kernel/cpu/cpu_ops.h"

#include "kernel/cpu/safe.h"
#include "kernel/cpu/x86.h"

static struct cpuid read_cpuid(uint32_t leaf, uint32_t subleaf)
{
	return cpuid(leaf, subleaf);
}

const struct cpu_ops this_cpu = { read_cpuid, safe_rdmsr, safe_wrmsr };

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
