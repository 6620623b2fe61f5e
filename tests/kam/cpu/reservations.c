/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/reservations.h"
#include "tests/kam/cpu/fatal.h"

#define CHUNK 64 /* cells looked at together */

void reservations_init(struct reservations *c, uint64_t capacity, uint64_t cycles)
{
	if (capacity == 0 || capacity > 255)
		fatal("calendar of %lu units: must be 1..255", capacity);
	memset(c, 0, sizeof(*c));
	c->capacity = capacity;
	for (c->cycles = EXPIRE_LAG; c->cycles < cycles + EXPIRE_LAG;)
		c->cycles *= 2;
	c->used = calloc(c->cycles, 1);
	if (!c->used)
		fatal("no memory for a calendar of %lu cycles", c->cycles);
}

void reservations_free(struct reservations *c)
{
	free(c->used);
}

/* Cells of cycles from..to-1 that lie side by side in the ring; returns how many, at *cells. */
static uint64_t run_of(struct reservations *c, uint64_t from, uint64_t to, uint8_t **cells)
{
	uint64_t at = from & (c->cycles - 1), n = c->cycles - at;

	*cells = c->used + at;
	return n < to - from ? n : to - from;
}

static void wipe(struct reservations *c, uint64_t from, uint64_t to)
{
	uint64_t n, k;
	uint8_t *cells;

	if (to - from > c->cycles)
		from = to - c->cycles;
	for (; from < to; from += n) {
		n = run_of(c, from, to, &cells);
		for (k = 0; k < n; k++)
			cells[k] = 0;
	}
}

void reservations_expire(struct reservations *c)
{
	uint64_t end = c->now < c->high ? c->now : c->high;

	if (end > c->clean)
		wipe(c, c->clean, end);
	c->clean = c->now;
}

/* How many of the n cells end with the last full one: without an early end, for speed. */
static uint64_t last_full(const uint8_t *cells, uint64_t n, uint8_t capacity)
{
	uint8_t any = 0;
	uint64_t k;

	for (k = 0; k < n; k++)
		any |= cells[k] >= capacity;
	if (!any)
		return 0;
	while (cells[n - 1] < capacity)
		n--;
	return n;
}

uint64_t reservations_find(struct reservations *c, uint64_t from, uint64_t duration)
{
	uint64_t mask = c->cycles - 1, start, t, n, full;
	uint8_t *cells;

	if (c->full < c->now)
		c->full = c->now;
	while (c->full < c->high && c->used[c->full & mask] >= c->capacity)
		c->full++;
	start = from > c->full ? from : c->full;
	for (t = start; t < start + duration && t < c->high; t += n) {
		n = run_of(c, t, start + duration < c->high ? start + duration : c->high, &cells);
		n = n > CHUNK ? CHUNK : n;
		full = last_full(cells, n, (uint8_t)c->capacity);
		if (full)
			start = t + full;
	}
	return start;
}

void reservations_add(struct reservations *c, uint64_t start, uint64_t duration)
{
	uint64_t end = start + duration, t, n, k;
	uint8_t *cells;

	if (start < c->now || end - c->clean > c->cycles)
		fatal("calendar of %lu cycles: booking at %lu for %lu, now is %lu", c->cycles,
			start, duration, c->now);
	for (t = start; t < end; t += n) {
		n = run_of(c, t, end, &cells);
		for (k = 0; k < n; k++)
			cells[k]++;
	}
	if (c->high < end)
		c->high = end;
}

uint64_t reserve(struct reservations *c, uint64_t from, uint64_t duration)
{
	uint64_t start = reservations_find(c, from, duration);

	reservations_add(c, start, duration);
	return start;
}
