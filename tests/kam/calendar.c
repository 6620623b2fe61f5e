/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tests/kam/calendar.h"
#include "tests/kam/die.h"

void calendar_init(struct calendar *c, uint64_t capacity, uint64_t cycles)
{
	if (capacity == 0 || capacity > 255)
		die("calendar of %lu units: must be 1..255", capacity);
	memset(c, 0, sizeof(*c));
	c->capacity = capacity;
	c->cycles = cycles;
	c->used = calloc(cycles, 1);
	if (!c->used)
		die("no memory for a calendar of %lu cycles", cycles);
}

void calendar_free(struct calendar *c)
{
	free(c->used);
}

/* Cells of cycles from..to-1 that lie side by side in the ring; returns how many, at *cells. */
static uint64_t run_of(struct calendar *c, uint64_t from, uint64_t to, uint8_t **cells)
{
	uint64_t at = from & (c->cycles - 1), n = c->cycles - at;

	*cells = c->used + at;
	return n < to - from ? n : to - from;
}

static void wipe(struct calendar *c, uint64_t from, uint64_t to)
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

void calendar_advance(struct calendar *c, uint64_t now)
{
	uint64_t end = now < c->high ? now : c->high;

	if (now <= c->clean)
		return;
	if (end > c->clean)
		wipe(c, c->clean, end);
	c->clean = now;
	if (c->high < now)
		c->high = now;
	if (c->full < now)
		c->full = now;
}

uint64_t calendar_find(struct calendar *c, uint64_t from, uint64_t duration)
{
	uint64_t mask = c->cycles - 1, start, t;

	while (c->full < c->high && c->used[c->full & mask] >= c->capacity)
		c->full++;
	start = from > c->full ? from : c->full;
	for (t = start; t < start + duration && t < c->high; t++)
		if (c->used[t & mask] >= c->capacity)
			start = t + 1;
	return start;
}

void calendar_take(struct calendar *c, uint64_t start, uint64_t duration)
{
	uint64_t end = start + duration, t, n, k;
	uint8_t *cells;

	if (start < c->clean || end - c->clean > c->cycles)
		die("calendar of %lu cycles: booking at %lu for %lu, now is %lu", c->cycles, start,
			duration, c->clean);
	for (t = start; t < end; t += n) {
		n = run_of(c, t, end, &cells);
		for (k = 0; k < n; k++)
			cells[k]++;
	}
	if (c->high < end)
		c->high = end;
}

uint64_t calendar_book(struct calendar *c, uint64_t from, uint64_t duration)
{
	uint64_t start = calendar_find(c, from, duration);

	calendar_take(c, start, duration);
	return start;
}
