/* SPDX-License-Identifier: MIT */
/* What CPUID says on a simulated machine, wrong claims included. */
#ifndef TESTS_KAM_CPU_CPUID_MODEL_H
#define TESTS_KAM_CPU_CPUID_MODEL_H

#include "engine/room.h"
#include "tests/kam/cpu/cpu.h"

struct cpuid cpuid_of(const struct cpu *, uint32_t leaf, uint32_t subleaf);

/* Of the data cache of a level, as the leaves can say it: whole sets; NAN where there is none. */
double cpuid_cache_bytes(const struct cpu *, unsigned level);
/* Likewise of the first cache of instructions. */
double cpuid_code_bytes(const struct cpu *);

#endif
