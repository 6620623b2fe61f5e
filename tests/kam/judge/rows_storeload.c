/* SPDX-License-Identifier: MIT */
/* Rows of `storeload`: loads of what was just stored, and accesses across lines and pages. */
#include <math.h>

#include "tests/kam/judge/row_rules.h"
#include "tests/kam/judge/storeload_bound.h"

#define STEPS      4096.0 /* of a call, between two stamps of which each may be a step off */
#define LINES_MOST 128    /* bytes: the row's line ends where one of these does */

static bool has_lines(const struct cpu *c)
{
	return c->line <= LINES_MOST;
}

/* A chain of so many cycles; before and behind it a turn may be guessed wrongly. */
static struct wanted chain(const struct judged *j, double cycles)
{
	const struct cpu *c = j->cpu;
	double step = (double)c->tsc_step * (double)c->hz / (double)c->tsc_hz;
	double end = (2 * step + (double)c->penalty + EXIT_CYCLES) / STEPS;

	if (c->predictor == PREDICTOR_NEVER || !undisturbed(c))
		return anything();
	return between(less(cycles, FORWARDED) - end, more(cycles, FORWARDED) + end);
}

static struct wanted forwarded(const struct judged *j, json_t *row)
{
	return chain(j,
		forward_cycles(j->cpu, param_of(row, "store_bytes"), param_of(row, "load_bytes"),
			param_of(row, "offset_bytes")));
}

static struct wanted same(const struct judged *j, json_t *row)
{
	(void)row;
	return chain(j, forward_same_cycles(j->cpu));
}

static struct wanted failed(const struct judged *j, json_t *row)
{
	return forward_fails(j->cpu) ? chain(j, forward_fail_cycles(j->cpu, 1)) : forwarded(j, row);
}

/* The second of two stores is in L1 a cycle later. */
static struct wanted two_stores(const struct judged *j, json_t *row)
{
	(void)row;
	return forward_fails(j->cpu) ? chain(j, forward_fail_cycles(j->cpu, 2)) : anything();
}

static struct wanted forward_split(const struct judged *j, double tenths)
{
	return chain(j, forward_cycles(j->cpu, 8, 8, 0) + tenths / 10);
}

static struct wanted forward_line(const struct judged *j, json_t *row)
{
	(void)row;
	return has_lines(j->cpu) ? forward_split(j, (double)j->cpu->forwarding.line) : anything();
}

static struct wanted forward_page(const struct judged *j, json_t *row)
{
	(void)row;
	return forward_split(j, (double)j->cpu->forwarding.page);
}

static struct wanted loaded(const struct judged *j, double more)
{
	return chain(j, (double)j->cpu->level[0].latency + more);
}

static struct wanted alias(const struct judged *j, json_t *row)
{
	(void)row;
	return loaded(j, (double)j->cpu->alias);
}

static struct wanted load_in(const struct judged *j, json_t *row)
{
	(void)row;
	return loaded(j, 0);
}

static struct wanted load_line(const struct judged *j, json_t *row)
{
	(void)row;
	return has_lines(j->cpu) ? loaded(j, (double)j->cpu->split.load_line) : anything();
}

static struct wanted load_page(const struct judged *j, json_t *row)
{
	(void)row;
	return loaded(j, load_page_more(j->cpu));
}

/* One goes to L1 a cycle, or fewer. */
static struct wanted stored(const struct judged *j, uint64_t more)
{
	double front = ceil(10 / (double)j->cpu->width) / 8;

	return chain(j, fmax(front, (double)(1 + more)));
}

static struct wanted store_in(const struct judged *j, json_t *row)
{
	(void)row;
	return stored(j, 0);
}

static struct wanted store_line(const struct judged *j, json_t *row)
{
	(void)row;
	return has_lines(j->cpu) ? stored(j, j->cpu->split.store_line) : anything();
}

static struct wanted store_page(const struct judged *j, json_t *row)
{
	(void)row;
	return stored(j, j->cpu->split.store_page);
}

void judge_storeload_rows(const struct judged *j)
{
#define RULE(variant, wanted)                                                                      \
	{                                                                                          \
		"storeload:" variant, "storeload", variant, NULL, CYCLES, wanted                   \
	}
	static const struct row_rule rules[] = {
		RULE("forward", forwarded),
		RULE("other-register", forwarded),
		RULE("sizes", forwarded),
		RULE("same-register", same),
		RULE("larger", failed),
		RULE("larger-vector", failed),
		RULE("overlap", failed),
		RULE("two-stores", two_stores),
		RULE("forward-line", forward_line),
		RULE("forward-page", forward_page),
		RULE("alias", alias),
		RULE("apart", load_in),
		RULE("load", load_in),
		RULE("load-line", load_line),
		RULE("load-page", load_page),
		RULE("store", store_in),
		RULE("store-line", store_line),
		RULE("store-page", store_page),
	};
#undef RULE

	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
}
