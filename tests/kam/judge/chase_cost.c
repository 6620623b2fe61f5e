/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "tests/kam/judge/chase_cost.h"
#include "tests/kam/judge/row_rules.h"

/* A buffer of CLEAR times a level's size finds nothing there; one of 1 / WITHIN of it, all. */
#define CLEAR      1.5
#define CLEAR_PLRU 4 /* which keeps some lines of what is larger; and where others take a share */
#define WITHIN     1.1

/*
 * Returns the share of loads that miss a cache of 1/r of the lines. Each line has `each` elements,
 * all visited in one random order again and again. The cache has a line if since the line's last
 * visit fewer others came than it holds. In a part x of a round (1 - x)^each of the lines are not
 * visited; the last visit is longer ago than x with probability (1 - x)^(each - 1).
 */
static double missed(double r, double each)
{
	return r <= 1 ? 0 : pow(1 - 1 / r, (each - 1) / each);
}

double chase_cycles(const struct cpu *c, double bytes, double element)
{
	double left = 1, sum = 0;
	unsigned i;

	for (i = 0; i < cpu_levels(c); i++) {
		double together = (double)c->line * (i && c->adjacent ? 2 : 1);
		double each = fmax(1, together / element);
		double goes_on = fmin(left, missed(bytes / level_holds(c, i), each));

		sum += (left - goes_on) * level_latency(c, i);
		left = goes_on;
	}
	return sum + left * level_latency(c, i);
}

bool chase_followed(const struct cpu *c)
{
	return c->stream != STREAM_OFF || c->next_page || c->ip_stride;
}

bool chase_is_clear(const struct cpu *c, double bytes)
{
	unsigned i;

	for (i = 0; i < cpu_levels(c); i++) {
		double held = level_holds(c, i);
		bool sharp = c->level[i].policy == POLICY_LRU && !is_shared(c, i);
		double clear = sharp ? CLEAR : CLEAR_PLRU;
		double within = is_shared(c, i) ? CLEAR_PLRU : WITHIN;

		if (c->level[i].policy == POLICY_RANDOM || c->level[i].hash != HASH_NONE ||
			(bytes > held / within && bytes < held * clear))
			return false;
		if (bytes <= held)
			return true;
	}
	return !c->row_bytes && !chase_followed(c);
}
