/* SPDX-License-Identifier: MIT */
/*
 * What the main curve of `latency` shows: its plateaus are L1, L2, L3 in this order, then memory.
 * Its edges are bisected first.
 */
#include "probes/latency.h"

#include "engine/claims.h"
#include "engine/find.h"
#include "lib/math.h"

#define CAPACITY_RATIO 1.03 /* where its sets are hashed, a cache has no more exact capacity */

const char latency_curve[] = "pointer-padded";

static const char rests_on[] = "latency pointer-padded, the sweep over bytes";

static unsigned take_main_curve(const struct bench *b, struct curve *c)
{
	const struct pick pick = {
		.variant = latency_curve,
		.x = "bytes",
		.page_bytes = main_page(b, latency_curve),
	};

	return take_curve(b, &pick, c);
}

unsigned latency_next_sizes(struct bench *b, double next[LATENCY_SIZES])
{
	const struct resolution r = { .grain = b->node_bytes, .ratio = CAPACITY_RATIO };
	struct curve *c = row_alloc(b, sizeof *c);

	if (!c || !take_main_curve(b, c))
		return 0;
	return infer_bisect_staircase(c->point, c->n, &cache_rules, &r, next, LATENCY_SIZES);
}

static void read_curve(const struct bench *b, struct curve *c, struct staircase *s)
{
	*s = (struct staircase){ .reason = NOT_MEASURED };
	if (take_main_curve(b, c))
		infer_staircase(c->point, c->n, &cache_rules, s);
}

/* Caches on the curve: all its levels but the top one, which is memory unless it still rises. */
static unsigned cache_count(const struct staircase *s)
{
	return s->count && !s->rising ? s->count - 1 : s->count;
}

/* A level whose edge is not resolved is there, but its size is not known. */
void latency_find_levels(struct bench *b)
{
	struct staircase s;
	struct curve *c = row_alloc(b, sizeof *c);
	uint64_t *bytes[] = { &b->caches.l1_bytes, &b->caches.l2_bytes, &b->caches.l3_bytes };
	double *ns[] = { &b->caches.l1_ns, &b->caches.l2_ns, &b->caches.l3_ns };

	b->caches = (struct caches){ 0 };
	if (!c)
		return;
	read_curve(b, c, &s);
	for (unsigned i = 0; i < cache_count(&s) && i < 3; i++) {
		*ns[i] = s.level[i].hidden ? 0 : s.level[i].y;
		if (!s.level[i].edge.reason)
			*bytes[i] = (uint64_t)s.level[i].edge.value;
	}
	if (!s.rising && s.count > 1)
		b->caches.memory_ns = s.level[s.count - 1].y;
}

/*
 * The value of a plateau. 0.3 divided by its steps and twice its slope are taken off the
 * confidence: few points, or points that differ, say less.
 */
static struct estimate plateau(const struct curve *c, const struct stair *l, double value)
{
	double slope = c->point[l->last].y / c->point[l->first].y - 1;

	if (l->hidden)
		return not_resolved("a step without a plateau");
	if (!math_finite(value))
		return not_resolved("the core clock is not known");
	return doubted(plain_estimate(value,
			       clamp_confidence(1 - 2 * math_abs(slope) -
				       0.3 / (l->last - l->first))),
		curve_doubt(c, l->first, l->last));
}

static void find_level(struct bench *b, unsigned i, const struct curve *c,
	const struct staircase *s)
{
	static const char *const names[][3] = {
		{ "l1d_bytes", "l1d_latency_ns", "l1d_latency_cycles" },
		{ "l2_bytes", "l2_latency_ns", "l2_latency_cycles" },
		{ "l3_bytes", "l3_latency_ns", "l3_latency_cycles" },
	};
	const struct stair *l = &s->level[i];
	struct estimate size, ns, cycles;
	struct cache_claim claim;

	size = ns = cycles = not_resolved(s->count ? "no such level on the curve" : s->reason);
	if (i < cache_count(s)) {
		size = l->edge;
		if (!i &&
			size.value ==
				l->below) /* no L1 hashes its sets: past the edge it is too small */
			size.high = l->next;
		ns = plateau(c, l, l->y);
		cycles = plateau(c, l, l->hidden ? 0 : upper_quartile_cycles(c, l->first, l->last));
	}
	found(b, names[i][0], "bytes", size,
		claims_data_cache(b->env, i + 1, &claim) ? (double)claim.bytes : NOT_A_NUMBER,
		rests_on);
	found(b, names[i][1], "ns", ns, NOT_A_NUMBER, rests_on);
	found(b, names[i][2], "cycles", cycles, NOT_A_NUMBER, rests_on);
}

static void find_memory(struct bench *b, const struct curve *c, const struct staircase *s)
{
	const struct stair *top = &s->level[s->count ? s->count - 1 : 0];
	struct estimate ns, cycles;

	ns = cycles = not_resolved(s->count ? "rises at the largest buffer" : s->reason);
	if (s->count > 1 && !s->rising) {
		ns = plateau(c, top, top->y);
		cycles = plateau(c, top, upper_quartile_cycles(c, top->first, top->last));
	}
	found(b, "memory_latency_ns", "ns", ns, NOT_A_NUMBER, rests_on);
	found(b, "memory_latency_cycles", "cycles", cycles, NOT_A_NUMBER, rests_on);
}

#define CONFIDENCE_OF_TWO_ROWS 0.9

/* Memory latency with 4 KiB pages over that with the largest there were. */
static void find_page_effect(struct bench *b)
{
	const struct result *small = NULL, *large = NULL;
	struct estimate e = not_resolved(NOT_MEASURED);

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (!is_variant(b, r, latency_curve) || !is_level(r, LEVEL_MEMORY))
			continue;
		if (r->page_bytes == PAGE_4K)
			small = r;
		else if (!large || r->page_bytes > large->page_bytes)
			large = r;
	}
	if (small && large)
		e = doubted(plain_estimate(row_value(b, small) / row_value(b, large),
				    CONFIDENCE_OF_TWO_ROWS),
			math_max(row_doubt(small), row_doubt(large)));
	else if (small || large)
		e = not_resolved("only one page size was measured");
	found(b, "page_size_effect", "ratio", e, NOT_A_NUMBER,
		"latency pointer-padded, level memory: 4 KiB pages over the largest");
}

void latency_find(struct bench *b)
{
	struct staircase s;
	struct curve *c = row_alloc(b, sizeof *c);

	if (!c)
		return;
	read_curve(b, c, &s);
	for (unsigned i = 0; i < 3; i++)
		find_level(b, i, c, &s);
	find_memory(b, c, &s);
	find_page_effect(b);
}
