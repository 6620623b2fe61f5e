/* SPDX-License-Identifier: MIT */
/* `ilp`: operations in chains and side by side; the integers and factorials of a source. */
#include <math.h>

#include "tests/kam/judge/truth.h"

TOLERANCE(CHAIN_MORE, 2, "%", "a loop's end now and then does not fit its groups")
TOLERANCE(CHAIN_CYCLES, 0.01, "cycles", "likewise, of many chains")
TOLERANCE(SUM_MORE, 3, "%", "as CHAIN_MORE, of a turn of eleven instructions")
TOLERANCE(STORES_MORE, 10, "%", "stores and loads of eight instructions do not fill each cycle")
TOLERANCE(PLACE_LESS, 2, "%", "a pass over 100 integers, of which the first does not wait")
TOLERANCE(PRODUCTS_LESS, 15, "%", "the next factorial may begin before the last one ends")
TOLERANCE(PRODUCTS_MORE, 2, "%", "as CHAIN_MORE")
TOLERANCE(CALLS_CYCLES, 10, "cycles", "until a return's address is loaded and compared")
TOLERANCE(RECURSION, 1.2, "times", "calls that the return stack loses, over a loop")

#define FACTORIALS 999

/* Returns the cycles that the end of a loop of n turns may cost, spread over its turns. */
static double exit_cost(const struct cpu *c, double n)
{
	return ((double)c->penalty + EXIT_CYCLES) / n;
}

/* 48 operations and the loop's two: chains, ports or the front end. */
static struct wanted chains(const struct judged *j, json_t *row, double latency, double ports)
{
	double lanes = param_of(row, "lanes"), front = front_end_cycles(j->cpu, 50) / 48;
	double cycles = fmax(latency / lanes, fmax(1 / ports, front));

	if (j->cpu->predictor == PREDICTOR_NEVER)
		return anything();
	return between(less(cycles, OPERATION_LESS), more(cycles, CHAIN_MORE) + CHAIN_CYCLES);
}

static struct wanted adds(const struct judged *j, json_t *row, unsigned of)
{
	return chains(j, row, 1, (double)j->cpu->alus);
}

static struct wanted multiplications(const struct judged *j, json_t *row, unsigned of)
{
	return chains(j, row, (double)j->cpu->multiply, (double)j->cpu->multipliers);
}

/* A sum that waits for the one before. */
static struct wanted prefix_sum(const struct judged *j, json_t *row, unsigned of)
{
	double cycles = fmax((double)j->cpu->fp_add, front_end_cycles(j->cpu, 11) / 4);

	return j->cpu->predictor == PREDICTOR_NEVER
		? anything()
		: between(less(cycles, OPERATION_LESS), more(cycles, SUM_MORE));
}

/* Four elements of five instructions and the loop's three; between two laps a little more. */
static struct wanted differences(const struct judged *j, json_t *row, unsigned of)
{
	double front = front_end_cycles(j->cpu, 23) / 4, stores = 1 / (double)j->cpu->stores;
	double cycles = fmax(front, stores), lap = ((double)j->cpu->penalty + EXIT_CYCLES) / 100;

	return j->cpu->predictor == PREDICTOR_NEVER
		? anything()
		: between(less(cycles, OPERATION_LESS), more(cycles, STORES_MORE) + lap);
}

/* Each product waits for the one before; the end of the loop may be mispredicted. */
static struct wanted factorial(const struct judged *j, json_t *row, unsigned of)
{
	double cycles = (double)j->cpu->multiply,
	       lap = ((double)j->cpu->penalty + EXIT_CYCLES) / 20;

	return j->cpu->predictor == PREDICTOR_NEVER
		? anything()
		: between(less(cycles, OPERATION_LESS), cycles + lap);
}

/* Each sum waits for the one before to be stored and loaded, and is added; 99 of 100 do. */
static struct wanted int_prefix_sum(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double cycles = fmax((double)c->forward + 1, front_end_cycles(c, 6));

	if (c->predictor == PREDICTOR_NEVER)
		return anything();
	return between(less(cycles, PLACE_LESS), more(cycles, PLACE_MORE) + exit_cost(c, 100));
}

/*
 * Returns the fewest cycles of a step of chains of n steps, each of six instructions and of so many
 * cycles, that wait for no other chain. A step enters when that which is a window before it has
 * left: the chain that begins there ends n steps later, and `ahead` chains were under way.
 */
static double overlapped(const struct cpu *c, double cycles, double n)
{
	double chains = (double)c->window / (6 * n), ahead = floor(chains) + 1;

	return fmax(cycles * (1 - chains / ahead), front_end_cycles(c, 6));
}

/* The same sums, but a pass need not wait for the one before. */
static struct wanted printed_prefix_sum(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double cycles = fmax((double)c->forward + 1, front_end_cycles(c, 6));

	if (c->predictor == PREDICTOR_NEVER)
		return anything();
	return between(less(overlapped(c, cycles, 99), PLACE_LESS),
		more(cycles, PLACE_MORE) + exit_cost(c, 100));
}

/* Eight instructions and a store. */
static struct wanted int_differences(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double cycles = fmax(front_end_cycles(c, 8), 1 / (double)c->stores);

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

/* A product waits for the one before to be stored and loaded; a factorial waits for no other. */
static struct wanted in_memory(const struct judged *j, json_t *row, unsigned of)
{
	double cycles = (double)(j->cpu->forward + j->cpu->multiply);

	if (j->cpu->predictor == PREDICTOR_NEVER)
		return anything();
	return between(less(overlapped(j->cpu, cycles, param_of(row, "n")), OPERATION_LESS),
		more(cycles, PRODUCTS_MORE) + exit_cost(j->cpu, param_of(row, "n")));
}

/* Returns the share of all calls that are nested deeper than the return stack holds. */
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
		missed * (penalty + CALLS_CYCLES + (double)c->level[0].latency) +
			front_end_cycles(c, 12) + (double)(c->forward + c->multiply));
}

/* The shapes that the source shows. */
static void shapes(const struct judged *j)
{
	const struct cpu *c = j->cpu;
	double differences = more(front_end_cycles(c, 8), STORES_MORE) + exit_cost(c, 100);

	if (c->predictor == PREDICTOR_NEVER || !undisturbed(c))
		return;
	judge_slower(j, "ilp:memory-chain", cycles_of(j, "ilp", "int-prefix-sum", NULL, 0),
		cycles_of(j, "ilp", "int-differences", NULL, 0),
		((double)c->forward + 1) / differences);
	if (beyond_the_stack(c) * (double)c->penalty > (double)c->multiply)
		judge_slower(j, "ilp:recursion", cycles_of(j, "ilp", "factorials-calls", NULL, 0),
			cycles_of(j, "ilp", "factorials-loop", NULL, 0), RECURSION);
}

static const struct row_rule rules[] = {
	ROWS("add", CYCLES, adds),
	ROWS("multiply", CYCLES, multiplications),
	ROWS("prefix-sum", CYCLES, prefix_sum),
	ROWS("differences", CYCLES, differences),
	ROWS("factorial-loop", CYCLES, factorial),
	ROWS("int-prefix-sum", CYCLES, int_prefix_sum),
	ROWS("printed-prefix-sum", CYCLES, printed_prefix_sum),
	ROWS("int-differences", CYCLES, int_differences),
	ROWS("factorial-memory", CYCLES, in_memory),
	ROWS("factorials-loop", CYCLES, by_loop),
	ROWS("factorials-calls", CYCLES, by_calls),
};

static const struct row_unit units[] = { { "add", "ns/op" }, { "multiply", "ns/op" }, { 0 } };

const struct truth truth_ilp = { RULES(rules), .rows = shapes, .units = units };
