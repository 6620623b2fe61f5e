/* SPDX-License-Identifier: MIT */
/* What rows say, to the summary and to the probes' own last lines. */
#ifndef ENGINE_FIND_H
#define ENGINE_FIND_H

#include "engine/bench.h"
#include "engine/claims.h"
#include "infer/infer.h"

#define FINDINGS     80
#define NOT_MEASURED "not measured in this run"

struct findings {
	struct bench *b;
	unsigned n;
	struct summary list[FINDINGS];
	struct cache_claim caches[16];
	struct tlb_claim tlbs[24];
	unsigned ncaches, ntlbs;
};

/* A curve taken from the rows, with the row behind each point. */
struct curve {
	unsigned n;
	struct point point[INFER_POINTS];
	const struct result *from[INFER_POINTS];
};

/* Summary names of read, write and copy at each level. */
extern const char *const rate_names[3][LEVELS];

bool same(const char *a, const char *b);
/* Whether a row is of a probe's variant. */
bool belongs(const struct result *, const char *probe, const char *variant);

/* Which rows make a curve. */
struct pick {
	const char *probe, *variant;
	const char *x;     /* the parameter that is the abscissa */
	size_t page_bytes; /* page size obtained; 0: any */
	const char *where; /* a parameter that must be `is`; NULL: none */
	double is;
	const char *place; /* canonical level; NULL: any row, placed or not */
	bool cycles;       /* y in core cycles, else in the row's unit */
};

/*
 * The rows picked, in ascending order of x, the first row where an x occurs twice. Returns the
 * number of points.
 */
unsigned take_curve(const struct bench *, const struct pick *, struct curve *);
/* The same, beside the points that are there. */
unsigned add_to_curve(const struct bench *, const struct pick *, struct curve *);

/* The claim for a cache level's data side; NULL: none. */
const struct cache_claim *claimed_cache(const struct findings *, unsigned level);

/* The page size with most rows of the variant, the larger on a tie; 0: no rows. */
size_t main_page(const struct bench *, const char *probe, const char *variant);

/* Upper median of the core cycles of the points first..last; NAN if any is unknown. */
double upper_quartile_cycles(const struct curve *, unsigned first, unsigned last);

/* Adds a value; an estimate that is not resolved takes its reason along. */
void found(struct findings *, const char *name, const char *unit, struct estimate, double claimed,
	const char *rests_on);
/* What was found under that name, or NULL. */
const struct summary *finding(const struct findings *, const char *name);

struct estimate not_resolved(const char *reason);
/* A value read off one row: no bracket. */
struct estimate plain_estimate(double value, double confidence);

/* The padded latency curve, read. Both outputs are always set; 0, or -1 without a usable curve. */
int read_caches(const struct bench *, struct curve *, struct staircase *);

/*
 * Single values, for the summary and for the probe's own "what this means" line; the curve is
 * working space, and afterwards what was read.
 */
struct estimate read_fetch_bytes(const struct bench *, struct curve *);
struct estimate read_line_bytes(const struct bench *, struct curve *);
struct estimate read_window(const struct bench *, struct curve *);
struct estimate read_period(const struct bench *, struct curve *);
struct estimate read_targets(const struct bench *, double spacing, struct curve *);
struct estimate read_all_targets(const struct bench *, struct curve *);
struct estimate read_returns(const struct bench *, struct curve *);

void find_caches(struct findings *);
void find_memory_system(struct findings *);
void find_lines(struct findings *);
void find_core(struct findings *);
void find_noise(struct findings *);

/* One screen of 80 columns and 24 lines: what the machine is. */
void print_card(const struct findings *);

#endif
