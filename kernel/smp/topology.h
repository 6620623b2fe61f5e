/* SPDX-License-Identifier: MIT */
/* Where a processor sits, by CPUID on that processor. */
#ifndef KERNEL_SMP_TOPOLOGY_H
#define KERNEL_SMP_TOPOLOGY_H

#include "engine/env.h"

/* Answers CPUID: the processor itself, or a test. */
typedef struct cpuid ask_fn(uint32_t leaf, uint32_t subleaf);

/* The APIC id of the processor that answers: leaf 0Bh, else leaf 1. */
uint32_t topology_id(ask_fn *);

/*
 * Everything but the NUMA node (ACPI SRAT tells it): leaves 1Fh, 0Bh (Intel, AMD), else AMD
 * 8000001Eh, else leaves 1 and 4; core type by 1Ah. SDM vol. 3A 9.9; AMD APM vol. 3 appendix E.
 */
struct cpu_location topology_of(ask_fn *);

#endif
