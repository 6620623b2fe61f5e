/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "tests/kam/judge/backend_bound.h"

#define SLOW 0.35 /* of a miss: as that of `window` in unresolvable.c */

/* What the window holds only so many of. */
enum structure {
	WINDOW,
	INTEGERS,
	VECTORS,
	LOADS,
	STORES,
	BRANCHES,
	WAIT_ADDS,
	WAIT_VECTORS,
	WAIT_LOADS,
	WAIT_STORES,
	STRUCTURES
};

/* What an instruction computes or accesses: which ports it takes. */
enum work { ADD, VECTOR, LOAD, STORE, BRANCH, MIXED };

/*
 * Of each kind what an instruction takes of each structure, on the average; and `lead` instructions
 * before each miss, which all load, as the misses do, and write a register.
 */
static const struct demand {
	const char *variant, *name;
	enum structure own;
	enum work work;
	double lead, lead_vectors, entries, each[STRUCTURES];
} demands[BACKEND_KINDS] = {
	{ "any", NULL, WINDOW, MIXED, 0, 0, 2,
		{ [INTEGERS] = 3. / 8, [VECTORS] = 1. / 2, [BRANCHES] = 1. / 8 } },
	{ "integer", "integers_in_flight", INTEGERS, ADD, 0, 0, 2, { [INTEGERS] = 1 } },
	{ "vector", "vectors_in_flight", VECTORS, VECTOR, 0, 0, 0, { [VECTORS] = 1 } },
	{ "load", "loads_in_flight", LOADS, LOAD, 0, 0, 2,
		{ [LOADS] = 1, [INTEGERS] = 1. / 2, [VECTORS] = 1. / 2 } },
	{ "store", "stores_in_flight", STORES, STORE, 0, 0, 0, { [STORES] = 1 } },
	{ "branch", "branches_in_flight", BRANCHES, BRANCH, 0, 0, 0, { [BRANCHES] = 1 } },
	{ "add-waiting", "adds_waiting", WAIT_ADDS, ADD, 1, 0, 0,
		{ [WAIT_ADDS] = 1, [INTEGERS] = 1 } },
	{ "vector-waiting", "vectors_waiting", WAIT_VECTORS, VECTOR, 1, 1, 0,
		{ [WAIT_VECTORS] = 1, [VECTORS] = 1 } },
	{ "load-waiting", "loads_waiting", WAIT_LOADS, LOAD, 2, 0, 1,
		{ [WAIT_LOADS] = 1, [LOADS] = 1, [INTEGERS] = 1. / 2, [VECTORS] = 1. / 2 } },
	{ "store-waiting", "stores_waiting", WAIT_STORES, STORE, 2, 0, 0,
		{ [WAIT_STORES] = 1, [STORES] = 1 } },
};

/* How many there are; 0: as many as the window. */
static double entries_of(const struct cpu *c, enum structure s)
{
	const uint64_t entries[STRUCTURES] = { c->window, c->backend.integers, c->backend.vectors,
		c->backend.loads, c->store_buffer, c->backend.branches, c->backend.wait_adds,
		c->backend.wait_vectors, c->backend.wait_loads, c->backend.wait_stores };

	return entries[s] ? (double)entries[s] : INFINITY;
}

/* What is left of them for the instructions: the misses and the leads of both take some. */
static double left_of(const struct cpu *c, const struct demand *d, enum structure s)
{
	double leads = 2 * d->lead;

	switch (s) {
	case WINDOW: /* the first lead has its place before the first miss */
		return entries_of(c, s) - 2 - d->lead;
	case INTEGERS:
		return entries_of(c, s) - 2 - leads + 2 * d->lead_vectors;
	case VECTORS:
		return entries_of(c, s) - 2 * d->lead_vectors;
	case LOADS:
		return entries_of(c, s) - 2 - leads;
	default:
		return entries_of(c, s) - (s == d->own ? d->entries : 0);
	}
}

/* Of all structures but one; STRUCTURES: of all. */
static double fits(const struct cpu *c, const struct demand *d, enum structure but)
{
	double most = INFINITY;

	for (unsigned s = 0; s < STRUCTURES; s++) {
		double each = s == WINDOW ? 1 : d->each[s];

		if (s != but && each > 0)
			most = fmin(most, floor(left_of(c, d, s) / each));
	}
	return most;
}

static double units(uint64_t some, uint64_t all)
{
	return (double)(some ? some : all);
}

static double cycles(const struct cpu *c, enum work work)
{
	const double each[] = {
		[ADD] = 1 / units(c->limits.leas, c->alus),
		[VECTOR] = 1 / units(c->limits.vectors, c->alus),
		[LOAD] = 1 / (double)c->loads,
		[STORE] = 1 / fmin((double)c->stores, (double)c->limits.commits),
		[BRANCH] = 1 / units(c->limits.branches, c->alus),
		[MIXED] = 1 / (double)c->alus,
	};

	return fmax(each[work], 1 / (double)c->width);
}

unsigned backend_kinds(const struct cpu *c, struct backend_kind out[BACKEND_KINDS])
{
	for (unsigned i = 0; i < BACKEND_KINDS; i++) {
		const struct demand *d = &demands[i];

		out[i] = (struct backend_kind){ d->variant, d->name, d->entries,
			fits(c, d, STRUCTURES), fits(c, d, d->own), cycles(c, d->work) };
	}
	return BACKEND_KINDS;
}

int backend_is_slow(const struct cpu *c, const struct backend_kind *k)
{
	return k->fits * k->cycles > SLOW * (double)c->memory_latency;
}
