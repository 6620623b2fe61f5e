/* SPDX-License-Identifier: MIT */
/* A set-associative array of tags: a cache of lines, or a TLB of pages. */
#ifndef TESTS_KAM_CPU_CACHE_H
#define TESTS_KAM_CPU_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum policy { POLICY_LRU, POLICY_RANDOM, POLICY_PLRU, POLICY_TREE };
enum hash { HASH_NONE, HASH_XOR, HASH_SLICES };

struct cache {
	uint32_t sets, ways; /* sets need not be a power of two */
	uint32_t set_mask;   /* sets - 1; 0: not a power of two, or 1 */
	enum policy policy;
	enum hash hash;
	uint32_t set_bits; /* XOR: log2 of the sets */
	uint32_t slices, slice_sets;
	uint32_t taken; /* the first ways of each set, which another core has */
	/*
	 * [sets * mark_ways]: a hash of each number, never 0. Eight are compared at once; only
	 * where one is equal the tag is looked at. An empty way keeps the mark that it had.
	 */
	uint16_t *marks;
	uint32_t mark_ways; /* ways, up to a multiple of MARKS */
	struct cache_line {
		uint64_t tag;        /* number + 1, 0: empty */
		uint64_t ready : 63; /* cycle at which the line is there; of a TLB the frame */
		uint64_t dirty : 1;  /* written */
	} * lines;                   /* [sets * ways] */
	/*
	 * LRU: a ring of the ways of each set by use, the oldest after the newest; empty ones are
	 * oldest
	 */
	struct cache_order {
		uint16_t newer, older;
	} * order;
	uint16_t *newest; /* LRU: of each set */
	uint64_t *recent; /* PLRU: a bit per way of a set; TREE: a bit per fork, 1 the root */
	uint64_t random;
	uint64_t last;     /* entry of the last use, where the next is likely */
	uint64_t last_tag; /* its tag */
};

#define CACHE_MISS UINT64_MAX

/* ways 0: fully associative. entries / ways sets. */
void cache_init(struct cache *, uint64_t entries, uint64_t ways, enum policy, uint64_t seed);
/*
 * Set how a number chooses its set; call it after cache_init. NONE: by its low bits, or the
 * remainder. XOR: further bits change the low ones; so many numbers in a row still use all sets
 * alike. SLICES: a slice by a hash of the whole number, there a set as with NONE; some sets get
 * more than others.
 */
void cache_hash(struct cache *, enum hash, uint64_t slices);
void cache_free(struct cache *);
/* The entry of a number (line or page), or CACHE_MISS; cache_touch counts as use. */
uint64_t cache_find(const struct cache *, uint64_t number);
void cache_touch(struct cache *, uint64_t entry);
/*
 * Inserts a number that is not there; returns its entry. *victim is what was replaced, or
 * CACHE_MISS, *victim_dirty whether it had been written.
 */
uint64_t cache_insert(struct cache *, uint64_t number, uint64_t *victim, bool *victim_dirty);
/*
 * Returns true if the number was there. It counts as used now, and is inserted if it was not there.
 */
bool cache_use(struct cache *, uint64_t number);
/* Fetches what cache_find and cache_insert will read into the host's caches; changes nothing. */
void cache_warm(const struct cache *, uint64_t number);
void cache_invalidate(struct cache *, uint64_t entry);
/*
 * From now on another core has so many ways of each set, fewer than all: what lay there is lost.
 * Not with PLRU or TREE.
 */
void cache_take(struct cache *, uint64_t ways);
void cache_invalidate_all(struct cache *);

#endif
