/* SPDX-License-Identifier: MIT */
/* A table of a fixed number of keys and values; a new key replaces the least recently used one. */
#ifndef TESTS_KAM_CPU_LRU_TABLE_H
#define TESTS_KAM_CPU_LRU_TABLE_H

#include <stdint.h>

struct lru_table {
	struct lru_entry {
		uint64_t key, value;
		uint32_t newer, older; /* by use; index of an entry, or NONE */
		uint32_t next;         /* in the same bucket */
	} * entries;
	uint32_t *buckets;
	uint32_t capacity, used, mask;
	uint32_t newest, oldest;
};

void lru_init(struct lru_table *, uint64_t capacity);
void lru_free(struct lru_table *);
/* The value of a key, which becomes the most recently used; NULL if it is not there. */
uint64_t *lru_find(struct lru_table *, uint64_t key);
/* Inserts a key that is not there; returns its value, set to 0. */
uint64_t *lru_insert(struct lru_table *, uint64_t key);

#endif
