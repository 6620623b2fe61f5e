/* SPDX-License-Identifier: MIT */
/* The memory of layer a: the arena, what is beside it, and parts of each node. */
#ifndef KAM_RUN_SIMULATED_MEMORY_H
#define KAM_RUN_SIMULATED_MEMORY_H

#include "engine/room.h"
#include "tests/kam/cpu/cpu.h"
#include "tests/kam/run/core_set.h"

/* More memory of the arena's node, in pages of 2 MiB, as BESIDE_MAX; only for a lone processor. */
#define BESIDE_BYTES (16ull << 30)

/* Memory of this process at that address, of which the first `walked` bytes are used throughout. */
void *simulated_map(uint64_t address, size_t bytes, size_t walked, int protection);
/* The same, which the simulated processors have, too, with these permissions (UC_PROT_READ ...). */
void simulated_share(struct cores *, uint64_t address, size_t bytes, size_t walked,
	uint32_t permissions);
/* The arena and what is beside it. */
void simulated_memory_open(struct cores *, const struct cpu *);
/* The arena with pages of that size, which the machine has. */
void simulated_arena(struct cores *, const struct cpu *, size_t page_bytes, struct arena *out);
/*
 * Implements room.arena_on, always with pages of 2 MiB: the arena may have other pages meanwhile.
 */
int simulated_arena_on(const struct cpu *, uint32_t node, struct arena *out);
/* Returns facts.beside_bytes. */
size_t simulated_beside(const struct cpu *);

#endif
