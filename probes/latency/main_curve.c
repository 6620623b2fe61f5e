/* SPDX-License-Identifier: MIT */
/*
 * The main curve: its plateaus are L1, L2 ... in this order, then memory. Its edges are bisected
 * first. What page walks add to memory is told by flushed lines.
 */
#include "probes/latency/main_curve.h"

#include "engine/claims.h"
#include "lib/math.h"
#include "lib/stats.h"
#include "lib/text.h"
#include "probes/latency/flushed.h"
#include "probes/probe.h"

#define CAPACITY_RATIO 1.03 /* where its sets are hashed, a cache has no more exact capacity */

static const char rests_on[] = "latency pointer-padded, the sweep over bytes";
static const char by_order[] =
	"latency pointer-padded, the sweep over bytes: by order; CPUID claims more levels";
static const char within_claim[] = "latency pointer-padded, the sweep over bytes: no size exceeds "
				   "what CPUID claims of a cache";
static const char rests_on_flushed[] = "latency flushed, the median of its spans";
static const char rests_on_largest[] = "latency pointer-padded, the largest size";

/*
 * What the rows say of the levels. The times of flushed lines are those of memory, unless a cache
 * beside memory, which CLFLUSH does not empty, answers them.
 */
struct levels_seen {
	struct curve c; /* in ns, without page walks */
	struct staircase s;
	struct flushed_memory flushed;
	bool memory; /* the flushed lines are memory's */
};

#define MEMORY_ALIKE 0.8 /* of memory's latency: half a level's factor below it, 1 / sqrt(1.5) */

/*
 * Returns true if the flushed lines are those of memory: if no plateau of the curve is clearly
 * dearer, or if page walks take part in it, as far as is known. Otherwise the flushed lines are
 * found in a cache beside memory, which CLFLUSH does not empty, and the largest buffers are not. A
 * rise without a plateau is no level's.
 */
static bool is_memory(const struct curve *c, const struct flushed_memory *flushed)
{
	double memory = flushed_near(flushed, false);
	struct staircase s;

	if (!(memory > 0))
		return false;
	if (!infer_staircase(c->point, c->n, &cache_rules, &s) || s.rising)
		return true;
	return MEMORY_ALIKE * s.level[s.count - 1].y <= memory || !flushed->walked.n ||
		flushed_walks(flushed);
}

/*
 * In ns, or in core cycles. Rows at canonical sizes, which are measured once the levels are known,
 * have no part in it: the points around a gradual edge would be others than those of its bisection.
 * What costs more than flushed lines in memory is cut to their cost: the rest is page walks.
 */
static unsigned take_main_curve(const struct bench *b, const struct reader *reader, bool cycles,
	const struct levels_seen *seen, struct curve *c)
{
	const struct pick pick = {
		.variant = MAIN_CURVE,
		.x = "bytes",
		.page_bytes = main_page(b, MAIN_CURVE),
		.no_level = true,
		.cycles = cycles,
	};
	double memory = flushed_near(&seen->flushed, cycles);

	take_curve(reader, &pick, c);
	for (unsigned i = 0; i < c->n && seen->memory && memory > 0; i++)
		c->point[i].y = math_min(c->point[i].y, memory);
	return c->n;
}

/* Reads the flushed rows, and whether they are memory's. NULL: no scratch memory. */
static struct levels_seen *see_memory(struct bench *b, const struct reader *reader)
{
	struct levels_seen *seen = row_alloc(b, sizeof *seen);

	if (!seen)
		return NULL;
	*seen = (struct levels_seen){ .s = { .reason = NOT_MEASURED } };
	flushed_read(reader, &seen->flushed);
	take_main_curve(b, reader, false, seen, &seen->c);
	seen->memory = is_memory(&seen->c, &seen->flushed);
	return seen;
}

/*
 * The curve in ns and in cycles: where the clock moves, edges near the core are clear in cycles
 * only, those far from it in ns only.
 */
unsigned main_curve_next(struct bench *b, const struct reader *reader, double next[MAIN_CURVE_NEXT])
{
	const struct resolution r = { .grain = b->node_bytes, .ratio = CAPACITY_RATIO };
	struct levels_seen *seen = see_memory(b, reader);
	unsigned n = 0;

	for (unsigned cycles = 0; seen && cycles < 2; cycles++)
		if (take_main_curve(b, reader, cycles, seen, &seen->c))
			n += infer_bisect_staircase(seen->c.point, seen->c.n, &cache_rules, &r,
				next + n, MAIN_CURVE_NEXT / 2);
	return n;
}

/* Caches on the curve: all its levels but the top one, which is memory unless it still rises. */
static unsigned cache_count(const struct staircase *s)
{
	unsigned n = s->count && !s->rising ? s->count - 1 : s->count;

	return n < LEVEL_MEMORY ? n : LEVEL_MEMORY;
}

/* A top level that is clearly cheaper than memory is a cache that no buffer exceeded. */
static void judge_top(struct levels_seen *seen)
{
	struct staircase *s = &seen->s;
	const struct stair *top = &s->level[s->count ? s->count - 1 : 0];

	if (seen->memory && s->count && !s->rising &&
		seen->c.point[top->last].y < MEMORY_ALIKE * flushed_near(&seen->flushed, false))
		s->rising = true;
}

#define STEADY_LEAST 0.75 /* of the points: fewer are no curve */

static bool is_steady(const struct result *r)
{
	return r->disturbed <= r->samples / 2;
}

/*
 * Leaves out points most of whose samples were disturbed, if most points stay: where others empty
 * the last cache, such a row costs what memory does, among rows that cost what the cache does.
 */
static void leave_steady(struct curve *c)
{
	unsigned steady = 0, kept = 0;

	for (unsigned i = 0; i < c->n; i++)
		steady += is_steady(c->from[i]);
	if (steady < STEADY_LEAST * c->n)
		return;
	for (unsigned i = 0; i < c->n; i++)
		if (is_steady(c->from[i])) {
			c->point[kept] = c->point[i];
			c->outermost[kept] = c->outermost[i];
			c->from[kept++] = c->from[i];
		}
	c->n = kept;
}

/*
 * Reads the curve in ns, and in core cycles where all of its points have them. L1 and L2 run with
 * the core: their edges are those in cycles. If both readings show different levels, the one with
 * less noise is taken whole. NULL: no scratch memory.
 */
static struct levels_seen *see_levels(struct bench *b, const struct reader *reader)
{
	struct levels_seen *seen = see_memory(b, reader);
	struct curve *by_core = row_alloc(b, sizeof *by_core);
	struct staircase core;

	if (!seen || !take_main_curve(b, reader, false, seen, &seen->c))
		return seen;
	struct staircase *s = &seen->s;

	leave_steady(&seen->c);
	if (by_core && take_main_curve(b, reader, true, seen, by_core))
		leave_steady(by_core);
	infer_staircase(seen->c.point, seen->c.n, &cache_rules, s);
	if (by_core && by_core->n == seen->c.n) {
		infer_staircase(by_core->point, by_core->n, &cache_rules, &core);
		if (core.count == s->count && core.rising == s->rising)
			for (unsigned i = 0; i < cache_count(s) && i <= LEVEL_L2; i++)
				s->level[i] = core.level[i];
		else if (core.count && (!s->count || core.noise < s->noise))
			*s = core;
	}
	judge_top(seen);
	return seen;
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

#define DENSE_CACHES 4          /* times the last cache: behind it the curve has its plateau */
#define DENSE_LEAST  (64 * MIB) /* whatever CPUID claims */
#define FAR_DENSE    4          /* times that: one size more */

static double dense_to(double last_cache)
{
	return math_max(DENSE_CACHES * last_cache, DENSE_LEAST);
}

static unsigned sizes_by(const struct bench *b, double last_cache, uint64_t sizes[SIZES_MOST])
{
	unsigned n = sweep(b, KIB, sweep_limit(b), b->node_bytes, sizes), kept = 0, far;

	if (wants_all_points(b->opt))
		return n;
	while (kept < n && (double)sizes[kept] <= dense_to(last_cache))
		kept++;
	for (far = kept; far < n && (double)sizes[far] <= FAR_DENSE * dense_to(last_cache); far++)
		;
	if (far > kept)
		sizes[kept++] = sizes[far - 1];
	return kept;
}

unsigned main_curve_sizes(const struct bench *b, uint64_t out[SIZES_MOST])
{
	return sizes_by(b, (double)claimed_largest(b), out);
}

unsigned main_curve_beyond(struct bench *b, const struct reader *reader, uint64_t out[SIZES_MOST])
{
	const struct levels_seen *seen = see_levels(b, reader);
	unsigned caches = seen ? cache_count(&seen->s) : 0, kept = 0, n;
	double claimed = (double)claimed_largest(b);

	if (!caches || seen->s.level[caches - 1].edge.reason ||
		seen->s.level[caches - 1].edge.high <= claimed)
		return 0;
	n = sizes_by(b, seen->s.level[caches - 1].edge.high, out);
	for (unsigned i = 0; i < n; i++)
		if ((double)out[i] > dense_to(claimed))
			out[kept++] = out[i];
	return kept;
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
static const char *not_memory(const struct bench *b, const struct levels_seen *seen)
{
	const struct curve *c = &seen->c;
	const struct staircase *s = &seen->s;
	uint64_t planned[SIZES_MOST];
	double largest = c->n ? c->point[c->n - 1].x : 0;
	unsigned n = main_curve_sizes(b, planned);

	if (!seen->memory && n && largest < (double)planned[n - 1] &&
		(largest < 2. * (double)claimed_largest(b) || claimed_caches(b) < cache_count(s)))
		return "the largest buffers were not measured";
	return NULL;
}

void main_curve_find_first(struct bench *b)
{
	struct levels_seen *seen = see_levels(b, &b->found->reader);

	b->caches = (struct caches){ 0 };
	if (!seen)
		return;
	const struct staircase *s = &seen->s;

	b->caches.count = cache_count(s);
	for (unsigned i = 0; i < cache_count(s); i++)
		if (!s->level[i].edge.reason) {
			b->caches.bytes[i] = (uint64_t)s->level[i].edge.value;
			b->caches.surely[i] = (uint64_t)s->level[i].clean;
		}
	if (!s->rising && s->count > 1 && !not_memory(b, seen))
		b->caches.memory_ns = ns_of(&seen->c, &s->level[s->count - 1]);
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
	return time_on_curve(plain_estimate(value,
				     clamp_confidence(1 - 2 * math_abs(slope) -
					     0.3 / (l->last - l->first))),
		c, l->first, l->last);
}

/* A value of the main curve. */
static struct summary *found_on_curve(struct bench *b, struct found_values *f, enum value_id id,
	struct estimate e, const char *rests)
{
	struct summary *s = found(f, id, e, rests);

	s->page_bytes = main_page(b, MAIN_CURVE);
	return s;
}

#define SMALL_FRAMES_LOSS 0.4 /* of a size that chance decides, with the frames of small pages */

/*
 * Returns true if large pages are made of small frames from anywhere: walks take part where so few
 * pages are within the reach of any TLB. A cache that physical addresses index ends too early then,
 * in the sets that got more of the frames than others.
 */
static bool has_small_frames(const struct bench *b, const struct levels_seen *seen)
{
	return b->room->facts.frames_scattered && main_page(b, MAIN_CURVE) > PAGE_4K &&
		flushed_walks(&seen->flushed);
}

#define WALKS_OF_STEP 4 /* a step to the next level of so many walks and more is none of theirs */

/*
 * Where the TLB's reach ends before the level does, the curve rises twice: by a walk, and to the
 * next level. The first rise does not end the cache: the bracket goes on to the first point that no
 * walk explains, and the value is the last one that a walk does.
 */
static struct estimate beyond_walks(const struct levels_seen *seen, unsigned i,
	struct estimate size)
{
	const struct curve *c = &seen->c;
	const struct stair *l = &seen->s.level[i];
	double walk = flushed_walk_ns(&seen->flushed, l->edge.value), y = c->point[l->last].y;

	if (!flushed_walks(&seen->flushed) || l->hidden || i + 1 >= seen->s.count ||
		c->point[l[1].first].y - y < WALKS_OF_STEP * walk)
		return size;
	for (unsigned k = l->last + 1; k < c->n && c->point[k - 1].y <= y + walk; k++)
		if (c->point[k - 1].x > size.value) {
			size.value = c->point[k - 1].x;
			size.high = math_max(size.high, c->point[k].x);
		}
	return size;
}

#define UNCLAIMED_LEAST 0.5 /* confidence in the end of a cache that CPUID does not claim */

/*
 * Levels are named by their order on the curve. Where CPUID claims more of them than the curve
 * shows, one may be hidden, and the names of those beyond L1 are half as sure.
 */
static void find_level(struct bench *b, struct found_values *f, unsigned i,
	const struct levels_seen *seen)
{
	static const enum value_id values[LEVEL_MEMORY][3] = {
		{ VALUE_l1d_bytes, VALUE_l1d_latency_ns, VALUE_l1d_latency_cycles },
		{ VALUE_l2_bytes, VALUE_l2_latency_ns, VALUE_l2_latency_cycles },
		{ VALUE_l3_bytes, VALUE_l3_latency_ns, VALUE_l3_latency_cycles },
		{ VALUE_l4_bytes, VALUE_l4_latency_ns, VALUE_l4_latency_cycles },
	};
	const struct curve *c = &seen->c;
	const struct staircase *s = &seen->s;
	const struct stair *l = &s->level[i];
	unsigned claimed = claimed_caches(b), shown = cache_count(s);
	bool doubtful = i && s->count && !s->rising && shown < claimed;
	const char *rests = doubtful ? by_order : rests_on;
	struct estimate size, ns, cycles;
	struct cache_claim claim;

	size = ns = cycles = not_resolved(!s->count         ? s->reason
			: not_memory(b, seen) && !s->rising ? not_memory(b, seen)
			: i < claimed                       ? "hidden on the curve, or not there"
							    : "no such level on the curve");
	if (i < shown && i > LEVEL_L2 && i >= claimed && claimed && !seen->flushed.near.n) {
		size = ns = cycles = not_resolved("a cache, or page walks: no lines were flushed");
	} else if (i < shown) {
		size = less_sure(beyond_walks(seen, i, edge_of(&f->reader, c, l->edge)),
			i && has_small_frames(b, seen) ? SMALL_FRAMES_LOSS : 0);
		if (!i &&
			size.value == l->below) /* no L1 hashes its sets: beyond, it is too small */
			size.high = l->next;
		ns = plateau(c, l, ns_of(c, l));
		if (i <= LEVEL_L2) /* it runs with the core */
			ns = less_sure(ns, other_clock_loss(b, c->from[l->first]->core_hz));
		cycles = plateau(c, l, l->hidden ? 0 : upper_quartile_cycles(c, l->first, l->last));
		if (i > LEVEL_L2 && claimed && i >= claimed && math_finite(size.value) &&
			size.confidence < UNCLAIMED_LEAST)
			size = ns = cycles =
				not_resolved("too unsure for a cache that is not claimed");
	}
	found_on_curve(b, f, values[i][0], less_sure(size, doubtful / 2.), rests)->claimed =
		claims_data_cache(b->room, i + 1, &claim) ? (double)claim.bytes : NOT_A_NUMBER;
	found_on_curve(b, f, values[i][1], less_sure(ns, doubtful / 2.), rests);
	found_on_curve(b, f, values[i][2], less_sure(cycles, doubtful / 2.), rests);
}

/* Memory by the top plateau of the main curve. */
static void find_top(struct bench *b, struct found_values *f, const struct levels_seen *seen)
{
	const struct curve *c = &seen->c;
	const struct staircase *s = &seen->s;
	const struct stair *top = &s->level[s->count ? s->count - 1 : 0];
	bool within = c->n && c->point[c->n - 1].x <= (double)claimed_largest(b);
	const char *rests = within ? within_claim : rests_on;
	struct estimate ns, cycles;

	ns = cycles = not_resolved(s->count ? "rises at the largest buffer" : s->reason);
	if (s->count > 1 && !s->rising && not_memory(b, seen)) {
		ns = cycles = not_resolved(not_memory(b, seen));
	} else if (s->count > 1 && !s->rising) {
		ns = plateau(c, top, ns_of(c, top));
		cycles = plateau(c, top, upper_quartile_cycles(c, top->first, top->last));
	}
	found_on_curve(b, f, VALUE_memory_latency_ns, less_sure(ns, within / 2.), rests);
	found_on_curve(b, f, VALUE_memory_latency_cycles, less_sure(cycles, within / 2.), rests);
}

/* A value of memory, and the size that it holds for, after "to" or "at". */
static void found_far(struct bench *b, struct found_values *f, enum value_id id, struct estimate e,
	const char *rests, const char *word, double bytes)
{
	struct summary *s = found_on_curve(b, f, id, e, rests);
	char size[16];

	if (!(bytes > 0) || !math_finite(s->value))
		return;
	size_text(bytes, size);
	text_format(s->form, sizeof s->form, "%s %s", word, size);
}

/* The row of the main curve's variant over the largest buffer; NULL: none was measured. */
static const struct result *largest_row(const struct bench *b)
{
	const struct result *largest = NULL;

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (is_variant(b, r, MAIN_CURVE) && r->page_bytes == main_page(b, MAIN_CURVE) &&
			(!largest ||
				row_get(r->row, "bytes", 0) > row_get(largest->row, "bytes", 0)))
			largest = r;
	}
	return largest;
}

/* Memory at the largest size, with whatever page walks take part there. */
static void find_walked(struct bench *b, struct found_values *f)
{
	static const enum value_id values[] = { VALUE_memory_walk_latency_ns,
		VALUE_memory_walk_latency_cycles };
	const struct summary *near = find_value(f, VALUE_memory_latency_ns);
	const struct result *r = largest_row(b);

	for (unsigned cycles = 0; cycles < 2; cycles++) {
		struct estimate e = not_resolved(near->reason);

		if (r && row_value(r, f->reader.reading) <= MEMORY_ALIKE * near->value)
			e = not_resolved("no buffer exceeds the caches");
		else if (r && math_finite(near->value))
			e = plain_estimate((cycles ? row_cycles : row_value)(r, f->reader.reading),
				row_confidence(r));
		found_far(b, f, values[cycles], e, rests_on_largest, "at",
			r ? row_get(r->row, "bytes", 0) : 0);
	}
}

/*
 * Memory has two latencies: within the reach of the TLB, that of flushed lines, in which no cache
 * has a part; and where page walks take part.
 */
static void find_memory(struct bench *b, struct found_values *f, const struct levels_seen *seen)
{
	static const enum value_id values[] = { VALUE_memory_latency_ns,
		VALUE_memory_latency_cycles };

	if (!seen->memory)
		find_top(b, f, seen);
	for (unsigned cycles = 0; cycles < 2 && seen->memory; cycles++)
		found_far(b, f, values[cycles], flushed_near_estimate(&seen->flushed, cycles),
			rests_on_flushed, "to", flushed_reach(&seen->flushed));
	find_walked(b, f);
}

#define CONFIDENCE_OF_TWO_ROWS 0.9
#define PAGES_EQUAL            1.1 /* less, and small pages cost as large ones do */
#define PAGES_WALKED           1.2 /* times as long with walks: large pages are none */

/*
 * Memory latency with 4 KiB pages over that with pages of 2 MiB, which all rooms can have; with
 * those of 1 GiB where there are no others. If both cost the same although walks take part, large
 * pages are made of small ones, and the ratio is no property of pages.
 */
static void find_page_effect(struct bench *b, struct found_values *f,
	const struct flushed_memory *flushed)
{
	const struct result *small = NULL, *large = NULL;
	struct estimate e = not_resolved(NOT_MEASURED);

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (!is_variant(b, r, MAIN_CURVE) || !is_level(r, LEVEL_MEMORY))
			continue;
		if (r->page_bytes == PAGE_4K)
			small = r;
		else if (!large || r->page_bytes < large->page_bytes)
			large = r;
	}
	if (small && large)
		e = less_sure(plain_estimate(row_value(small, f->reader.reading) /
					      row_value(large, f->reader.reading),
				      CONFIDENCE_OF_TWO_ROWS),
			math_max(row_confidence_loss(small), row_confidence_loss(large)));
	else if (small || large)
		e = not_resolved("only one page size was measured");
	if (small && large && e.value < PAGES_EQUAL &&
		large->median > PAGES_WALKED * flushed_near(flushed, false))
		e = not_resolved("the host backs memory with 4 KiB pages");
	found(f, VALUE_page_size_effect, e,
		"latency pointer-padded, level memory: 4 KiB pages over large ones")
		->page_bytes = large ? large->page_bytes : 0;
}

void main_curve_find(struct bench *b, struct found_values *f)
{
	const struct levels_seen *seen = see_levels(b, &f->reader);

	if (!seen)
		return;
	for (unsigned i = 0; i < LEVEL_MEMORY; i++)
		if (i < LEVEL_L4 || i < cache_count(&seen->s) || i < claimed_caches(b))
			find_level(b, f, i, seen);
	find_memory(b, f, seen);
	find_page_effect(b, f, &seen->flushed);
}
