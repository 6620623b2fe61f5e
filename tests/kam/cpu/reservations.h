/* SPDX-License-Identifier: MIT */
/*
 * When is a resource free? For each cycle, how many of its units are reserved: an instruction that
 * is later in the program but ready earlier may still go first.
 */
#ifndef TESTS_KAM_CPU_RESERVATIONS_H
#define TESTS_KAM_CPU_RESERVATIONS_H

#include <stdbool.h>
#include <stdint.h>

struct reservations {
	uint8_t *used;       /* ring: units reserved in each cycle from `clean` on */
	uint64_t mask;       /* cycles of the ring, a power of two, - 1 */
	const uint64_t *now; /* nothing is reserved in cycles before this one */
	uint64_t clean;      /* cells of cycles before this one are 0 */
	uint64_t high;       /* no cell from here on has anything */
	uint64_t full;       /* every cycle from `now` to here is full */
	uint64_t capacity;   /* units, up to 255 */
	/*
	 * Full cells stay full: no reservation of `duration` cycles or more can start in
	 * from..to-1.
	 */
	struct no_room {
		uint64_t from, to, duration;
	} no_room;
	/*
	 * A ring of long ones that are not in the cells yet, by their ends: where fewer than
	 * `capacity` are under way, no cell need be looked at.
	 */
	struct reservation {
		uint64_t start, end;
	} * late;
	uint32_t oldest, newest; /* of the ring; the one after the last */
	bool sparse;             /* the last find looked at no cell */
};

/* The most cycles by which `clean` may lie behind `now`. */
#define CLEAN_LAG 1024

/* *now never decreases. */
void reservations_init(struct reservations *, uint64_t capacity, const uint64_t *now);
void reservations_free(struct reservations *);
/* Another number of units. */
void reservations_resize(struct reservations *, uint64_t capacity);
/* The earliest start >= from with a unit free for `duration` cycles in a row. */
uint64_t reservations_find(struct reservations *, uint64_t from, uint64_t duration);
/* Reserves a unit in the cycles from start on. */
void reservations_add(struct reservations *, uint64_t start, uint64_t duration);
/* Clears the cells of cycles before now. */
void reservations_clean(struct reservations *);
/* Makes room for cycles up to end - 1; start is before now: ends the program. */
void reservations_grow(struct reservations *, uint64_t start, uint64_t end);
/* Find and add in one: returns the start. */
uint64_t reserve(struct reservations *, uint64_t from, uint64_t duration);

/* Skips the cycles from now on that are full without a gap; not before `from`. */
static inline uint64_t reservations_first(struct reservations *r, uint64_t from)
{
	if (r->full < *r->now)
		r->full = *r->now;
	while (r->full < r->high && r->used[r->full & r->mask] >= r->capacity)
		r->full++;
	return from > r->full ? from : r->full;
}

/* Makes the table hold the cycles start .. end - 1. */
static inline void reservations_check(struct reservations *r, uint64_t start, uint64_t end)
{
	if (*r->now >= r->clean + CLEAN_LAG)
		reservations_clean(r);
	if (start < *r->now || end - r->clean > r->mask + 1)
		reservations_grow(r, start, end);
	if (r->high < end)
		r->high = end;
}

/*
 * reserve() for one cycle: what a port takes of an instruction. Not where anything LONG is reserved
 * (reservations.c): it looks at the cells only.
 */
static inline uint64_t reserve_cycle(struct reservations *r, uint64_t from)
{
	uint64_t start = reservations_first(r, from);

	while (start < r->high && r->used[start & r->mask] >= r->capacity)
		start++;
	reservations_check(r, start, start + 1);
	r->used[start & r->mask]++;
	return start;
}

#endif
