/* SPDX-License-Identifier: MIT */
/*
 * Rows and values of `indirect`: the jumps, calls and returns of a list, and nothing else, are
 * given to the predictor; each misprediction has a cost.
 */
#include <math.h>
#include <stdlib.h>

#include "lib/math.h"
#include "tests/kam/cpu/branch_predictor.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/judge/truth.h"

TOLERANCE(INDIRECT_EDGE, 5, "%", "jumps that begin and end a list are remembered, too")
TOLERANCE(INDIRECT_SOFT, 35, "%", "a past too short: what a sequence loses depends on its elements")
TOLERANCE(INDIRECT_MISS, 1.5, "cycles", "a difference of two lists; groups that a jump ends")
TOLERANCE(INDIRECT, 3, "%", "groups that a jump ends do not fill each cycle")
TOLERANCE(INDIRECT_ENDS, 60, "cycles", "the end of a list, of a descent: mispredicted, and a loop")

/* The same numbers as in probes/indirect/indirect.c. */
#define FEW          2 /* targets of a sequence */
#define MANY         64
#define FRESH        2048 /* elements of a list that is new each time */
#define FROM         16   /* elements of one */
#define TO           8192 /* and targets in a fixed order */
#define RETURNS_DEEP 96   /* nested calls that a return stack does not hold */
#define RETURNS_MOST 192

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
#define HALF      (1 / 2.0)

#define LINE_ELEMENTS 8.0  /* of a list, in a line of 64 bytes */
#define NEAR          0.03 /* of the table */
#define LOOP_TARGETS  8    /* of the jumps around those of the list */

struct truth_list {
	bool once;   /* each target once, else drawn at random */
	bool nested; /* as many calls as a period has elements are nested */
	bool fresh;  /* never the same again */
	bool known;  /* it is the list of a row, drawn by this seed; else another one */
	unsigned targets, period;
	uint64_t seed;
};

/* Shares for each element of a list, after many passes over it. */
struct shares {
	double wrong;   /* jumps whose target was not predicted, */
	double returns; /* and returns */
	double late;    /* branches whose target was known at decode only, */
	double soon;    /* or to the second level */
};

struct guessed_walk {
	struct branch branch;
	const struct truth_list *list;
	struct shares sum;
	struct random random;
	unsigned *slots; /* of a period */
};

static unsigned draw(struct guessed_walk *w, unsigned n)
{
	return (unsigned)random_below(&w->random, n);
}

/* Draw a period as probes/indirect/indirect.c does. */
static void draw_period(struct guessed_walk *w)
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

static void step(struct guessed_walk *w, enum insn_kind kind, uint64_t address, unsigned bytes,
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
static void pass(struct guessed_walk *w)
{
	unsigned n = w->list->period, i;

	for (i = 0; i < n; i++) {
		step(w, INSN_JUMP_INDIRECT, JUMP, 3, slot(w->slots[i]));
		step(w, w->list->nested ? INSN_CALL : INSN_JUMP, slot(w->slots[i]), 5, JUMP);
	}
}

static void go_back(struct guessed_walk *w, uint64_t last)
{
	unsigned i;

	step(w, INSN_JUMP_INDIRECT, JUMP, 3, END);
	for (i = w->list->nested ? w->list->period : 0; i--;)
		step(w, INSN_RETURN, i + 1 == w->list->period ? END : slot(w->slots[i + 1]) + 11, 1,
			slot(w->slots[i]) + 5);
	step(w, INSN_RETURN, w->list->nested ? slot(w->slots[0]) + 11 : END, 1, last);
}

static unsigned again(const struct truth_list *l)
{
	unsigned least = (LEAST + l->period - 1) / l->period, most = MOST / l->period;

	if (l->nested)
		return LEAST / l->period;
	return least > PERIODS ? least : most < PERIODS ? most : PERIODS;
}

static void call(struct guessed_walk *w)
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

static struct shares shares_of(const struct cpu *c, const struct truth_list *list)
{
	struct guessed_walk w = { .list = list };
	double n = (double)list->period * again(list);
	unsigned i;

	w.slots = calloc(list->period, sizeof(*w.slots));
	if (!w.slots)
		fatal("no memory for %u elements", list->period);
	random_seed(&w.random, list->known ? list->seed : ANY_SEED);
	branch_init(&w.branch, c);
	draw_period(&w);
	for (i = 0; i <= LEARNED; i++) {
		w.sum = (struct shares){ 0 };
		call(&w);
	}
	branch_free(&w.branch);
	free(w.slots);
	return (struct shares){ w.sum.wrong / n, w.sum.returns / n, w.sum.late / n,
		w.sum.soon / n };
}

static double elements_of(const struct truth_list *l)
{
	return (double)l->period * again(l);
}

static double wrong(const struct cpu *c, bool once, unsigned targets, unsigned period)
{
	const struct truth_list list = {
		.once = once, .targets = once ? period : targets, .period = period
	};

	return shares_of(c, &list).wrong / (once ? 1 : 1 - 1 / (double)targets);
}

/*
 * The last period (of `once`: number of targets) of which less is lost than this part of what is
 * lost in the end. NAN: at the shortest it is more; INFINITY: at the longest less.
 */
static double edge_of(const struct cpu *c, bool once, unsigned targets, double part)
{
	unsigned low = once ? 1 : FROM, high = TO;

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

/*
 * Returns true if the past does not tell all elements of a sequence apart, so that prediction is
 * lost gradually.
 */
static bool is_soft(const struct cpu *c, bool once, unsigned targets)
{
	double edge = edge_of(c, once, targets, HALF);

	return edge < TO && wrong(c, once, targets, (unsigned)(SOFT_FROM * edge)) > SOFT_PART;
}

/* Core cycles that a misprediction costs: each waits for the load of where it goes. */
static double jump_miss(const struct cpu *c)
{
	return (double)(c->penalty + c->indirect.more + c->level[0].latency);
}

static double return_miss(const struct cpu *c)
{
	return (double)(c->penalty + c->level[0].latency) - 1;
}

/* Returns the share of nested calls beyond the return stack whose return is not predicted. */
static double lost_returns(const struct cpu *c, bool fresh)
{
	struct truth_list deep = {
		.nested = true, .fresh = fresh, .targets = MANY, .period = RETURNS_DEEP
	};
	double less = RETURNS_DEEP * shares_of(c, &deep).returns;

	deep.period = RETURNS_MOST;
	return (RETURNS_MOST * shares_of(c, &deep).returns - less) / (RETURNS_MOST - RETURNS_DEEP);
}

/* Returns true if a list is so near the end of the table that its row may be on either side. */
static bool near_edge(const struct cpu *c, const struct truth_list *l)
{
	double beside = (double)c->indirect.history + NEAR * (double)c->indirect.entries;

	return fabs((double)l->period - (double)c->indirect.entries) < beside;
}

/*
 * Returns the mean cycles that a load of the list adds to one from L1, if the list does not fit L1.
 */
static double far_load(const struct cpu *c, const struct truth_list *l)
{
	unsigned level = 0;

	while (level < cpu_levels(c) && 16 * elements_of(l) > (double)c->level[level].bytes)
		level++;
	return (level_latency(c, level) - level_latency(c, 0)) / LINE_ELEMENTS;
}

/* Each taken branch ends a group; what is mispredicted waits for the load of where it goes. */
static struct wanted costs(const struct judged *j, const struct truth_list *l)
{
	const struct cpu *c = j->cpu;
	struct shares s = shares_of(c, l);
	double found = (l->nested ? 3 : 2) * (double)c->limits.taken +
		s.late * (double)c->target_miss + s.soon * (double)c->target_2;
	double ends = (l->nested ? INDIRECT_ENDS / l->period : 0) + INDIRECT_ENDS / elements_of(l);
	double cycles = found + s.wrong * jump_miss(c) + s.returns * return_miss(c);

	if (!undisturbed(c) || c->line != 64 || near_edge(c, l))
		return anything();
	if (l->targets + LOOP_TARGETS > c->targets)
		return anything();
	ends += s.wrong > 0 ? far_load(c, l) : 0;
	return between(less(cycles, INDIRECT), more(cycles, INDIRECT) + ends);
}

enum { ONCE = 1, NESTED = 2, NEW = 4 }; /* struct truth_list */

/* Returns the seed of a row's list, which the run's seed and the row's parameters decide. */
static uint64_t seed_of(const struct judged *j, json_t *row, const struct truth_list *l)
{
	double again = param_of(row, "again");
	uint64_t times = isnan(again) ? 0 : (uint64_t)again, kind = l->once ? 0 : 1;

	return (uint64_t)number_of(j->run->run, "seed") ^
		(times << 56 | kind << 48 | (uint64_t)l->targets << 24 | l->period);
}

static struct wanted row_of(const struct judged *j, json_t *row, unsigned how)
{
	unsigned targets = (unsigned)param_of(row, "targets");
	const char *period = how & NESTED ? "depth" : "elements";
	struct truth_list l = { .once = how & ONCE,
		.nested = how & NESTED,
		.fresh = how & NEW,
		.known = how == ONCE || !how,
		.targets = targets,
		.period = how == ONCE ? targets
			: how == NEW  ? FRESH
				      : (unsigned)param_of(row, period) };

	l.seed = seed_of(j, row, &l);
	return costs(j, &l);
}

/*
 * Expect the longest sequence that is predicted; without a table a jump is predicted to go where it
 * went last.
 */
static void edge(struct expected_list *l, const struct cpu *c, const char *name, unsigned targets)
{
	bool once = !targets, table = c->indirect.entries;
	bool soft = table && is_soft(c, once, targets);
	double edge = table ? edge_of(c, once, targets, HALF) : once;
	struct expected *d = expect_bisected(l, name, edge, soft ? INDIRECT_SOFT : INDIRECT_EDGE, 1,
		soft ? INDIRECT_SOFT_TEXT : INDIRECT_EDGE_TEXT);

	d->soft = soft;
	expect_none(d, !(edge >= 1 && edge <= TO),
		edge > 1 ? "the longest sequence is predicted" : "no sequence is predicted");
}

static void returns(struct expected_list *l, const struct cpu *c, const char *name, bool fresh)
{
	bool ends = c->returns < RETURNS_DEEP;
	double lost = ends && c->indirect.entries ? lost_returns(c, fresh) : 1;

	expect_none(expect_near(l, name, lost * return_miss(c), INDIRECT_MISS, INDIRECT_MISS_TEXT),
		!ends, "the return stack does not end");
}

static void expect_indirect(struct expected_list *l)
{
	const struct cpu *c = l->cpu;
	edge(l, c, "indirect_targets", 0);
	edge(l, c, "indirect_history", FEW);
	edge(l, c, "indirect_history_many", MANY);
	expect_near(l, "indirect_miss_cycles", jump_miss(c), INDIRECT_MISS, INDIRECT_MISS_TEXT);
	returns(l, c, "return_beyond_cycles", true);
	returns(l, c, "return_again_cycles", false);
}

static const struct row_rule rules[] = {
	ROWS("order", CYCLES, row_of, ONCE),
	ROWS("period", CYCLES, row_of, 0),
	ROWS("random", CYCLES, row_of, NEW),
	ROWS("returns", CYCLES, row_of, NESTED),
	ROWS("returns-random", CYCLES, row_of, NESTED | NEW),
};

const struct truth truth_indirect = { RULES(rules), .expect = expect_indirect };
