/* SPDX-License-Identifier: MIT */
/*
 * The state of the DRAM changes the cost of a load from memory: a bank keeps its
 * last row open, and every tREFI all are away for tRFC (JEDEC JESD79-4, "Refresh"; -5 alike).
 */
#ifndef TESTS_KAM_CPU_DRAM_H
#define TESTS_KAM_CPU_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/kam/cpu/cpu.h"

struct dram {
	const struct cpu *cpu;
	uint64_t open[DRAM_BANKS_MOST]; /* row of each bank, + 1; 0: none */
};

void dram_init(struct dram *, const struct cpu *);
/*
 * Cycles from a load to its data, of a line at this address: memory_latency where the row must be
 * opened, row_hit less where it is open. The row is open then.
 */
uint64_t dram_latency(struct dram *, uint64_t address);
/* Cycles that a load which reaches memory at cycle t waits for the end of a refresh. */
uint64_t dram_refresh_left(const struct cpu *, uint64_t t);

#endif
