/* SPDX-License-Identifier: MIT */
/* A memory of a fixed number of keys with a value each; the least recently used one is forgotten. */
#ifndef TESTS_KAM_CPU_RECALL_H
#define TESTS_KAM_CPU_RECALL_H

#include <stdint.h>

struct recall {
	struct recall_entry {
		uint64_t key, value;
		uint32_t newer, older; /* by use; index of an entry, or NONE */
		uint32_t next;         /* in the same bucket */
	} * entries;
	uint32_t *buckets;
	uint32_t capacity, used, mask;
	uint32_t newest, oldest;
};

void recall_init(struct recall *, uint64_t capacity);
void recall_free(struct recall *);
/* The value of a key, now the most recently used; NULL if it is not remembered. */
uint64_t *recall_find(struct recall *, uint64_t key);
/* Remembers a key that is not there yet; returns its value, set to 0. */
uint64_t *recall_add(struct recall *, uint64_t key);

#endif
