/* SPDX-License-Identifier: MIT */
/* What CPUID says on a stated machine, lies included. */
#ifndef TESTS_KAM_CPUID_H
#define TESTS_KAM_CPUID_H

#include "probes/env.h"
#include "tests/kam/cpu.h"

struct cpuid cpuid_of(const struct cpu *, uint32_t leaf, uint32_t subleaf);

#endif
