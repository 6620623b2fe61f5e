/* SPDX-License-Identifier: MIT */
/* Address translation: two levels of TLB and a few page walkers. */
#ifndef TESTS_KAM_CPU_TRANSLATE_H
#define TESTS_KAM_CPU_TRANSLATE_H

#include "tests/kam/cpu/memory_system.h"

void translate_init(struct memory *, const uint64_t *now);
void translate_free(struct memory *);
/* When an access that starts at t has its translation. */
uint64_t translate(struct memory *, uint64_t address, uint64_t t);

#endif
