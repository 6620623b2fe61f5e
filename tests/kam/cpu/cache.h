/* SPDX-License-Identifier: MIT */
/* A set-associative array of tags: a cache of lines, or a TLB of pages. */
#ifndef TESTS_KAM_CPU_CACHE_H
#define TESTS_KAM_CPU_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum policy { POLICY_LRU, POLICY_RANDOM, POLICY_PLRU };

struct cache {
	uint64_t sets, ways; /* sets need not be a power of two */
	enum policy policy;
	uint64_t *tags;  /* [sets * ways], number + 1, 0: empty */
	uint64_t *used;  /* LRU: time of last use */
	uint64_t *ready; /* cycle at which the line is there */
	uint8_t *dirty;
	uint64_t *recent; /* PLRU: a bit per way of a set */
	uint64_t time, random;
};

#define CACHE_MISS UINT64_MAX

/* ways 0: fully associative. entries / ways sets. */
void cache_init(struct cache *, uint64_t entries, uint64_t ways, enum policy, uint64_t seed);
void cache_free(struct cache *);
/* Where a number (line or page) is, or CACHE_NOWHERE; cache_touch counts as use. */
uint64_t cache_find(const struct cache *, uint64_t number);
void cache_touch(struct cache *, uint64_t where);
/*
 * Puts a number that is not there; returns where. *victim is what was thrown out, or
 * CACHE_NOWHERE, *victim_dirty whether it had been written.
 */
uint64_t cache_insert(struct cache *, uint64_t number, uint64_t *victim, bool *victim_dirty);
void cache_invalidate(struct cache *, uint64_t where);
void cache_invalidate_all(struct cache *);

#endif
