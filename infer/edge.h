/* SPDX-License-Identifier: MIT */
/* The edge of a level, read from all points between two plateaus; private to infer/. */
#ifndef INFER_EDGE_H
#define INFER_EDGE_H

#include "infer/points.h"

#define THIN_OCTAVES    0.24 /* points of which slopes are taken are so far apart at least */
#define SPLIT_OCTAVES   0.3  /* a longer gap is bisected where the cost rises by a level's factor */
#define STEEPNESS_EQUAL 0.75 /* a step so steep, as a part of the steepest, equals it */
#define SOFT_STEP       1.1  /* points that enclose a place of a soft edge are so close */
#define RISE_LOW        0.1  /* the parts of a rise whose places a soft edge is given by */
#define RISE_MIDDLE     0.5
#define RISE_HIGH       0.9
#define SOFT_RATIO      1.3 /* an edge is soft if its rise takes more than this factor of x */

/* A transition: points first..last, of which the first costs the level below. */
struct transition {
	unsigned first, last;
	unsigned plateau; /* first point of that level, */
	double level;     /* and its cost as the fit has it: a logarithm */
	bool whole;       /* it ends with a plateau, so that parts of its rise are known */
	double lost;      /* as in the rules: so many x that miss show; 0: parts of the rise */
};

/*
 * A part of the points first..last, both included, chosen so that neighbours are THIN_OCTAVES apart
 * at least: on it, steps may be compared though some gaps have been bisected. Returns how many were
 * written to out[INFER_POINTS].
 */
unsigned infer_thin(const struct fitted *, unsigned first, unsigned last, unsigned *out);

/* Rise of the fit from point a to point b, per octave. */
double infer_slope(const struct fitted *, unsigned a, unsigned b);

/* What else is known of an edge. */
struct edge_places {
	unsigned next; /* index of the first point that is clearly above the level */
	/* May be soft: x where the rise begins and 10, 50, 90 % of it are done; else 0. */
	double part[PLACES];
};

/*
 * Where the level ends: value, low, high and, where the points are close enough to tell them, the
 * 10, 50 and 90 % points as struct estimate says; no confidence.
 */
struct estimate infer_edge(const struct fitted *, const struct point *curve,
	const struct transition *, struct edge_places *);

/*
 * Of a table of entries: reads the edge from the ramp above point `at`, the last one on the level,
 * where that is a straight one which begins there or one point below; e is then known to the entry.
 * false: e stays as it is.
 */
bool infer_ramp(const struct fitted *, const struct point *curve, const struct transition *,
	unsigned at, struct estimate *e);

#endif
