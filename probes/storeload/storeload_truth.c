/* SPDX-License-Identifier: MIT */
/* `storeload`: loads of what was just stored, and accesses across lines and pages. */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/truth.h"

TOLERANCE(STORE_LOAD, 1, "%", "a chain of 4096 steps, and the end of its loop")
TOLERANCE(MORE_THAN, 0.1, "cycles", "a difference of two such chains")
TOLERANCE(FORWARDED, 1, "%", "groups of a turn now and then wait for the store port")

#define WIDE       16.0   /* bytes */
#define STEPS      4096.0 /* of a call, between two stamps of which each may be a step off */
#define LINES_MOST 128    /* bytes: the row's line ends where one of these does */

/* Eight steps enter with a count and a jump, and one store a cycle goes to L1. */
static double pace(const struct cpu *c)
{
	return fmax(1, ceil((8 * 2 + 2) / (double)c->width) / 8);
}

static double whole(const struct cpu *c)
{
	return c->forwarding.whole ? (double)c->forwarding.whole / 10 : (double)c->forward;
}

/*
 * Returns the cycles of forwarding to a load of `load` bytes, `offset` bytes behind the first of
 * `store` bytes that are stored.
 */
static double forward_cycles(const struct cpu *c, double store, double load, double offset)
{
	double cycles = whole(c) + (offset > 0 ? (double)c->forwarding.part / 10 : 0);

	if (fmax(store, load) >= WIDE)
		cycles += (double)c->forwarding.wide / 10;
	return fmax(cycles, pace(c));
}

/* Returns the cycles of forwarding 8 bytes to a load with the store's register and displacement. */
static double forward_same_cycles(const struct cpu *c)
{
	return c->forwarding.renames ? fmax((double)c->forwarding.renamed / 10, pace(c))
				     : forward_cycles(c, 8, 8, 0);
}

/* Returns true if a load that needs more than its store holds takes longer than a forwarded one. */
static bool forward_fails(const struct cpu *c)
{
	return c->partial || c->forwarding.failed;
}

/* Returns the cycles of such a load; the stores that it needs go to L1 one after the other. */
static double forward_fail_cycles(const struct cpu *c, unsigned stores)
{
	return (double)c->partial + (double)c->forwarding.failed / 10 + (double)(stores - 1);
}

/*
 * Returns the cycles that a load across two pages of 2 MiB adds; a TLB of one entry has neither
 * page.
 */
static double load_page_more(const struct cpu *c)
{
	return (double)(c->split.load_page + (dtlb_2m_entries(c) < 2 ? 2 * c->stlb_latency : 0));
}

/* A chain of so many cycles; before and behind it a turn may be guessed wrongly. */
static struct wanted chain(const struct judged *j, double cycles)
{
	const struct cpu *c = j->cpu;
	double end = (2 * step_cycles(c) + (double)c->penalty + EXIT_CYCLES) / STEPS;

	if (c->predictor == PREDICTOR_NEVER || !undisturbed(c))
		return anything();
	return between(less(cycles, FORWARDED) - end, more(cycles, FORWARDED) + end);
}

static struct wanted forwarded(const struct judged *j, json_t *row, unsigned of)
{
	return chain(j,
		forward_cycles(j->cpu, param_of(row, "store_bytes"), param_of(row, "load_bytes"),
			param_of(row, "offset_bytes")));
}

static struct wanted same(const struct judged *j, json_t *row, unsigned of)
{
	return chain(j, forward_same_cycles(j->cpu));
}

static struct wanted failed(const struct judged *j, json_t *row, unsigned of)
{
	return forward_fails(j->cpu) ? chain(j, forward_fail_cycles(j->cpu, 1))
				     : forwarded(j, row, of);
}

/* The second of two stores is in L1 a cycle later. */
static struct wanted two_stores(const struct judged *j, json_t *row, unsigned of)
{
	return forward_fails(j->cpu) ? chain(j, forward_fail_cycles(j->cpu, 2)) : anything();
}

/* Returns the number that the machine states for this member; member 0: returns 0. */
static double stated(const struct judged *j, unsigned member)
{
	return member ? (double)cpu_number(j->cpu, member) : 0;
}

static struct wanted forward_split(const struct judged *j, json_t *row, unsigned member)
{
	return chain(j, forward_cycles(j->cpu, 8, 8, 0) + stated(j, member) / 10);
}

static struct wanted load(const struct judged *j, json_t *row, unsigned member)
{
	return chain(j, (double)j->cpu->level[0].latency + stated(j, member));
}

static struct wanted load_page(const struct judged *j, json_t *row, unsigned of)
{
	return chain(j, (double)j->cpu->level[0].latency + load_page_more(j->cpu));
}

/* One goes to L1 a cycle, or fewer. */
static struct wanted store(const struct judged *j, json_t *row, unsigned member)
{
	double front = ceil(10 / (double)j->cpu->width) / 8;

	return chain(j, fmax(front, 1 + stated(j, member)));
}

static const struct row_rule rules[] = {
	ROWS("forward", CYCLES, forwarded),
	ROWS("other-register", CYCLES, forwarded),
	ROWS("sizes", CYCLES, forwarded),
	ROWS("same-register", CYCLES, same),
	ROWS("larger", CYCLES, failed),
	ROWS("larger-vector", CYCLES, failed),
	ROWS("overlap", CYCLES, failed),
	ROWS("two-stores", CYCLES, two_stores),
	ROWS("forward-line", CYCLES, forward_split, CPU(forwarding.line)),
	ROWS("forward-page", CYCLES, forward_split, CPU(forwarding.page)),
	ROWS("alias", CYCLES, load, CPU(alias)),
	ROWS("apart", CYCLES, load),
	ROWS("load", CYCLES, load),
	ROWS("load-line", CYCLES, load, CPU(split.load_line)),
	ROWS("load-page", CYCLES, load_page),
	ROWS("store", CYCLES, store),
	ROWS("store-line", CYCLES, store, CPU(split.store_line)),
	ROWS("store-page", CYCLES, store, CPU(split.store_page)),
};

/*
 * Skip rows across lines on machines with longer lines: the lines of these rows do not end where a
 * line of the machine does.
 */
static void rows(const struct judged *j)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (j->cpu->line <= LINES_MOST || !strstr(rules[i].variant, "-line"))
			judge_rules(j, "storeload", &rules[i], 1);
}

/*
 * The values of aliases and splits are the cycles that they add; a cost of nothing cannot be told
 * from its base.
 */
static void expect_storeload(struct expected_list *l)
{
	const struct cpu *c = l->cpu;
	double page = load_page_more(c), line = (double)c->split.load_line;
	size_t first = l->n;
	struct expected *d;

	expect_percent(l, "store_forward_cycles", forward_cycles(c, 8, 8, 0), STORE_LOAD,
		STORE_LOAD_TEXT);
	expect_percent(l, "store_forward_same_cycles", forward_same_cycles(c), STORE_LOAD,
		STORE_LOAD_TEXT);
	d = expect_percent(l, "store_forward_fail_cycles", forward_fail_cycles(c, 1), STORE_LOAD,
		STORE_LOAD_TEXT);
	expect_none(d, !forward_fails(c), "a load of more than was stored takes no longer");
	d = expect_near(l, "alias_4k_cycles", (double)c->alias, MORE_THAN, MORE_THAN_TEXT);
	expect_none(d, !c->alias, "a load 4 KiB behind a store takes no longer");
	d = expect_near(l, "split_line_cycles", line, MORE_THAN, MORE_THAN_TEXT);
	expect_none(d, line <= 0 || c->line > LINES_MOST, "a load across lines takes no longer");
	d = expect_near(l, "split_page_cycles", page, MORE_THAN, MORE_THAN_TEXT);
	expect_none(d, page < 1, "a load across pages takes no longer");
	for (; first < l->n; first++)
		expect_maybe_none(&l->out[first], c->predictor == PREDICTOR_NEVER,
			"the front end waits for each turn of the loop");
}

const struct truth truth_storeload = { .rows = rows, .expect = expect_storeload };
