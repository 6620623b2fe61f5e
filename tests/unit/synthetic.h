/* SPDX-License-Identifier: MIT */
/* Machines that do not exist, and the curves that they would show: the inference's judges. */
#ifndef TESTS_UNIT_SYNTHETIC_H
#define TESTS_UNIT_SYNTHETIC_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "engine/infer/infer.h"
#include "lib/math.h"

enum synthetic_policy {
	POLICY_LRU,      /* every set holds its share exactly: a cliff */
	POLICY_RANDOM,   /* random replacement */
	POLICY_PLRU,     /* tree pseudo-LRU, simulated */
	POLICY_HASHED,   /* LRU, but lines fall into sets by chance (hashing, 4 KiB pages) */
	POLICY_ADAPTIVE, /* thrash-resistant: keeps what it has */
	POLICIES,
};

struct synthetic_level {
	double bytes, y; /* capacity, time of a hit */
	unsigned ways;
	enum synthetic_policy policy;
};

struct synthetic {
	unsigned levels;
	struct synthetic_level level[4];
	double memory;           /* time of a miss everywhere */
	double tlb_reach, tlb_y; /* bytes covered, time of a miss; reach 0: no TLB */
	double line;             /* bytes */
};

static inline double uniform(struct random *r)
{
	return (double)(random_next(r) >> 11) / 9007199254740992.0;
}

static inline double gauss(struct random *r)
{
	return sqrt(-2 * log(1 - uniform(r))) * cos(6.283185307179586 * uniform(r));
}

/* Puts a point in its place among n, in ascending order of x. */
static inline void insert_point(struct curve_point *p, unsigned *n, struct curve_point new)
{
	unsigned at = *n;

	while (at && p[at - 1].x > new.x)
		at--;
	memmove(&p[at + 1], &p[at], (*n - at) * sizeof *p);
	p[at] = new;
	++*n;
}

/* Share of misses of tree-PLRU with `ways` (a power of two) when k lines of a set take turns. */
static inline double plru_misses(unsigned ways, unsigned k)
{
	unsigned line[64] = { 0 }, tree[64] = { 0 }, misses = 0;
	const unsigned rounds = 40;

	for (unsigned t = 0; t < rounds * k; t++) {
		unsigned want = t % k + 1, way = ways, node = 1;

		for (unsigned w = 0; w < ways; w++)
			if (line[w] == want)
				way = w;
		if (way == ways) {
			misses += t >= rounds / 2 * k;
			while (node < ways)
				node = 2 * node + tree[node];
			way = node - ways;
			line[way] = want;
		}
		for (node = way + ways; node > 1; node /= 2)
			tree[node / 2] = !(node & 1);
	}
	return misses / ((rounds - rounds / 2) * (double)k);
}

/* r = bytes / capacity; the mixture of sets with k and k + 1 lines. */
static inline double by_sets(double r, unsigned ways, enum synthetic_policy policy)
{
	double per_set = r * ways, more = per_set - floor(per_set), sum = 0;
	unsigned k = (unsigned)per_set;

	for (unsigned i = 0; i < 2; i++, k++, more = 1 - more) {
		double share = (1 - more) * k;

		if (k > ways)
			sum += share *
				(policy == POLICY_LRU || k > 3 * ways ? 1 : plru_misses(ways, k));
	}
	return sum / per_set;
}

/* Share of a random cycle over r times the capacity that misses. */
static inline double misses(double r, unsigned ways, enum synthetic_policy policy)
{
	double m = 1, mean = r * ways, p = exp(-mean), held = 0;

	switch (policy) {
	case POLICY_RANDOM:
		for (unsigned i = 0; i < 2000 && r > 1; i++)
			m = 1 - exp(-r * m);
		return r > 1 ? m : 0;
	case POLICY_HASHED:
		if (mean > 500)
			return 1;
		for (unsigned k = 0; k <= ways; p *= mean / ++k)
			held += k * p;
		return 1 - held / mean;
	case POLICY_ADAPTIVE:
		return r > 1 ? 1 - 1 / r : 0;
	default:
		return r > 1 ? by_sets(r, ways, policy) : 0;
	}
}

/* Time per load of a random cycle through a buffer of nodes that are `line` bytes apart. */
static inline double synthetic_time(const struct synthetic *s, double bytes)
{
	double y = 0, reach = 1, tlb = s->tlb_reach ? 1 - s->tlb_reach / bytes : 0;

	for (unsigned i = 0; i < s->levels; i++) {
		const struct synthetic_level *l = &s->level[i];
		double m = fmin(reach, misses(bytes / l->bytes, l->ways, l->policy));

		y += (reach - m) * l->y;
		reach = m;
	}
	return y + reach * s->memory + fmax(0, tlb) * s->tlb_y;
}

/* The sweep as the engine makes it: `per_octave` sizes an octave, rounded to a line. */
static inline unsigned synthetic_curve(const struct synthetic *s, double from, double to,
	unsigned per_octave, double noise, struct random *r, struct curve_point *out)
{
	unsigned n = 0;

	for (unsigned i = 0;; i++) {
		double x = from * exp2((double)i / per_octave);

		x = floor(x / 64 + 0.5) * 64;
		if (x > to)
			return n;
		out[n++] = (struct curve_point){ x, synthetic_time(s, x) * (1 + noise * gauss(r)) };
	}
}

#endif
