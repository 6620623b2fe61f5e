/* SPDX-License-Identifier: MIT */
/*
 * What the main curve of `latency` shows: its plateaus are L1, L2 ... in this order, then memory.
 * Its edges are bisected first.
 */
#include "probes/latency.h"

#include "engine/claims.h"
#include "engine/find.h"
#include "lib/math.h"
#include "lib/stats.h"

#define CAPACITY_RATIO 1.03 /* where its sets are hashed, a cache has no more exact capacity */

const char latency_curve[] = "pointer-padded";

static const char rests_on[] = "latency pointer-padded, the sweep over bytes";
static const char by_order[] =
	"latency pointer-padded, the sweep over bytes: by order; CPUID claims more levels";
static const char within_claim[] = "latency pointer-padded, the sweep over bytes: no size exceeds "
				   "what CPUID claims of a cache";

/*
 * In ns, or in core cycles. Rows at canonical sizes, which are measured once the levels are known,
 * have no part in it: the points around a gradual edge would be others than those of its bisection.
 */
static unsigned take_main_curve(const struct bench *b, bool cycles, struct curve *c)
{
	const struct pick pick = {
		.variant = latency_curve,
		.x = "bytes",
		.page_bytes = main_page(b, latency_curve),
		.no_level = true,
		.cycles = cycles,
	};

	return take_curve(b, &pick, c);
}

/*
 * The curve in ns and in cycles: where the clock moves, edges near the core are clear in cycles
 * only, those far from it in ns only.
 */
unsigned latency_next_sizes(struct bench *b, double next[LATENCY_SIZES])
{
	const struct resolution r = { .grain = b->node_bytes, .ratio = CAPACITY_RATIO };
	struct curve *c = row_alloc(b, sizeof *c);
	unsigned n = 0;

	for (unsigned cycles = 0; c && cycles < 2; cycles++)
		if (take_main_curve(b, cycles, c))
			n += infer_bisect_staircase(c->point, c->n, &cache_rules, &r, next + n,
				LATENCY_SIZES / 2);
	return n;
}

static unsigned cache_count(const struct staircase *s);

/*
 * Reads the curve in ns, and in core cycles where all of its points have them. L1 and L2 run with
 * the core: their edges are those in cycles. If both readings show different levels, the one with
 * less noise is taken whole.
 */
static void read_curve(struct bench *b, struct curve *c, struct staircase *s)
{
	struct curve *by_core = row_alloc(b, sizeof *by_core);
	struct staircase core;

	*s = (struct staircase){ .reason = NOT_MEASURED };
	if (!take_main_curve(b, false, c))
		return;
	infer_staircase(c->point, c->n, &cache_rules, s);
	if (!by_core || take_main_curve(b, true, by_core) != c->n)
		return;
	infer_staircase(by_core->point, by_core->n, &cache_rules, &core);
	if (core.count == s->count && core.rising == s->rising)
		for (unsigned i = 0; i < cache_count(s) && i <= LEVEL_L2; i++)
			s->level[i] = core.level[i];
	else if (core.count && (!s->count || core.noise < s->noise))
		*s = core;
}

/* Caches on the curve: all its levels but the top one, which is memory unless it still rises. */
static unsigned cache_count(const struct staircase *s)
{
	unsigned n = s->count && !s->rising ? s->count - 1 : s->count;

	return n < LEVEL_MEMORY ? n : LEVEL_MEMORY;
}

static double ns_of(const struct curve *c, const struct stair *l)
{
	double ns[INFER_POINTS];
	unsigned n = 0;

	for (unsigned i = l->first; i <= l->last; i++)
		ns[n++] = c->point[i].y;
	return stats_upper_quartile(ns, n);
}

static uint64_t claimed_largest(const struct bench *b)
{
	uint64_t bytes;

	claims_data_caches(b->room, &bytes);
	return bytes;
}

static unsigned claimed_caches(const struct bench *b)
{
	uint64_t bytes;

	return claims_data_caches(b->room, &bytes);
}

/*
 * Why the curve's last plateau may be a cache's: there was no time for the largest buffers that
 * were planned, and those measured are not twice the claimed caches, or CPUID claims fewer caches
 * than the curve shows. NULL: it is memory's.
 */
static const char *not_memory(const struct bench *b, const struct curve *c,
	const struct staircase *s)
{
	uint64_t planned[SIZES_MOST];
	double largest = c->n ? c->point[c->n - 1].x : 0;
	unsigned n = sweep(b, KIB, sweep_limit(b), b->node_bytes, planned);

	if (n && largest < (double)planned[n - 1] &&
		(largest < 2. * (double)claimed_largest(b) || claimed_caches(b) < cache_count(s)))
		return "the largest buffers were not measured";
	return NULL;
}

/* A level whose edge is not resolved is there, but its size is not known. */
void latency_find_levels(struct bench *b)
{
	struct staircase s;
	struct curve *c = row_alloc(b, sizeof *c);

	b->caches = (struct caches){ 0 };
	if (!c)
		return;
	read_curve(b, c, &s);
	b->caches.count = cache_count(&s);
	for (unsigned i = 0; i < cache_count(&s); i++)
		if (!s.level[i].edge.reason) {
			b->caches.bytes[i] = (uint64_t)s.level[i].edge.value;
			b->caches.surely[i] = (uint64_t)s.level[i].edge.low;
		}
	if (!s.rising && s.count > 1 && !not_memory(b, c, &s))
		b->caches.memory_ns = ns_of(c, &s.level[s.count - 1]);
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

/* A value of the main curve. */
static void found_on_curve(struct bench *b, const char *name, const char *unit, struct estimate e,
	double claimed, const char *rests)
{
	found(b, name, unit, e, claimed, rests);
	found_in_pages(b, main_page(b, latency_curve));
}

/*
 * Levels are named by their order on the curve. Where CPUID claims more of them than the curve
 * shows, one may be hidden, and the names of those beyond L1 are half as sure.
 */
static void find_level(struct bench *b, unsigned i, const struct curve *c,
	const struct staircase *s)
{
	static const char *const names[LEVEL_MEMORY][3] = {
		{ "l1d_bytes", "l1d_latency_ns", "l1d_latency_cycles" },
		{ "l2_bytes", "l2_latency_ns", "l2_latency_cycles" },
		{ "l3_bytes", "l3_latency_ns", "l3_latency_cycles" },
		{ "l4_bytes", "l4_latency_ns", "l4_latency_cycles" },
	};
	const struct stair *l = &s->level[i];
	unsigned claimed = claimed_caches(b), shown = cache_count(s);
	bool doubtful = i && s->count && !s->rising && shown < claimed;
	const char *rests = doubtful ? by_order : rests_on;
	struct estimate size, ns, cycles;
	struct cache_claim claim;

	size = ns = cycles = not_resolved(!s->count         ? s->reason
			: not_memory(b, c, s) && !s->rising ? not_memory(b, c, s)
			: i < claimed                       ? "hidden on the curve, or not there"
							    : "no such level on the curve");
	if (i < shown) {
		size = edge_of(b, c, l->edge);
		if (!i &&
			size.value == l->below) /* no L1 hashes its sets: beyond, it is too small */
			size.high = l->next;
		ns = plateau(c, l, ns_of(c, l));
		if (i <= LEVEL_L2) /* it runs with the core */
			ns = doubted(ns, other_clock_doubt(b, c->from[l->first]->core_hz));
		cycles = plateau(c, l, l->hidden ? 0 : upper_quartile_cycles(c, l->first, l->last));
	}
	found_on_curve(b, names[i][0], "bytes", doubted(size, doubtful / 2.),
		claims_data_cache(b->room, i + 1, &claim) ? (double)claim.bytes : NOT_A_NUMBER,
		rests);
	found_on_curve(b, names[i][1], "ns", doubted(ns, doubtful / 2.), NOT_A_NUMBER, rests);
	found_on_curve(b, names[i][2], "cycles", doubted(cycles, doubtful / 2.), NOT_A_NUMBER,
		rests);
}

static void find_memory(struct bench *b, const struct curve *c, const struct staircase *s)
{
	const struct stair *top = &s->level[s->count ? s->count - 1 : 0];
	bool within = c->n && c->point[c->n - 1].x <= (double)claimed_largest(b);
	const char *rests = within ? within_claim : rests_on;
	struct estimate ns, cycles;

	ns = cycles = not_resolved(s->count ? "rises at the largest buffer" : s->reason);
	if (s->count > 1 && !s->rising && not_memory(b, c, s)) {
		ns = cycles = not_resolved(not_memory(b, c, s));
	} else if (s->count > 1 && !s->rising) {
		ns = plateau(c, top, ns_of(c, top));
		cycles = plateau(c, top, upper_quartile_cycles(c, top->first, top->last));
	}
	found_on_curve(b, "memory_latency_ns", "ns", doubted(ns, within / 2.), NOT_A_NUMBER, rests);
	found_on_curve(b, "memory_latency_cycles", "cycles", doubted(cycles, within / 2.),
		NOT_A_NUMBER, rests);
}

#define CONFIDENCE_OF_TWO_ROWS 0.9

/*
 * Memory latency with 4 KiB pages over that with pages of 2 MiB, which all rooms can have; with
 * those of 1 GiB where there are no others.
 */
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
		else if (!large || r->page_bytes < large->page_bytes)
			large = r;
	}
	if (small && large)
		e = doubted(plain_estimate(row_value(b, small) / row_value(b, large),
				    CONFIDENCE_OF_TWO_ROWS),
			math_max(row_doubt(small), row_doubt(large)));
	else if (small || large)
		e = not_resolved("only one page size was measured");
	found(b, "page_size_effect", "ratio", e, NOT_A_NUMBER,
		"latency pointer-padded, level memory: 4 KiB pages over large ones");
	if (large)
		found_in_pages(b, large->page_bytes);
}

void latency_find(struct bench *b)
{
	struct staircase s;
	struct curve *c = row_alloc(b, sizeof *c);

	if (!c)
		return;
	read_curve(b, c, &s);
	for (unsigned i = 0; i < LEVEL_MEMORY; i++)
		if (i < LEVEL_L4 || i < cache_count(&s) || i < claimed_caches(b))
			find_level(b, i, c, &s);
	find_memory(b, c, &s);
	find_page_effect(b);
}
