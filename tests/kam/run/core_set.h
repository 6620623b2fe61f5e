/* SPDX-License-Identifier: MIT */
/* The cores of a simulated machine, each with its model and an emulator, in one memory. */
#ifndef TESTS_KAM_RUN_CORE_SET_H
#define TESTS_KAM_RUN_CORE_SET_H

#include "tests/kam/cpu/chip.h"
#include "tests/kam/run/emulator.h"
#include "tests/kam/run/turns.h"

struct cores {
	unsigned n;
	struct core {
		struct model model;
		struct emulator emulator;
		uint64_t requested; /* latest cycle at which it asked for something shared */
	} * core;                   /* [n] */
	struct chip chip;           /* where there are several */
	struct turns turns;
};

void cores_open(struct cores *, const struct cpu *);
void cores_close(struct cores *);
/* The one whose turn it is. */
struct core *cores_current(struct cores *);
/* Call emulator_map or emulator_unmap for all cores. */
void cores_map(struct cores *, void *base, size_t bytes, uint32_t permissions);
void cores_unmap(struct cores *, void *base, size_t bytes);
/* Call memory_map_pages or memory_map_parts for all cores. */
void cores_map_pages(struct cores *, uint64_t base, uint64_t bytes, uint64_t page_bytes);
void cores_map_parts(struct cores *, uint64_t base, uint64_t bytes);
/* The current core does nothing for so many cycles; the others catch up. */
void cores_pass(struct cores *, uint64_t cycles);
/* Another core, which does nothing now, runs fn(arg). */
void cores_start(struct cores *, unsigned core, void (*fn)(void *), void *arg);
/* The current core waits until another one is done. */
void cores_join(struct cores *, unsigned core);

#endif
