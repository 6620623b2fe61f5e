/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "lib/math.h"
#include "tests/kam/cpu/branch_predictor.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/judge/indirect_oracle.h"

#define ANY_SEED  12345
#define LEARNED   3    /* lists, before the one that counts */
#define LEAST     2048 /* elements of a list, */
#define MOST      16384
#define PERIODS   4
#define CALLER    0x8000 /* addresses: the call of the code, and its return */
#define JUMP      0x10010
#define SLOTS     0x10040
#define SLOT      16
#define SOFT_FROM 0.75 /* of an edge: where so much is lost before, it is none */
#define SOFT_PART 0.1
#define END       0x10000 /* the return at which a list ends */
#define CALLS     0x90000 /* where the code is entered */

struct walk {
	struct branch branch;
	const struct indirect_list *list;
	struct indirect_shares sum;
	struct random random;
	unsigned *slots; /* of a period */
};

static unsigned draw(struct walk *w, unsigned n)
{
	return (unsigned)random_below(&w->random, n);
}

/* As probes/indirect.c draws it. */
static void draw_period(struct walk *w)
{
	unsigned n = w->list->period, i;

	for (i = 0; i < n; i++)
		w->slots[i] = w->list->once ? i : draw(w, w->list->targets);
	for (i = n; w->list->once && i > 1; i--) {
		unsigned k = draw(w, i), swapped = w->slots[i - 1];

		w->slots[i - 1] = w->slots[k];
		w->slots[k] = swapped;
	}
}

static void step(struct walk *w, enum insn_kind kind, uint64_t address, unsigned bytes,
	uint64_t next)
{
	const struct insn i = { .kind = kind, .address = address, .bytes = (uint8_t)bytes };

	switch (branch_predict(&w->branch, &i, next)) {
	case PREDICTED_WRONG:
		*(kind == INSN_RETURN ? &w->sum.returns : &w->sum.wrong) += 1;
		break;
	case PREDICTED_LATE:
		w->sum.late += 1;
		break;
	case PREDICTED_SOON:
		w->sum.soon += 1;
		break;
	default:
		break;
	}
}

static uint64_t slot(unsigned i)
{
	return SLOTS + SLOT * (uint64_t)i;
}

/* All elements of a period, one after the other, or each called by the one before. */
static void pass(struct walk *w)
{
	unsigned n = w->list->period, i;

	for (i = 0; i < n; i++) {
		step(w, INSN_JUMP_INDIRECT, JUMP, 3, slot(w->slots[i]));
		step(w, w->list->nested ? INSN_CALL : INSN_JUMP, slot(w->slots[i]), 5, JUMP);
	}
}

static void go_back(struct walk *w, uint64_t last)
{
	unsigned i;

	step(w, INSN_JUMP_INDIRECT, JUMP, 3, END);
	for (i = w->list->nested ? w->list->period : 0; i--;)
		step(w, INSN_RETURN, i + 1 == w->list->period ? END : slot(w->slots[i + 1]) + 11, 1,
			slot(w->slots[i]) + 5);
	step(w, INSN_RETURN, w->list->nested ? slot(w->slots[0]) + 11 : END, 1, last);
}

static unsigned again(const struct indirect_list *l)
{
	unsigned least = (LEAST + l->period - 1) / l->period, most = MOST / l->period;

	if (l->nested)
		return LEAST / l->period;
	return least > PERIODS ? least : most < PERIODS ? most : PERIODS;
}

static void call(struct walk *w)
{
	unsigned n = again(w->list), i;

	step(w, INSN_CALL_INDIRECT, CALLER, 2, CALLS);
	for (i = 0; i < n; i++) {
		if (w->list->fresh)
			draw_period(w);
		if (!i || w->list->nested)
			step(w, INSN_CALL, CALLS + 5, 5, JUMP);
		pass(w);
		if (i + 1 == n || w->list->nested)
			go_back(w, CALLS + 10);
		if (w->list->nested)
			step(w, INSN_BRANCH, CALLS + 12, 2, i + 1 < n ? CALLS + 5 : CALLS + 14);
	}
	step(w, INSN_RETURN, CALLS + 14, 1, CALLER + 2);
	step(w, INSN_BRANCH, CALLER + 8, 2, CALLER + 10);
}

struct indirect_shares indirect_shares(const struct cpu *c, const struct indirect_list *list)
{
	struct walk w = { .list = list };
	double n = (double)list->period * again(list);
	unsigned i;

	w.slots = calloc(list->period, sizeof(*w.slots));
	if (!w.slots)
		fatal("no memory for %u elements", list->period);
	random_seed(&w.random, list->known ? list->seed : ANY_SEED);
	branch_init(&w.branch, c);
	draw_period(&w);
	for (i = 0; i <= LEARNED; i++) {
		w.sum = (struct indirect_shares){ 0 };
		call(&w);
	}
	branch_free(&w.branch);
	free(w.slots);
	return (struct indirect_shares){ w.sum.wrong / n, w.sum.returns / n, w.sum.late / n,
		w.sum.soon / n };
}

double indirect_elements(const struct indirect_list *l)
{
	return (double)l->period * again(l);
}

static double wrong(const struct cpu *c, bool once, unsigned targets, unsigned period)
{
	const struct indirect_list list = {
		.once = once, .targets = once ? period : targets, .period = period
	};

	return indirect_shares(c, &list).wrong / (once ? 1 : 1 - 1.0 / targets);
}

double indirect_edge(const struct cpu *c, bool once, unsigned targets, double part)
{
	unsigned low = once ? 1 : INDIRECT_FROM, high = INDIRECT_TO;

	if (wrong(c, once, targets, low) > part)
		return NAN;
	if (wrong(c, once, targets, high) < part)
		return INFINITY;
	while (high > low + 1 + low / 500) {
		unsigned middle = low + (high - low) / 2;

		*(wrong(c, once, targets, middle) < part ? &low : &high) = middle;
	}
	return low;
}

bool indirect_is_soft(const struct cpu *c, bool once, unsigned targets)
{
	double edge = indirect_edge(c, once, targets, 0.5);

	return edge < INDIRECT_TO &&
		wrong(c, once, targets, (unsigned)(SOFT_FROM * edge)) > SOFT_PART;
}

double indirect_miss(const struct cpu *c)
{
	return (double)(c->penalty + c->indirect.more + c->level[0].latency);
}

double return_miss(const struct cpu *c)
{
	return (double)(c->penalty + c->level[0].latency) - 1;
}

double indirect_returns(const struct cpu *c, bool fresh)
{
	struct indirect_list deep = {
		.nested = true, .fresh = fresh, .targets = INDIRECT_MANY, .period = RETURNS_DEEP
	};
	double less = RETURNS_DEEP * indirect_shares(c, &deep).returns;

	deep.period = RETURNS_MOST;
	return (RETURNS_MOST * indirect_shares(c, &deep).returns - less) /
		(RETURNS_MOST - RETURNS_DEEP);
}
