/* SPDX-License-Identifier: MIT */
/* A table of a fixed number of keys and values; a new key replaces the least recently used one. */
#ifndef TESTS_KAM_CPU_LRU_TABLE_H
#define TESTS_KAM_CPU_LRU_TABLE_H

#include <stdint.h>

struct lru_table {
	/* A ring by use; entries[capacity], without a key, is between newest and oldest. */
	struct lru_entry {
		uint64_t key, value;
		uint32_t newer, older; /* index of an entry */
		uint32_t next;         /* in the same bucket, or NONE (lru_table.c) */
	} * entries;
	uint32_t *buckets;
	uint32_t capacity, used, mask;
};

void lru_init(struct lru_table *, uint64_t capacity);
void lru_free(struct lru_table *);
/* The value of a key, which becomes the most recently used; NULL if it is not there. */
uint64_t *lru_find(struct lru_table *, uint64_t key);
/* Inserts a key that is not there; returns its value, set to 0. */
uint64_t *lru_insert(struct lru_table *, uint64_t key);

#endif
