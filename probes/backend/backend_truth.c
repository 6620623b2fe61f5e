/* SPDX-License-Identifier: MIT */
/*
 * Rows and values of `backend`: two misses with instructions of a kind between them. They show how
 * many of these a machine holds, and which of its structures is full first.
 */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/truth.h"
#include "tests/kam/judge/walk_cost.h"

TOLERANCE(ENDS_NEAR, 4, "%", "of what the window holds: two edges, each known to 1 %")
TOLERANCE(ENDS_BESIDE, 4, "instructions", "likewise, and what both leads take")

#define SLOW         0.35 /* of a miss: as that of probes/window/window_truth.c */
#define AT_THE_EDGE  1.5  /* instructions: a row may be on either side */
#define FITS_FEWEST  20
#define FILLERS_MOST 704
#define WINDOW_MOST  (0.8 * FILLERS_MOST)

/* Structures with a limited number of entries. */
enum structure {
	WHOLE,
	INTEGER_REGISTERS,
	VECTOR_REGISTERS,
	LOADS,
	STORES,
	BRANCHES,
	WAIT_ADDS,
	WAIT_VECTORS,
	WAIT_LOADS,
	WAIT_STORES,
	STRUCTURES
};

/* The work of an instruction, which decides the ports that it takes. */
enum work { ADDING, OF_VECTORS, LOADING, STORING, BRANCHING, MIXED };

/*
 * For each kind, the entries that an instruction takes of each structure, on the average. `lead`
 * instructions stand before each miss; like the misses, all of them load and write a register.
 */
static const struct demand {
	const char *variant, *name; /* of rows; of the value, NULL: none */
	enum structure own;
	enum work work;
	double lead, lead_vectors, entries, each[STRUCTURES];
} demands[] = {
	{ "any", NULL, WHOLE, MIXED, 0, 0, 2,
		{ [INTEGER_REGISTERS] = 3. / 8,
			[VECTOR_REGISTERS] = 1. / 2,
			[BRANCHES] = 1. / 8 } },
	{ "integer", "integers_in_flight", INTEGER_REGISTERS, ADDING, 0, 0, 2,
		{ [INTEGER_REGISTERS] = 1 } },
	{ "vector", "vectors_in_flight", VECTOR_REGISTERS, OF_VECTORS, 0, 0, 0,
		{ [VECTOR_REGISTERS] = 1 } },
	{ "load", "loads_in_flight", LOADS, LOADING, 0, 0, 2,
		{ [LOADS] = 1, [INTEGER_REGISTERS] = 1. / 2, [VECTOR_REGISTERS] = 1. / 2 } },
	{ "store", "stores_in_flight", STORES, STORING, 0, 0, 0, { [STORES] = 1 } },
	{ "branch", "branches_in_flight", BRANCHES, BRANCHING, 0, 0, 0, { [BRANCHES] = 1 } },
	{ "add-waiting", "adds_waiting", WAIT_ADDS, ADDING, 1, 0, 0,
		{ [WAIT_ADDS] = 1, [INTEGER_REGISTERS] = 1 } },
	{ "vector-waiting", "vectors_waiting", WAIT_VECTORS, OF_VECTORS, 1, 1, 0,
		{ [WAIT_VECTORS] = 1, [VECTOR_REGISTERS] = 1 } },
	{ "load-waiting", "loads_waiting", WAIT_LOADS, LOADING, 2, 0, 1,
		{ [WAIT_LOADS] = 1,
			[LOADS] = 1,
			[INTEGER_REGISTERS] = 1. / 2,
			[VECTOR_REGISTERS] = 1. / 2 } },
	{ "store-waiting", "stores_waiting", WAIT_STORES, STORING, 2, 0, 0,
		{ [WAIT_STORES] = 1, [STORES] = 1 } },
};

/* Returns the entries of a structure; a machine that states 0 has as many as the window. */
static double entries_of(const struct cpu *c, enum structure s)
{
	const uint64_t entries[STRUCTURES] = { c->window, c->backend.integers, c->backend.vectors,
		c->backend.loads, c->store_buffer, c->backend.branches, c->backend.wait_adds,
		c->backend.wait_vectors, c->backend.wait_loads, c->backend.wait_stores };

	return entries[s] ? (double)entries[s] : INFINITY;
}

/* Returns the entries left for the instructions: both misses and their leads take some. */
static double left_of(const struct cpu *c, const struct demand *d, enum structure s)
{
	double leads = 2 * d->lead;

	switch (s) {
	case WHOLE: /* the first lead has its place before the first miss */
		return entries_of(c, s) - 2 - d->lead;
	case INTEGER_REGISTERS:
		return entries_of(c, s) - 2 - leads + 2 * d->lead_vectors;
	case VECTOR_REGISTERS:
		return entries_of(c, s) - 2 * d->lead_vectors;
	case LOADS:
		return entries_of(c, s) - 2 - leads;
	default:
		return entries_of(c, s) - (s == d->own ? d->entries : 0);
	}
}

/* Returns how many instructions fit all structures except `but`; STRUCTURES: except none. */
static double fits(const struct cpu *c, const struct demand *d, enum structure but)
{
	double most = INFINITY;

	for (unsigned s = 0; s < STRUCTURES; s++) {
		double each = s == WHOLE ? 1 : d->each[s];

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
		[ADDING] = 1 / units(c->limits.leas, c->alus),
		[OF_VECTORS] = 1 / units(c->limits.vectors, c->alus),
		[LOADING] = 1 / (double)c->loads,
		[STORING] = 1 / fmin((double)c->stores, (double)c->limits.commits),
		[BRANCHING] = 1 / units(c->limits.branches, c->alus),
		[MIXED] = 1 / (double)c->alus,
	};

	return fmax(each[work], 1 / (double)c->width);
}

#define KINDS (sizeof(demands) / sizeof(*demands))

/*
 * Returns true if the instructions that the window holds take so long that it makes little
 * difference whether the second miss also waits for the first one.
 */
static bool is_slow(const struct cpu *c, const struct demand *d)
{
	return fits(c, d, STRUCTURES) * cycles(c, d->work) > SLOW * (double)c->memory_latency;
}

/*
 * Instructions that fit: the time of one miss. Else: two misses, each after the instructions that
 * do not fit.
 */
static struct wanted misses(const struct judged *j, json_t *row, unsigned kind)
{
	const struct cpu *c = j->cpu;
	const struct demand *d = &demands[kind];
	double latency = (double)c->memory_latency, each = cycles(c, d->work);
	double fillers = param_of(row, "entries") - d->entries;
	double beyond = fillers - fits(c, d, STRUCTURES);
	double walk = translation_cycles(c, param_of(row, "bytes"));

	if (!undisturbed(c) || c->predictor == PREDICTOR_NEVER || c->row_bytes || is_slow(c, d) ||
		fabs(beyond) < AT_THE_EDGE)
		return anything();
	if (beyond < 0)
		return between(less(latency, TWO_MISSES_LESS),
			more(latency + walk, TWO_MISSES_MORE) + 2 * fillers * each);
	return between(less(2 * (latency + beyond * each), TWO_APART),
		more(2 * (latency + walk + beyond * each), TWO_APART_MORE));
}

static void rows(const struct judged *j)
{
	for (unsigned i = 0; i < KINDS; i++) {
		const struct row_rule rule = ROWS(demands[i].variant, CYCLES, misses, i);

		judge_rules(j, "backend", &rule, 1);
	}
}

/*
 * If another structure is full first, or nearly so, the value is only "as many as were seen, or
 * more".
 */
static void expect_backend(struct expected_list *l)
{
	const struct cpu *c = l->cpu;
	bool none = is_slow(c, &demands[0]) || c->predictor == PREDICTOR_NEVER ||
		(double)c->window > WINDOW_MOST || c->window < FITS_FEWEST;

	for (const struct demand *k = demands; k < demands + KINDS; k++) {
		double own = fits(c, k, STRUCTURES), others = fits(c, k, k->own);
		struct expected *d;

		if (!k->name)
			continue;
		d = expect_bisected(l, k->name, own + k->entries, WINDOW, 1, WINDOW_TEXT);
		d->least = less(d->value, WINDOW) - 1;
		expect_none(d, others <= own, "something else ends first");
		expect_maybe_none(d, others > own && others <= more(own, ENDS_NEAR) + ENDS_BESIDE,
			"something else ends near it");
		expect_maybe_none(d, none || is_slow(c, k) || own < FITS_FEWEST,
			"near it, the instructions between two misses take as long as a miss");
	}
}

static const struct sweep sweeps[] = {
	{ "any", "entries", .first = 2, .last = FILLERS_MOST + 2, .step = 32, .ratio = 1 },
	{ 0 },
};

const struct truth truth_backend = { .rows = rows, .expect = expect_backend, .sweeps = sweeps };
