/* SPDX-License-Identifier: MIT */
/* Canonical sizes: where in the memory hierarchy rows other than curves are measured. */
#ifndef ENGINE_LEVELS_H
#define ENGINE_LEVELS_H

#include "engine/bench.h"
#include "lib/jsonl_write.h"

extern const char *const level_names[LEVELS]; /* "l1" ... "l4", "memory" */

#define LEVEL_ASSUMED "assumed" /* the origin of a size that neither the curve nor CPUID tells */

/*
 * Fills b->levels from b->caches, as measured: half of L1, half of L2, a third of L3 and of L4, and
 * for memory eight times the last cache but at least 256 MiB. A level that was not resolved is
 * taken from CPUID's claim, without one from an assumption (no L4), and its origin says so; where
 * the curve reached memory, a level that it does not show is left out.
 */
void levels_set(struct bench *);

/* Says the sizes, where they are from, and of which pages their memory is: lines with newlines. */
#define LEVELS_TEXT 256
void levels_text(const struct level_size[LEVELS], size_t page_bytes, char out[LEVELS_TEXT]);
/* Adds the member `levels` (docs/format.md); nothing before levels_set. */
void levels_put(const struct bench *, struct jsonl *);

/* The size of the last cache as measured, else claimed by CPUID, else assumed, bytes. */
uint64_t last_cache_bytes(struct bench *);
/* Returns true if a walk through so many bytes leaves some of them in the caches. */
bool leaves_something(struct bench *, uint64_t bytes);

#endif
