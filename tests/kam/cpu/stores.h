/* SPDX-License-Identifier: MIT */
/*
 * Stores that are not in L1 yet, as loads behind them see them: a load of what one of them holds
 * gets it from there, one of a part of it and more waits, and one that only looks alike in the low
 * 12 bits of its address is started again. What [forwarding] states in tenths of a cycle comes out
 * on the average: the tenths of a load go on to the next one.
 */
#ifndef TESTS_KAM_CPU_STORES_H
#define TESTS_KAM_CPU_STORES_H

#include <stdbool.h>
#include <stdint.h>

#define STORED_WORDS 4096
#define PAGE_WORDS   512 /* of 8 bytes in 4 KiB */

/* A load or a store of up to 64 bytes, and how it names its place: struct insn. */
struct memory_use {
	uint64_t address, bytes, place;
};

/* For each word the last store that wrote a part of it. */
struct stores {
	struct stored {
		uint64_t word; /* address / 8 + 1, 0: none */
		struct memory_use access;
		uint64_t data, commit; /* cycle at which its data are known; is in L1 */
		uint32_t number;       /* of the store */
		uint8_t bytes;         /* of the word that it wrote, a bit each */
	} words[STORED_WORDS];
	struct alike {
		uint64_t word, commit;
		uint8_t bytes;
	} page[PAGE_WORDS]; /* by bits 3 to 11 of the address */
	uint64_t committed; /* the last store in L1 */
	uint64_t tenths;    /* of a cycle that loads have not taken yet */
	uint32_t count;
};

struct cpu;

/* A store whose data are known at one cycle and which is in L1 at another. */
void stores_record(struct stores *, const struct cpu *, struct memory_use, uint64_t data,
	uint64_t commit);
/*
 * Returns true if a load that starts at cycle t looks like an older store to another address, of
 * which only the low 12 bits are compared at first.
 */
bool stores_alike(const struct stores *, const struct cpu *, struct memory_use, uint64_t t);
/* When a load that starts at cycle t and has its data from the caches at `loaded` has them. */
uint64_t stores_load(struct stores *, const struct cpu *, struct memory_use, uint64_t t,
	uint64_t loaded);
/* Cycles more for an access across a line, or across 4 KiB; 0: it crosses neither. */
uint64_t split_cycles(const struct cpu *, struct memory_use, uint64_t line, uint64_t page);

#endif
