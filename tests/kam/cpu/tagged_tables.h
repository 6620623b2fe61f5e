/* SPDX-License-Identifier: MIT */
/*
 * A predictor of several tables, each by a longer part of the past, whose entries have tags: the
 * longest part that is known decides (Seznec and Michaud, "A case for (partially) TAgged GEometric
 * history length branch prediction", 2006). Entries are found by a hash, one place each, so that
 * what is remembered fades out over a range of sizes instead of ending at one.
 */
#ifndef TESTS_KAM_CPU_TAGGED_TABLES_H
#define TESTS_KAM_CPU_TAGGED_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#define TAGGED_TABLES 6

struct tagged_tables {
	struct tagged_entry {
		uint16_t tag;   /* 0: empty */
		int8_t counter; /* -4 to 3; 0 and more: taken */
		uint8_t useful; /* 0 to 3: right where a shorter part of the past was wrong */
	} * table[TAGGED_TABLES];
	uint64_t entries;     /* of each table */
	uint64_t recent, old; /* outcomes: the newest 64, and the 64 before */
};

/* `capacity` entries in all tables together. */
void tagged_init(struct tagged_tables *, uint64_t capacity);
void tagged_free(struct tagged_tables *);
/* Predicts a branch that would else be taken for `base`, learns what it did; what was said. */
bool tagged_direction(struct tagged_tables *, uint64_t address, bool base, bool taken);

#endif
