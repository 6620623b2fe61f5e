/* SPDX-License-Identifier: MIT */
/* Where a processor sits, by CPUID on that processor. */
#ifndef KERNEL_SMP_TOPOLOGY_H
#define KERNEL_SMP_TOPOLOGY_H

#include "kernel/cpu/cpu_ops.h"
#include "engine/room.h"

/* The APIC id of the processor that answers: leaf 0Bh, else leaf 1. */
uint32_t topology_id(const struct cpu_ops *);

/*
 * Everything but the NUMA node (ACPI's SRAT has it): leaves 1Fh, 0Bh (Intel, AMD), else AMD
 * 8000001Eh, else leaves 1 and 4; the last cache by 8000001Dh, else 4; core type by 1Ah. SDM vol.
 * 3A 9.9; AMD APM vol. 3 appendix E.
 */
struct cpu_location topology_of(const struct cpu_ops *);

#endif
