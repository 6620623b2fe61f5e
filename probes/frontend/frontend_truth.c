/* SPDX-License-Identifier: MIT */
/*
 * Rows and values of `frontend`: the cycles of an instruction in code of each size, and the code
 * that a machine with [frontend] holds.
 */
#include <math.h>

#include "tests/kam/judge/code_sets.h"
#include "tests/kam/judge/truth.h"
#include "tests/kam/judge/turn_padding.h"

TOLERANCE(CODE_HELD, 6, "%",
	"bisection ends at 5 %, and a line too many of a few sets costs next to nothing")
TOLERANCE(CODE_RATE, 3, "%", "as CODE_MORE, and the jump back of a small turn")
TOLERANCE(CODE_LESS, 1, "%", "the first code of a sample is decoded beside the stamp")
TOLERANCE(CODE_MORE, 2, "%", "groups of instructions do not fill each cycle")

#define GROUP      32 /* bytes in which a kind's instructions repeat: probes/frontend/frontend.c */
#define ENTRY      64 /* where the code begins, likewise */
#define CALL_BYTES (1u << 20)  /* code of a call, about, likewise */
#define CALL_QUIET (64u << 10) /* the same in layer a */
#define CODE_LINE  64          /* bytes */
#define PAGE       4096        /* code, and the loops around it, begin with one */
#define TURN_ENDS  3           /* cycles of a turn: its jump back is taken, and ends a group */
#define AHEAD      1           /* cycles by which the front end is ahead, at most, of a full core */
#define AFTER_EXIT 40 /* cycles after the wrong guess at a call's end, beside the penalty */

#define APART     1.3  /* factor between two edges of code that are not one */
#define CODE_RISE 1.25 /* between levels of `frontend` */
#define CLEARLY   1.3
#define GONE      2

enum code_kind { DENSE, SIX, SHORT, LONG, INSIDE, END };
enum code_from { FROM_OPS, FROM_L1I, FROM_L2 };

/*
 * A group of code: its instructions, their bytes, and how many have a prefix that changes their
 * length.
 */
static const struct code_group {
	const char *variant;
	unsigned ops, hard, alus; /* alus: all but nops */
	unsigned bytes[8];
} groups[] = {
	[DENSE] = { "dense", 8, 1, 8, { 4, 4, 4, 4, 4, 4, 4, 4 } },
	[SIX] = { "six", 6, 1, 6, { 5, 5, 4, 6, 6, 6 } },
	[SHORT] = { "short", 8, 0, 8, { 4, 4, 4, 4, 4, 4, 4, 4 } },
	[LONG] = { "long", 4, 0, 1, { 8, 8, 8, 8 } },
	[INSIDE] = { "jump-inside", 5, 0, 2, { 8, 8, 8, 2, 6 } },
	[END] = { "jump-end", 5, 0, 2, { 8, 8, 8, 6, 2 } },
};

static double group_cycles(const struct cpu *c, const struct code_group *g, enum code_from from)
{
	double fetch = (double)(from == FROM_L1I ? c->frontend.fetch : c->frontend.fetch_l2);
	double core = fmax(g->ops / (double)c->width, g->alus / (double)c->alus), cycles = 0;

	if (from == FROM_OPS || !c->frontend.l1i)
		return fmax(core, c->frontend.l1i ? g->ops / (double)c->frontend.per_cycle : 0);
	for (unsigned i = 0; i < g->ops; i++)
		cycles += fmax(1 / (double)c->frontend.decode, g->bytes[i] / fetch);
	return fmax(core, cycles + g->hard * (double)c->frontend.prefix);
}

/* Returns the cycles of an instruction in long code that comes from `from`. */
static double code_cycles(const struct cpu *c, enum code_kind kind, enum code_from from)
{
	return group_cycles(c, &groups[kind], from) / groups[kind].ops;
}

/* Returns true if an instruction takes clearly longer from `there` than from `here`. */
static bool rises(const struct cpu *c, enum code_kind kind, enum code_from here,
	enum code_from there)
{
	return code_cycles(c, kind, there) >= CODE_RISE * code_cycles(c, kind, here);
}

/* Lines of the op cache that a window of it takes. */
static double lines_of(const struct cpu *c, const struct code_group *g)
{
	double ops = (double)c->frontend.window / GROUP * g->ops;

	return ceil(ops / (double)c->frontend.line_ops);
}

/* Bytes of a kind of code that the op cache holds; 0: it has none. */
static double held(const struct cpu *c, const struct code_group *g)
{
	return (double)(c->frontend.ops / c->frontend.line_ops / c->frontend.ways) *
		floor((double)c->frontend.ways / lines_of(c, g)) * (double)c->frontend.window;
}

/* Add the loops that run between two calls: the trampoline, and the adds that show the clock. */
static void put_others(struct code_sets *s, uint64_t section)
{
	code_sets_other(s, loop_timed_call, section);
	code_sets_other(s, loop_add_chain, section);
}

/* Fill in the op cache of a call whose code has the loops `section` bytes behind it. */
static void fill_ops(struct code_sets *s, const struct cpu *c, const struct code_group *g,
	double bytes, uint64_t section)
{
	*s = (struct code_sets){
		.ways = (unsigned)c->frontend.ways,
		.unit = (unsigned)c->frontend.window,
		.line_ops = (unsigned)c->frontend.line_ops,
	};
	s->sets = (unsigned)c->frontend.ops / s->line_ops / s->ways;
	code_sets_own(s, ENTRY, (uint64_t)bytes, (unsigned)lines_of(c, g));
	put_others(s, section);
}

static void fill_l1i(struct code_sets *s, const struct cpu *c, double bytes, uint64_t section)
{
	*s = (struct code_sets){ .ways = (unsigned)c->frontend.l1i_ways, .unit = CODE_LINE };
	s->sets = (unsigned)c->frontend.l1i / CODE_LINE / s->ways;
	code_sets_own(s, ENTRY, (uint64_t)bytes, 1);
	put_others(s, section);
}

/* Returns true if the op cache keeps none of the code, so that all of it is fetched from L1I. */
static bool none_kept(const struct code_sets *ops)
{
	for (unsigned i = 0; i < ops->sets; i++)
		if (code_kept(ops, i) != KEPT_NEVER)
			return false;
	return true;
}

/* A row's call. */
struct code_call {
	const struct cpu *cpu;
	const struct code_group *group;
	double bytes, turns;
	bool in_ops; /* the op cache may have it */
};

/*
 * Returns true if the op cache has the group at `at` in a call's first turn or, first false, in a
 * later one.
 */
static bool from_ops(const struct code_call *k, uint64_t at, const struct code_sets *ops,
	bool first)
{
	enum code_kept kept = k->in_ops ? code_kept(ops, code_set(ops, at)) : KEPT_NEVER;

	return kept == KEPT_ALWAYS || (kept == KEPT_AFTER_FIRST && !first);
}

/*
 * Bounds of the cycles of the group at `at`. If the op cache has other groups, only some lines are
 * fetched from L1I, which may then keep lines that it would otherwise have lost.
 */
static struct wanted group_bounds(const struct code_call *k, uint64_t at,
	const struct code_sets *ops, const struct code_sets *l1i, bool first)
{
	enum code_kept in_l1i = code_kept(l1i, code_set(l1i, at));
	bool gone = in_l1i == KEPT_NEVER || (first && in_l1i == KEPT_AFTER_FIRST);
	double far = group_cycles(k->cpu, k->group, gone ? FROM_L2 : FROM_L1I), near = far;

	if (from_ops(k, at, ops, first))
		near = far = group_cycles(k->cpu, k->group, FROM_OPS);
	else if (k->in_ops && !none_kept(ops))
		near = group_cycles(k->cpu, k->group, FROM_L1I);
	return between(near, far);
}

/*
 * Returns the cycles that the trampoline takes beyond its empty call: its lines may be gone, too.
 */
static double trampoline(const struct cpu *c, const struct code_sets *l1i, uint64_t section)
{
	uint64_t at = section + (uint64_t)((uintptr_t)loop_timed_call - (uintptr_t)loops_start);
	size_t bytes = loop_bytes(loop_timed_call);
	double lines = 0;

	for (uint64_t i = 0; i < bytes; i += CODE_LINE)
		lines += code_kept(l1i, code_set(l1i, at + i)) != KEPT_ALWAYS;
	return lines * CODE_LINE / (double)c->frontend.fetch_l2;
}

/* Bounds of the cycles of a group if the loops around the code are `section` bytes behind it. */
static struct wanted call_bounds(const struct code_call *k, uint64_t section)
{
	static struct code_sets ops, l1i;
	struct wanted sum = between(0, 0);
	double groups_of = floor(k->bytes / GROUP);

	if (k->in_ops)
		fill_ops(&ops, k->cpu, k->group, k->bytes, section);
	fill_l1i(&l1i, k->cpu, k->bytes, section);
	for (uint64_t i = 0; i < (uint64_t)groups_of; i++) {
		uint64_t at = ENTRY + i * GROUP;
		struct wanted first = group_bounds(k, at, &ops, &l1i, true);
		struct wanted later = group_bounds(k, at, &ops, &l1i, false);

		sum.low += first.low + (k->turns - 1) * later.low;
		sum.high += first.high + (k->turns - 1) * later.high;
		if (i && from_ops(k, at - GROUP, &ops, false) && !from_ops(k, at, &ops, false))
			sum.low -= k->turns * AHEAD;
	}
	sum.high += trampoline(k->cpu, &l1i, section);
	sum.low /= groups_of * k->turns;
	sum.high /= groups_of * k->turns;
	return sum;
}

/*
 * Bounds over all distances: code and loops each begin with a page, but it is not known with which.
 */
static struct wanted anywhere(const struct code_call *k)
{
	uint64_t ops = k->in_ops ? k->cpu->frontend.ops / k->cpu->frontend.line_ops /
			k->cpu->frontend.ways * k->cpu->frontend.window
				 : PAGE;
	uint64_t l1i = k->cpu->frontend.l1i / k->cpu->frontend.l1i_ways, section = 0;
	struct wanted all = between(INFINITY, 0);

	do {
		struct wanted b = call_bounds(k, section);

		all.low = fmin(all.low, b.low);
		all.high = fmax(all.high, b.high);
		section += PAGE;
	} while (section % ops || section % l1i);
	return all;
}

/* Bounds of the cycles of an instruction in `bytes` of such code; quiet: measured in layer a. */
static struct wanted code_row(const struct cpu *c, enum code_kind kind, double bytes, bool quiet)
{
	const struct code_group *g = &groups[kind];
	double turn = bytes / GROUP - 1, calls = (double)c->penalty + AFTER_EXIT;
	double ops = group_cycles(c, g, FROM_OPS);
	const struct code_call k = { .cpu = c,
		.group = g,
		.bytes = bytes,
		.turns = floor((quiet ? CALL_QUIET : CALL_BYTES) / bytes) + 2,
		.in_ops = c->frontend.ops && (kind != END || !c->frontend.erratum) };
	struct wanted w = c->frontend.l1i ? anywhere(&k) : between(ops, ops);

	return between(less(w.low / g->ops, CODE_LESS),
		more(w.high / g->ops, CODE_MORE) + (TURN_ENDS + calls / k.turns) / turn / g->ops);
}

static struct wanted code(const struct judged *j, json_t *row, unsigned kind)
{
	if (!undisturbed(j->cpu) || j->cpu->predictor == PREDICTOR_NEVER)
		return anything();
	return code_row(j->cpu, kind, param_of(row, "bytes"), !in_layer_b(j));
}

static void rows(const struct judged *j)
{
	for (unsigned i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		const struct row_rule rule = ROWS(groups[i].variant, CYCLES, code, i);

		judge_rules(j, "frontend", &rule, 1);
	}
}

/* Returns the true value of jcc_erratum. */
static double jump_end_ratio(const struct cpu *c)
{
	bool erratum = c->frontend.erratum && c->frontend.ops && c->frontend.l1i;
	double inside = group_cycles(c, &groups[INSIDE], c->frontend.ops ? FROM_OPS : FROM_L1I);
	double end = group_cycles(c, &groups[END], FROM_L1I);

	return erratum ? end / inside : 1;
}

/*
 * Other code evicts lines between two calls, so the edge may show down to the next smaller size of
 * the sweep. That is the coarse sweep: half as many sizes, and at least one an octave.
 */
static struct expected *code_edge(struct expected_list *l, const char *name, double value)
{
	struct expected *d = expect_bisected(l, name, value, CODE_HELD, 1, CODE_HELD_TEXT);

	d->widest = value - value / fmin(l->grid * l->grid, 2) + value * CODE_HELD / 100;
	return d;
}

static struct expected *rate(struct expected_list *l, const char *name, double value)
{
	return expect_percent(l, name, value, CODE_RATE, CODE_RATE_TEXT);
}

/*
 * Two kinds of code fill an op cache; op_cache_ops is for the one of which it holds more
 * instructions. Six instructions in 32 bytes count only if those that it holds are clearly smaller
 * than L1I.
 */
static void expect_frontend(struct expected_list *l)
{
	const struct cpu *c = l->cpu;
	double l1i = (double)c->frontend.l1i, dense = held(c, &groups[DENSE]);
	double six = held(c, &groups[SIX]), far = c->frontend.ops ? held(c, &groups[LONG]) : 0;
	bool by_six = six * APART <= l1i && six * groups[SIX].ops > dense * groups[DENSE].ops;
	const struct code_group *g = &groups[by_six ? SIX : DENSE];
	enum code_from near_short = held(c, &groups[SHORT]) < l1i ? FROM_L1I : FROM_OPS;
	bool ops = l1i > 0 && c->frontend.ops && dense * CLEARLY < fmin(far, l1i) &&
		rises(c, DENSE, FROM_OPS, FROM_L1I);
	bool ends = l1i > 0 && rises(c, SHORT, near_short, FROM_L2) &&
		rises(c, LONG, far * GONE <= l1i ? FROM_L1I : FROM_OPS, FROM_L2);

	expect_none(code_edge(l, "op_cache_ops", held(c, g) / GROUP * g->ops), !ops,
		"code shows no op cache");
	expect_none(rate(l, "op_cache_ops_per_cycle", g->ops / group_cycles(c, g, FROM_OPS)), !ops,
		"code shows no op cache");
	expect_none(code_edge(l, "l1i_bytes", l1i), !ends, "beyond it code takes as long");
	expect_none(rate(l, "fetch_l1i_bytes_per_cycle", 8 / code_cycles(c, LONG, FROM_L1I)),
		!ends || far * GONE > l1i, "the op cache has a part of it");
	expect_none(rate(l, "fetch_l2_bytes_per_cycle", 8 / code_cycles(c, LONG, FROM_L2)), !ends,
		"beyond L1I code takes as long");
	rate(l, "jcc_erratum", jump_end_ratio(c));
}

const struct truth truth_frontend = { .rows = rows, .expect = expect_frontend };
