/* SPDX-License-Identifier: MIT */
/* `window`: two misses ever farther apart. */
#include <math.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/judge/truth.h"
#include "tests/kam/judge/walk_cost.h"

#define GAP_SMALL     67   /* instructions between the misses: steps of the sweep change */
#define GAP_MOST      1027 /* that are tried */
#define CLEARLY_TRIED 0.8
#define SLOW          0.35 /* of a miss: the instructions of a window */
#define AT_THE_EDGE   0.03 /* of the window: a row may be on either side */

/*
 * Two loads that miss every cache: within the window one latency, beyond it two, plus the time of
 * the instructions between them.
 */
static struct wanted two_misses(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double between_them = param_of(row, "instructions"), window = (double)c->window;
	double rate = fmin((double)c->width, (double)c->alus), apart = between_them / window;
	double open = c->row_bytes ? (double)c->row_hit : 0;
	double least = (double)c->memory_latency - open;
	double walks = translation_cycles(c, param_of(row, "bytes"));
	double most =
		2 * more((double)c->memory_latency + walks, c->nested.tables ? HOST_WALKS : 0);

	if (!undisturbed(c) || c->predictor == PREDICTOR_NEVER || fabs(apart - 1) < AT_THE_EDGE)
		return anything();
	if (apart < 1)
		return between(less(least, TWO_MISSES_LESS),
			more(most / 2, TWO_MISSES_MORE) + between_them / rate);
	return between(less(2 * least, TWO_APART),
		more(most, TWO_APART_MORE) + 2 * (between_them - window) / rate);
}

/*
 * The second of two misses is late by the time of the instructions between them. Once these take as
 * long as a miss, it makes no difference whether it also waits for the first.
 */
static void expect_window(struct expected_list *l)
{
	const struct cpu *c = l->cpu;
	double pace = fmin((double)c->width, (double)c->alus), group = 8 / pace;
	double latency = (double)c->memory_latency, between;
	struct expected *d;

	if (c->predictor == PREDICTOR_NEVER) /* a group of 8 has a branch */
		group += 1 + (double)c->penalty;
	between = (double)c->window / 8 * group;
	d = expect_bisected(l, "window_instructions", (double)c->window, WINDOW, 1, WINDOW_TEXT);
	expect_maybe_none(d,
		between > SLOW * latency || c->window > CLEARLY_TRIED * GAP_MOST || c->window < 20,
		"near it, the instructions between two misses take as long as a miss");
}

static const struct row_rule rules[] = {
	ROWS("two-misses", CYCLES, two_misses),
};

static const struct sweep sweeps[] = {
	{ "two-misses", "instructions", .first = 3, .last = GAP_SMALL, .step = 8, .ratio = 1 },
	{ "two-misses", "instructions", .first = GAP_SMALL, .last = GAP_MOST, .step = 64,
		.ratio = 1 },
	{ 0 },
};

static const struct row_unit units[] = { { "", "ns/op" }, { 0 } };

const struct truth truth_window = {
	RULES(rules),
	.expect = expect_window,
	.sweeps = sweeps,
	.units = units,
};
