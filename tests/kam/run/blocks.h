/* SPDX-License-Identifier: MIT */
/* Basic blocks, each decoded when it first runs. */
#ifndef TESTS_KAM_RUN_BLOCKS_H
#define TESTS_KAM_RUN_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <unicorn/unicorn.h>

#include "tests/kam/run/decode.h"

struct block {
	uint64_t address;
	uint32_t bytes, n;
	struct decoded *insns;
	struct block *next;
};

#define BLOCK_BUCKETS 16384

struct blocks {
	struct block *buckets[BLOCK_BUCKETS];
};

struct code_range {
	uint64_t begin, end; /* both 0: none */
};

/* The block of so many bytes at an address of the guest; *decoded: it was not known before. */
struct block *blocks_at(struct blocks *, uc_engine *, uint64_t address, uint32_t bytes,
	bool *decoded);
/* Forgets all that lie outside keep .. keep + keep_bytes; returns where they were. */
struct code_range blocks_invalidate(struct blocks *, uint64_t keep, size_t keep_bytes);

#endif
