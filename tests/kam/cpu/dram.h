/* SPDX-License-Identifier: MIT */
/*
 * What a load from memory costs more or less because of the state of the DRAM: a bank keeps its
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
 * Cycles from a load at cycle t to its data, of a line at this address: memory_latency where the
 * row must be opened, row_hit less where it is open, and what is left of a refresh.
 */
uint64_t dram_latency(struct dram *, uint64_t address, uint64_t t);

#endif
