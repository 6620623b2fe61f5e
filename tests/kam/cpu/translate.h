/* SPDX-License-Identifier: MIT */
/* Address translation: two levels of TLB and a few page walkers. */
#ifndef TESTS_KAM_CPU_TRANSLATE_H
#define TESTS_KAM_CPU_TRANSLATE_H

#include "tests/kam/cpu/memory_system.h"

void translate_init(struct memory *, const uint64_t *now);
void translate_free(struct memory *);
/*
 * Returns true if a page holds the address: an address that is only near a loop's data may have
 * none.
 */
bool translate_maps(const struct memory *, uint64_t address);
/* When an access that starts at t has its translation. No page there ends the program. */
uint64_t translate(struct memory *, uint64_t address, uint64_t t);

#endif
