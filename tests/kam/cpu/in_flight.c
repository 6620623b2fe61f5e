/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "tests/kam/cpu/cpu.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/cpu/in_flight.h"

#define INTEGERS (REG_VECTOR(0) - 1)
#define VECTORS  ((REG_VECTOR(16) - 1) & ~INTEGERS)

static uint64_t *entries(uint64_t n)
{
	uint64_t *p = n ? calloc(n, sizeof(*p)) : NULL;

	if (n && !p)
		fatal("no memory for %lu entries", n);
	return p;
}

void in_flight_init(struct in_flight *f, const struct cpu *c)
{
	const uint64_t held[HELD] = { c->backend.integers, c->backend.vectors, c->backend.loads,
		c->backend.branches };
	const uint64_t waiting[WAITING] = { c->backend.wait_adds, c->backend.wait_vectors,
		c->backend.wait_loads, c->backend.wait_stores };
	unsigned k;

	*f = (struct in_flight){ 0 };
	for (k = 0; k < HELD; k++) {
		f->held[k].entries = held[k];
		f->held[k].free = entries(held[k]);
		f->limited |= held[k] > 0;
	}
	for (k = 0; k < WAITING; k++) {
		f->waiting[k].entries = waiting[k];
		f->waiting[k].start = entries(waiting[k]);
		f->limited |= waiting[k] > 0;
	}
}

void in_flight_free(struct in_flight *f)
{
	unsigned k;

	for (k = 0; k < HELD; k++)
		free(f->held[k].free);
	for (k = 0; k < WAITING; k++)
		free(f->waiting[k].start);
}

static bool needs(const struct insn *i, enum held k)
{
	switch (k) {
	case HELD_INTEGERS:
		return i->results & INTEGERS;
	case HELD_VECTORS:
		return i->results & VECTORS;
	case HELD_LOADS:
		return i->load_bytes;
	default:
		return i->kind >= INSN_BRANCH && i->kind <= INSN_RETURN;
	}
}

static bool waits(const struct insn *i, enum waiting k)
{
	switch (k) {
	case WAITING_LOADS:
		return i->load_bytes;
	case WAITING_STORES:
		return i->store_bytes;
	default:
		return i->cost != COST_NONE && waiting_of(i->cost) == k;
	}
}

/* Takes the first one to start from the heap. */
static void leave(struct in_flight *f, enum waiting k)
{
	uint64_t *start = f->waiting[k].start, n = --f->waiting[k].used, last = start[n];
	uint64_t at = 0, below;

	while ((below = 2 * at + 1) < n) {
		below += below + 1 < n && start[below + 1] < start[below];
		if (last <= start[below])
			break;
		start[at] = start[below];
		at = below;
	}
	start[at] = last;
}

static uint64_t room_to_wait(struct in_flight *f, enum waiting k, uint64_t t)
{
	while (f->waiting[k].used && f->waiting[k].start[0] <= t)
		leave(f, k);
	if (f->waiting[k].used == f->waiting[k].entries) {
		t = f->waiting[k].start[0];
		leave(f, k);
	}
	return t;
}

uint64_t in_flight_enter(struct in_flight *f, const struct insn *i, uint64_t t)
{
	unsigned k;

	if (!f->limited)
		return t;
	for (k = 0; k < HELD; k++)
		if (f->held[k].entries && needs(i, k) && f->held[k].free[f->held[k].next] > t)
			t = f->held[k].free[f->held[k].next];
	for (k = 0; k < WAITING; k++)
		if (f->waiting[k].entries && waits(i, k))
			t = room_to_wait(f, k, t);
	return t;
}

void in_flight_wait(struct in_flight *f, enum waiting k, uint64_t start)
{
	uint64_t at, above;

	if (f->waiting[k].used == f->waiting[k].entries)
		return;
	for (at = f->waiting[k].used++; at > 0; at = above) {
		above = (at - 1) / 2;
		if (f->waiting[k].start[above] <= start)
			break;
		f->waiting[k].start[at] = f->waiting[k].start[above];
	}
	f->waiting[k].start[at] = start;
}

void in_flight_retire(struct in_flight *f, const struct insn *i, uint64_t t)
{
	unsigned k;

	for (k = 0; f->limited && k < HELD; k++)
		if (f->held[k].entries && needs(i, k)) {
			f->held[k].free[f->held[k].next] = t;
			f->held[k].next = (f->held[k].next + 1) % f->held[k].entries;
		}
}
