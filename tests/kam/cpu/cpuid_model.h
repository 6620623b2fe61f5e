/* SPDX-License-Identifier: MIT */
/* The answers of CPUID on a simulated machine, wrong claims included. */
#ifndef TESTS_KAM_CPU_CPUID_MODEL_H
#define TESTS_KAM_CPU_CPUID_MODEL_H

#include "engine/room.h"
#include "tests/kam/cpu/cpu.h"

struct cpuid cpuid_of(const struct cpu *, uint32_t leaf, uint32_t subleaf);

/*
 * Returns the bytes of a level's data cache as the leaves can state them, in whole sets; NAN: no
 * such cache.
 */
double cpuid_cache_bytes(const struct cpu *, unsigned level);
/* Likewise of the first cache of instructions. */
double cpuid_code_bytes(const struct cpu *);

#endif
