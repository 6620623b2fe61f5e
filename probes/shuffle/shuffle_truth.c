/* SPDX-License-Identifier: MIT */
/* `shuffle`: what an element costs, and the steps at which a cache ends. */
#include <math.h>

#include "tests/kam/judge/bandwidth_bound.h"
#include "tests/kam/judge/truth.h"

TOLERANCE(SHUFFLE_MORE, 15, "%", "in L1 the generator's branch and its places")
TOLERANCE(SHUFFLE_CYCLES, 0.3, "cycles", "likewise")
TOLERANCE(SHUFFLE_FAR, 20, "%", "above a whole latency beside the work")
TOLERANCE(STEP, 1.5, "times",
	"shuffle, from one level to the next where the misses take three times the work")
TOLERANCE(STEP_SMALL, 1.2, "times", "likewise where they take half as long again")
TOLERANCE(STEP_NONE, 0.98, "times", "else: no less, but for a sample's noise")

#define PRESSED      1.5 /* times the work of an element that its misses take */
#define PRESSED_HARD 3

/* Two loads and two stores an element, each store to L1 in a cycle of its own; 11 instructions. */
static double shuffle_near(const struct cpu *c)
{
	return fmax(fmax(2, 2 / (double)c->loads),
		fmax(2 / (double)c->stores, front_end_cycles(c, 11)));
}

/* The level that so many bytes fit; cpu_levels(): memory. */
static unsigned level_that_holds(const struct cpu *c, double bytes)
{
	unsigned i = 0;

	while (i < cpu_levels(c) && bytes > (double)c->level[i].bytes)
		i++;
	return i;
}

/*
 * In L1 what an element's instructions take. Beyond, never longer than if its one load at random
 * waited for the level, and in memory not shorter than its share of the misses in parallel, of
 * which the generator, whose places come back near each other, saves a half at most.
 */
static struct wanted shuffle(const struct judged *j, json_t *row, unsigned small_pages)
{
	const struct cpu *c = j->cpu;
	double bytes = param_of(row, "bytes"), near = shuffle_near(c), far, low = near;
	unsigned level = level_that_holds(c, bytes);

	if (c->alus < 3 || c->predictor == PREDICTOR_NEVER || !undisturbed(c))
		return anything();
	if (!level)
		return between(less(near, OPERATION_LESS),
			more(near, SHUFFLE_MORE) + SHUFFLE_CYCLES);
	far = level_latency(c, level);
	if (far_beyond_caches(c, bytes) && !c->row_bytes)
		low = fmax(near, far / parallel_misses_bound(c, NULL) / 2);
	return between(less(low, OPERATION_LESS),
		more(near + far, SHUFFLE_FAR) +
			(small_pages ? small_page_cycles : translation_cycles)(c, bytes));
}

/* The cost of the row that shows a level best: the largest that fits it, and not the one above. */
static double shuffle_in(const struct judged *j, unsigned level)
{
	const struct cpu *c = j->cpu;
	double above = level ? (double)c->level[level - 1].bytes : 0, cycles = NAN, best = 0;
	double most = level < cpu_levels(c) ? (double)c->level[level].bytes : INFINITY;
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row) {
		double bytes = is_row(row, "shuffle", "fisher-yates") ? param_of(row, "bytes") : 0;

		if (bytes >= 2 * above && bytes <= most && bytes > best) {
			best = bytes;
			cycles = number_of(row, "cycles");
		}
	}
	return cycles;
}

/*
 * The steps: each level costs as much as the one above or more, and clearly more where its misses,
 * as many at once as there are buffers, take longer than the work.
 */
static void shuffle_steps(const struct judged *j)
{
	const struct cpu *c = j->cpu;
	unsigned i;

	if (c->predictor == PREDICTOR_NEVER || !undisturbed(c) || c->row_bytes || prefetches(c))
		return;
	for (i = 0; i < cpu_levels(c); i++) {
		double miss = level_latency(c, i + 1) / (double)c->level[0].buffers;
		double pressure = miss / shuffle_near(c);

		judge_slower(j, "shuffle:steps", shuffle_in(j, i + 1), shuffle_in(j, i),
			pressure > PRESSED_HARD      ? STEP
				: pressure > PRESSED ? STEP_SMALL
						     : STEP_NONE);
	}
}

static const struct row_rule rules[] = {
	ROWS_AS("shuffle", "fisher-yates", CYCLES, shuffle, false),
	ROWS_AS("shuffle 4K", "fisher-yates-4k", CYCLES, shuffle, true),
};

static const struct row_unit units[] = { { "", "ns/element" }, { 0 } };

const struct truth truth_shuffle = { RULES(rules), .rows = shuffle_steps, .units = units };
