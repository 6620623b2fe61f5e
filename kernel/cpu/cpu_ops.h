/* SPDX-License-Identifier: MIT */
/* CPUID and MSRs of the processor that executes this, or of a test's double. */
#ifndef KERNEL_CPU_CPU_OPS_H
#define KERNEL_CPU_CPU_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cpuid.h"

struct cpu_ops {
	struct cpuid (*cpuid)(uint32_t leaf, uint32_t subleaf);
	/* 0, or the vector of the exception that the access raised. */
	int (*read)(uint32_t msr, uint64_t *value);
	int (*write)(uint32_t msr, uint64_t value);
};
extern const struct cpu_ops this_cpu;

enum cpu_vendor cpu_vendor(const struct cpu_ops *);
bool cpu_has_leaf(const struct cpu_ops *, uint32_t leaf);
/* The answer with sub-leaf 0; all zeros where there is no such leaf. */
struct cpuid cpu_leaf(const struct cpu_ops *, uint32_t leaf);

#endif
