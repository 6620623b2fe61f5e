/* SPDX-License-Identifier: MIT */
/*
 * When is a resource free? A calendar counts, cycle by cycle, how much of a resource is taken, so
 * that an instruction that is later in the program but ready earlier may still go first.
 */
#ifndef TESTS_KAM_CPU_RESERVATIONS_H
#define TESTS_KAM_CPU_RESERVATIONS_H

#include <stdint.h>

struct reservations {
	uint8_t *used;   /* ring: units taken in each cycle from `clean` on */
	uint64_t cycles; /* size of the ring, a power of two */
	uint64_t now;    /* no question is asked about cycles before this one */
	uint64_t
		clean; /* nothing is kept of cycles before this one; up to CALENDAR_LAG before now */
	uint64_t high;     /* nothing is taken from here on */
	uint64_t full;     /* every cycle from `now` to here is full */
	uint64_t capacity; /* units, up to 255 */
};

#define EXPIRE_LAG 1024

/* cycles: a power of two, more than anything is ever booked ahead. */
void reservations_init(struct reservations *, uint64_t capacity, uint64_t cycles);
void reservations_free(struct reservations *);
/* Forgets what is before now. */
void reservations_expire(struct reservations *);
/* Time has come to `now`. */
static inline void reservations_advance(struct reservations *c, uint64_t now)
{
	if (c->now < now)
		c->now = now;
	if (now >= c->clean + EXPIRE_LAG)
		reservations_expire(c);
}
/* The earliest start >= from with a unit free for `duration` cycles in a row. */
uint64_t reservations_find(struct reservations *, uint64_t from, uint64_t duration);
void reservations_add(struct reservations *, uint64_t start, uint64_t duration);
/* Find and take in one: returns the start. */
uint64_t reserve(struct reservations *, uint64_t from, uint64_t duration);

#endif
