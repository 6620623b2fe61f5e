/* SPDX-License-Identifier: MIT */
/*
 * Caches and memory from the padded latency curve: its plateaus are L1, L2, L3 in this order, and
 * the last one, if the curve no longer rises, is memory.
 */
#include "engine/find.h"
#include "lib/math.h"

static const char rests_on[] = "latency pointer-padded, the sweep over bytes";

int read_caches(const struct bench *b, struct curve *c, struct staircase *s)
{
	const struct pick pick = {
		.probe = "latency",
		.variant = "pointer-padded",
		.x = "bytes",
		.page_bytes = main_page(b, "latency", "pointer-padded"),
	};

	*s = (struct staircase){ .reason = NOT_MEASURED };
	if (!take_curve(b, &pick, c))
		return -1;
	return infer_staircase(c->point, c->n, &cache_rules, s) ? 0 : -1;
}

/* Caches on the curve: all its levels but the top one, which is memory unless it still rises. */
static unsigned cache_count(const struct staircase *s)
{
	return s->count && !s->rising ? s->count - 1 : s->count;
}

void summary_caches(struct bench *b)
{
	struct staircase s;
	struct curve *c = row_alloc(b, sizeof *c);
	uint64_t *bytes[] = { &b->caches.l1_bytes, &b->caches.l2_bytes, &b->caches.l3_bytes };
	double *ns[] = { &b->caches.l1_ns, &b->caches.l2_ns, &b->caches.l3_ns };

	b->caches = (struct caches){ 0 };
	if (!c || read_caches(b, c, &s) != 0)
		return;
	for (unsigned i = 0; i < cache_count(&s) && i < 3; i++) {
		*ns[i] = s.level[i].hidden ? 0 : s.level[i].y;
		if (!s.level[i].edge
				.reason) /* else the level is there, but who knows where it ends */
			*bytes[i] = (uint64_t)s.level[i].edge.value;
	}
	if (!s.rising && s.count > 1)
		b->caches.memory_ns = s.level[s.count - 1].y;
}

static double claimed_bytes(const struct findings *f, unsigned level)
{
	const struct cache_claim *claim = claimed_cache(f, level);

	return claim ? (double)claim->bytes : NOT_A_NUMBER;
}

/* The fewer the points of a plateau and the more they differ, the less its median says. */
static struct estimate latency(const struct curve *c, const struct stair *l, double value)
{
	double slope = c->point[l->last].y / c->point[l->first].y - 1;

	if (l->hidden)
		return not_resolved("a step without a plateau");
	if (!math_finite(value))
		return not_resolved("the core clock is not known");
	return plain_estimate(value,
		math_clamp(1 - 2 * math_abs(slope) - 0.3 / (l->last - l->first), 0.1, 0.95));
}

static void find_level(struct findings *f, unsigned i, const struct curve *c,
	const struct staircase *s)
{
	static const char *const names[][3] = {
		{ "l1d_bytes", "l1d_latency_ns", "l1d_latency_cycles" },
		{ "l2_bytes", "l2_latency_ns", "l2_latency_cycles" },
		{ "l3_bytes", "l3_latency_ns", "l3_latency_cycles" },
	};
	static const char *const no_level = "no such level on the curve";
	const struct stair *l = &s->level[i];
	struct estimate size, ns, cycles;

	size = ns = cycles = not_resolved(s->count ? no_level : s->reason);
	if (i < cache_count(s)) {
		size = l->edge;
		if (!i && !size.reason) /* no L1 hashes its sets: past the edge it is too small */
			size.high = l->next;
		ns = latency(c, l, l->y);
		cycles = latency(c, l, l->hidden ? 0 : upper_quartile_cycles(c, l->first, l->last));
	}
	found(f, names[i][0], "bytes", size, claimed_bytes(f, i + 1), rests_on);
	found(f, names[i][1], "ns", ns, NOT_A_NUMBER, rests_on);
	found(f, names[i][2], "cycles", cycles, NOT_A_NUMBER, rests_on);
}

static void find_memory(struct findings *f, const struct curve *c, const struct staircase *s)
{
	const struct stair *top = &s->level[s->count ? s->count - 1 : 0];
	struct estimate ns, cycles;

	ns = cycles = not_resolved(s->count ? "rises at the largest buffer" : s->reason);
	if (s->count > 1 && !s->rising) {
		ns = latency(c, top, top->y);
		cycles = latency(c, top, upper_quartile_cycles(c, top->first, top->last));
	}
	found(f, "memory_latency_ns", "ns", ns, NOT_A_NUMBER, rests_on);
	found(f, "memory_latency_cycles", "cycles", cycles, NOT_A_NUMBER, rests_on);
}

void find_caches(struct findings *f)
{
	struct staircase s = { 0 };
	struct curve *c = row_alloc(f->b, sizeof *c);

	if (!c)
		return;
	read_caches(f->b, c, &s);
	for (unsigned i = 0; i < 3; i++)
		find_level(f, i, c, &s);
	find_memory(f, c, &s);
}
