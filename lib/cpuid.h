/* SPDX-License-Identifier: MIT */
/* The meaning of CPUID's answers, from the processor, an emulator or a test. */
#ifndef LIB_CPUID_H
#define LIB_CPUID_H

#include <stdbool.h>
#include <stdint.h>

struct cpuid {
	uint32_t eax, ebx, ecx, edx;
};

/*
 * Hygon's processors are AMD's design with other model-specific registers. Zhaoxin's were VIA's.
 */
enum cpu_vendor { VENDOR_OTHER, VENDOR_INTEL, VENDOR_AMD, VENDOR_HYGON, VENDOR_ZHAOXIN };

#define CPUID_HYPERVISOR (1U << 31) /* leaf 1 ECX: a hypervisor says that it is there */

/* The vendor by the answer to leaf 0. */
enum cpu_vendor cpuid_vendor(struct cpuid leaf_0);

static inline bool cpuid_is_amd_design(enum cpu_vendor vendor)
{
	return vendor == VENDOR_AMD || vendor == VENDOR_HYGON;
}

/*
 * The type of the core that `cpuid` asks, where a processor has several, as docs/format.md lists
 * them; 0: its cores are alike.
 */
uint32_t cpuid_core_type(struct cpuid (*cpuid)(uint32_t leaf, uint32_t subleaf));

/*
 * Leaves come in ranges (0, 40000000h, 80000000h ...), whose first leaf answers with the number of
 * the last one in EAX. A leaf is there if `first`, the answer to cpuid_range(leaf), includes it.
 */
static inline uint32_t cpuid_range(uint32_t leaf)
{
	return leaf & 0xc0000000;
}

static inline bool cpuid_includes(struct cpuid first, uint32_t leaf)
{
	return first.eax >= leaf;
}

#endif
