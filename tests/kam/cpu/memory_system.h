/* SPDX-License-Identifier: MIT */
/*
 * The memory side of one core, and the time of each access: its own caches, miss buffers, address
 * translation, prefetchers; behind them the uncore, which other cores share.
 */
#ifndef TESTS_KAM_CPU_MEMORY_SYSTEM_H
#define TESTS_KAM_CPU_MEMORY_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/cpu/reservations.h"
#include "tests/kam/cpu/cpu.h"
#include "tests/kam/cpu/uncore.h"

#define STREAMS 32
#define STRIDES 256
#define SIZES   3 /* of pages: 4 KiB, 2 MiB, 1 GiB */

#define TABLES     4 /* of page tables, one below the other */
#define STRUCTURES (TABLES - 1)

#define NOT_MAPPED 0

/* The physical address of a virtual one and its page: 1 << shift bytes, or NOT_MAPPED. */
struct mapping {
	uint64_t physical;
	unsigned shift;
};

struct memory {
	const struct cpu *cpu;
	struct uncore *uncore;
	unsigned levels, line_shift;
	struct cache own[CPU_LEVELS];
	struct cache *level[CPU_LEVELS];            /* own, then the uncore's */
	struct reservations l1_buffers[BANKS_MOST]; /* misses in flight: a bank by line number */
	struct reservations l2_buffers;
	struct reservations pipe[CPU_LEVELS - 1]; /* [0] L2 to L1, [1] L3 to L2 ... */
	uint64_t pipe_cycles[CPU_LEVELS - 1];     /* per line */
	/* Reads [0] and writes [1] of lines, by the level that had the line; [levels] is memory. */
	uint64_t served[2][CPU_LEVELS + 1];
	struct cache dtlb[SIZES], stlb, stlb_2m, stlb_1g;
	struct cache *first[SIZES], *second[SIZES]; /* the tables above that hold a page size */
	unsigned sizes_held;                        /* a bit per page size, since the last flush */
	unsigned group_shift;                /* log2 of the small pages that one entry can hold */
	struct cache upper;                  /* entries of the tables above the last */
	struct cache structures[STRUCTURES]; /* paging-structure caches: entries one table up */
	struct cache itlb;
	uint64_t fetched; /* page of the last instruction */
	struct reservations walkers;
	uint64_t pages_base, pages_end; /* memory mapped with pages of 1 << pages_shift */
	unsigned pages_shift;
	uint64_t parts_base, parts_end; /* memory beside it, with pages of 2 MiB */
	/*
	 * Returns the page tables' entry for an address, if there are page tables; priv belongs to
	 * them.
	 */
	struct mapping (*mapping)(const void *priv, uint64_t address);
	/* Likewise where the entries are that say so, the page's own first; returns how many. */
	unsigned (*entries)(const void *priv, uint64_t address, uint64_t out[TABLES]);
	const void *mapping_priv;
	struct stream {
		uint64_t page, line, used;
		int direction;
		unsigned sure;
		uint64_t ahead; /* last line asked for */
	} streams[STREAMS];
	struct stride {
		uint64_t load; /* address of the instruction */
		uint64_t last; /* address that it loaded from */
		int64_t step;
		unsigned sure; /* steps of this length in a row */
	} strides[STRIDES];
	uint64_t time;
	uint64_t neighbour_next; /* cycle at which the neighbour comes or goes */
	bool neighbour;          /* it is there */
	uint64_t others_due;     /* hundredths of a line that others will bring */
	uint64_t others_random;  /* of where */
};

/* *now: the cycle at which the current instruction enters; nothing starts before it. */
void memory_init(struct memory *, const struct cpu *, struct uncore *, const uint64_t *now);
void memory_free(struct memory *);
/*
 * Maps memory from base on with pages of this size; all else has 4 KiB pages. Another size than
 * before: the TLBs are emptied.
 */
void memory_map_pages(struct memory *, uint64_t base, uint64_t bytes, uint64_t page_bytes);
/* Maps memory from base on with pages of 2 MiB, once. */
void memory_map_parts(struct memory *, uint64_t base, uint64_t bytes);
/* Empties the TLBs, as loading CR3 does. Whatever is mapped anew without it ends the program. */
void memory_flush_tlbs(struct memory *);
/* The same of one page, and of all entries of upper tables, as INVLPG does. */
void memory_flush_page(struct memory *, uint64_t address);
/* Cycles for which an instruction at that address waits for the translation of its page. */
uint64_t memory_fetch(struct memory *, uint64_t address);
/* Caches, TLBs and prefetchers hold nothing, as if other code had used all of them. */
void memory_forget(struct memory *);
/*
 * Fetches the tables of an access that is about to come into the host's caches; changes nothing.
 * The tables of large caches are larger than those, and most of the time goes in waiting for them.
 */
void memory_warm(const struct memory *, uint64_t address);
/* When an access of up to 64 bytes that starts at cycle `t` has its data. */
uint64_t memory_access(struct memory *, uint64_t address, uint64_t bytes, bool write, uint64_t t);
/* When a page walk that loads a table's entry at cycle `t` has it; no prefetcher learns of it. */
uint64_t memory_walk_load(struct memory *, uint64_t address, uint64_t t);
/* Writes one line to memory, past the caches, from cycle t on; returns when it is written. */
uint64_t memory_write_nt(struct memory *, uint64_t line, uint64_t t);
/* Empties all caches, as WBINVD does; returns how many lines had been written. */
uint64_t memory_write_back(struct memory *);
/* Evicts a line from every level, as clflush does. */
void memory_flush(struct memory *, uint64_t address, uint64_t t);

#endif
