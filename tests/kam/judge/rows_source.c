/* SPDX-License-Identifier: MIT */
/*
 * Rows that repeat an experiment as its source has it: lists, the shuffle, integers in place,
 * factorials, words. Beside the cost of each, the shape for which its source is known.
 */
#include <math.h>
#include <stdio.h>

#include "tests/kam/judge/bandwidth_bound.h"
#include "tests/kam/judge/row_rules.h"

enum { TWO = 1, SHUFFLED = 2 }; /* of lists */

#define NODE       16 /* bytes */
#define FACTORIALS 999

#define PRESSED      1.5 /* times the work of an element that its misses take */
#define PRESSED_HARD 3

/* Cycles in which n instructions enter that end with a taken branch. */
static double group(const struct cpu *c, double n)
{
	return ceil(n / (double)c->width);
}

/* What the end of a loop of n turns may cost, a turn. */
static double exit_cost(const struct cpu *c, double n)
{
	return ((double)c->penalty + EXIT_CYCLES) / n;
}

static double cycles_of(const struct judged *j, const char *probe, const char *variant)
{
	json_t *row = row_with(j, probe, variant, NULL, 0, NULL);

	return row ? number_of(row, "cycles") : NAN;
}

/* A shape: what must take longer, by so much at least. */
static void slower(const struct judged *j, const char *name, double slow, double fast,
	double factor)
{
	char text[48];

	if (isnan(slow) || isnan(fast))
		return;
	snprintf(text, sizeof(text), "%.2f and more", factor);
	tally_value(j->tally, name, factor, slow / fast, text,
		slow >= factor * fast ? NULL : "the shape of the source is missing");
}

static bool far_beyond(const struct cpu *c, double bytes)
{
	return bytes >= 8 * (double)c->level[cpu_levels(c) - 1].bytes;
}

/*
 * In the order of allocation backwards: of the nodes of a line one misses, the others hit in L1.
 * In random order each misses, but for what the caches hold. Two lists share that time.
 */
static struct wanted list(const struct judged *j, json_t *row, unsigned how)
{
	const struct cpu *c = j->cpu;
	double bytes = param_of(row, "bytes"), each = (double)c->line / NODE;
	double far = memory_cycles(c), near = (double)c->level[0].latency;
	double walk = translation_cycles(c, bytes) + (double)c->walk, lists = how & TWO ? 2 : 1;
	bool shuffled = how & SHUFFLED;
	double low = shuffled ? less(far, LIST_HELD) : (far + (each - 1) * near) / each;

	if (!far_beyond(c, bytes) || c->row_bytes || !undisturbed(c))
		return anything();
	if (prefetches(c) || c->predictor == PREDICTOR_NEVER)
		return anything();
	return between(less(low / lists, LIST),
		more((shuffled ? far + walk : low + walk / each) / lists, LIST) + LIST_CYCLES);
}

/* Two loads and two stores an element, each store to L1 in a cycle of its own; 11 instructions. */
static double shuffle_near(const struct cpu *c)
{
	return fmax(fmax(2, 2 / (double)c->loads), fmax(2 / (double)c->stores, group(c, 11)));
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
static struct wanted shuffle(const struct judged *j, json_t *row, unsigned of)
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
	if (far_beyond(c, bytes) && !c->row_bytes)
		low = fmax(near, far / parallel_misses_bound(c, NULL) / 2);
	return between(less(low, OPERATION_LESS),
		more(near + far, SHUFFLE_FAR) + translation_cycles(c, bytes));
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

	if (c->row_bytes || prefetches(c))
		return;
	for (i = 0; i < cpu_levels(c); i++) {
		double miss = level_latency(c, i + 1) / (double)c->level[0].buffers;
		double pressure = miss / shuffle_near(c);

		slower(j, "shuffle:steps", shuffle_in(j, i + 1), shuffle_in(j, i),
			pressure > PRESSED_HARD      ? STEP
				: pressure > PRESSED ? STEP_SMALL
						     : STEP_NONE);
	}
}

/* Each sum waits for the one before to be stored and loaded, and is added; 99 of 100 do. */
static struct wanted prefix_sum(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double cycles = fmax((double)c->forward + 1, group(c, 6));

	if (c->predictor == PREDICTOR_NEVER)
		return anything();
	return between(less(cycles, PLACE_LESS), more(cycles, PLACE_MORE) + exit_cost(c, 100));
}

/* Eight instructions and a store. */
static struct wanted differences(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double cycles = fmax(group(c, 8), 1 / (double)c->stores);

	if (c->predictor == PREDICTOR_NEVER)
		return anything();
	return between(less(cycles, PLACE_LESS), more(cycles, STORES_MORE) + exit_cost(c, 100));
}

/* A product waits for the one before; the next factorial may begin before the last one ends. */
static struct wanted by_loop(const struct judged *j, json_t *row, unsigned of)
{
	double cycles = (double)j->cpu->multiply;

	if (j->cpu->predictor == PREDICTOR_NEVER)
		return anything();
	return between(less(cycles, PRODUCTS_LESS),
		more(cycles, PRODUCTS_MORE) + exit_cost(j->cpu, FACTORIALS / 2.));
}

/* A product waits for the one before to be stored and loaded, and a call for the one before. */
static struct wanted in_memory(const struct judged *j, json_t *row, unsigned of)
{
	double cycles = (double)(j->cpu->forward + j->cpu->multiply);

	if (j->cpu->predictor == PREDICTOR_NEVER)
		return anything();
	return between(less(cycles, OPERATION_LESS),
		more(cycles, PRODUCTS_MORE) + exit_cost(j->cpu, param_of(row, "n")));
}

/* Of all calls the part that is deeper than the return stack holds. */
static double beyond_the_stack(const struct cpu *c)
{
	double calls = FACTORIALS * (FACTORIALS + 1) / 2., held = (double)c->returns;
	double deeper = FACTORIALS - held;

	return deeper > 0 ? deeper * (deeper + 1) / 2 / calls : 0;
}

/* A return that is not predicted costs the penalty, and is known once its address is loaded. */
static struct wanted by_calls(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double missed = beyond_the_stack(c), penalty = (double)c->penalty;

	if (c->predictor == PREDICTOR_NEVER)
		return anything();
	return between(missed * penalty,
		missed * (penalty + CALLS_CYCLES + (double)c->level[0].latency) + group(c, 12) +
			(double)(c->forward + c->multiply));
}

void judge_source_rows(const struct judged *j)
{
	static const struct row_rule rules[] = {
		ROWS("latency", "list-one", CYCLES, list),
		ROWS("latency", "list-two", CYCLES, list, TWO),
		ROWS("latency", "list-shuffled-one", CYCLES, list, SHUFFLED),
		ROWS("latency", "list-shuffled-two", CYCLES, list, SHUFFLED | TWO),
		ROWS_AS("shuffle", "shuffle", "fisher-yates", CYCLES, shuffle),
		ROWS("ilp", "int-prefix-sum", CYCLES, prefix_sum),
		ROWS("ilp", "int-differences", CYCLES, differences),
		ROWS("ilp", "factorial-memory", CYCLES, in_memory),
		ROWS("ilp", "factorials-loop", CYCLES, by_loop),
		ROWS("ilp", "factorials-calls", CYCLES, by_calls),
	};
	const struct cpu *c = j->cpu;

	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
	if (c->predictor == PREDICTOR_NEVER || !undisturbed(c))
		return;
	shuffle_steps(j);
	slower(j, "ilp:memory-chain", cycles_of(j, "ilp", "int-prefix-sum"),
		cycles_of(j, "ilp", "int-differences"),
		((double)c->forward + 1) / (more(group(c, 8), STORES_MORE) + exit_cost(c, 100)));
	if (beyond_the_stack(c) * (double)c->penalty > (double)c->multiply)
		slower(j, "ilp:recursion", cycles_of(j, "ilp", "factorials-calls"),
			cycles_of(j, "ilp", "factorials-loop"), RECURSION);
	slower(j, "branch:word-free", cycles_of(j, "branch", "word-free-odd"),
		cycles_of(j, "branch", "word-odd-odd"), WORD_FREE);
	slower(j, "branch:word-free", cycles_of(j, "branch", "word-free-odd"),
		cycles_of(j, "branch", "word-odd-even"), WORD_EVEN);
	slower(j, "branch:word-odd", cycles_of(j, "branch", "word-odd-random"),
		cycles_of(j, "branch", "word-odd-odd"),
		c->predictor == PREDICTOR_PERFECT ? WORD_KNOWN : WORD_RANDOM);
}
