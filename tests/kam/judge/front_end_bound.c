/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/front_end_bound.h"
#include "tests/kam/judge/tolerances.h"

#define GROUP      32   /* bytes in which a kind's instructions repeat: probes/frontend.c */
#define CODE_LINE  64   /* bytes */
#define JUMPS      4    /* the kind of both rows with jumps */
#define CALL_OPS   2048 /* groups of a call, at least */
#define MEASURED   1152 /* bytes of other code that runs between two calls, at most */
#define TURN_ENDS  3    /* cycles of a turn: its jump back is taken, and ends a group of entries */
#define AFTER_EXIT 40   /* cycles after a wrong guess at the end of a call, beside the penalty */

/* Of a group: instructions, their bytes, those with a prefix that changes their length. */
static const struct group {
	const char *variant;
	unsigned ops, hard, alus; /* alus: all but nops */
	unsigned bytes[8];
} groups[] = {
	[CODE_DENSE] = { "dense", 8, 1, 8, { 4, 4, 4, 4, 4, 4, 4, 4 } },
	[CODE_SIX] = { "six", 6, 1, 6, { 5, 5, 4, 6, 6, 6 } },
	[CODE_SHORT] = { "short", 8, 0, 8, { 4, 4, 4, 4, 4, 4, 4, 4 } },
	[CODE_LONG] = { "long", 4, 0, 1, { 8, 8, 8, 8 } },
	[JUMPS] = { "jump-inside", 5, 0, 2, { 8, 8, 8, 2, 6 } },
	{ "jump-end", 5, 0, 2, { 8, 8, 8, 6, 2 } },
};

static double group_cycles(const struct cpu *c, const struct group *g, enum code_from from)
{
	double fetch = (double)(from == FROM_L1I ? c->frontend.fetch : c->frontend.fetch_l2);
	double core = fmax(g->ops / (double)c->width, g->alus / (double)c->alus), cycles = 0;

	if (from == FROM_OPS || !c->frontend.l1i)
		return fmax(core, c->frontend.l1i ? g->ops / (double)c->frontend.per_cycle : 0);
	for (unsigned i = 0; i < g->ops; i++)
		cycles += fmax(1 / (double)c->frontend.decode, g->bytes[i] / fetch);
	return fmax(core, cycles + g->hard * (double)c->frontend.prefix);
}

double code_cycles(const struct cpu *c, enum code_kind kind, enum code_from from)
{
	return group_cycles(c, &groups[kind], from) / groups[kind].ops;
}

double code_ops(enum code_kind kind, double bytes)
{
	return bytes / GROUP * groups[kind].ops;
}

/* Lines of the op cache that a window of it takes. */
static double lines_of(const struct cpu *c, const struct group *g)
{
	double ops = (double)c->frontend.window / GROUP * g->ops;

	return ceil(ops / (double)c->frontend.line_ops);
}

static double op_sets(const struct cpu *c)
{
	return (double)(c->frontend.ops / c->frontend.line_ops / c->frontend.ways);
}

static double held(const struct cpu *c, const struct group *g)
{
	return op_sets(c) * floor((double)c->frontend.ways / lines_of(c, g)) *
		(double)c->frontend.window;
}

double code_held(const struct cpu *c, enum code_kind kind)
{
	return held(c, &groups[kind]);
}

/* Bytes from which on nothing is held: every set has a line too many. */
static double gone(const struct cpu *c, const struct group *g)
{
	return held(c, g) + (op_sets(c) + 1) * (double)c->frontend.window;
}

/* All that it may be: what fits, and what does not, where other code takes a part of it. */
static void bounds(const struct cpu *c, const struct group *g, double bytes, bool in_ops,
	struct code_bounds *b)
{
	double l1i = (double)c->frontend.l1i, way = l1i / (double)c->frontend.l1i_ways;
	bool fits = !l1i || bytes <= l1i, fits_surely = !l1i || bytes + MEASURED <= l1i;
	double near = group_cycles(c, g, fits ? FROM_L1I : FROM_L2);
	double far = group_cycles(c, g, fits_surely ? FROM_L1I : FROM_L2);
	double ops = group_cycles(c, g, FROM_OPS);

	if (!fits && bytes < l1i + way + CODE_LINE)
		near = group_cycles(c, g, FROM_L1I);
	if (!in_ops || !c->frontend.ops || !l1i) {
		*b = (struct code_bounds){ near, far };
		return;
	}
	b->low = bytes < gone(c, g) ? ops : near;
	b->high = bytes + MEASURED <= held(c, g) ? ops : far;
}

bool code_row(const struct cpu *c, const char *variant, double bytes, struct code_bounds *b)
{
	const struct group *g = groups, *end = groups + sizeof(groups) / sizeof(*groups);
	double turn = bytes / GROUP - 1, calls;

	while (g < end && strcmp(g->variant, variant))
		g++;
	if (g == end)
		return false;
	bounds(c, g, bytes, g != &groups[JUMPS + 1] || !c->frontend.erratum, b);
	calls = (double)c->penalty + AFTER_EXIT;
	b->low = less(b->low / g->ops, CODE_LESS);
	b->high = more(b->high / g->ops, CODE_MORE) + TURN_ENDS / turn / g->ops +
		calls / CALL_OPS / g->ops;
	return true;
}

double jump_end_ratio(const struct cpu *c)
{
	bool erratum = c->frontend.erratum && c->frontend.ops && c->frontend.l1i;
	double inside = group_cycles(c, &groups[JUMPS], c->frontend.ops ? FROM_OPS : FROM_L1I);
	double end = group_cycles(c, &groups[JUMPS + 1], FROM_L1I);

	return erratum ? end / inside : 1;
}
