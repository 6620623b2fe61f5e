/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/cpu/reservations.h"

#define CHUNK 64   /* cells looked at together */
#define LATE  1024 /* not in the cells yet, at most; a power of two */
#define LONG  32   /* cycles: a shorter one goes to the cells at once */

/* The ring is as small as the reservations allow, so that the host's caches hold it. */
#define RING_LEAST (4 * CLEAN_LAG)
#define RING_MOST  (1ull << 30)

static uint8_t *ring(uint64_t cycles)
{
	uint8_t *cells = cycles > RING_MOST ? NULL : calloc(cycles, 1);

	if (!cells)
		fatal("no memory for reservations in %lu cycles", cycles);
	return cells;
}

void reservations_init(struct reservations *r, uint64_t capacity, const uint64_t *now)
{
	if (capacity == 0 || capacity > 255)
		fatal("a resource of %lu units: must be 1..255", capacity);
	*r = (struct reservations){ .capacity = capacity, .mask = RING_LEAST - 1, .now = now };
	r->used = ring(RING_LEAST);
}

void reservations_resize(struct reservations *r, uint64_t capacity)
{
	r->capacity = capacity;
	r->full = 0;
	r->no_room = (struct no_room){ 0, 0, 0 };
}

void reservations_free(struct reservations *r)
{
	free(r->used);
	free(r->late);
}

/* Cells of cycles from..to-1 that lie side by side in the ring; returns how many, at *cells. */
static uint64_t run_of(struct reservations *r, uint64_t from, uint64_t to, uint8_t **cells)
{
	uint64_t at = from & r->mask, n = r->mask + 1 - at;

	*cells = r->used + at;
	return n < to - from ? n : to - from;
}

void reservations_clean(struct reservations *r)
{
	uint64_t from = r->clean, to = *r->now < r->high ? *r->now : r->high, n;
	uint8_t *cells;

	if (to > r->mask && from < to - r->mask - 1)
		from = to - r->mask - 1;
	for (; from < to; from += n) {
		n = run_of(r, from, to, &cells);
		memset(cells, 0, n);
	}
	r->clean = *r->now;
}

void reservations_grow(struct reservations *r, uint64_t start, uint64_t end)
{
	uint64_t cycles = r->mask + 1, t;
	uint8_t *used;

	if (start < *r->now)
		fatal("a reservation at cycle %lu: now is %lu", start, *r->now);
	reservations_clean(r);
	while (end - r->clean > cycles)
		cycles *= 2;
	if (cycles == r->mask + 1)
		return;
	used = ring(cycles);
	for (t = r->clean; t < r->high; t++)
		used[t & (cycles - 1)] = r->used[t & r->mask];
	free(r->used);
	r->used = used;
	r->mask = cycles - 1;
}

/*
 * Returns the number of cells up to the last full one of n. The loop has no early end, for speed.
 */
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

static struct reservation *late(struct reservations *r, uint32_t i)
{
	return &r->late[i & (LATE - 1)];
}

static void fill_cells(struct reservations *r, uint64_t start, uint64_t end)
{
	uint64_t t, n, k;
	uint8_t *cells;

	reservations_check(r, start, end);
	for (t = start; t < end; t += n) {
		n = run_of(r, t, end, &cells);
		for (k = 0; k < n; k++)
			cells[k]++;
	}
}

/* Puts all late ones into the cells, but for what lies before now. */
static void settle(struct reservations *r)
{
	for (; r->oldest != r->newest; r->oldest++) {
		struct reservation *l = late(r, r->oldest);

		if (l->end > *r->now)
			fill_cells(r, l->start > *r->now ? l->start : *r->now, l->end);
	}
}

/* Returns true if a unit is free from a cycle on for any duration: the cells are not needed. */
static bool is_sparse(struct reservations *r, uint64_t from)
{
	uint64_t under_way = 0;
	uint32_t i;

	if (r->high > from)
		return false;
	for (i = r->newest; i != r->oldest && late(r, i - 1)->end > from; i--)
		if (++under_way == r->capacity)
			return false;
	return true;
}

/* In the order of the ends, which is nearly that in which they come. */
static void add_late(struct reservations *r, uint64_t start, uint64_t end)
{
	uint32_t i;

	if (!r->late)
		r->late = malloc(LATE * sizeof(*r->late));
	if (!r->late)
		fatal("no memory for reservations");
	if (r->newest - r->oldest == LATE)
		settle(r);
	for (i = r->newest++; i != r->oldest && late(r, i - 1)->end > end; i--)
		*late(r, i) = *late(r, i - 1);
	*late(r, i) = (struct reservation){ start, end };
}

static uint64_t behind_no_room(const struct no_room *x, uint64_t from, uint64_t duration)
{
	return duration >= x->duration && from >= x->from && from < x->to ? x->to : from;
}

/* None of `duration` cycles can start in from .. to - 1. */
static void note_no_room(struct no_room *x, uint64_t from, uint64_t to, uint64_t duration)
{
	if (duration == x->duration && from >= x->from && from <= x->to)
		x->to = to > x->to ? to : x->to;
	else if (to - from >= CHUNK)
		*x = (struct no_room){ from, to, duration };
}

uint64_t reservations_find(struct reservations *r, uint64_t from, uint64_t duration)
{
	uint64_t start, end, t, n, full;
	uint8_t *cells;

	r->sparse = is_sparse(r, from);
	if (r->sparse)
		return from > *r->now ? from : *r->now;
	settle(r);
	start = behind_no_room(&r->no_room, reservations_first(r, from), duration);

	for (t = start; t < start + duration && t < r->high; t += n) {
		end = start + duration < r->high ? start + duration : r->high;
		n = run_of(r, t, end, &cells);
		n = n > CHUNK ? CHUNK : n;
		full = last_full(cells, n, (uint8_t)r->capacity);
		if (full)
			start = t + full;
	}
	note_no_room(&r->no_room, from, start, duration);
	return start;
}

void reservations_add(struct reservations *r, uint64_t start, uint64_t duration)
{
	if (r->sparse && duration >= LONG && start >= *r->now)
		add_late(r, start, start + duration);
	else
		fill_cells(r, start, start + duration);
}

uint64_t reserve(struct reservations *r, uint64_t from, uint64_t duration)
{
	uint64_t start = reservations_find(r, from, duration);

	reservations_add(r, start, duration);
	return start;
}
