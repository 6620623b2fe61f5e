/* SPDX-License-Identifier: MIT */
/*
 * Finds the calls of a loop that a row may rest on, if each call leaves the caches in another state
 * than it found. The engine warms up until two calls in a row agree; the calls that it times then
 * may still be changing. A row may show any call from there until nothing changes any more.
 */
#ifndef TESTS_KAM_JUDGE_SETTLING_H
#define TESTS_KAM_JUDGE_SETTLING_H

#include <math.h>
#include <stdbool.h>

/* Rates, or times, of calls. */
struct settling {
	double before; /* of the last call */
	double low, high;
	unsigned calls;
	bool agreed; /* two in a row did: calls count since then */
};

#define SETTLED      0.02 /* relative: WARM_STEADY of engine/measure.c */
#define STILL        0.001
#define CALLS_FEWEST 3
#define CALLS_MOST   13 /* WARM_CALLS, and the first */

/* Takes a call; returns true if another one is to be made. */
static inline bool settling_goes_on(struct settling *s, double call)
{
	double apart = s->calls++ ? fabs(call / s->before - 1) : INFINITY;

	s->before = call;
	if (!s->agreed && (apart <= SETTLED || s->calls == CALLS_MOST)) {
		s->agreed = true;
		s->low = s->high = call;
	}
	if (s->agreed) {
		s->low = fmin(s->low, call);
		s->high = fmax(s->high, call);
	}
	return s->calls < CALLS_MOST && (s->calls < CALLS_FEWEST || apart > STILL);
}

#endif
