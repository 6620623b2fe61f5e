/* SPDX-License-Identifier: MIT */
/*
 * The front end: straight code of growing size, of long and of short instructions. Where the op
 * cache ends, where the first cache of instructions does, and how many bytes a cycle come from
 * there and from L2. And jumps that end at a multiple of 32 bytes. README.md.
 */
#include <string.h>

#include "engine/claims.h"
#include "engine/find.h"
#include "lib/math.h"
#include "probes/generated_code.h"
#include "probes/probe.h"

#define GROUP       32          /* bytes of code in which a kind's instructions repeat */
#define LEAST       KIB         /* the smallest code: more than any loop buffer holds */
#define DEFAULT_END (128 * KIB) /* the largest, in profile `default` */
#define FULL_END    (512 * KIB) /* 128 pages of 4 KiB: no more than translations of code */
#define JUMP_CODE   (2 * KIB)
#define CALL_BYTES  MIB /* code of a call, about: an op cache takes many turns to fill */
#define ENTRY       64  /* where the loop begins: with a line, before it a lone return */

#define FETCH_RISE  1.25 /* factor between two levels of a curve */
#define PLATEAU     0.7  /* octaves of a level, at least: as PLATEAU_LENGTH */
#define FETCH_RATIO 1.05 /* bisection: the ends of a gap, at most */
#define SAME_BYTES  1.15 /* brackets of edges that are nearer to each other are of one */
#define CLEARLY     1.3  /* factor between two edges that are not one, at least */
#define GONE        2    /* times as many bytes as a cache holds: it has none of them */
#define BY_BYTES    1.1  /* long over short, cycles: bytes decide, and not how many instructions */
#define ONE_LEVEL   0.95 /* confidence in what rests on one level, at most */

/*
 * The instructions, each in 3 bytes or more: prefixes without effect (3eh) make it as long as it
 * has to be. No load, no store, and no two that are long wait for each other.
 */
static const struct front_insn {
	char letter;
	uint8_t bytes;
	unsigned char code[8];
} insns[] = {
	{ 'a', 4, { 0x48, 0x83, 0xc0, 1 } }, /* add $1, %rax */
	{ 'd', 4, { 0x48, 0x83, 0xc2, 1 } }, /* add $1, %rdx */
	{ 'z', 3, { 0x4d, 0x31, 0xc0 } },    /* xor %r8, %r8: done at rename */
	{ 't', 4, { 0x66, 0xa9, 0, 0 } },    /* test $0, %ax: its length is hard to tell */
	{ 'n', 8, { 0x0f, 0x1f, 0x84 } },    /* nop */
	{ 'm', 6, { 0x66, 0x0f, 0x1f, 0x44 } },
	{ 'j', 2, { 0x70, 0 } }, /* jo to the next instruction: never taken */
};

enum { OPS_PER_LOAD = 4 }; /* instructions that are said to take as long as a near load */

enum code_kind_number { DENSE, SIX, SHORT, LONG, CURVES, JUMP_INSIDE = CURVES, JUMP_END, KINDS };

/* GROUP bytes of code: a letter of an instruction and its length, in turn. */
static const struct code_pattern {
	const char *variant, *group;
	unsigned ops; /* in it */
} kinds[KINDS] = {
	[DENSE] = { "dense", "a4z4z4z4t4z4z4z4", 8 },
	[SIX] = { "six", "a5z5t4z6z6z6", 6 },
	[SHORT] = { "short", "a4z4z4z4z4z4z4z4", 8 },
	[LONG] = { "long", "a8n8n8n8", 4 },
	[JUMP_INSIDE] = { "jump-inside", "a8n8n8j2m6", 5 },
	[JUMP_END] = { "jump-end", "a8n8n8m6j2", 5 },
};

/* Parameters of a row. */
struct footprint {
	const struct code_pattern *kind;
	uint64_t bytes;
};

static void put_insn(struct code_block *c, char letter, unsigned bytes)
{
	const struct front_insn *i = insns;

	while (i->letter != letter)
		i++;
	for (unsigned n = i->bytes; n < bytes; n++)
		code_put(c, 0x3e, 1);
	for (unsigned n = 0; n < i->bytes; n++)
		code_put(c, i->code[n], 1);
}

/* GROUPs of instructions in a turn; behind them is one with the count and the jump back. */
static uint64_t groups_of(const struct footprint *f)
{
	return f->bytes / GROUP - 1;
}

/* A lone return, and at ENTRY a loop of rdi turns: both leave in rax 1 and what they added. */
static void put_code(struct code_block *c, const struct footprint *f)
{
	code_put(c, INSN_RETURN, 1);
	code_pad(c, ENTRY);
	for (uint64_t i = 0; i < groups_of(f); i++)
		for (const char *p = f->kind->group; *p; p += 2)
			put_insn(c, *p == 'a' && i % 2 ? 'd' : *p, (unsigned)(p[1] - '0'));
	code_put(c, 0xcfff48, 3); /* dec %rdi */
	code_put(c, 0x850f, 2);   /* jnz to ENTRY */
	code_put(c, ENTRY - (c->at + 4), 4);
	code_put(c, 0xd00148, 3); /* add %rdx, %rax */
	code_put(c, INSN_RETURN, 1);
}

/* Instructions of a turn. */
static uint64_t ops_of(const struct footprint *f)
{
	return groups_of(f) * f->kind->ops + 2;
}

static uint64_t turns_of(const struct footprint *f)
{
	return CALL_BYTES / f->bytes + 2;
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct footprint *f = row_spec(row, struct footprint);
	uint64_t turns = turns_of(f);
	struct code_block code;

	if (code_memory_open(b, job, &code, ENTRY + f->bytes))
		return -1;
	put_code(&code, f);
	if (code_memory_seal(b, job, &code))
		return -1;
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)code.base + ENTRY, 1, turns };

	job_call(job, loop_timed_call, 2, args);
	job->empty_args[0] = (uintptr_t)code.base;
	job->expect = 1 + turns * groups_of(f);
	job->ops = (double)(turns * ops_of(f));
	return 0;
}

static void plan_row(struct bench *b, const struct code_pattern *k, uint64_t bytes, row_adder *add)
{
	bool more = k == &kinds[SIX] || bytes > DEFAULT_END;
	struct row row = row_new(k->variant, &unit_ns_op,
		more ? ANSWER_FRONTEND_MORE : ANSWER_FRONTEND, prepare);
	struct footprint f = { k, bytes };
	double ns;

	*row_spec(&row, struct footprint) = f;
	ns = (double)turns_of(&f) * (double)ops_of(&f) * b->pace.ns_per_near_load / OPS_PER_LOAD;
	row.cost_ns = 24 * (b->pace.ns_per_call + ns);
	row_param(&row, "bytes", (double)bytes);
	add(b, &row);
}

static void frontend_plan(struct bench *b)
{
	uint64_t sizes[SIZES_MOST];
	unsigned n = sweep_coarse(b, LEAST, FULL_END, GROUP, sizes);

	for (unsigned i = 0; i < KINDS; i++)
		if (i >= CURVES)
			plan_row(b, &kinds[i], JUMP_CODE, plan_add);
		else
			for (unsigned k = 0; k < n; k++)
				plan_row(b, &kinds[i], sizes[k], plan_add);
}

static const struct staircase_rules fetch_rules = { .rise = FETCH_RISE, .octaves = PLATEAU };

/* A kind's curve and its levels. */
struct fetched {
	struct curve curve;
	struct staircase levels;
};

static void take_kind(const struct bench *b, const struct reader *reader, enum code_kind_number i,
	struct fetched *f)
{
	const struct pick pick = { .variant = kinds[i].variant, .x = "bytes", .cycles = true };

	f->levels = (struct staircase){ .reason = NOT_MEASURED };
	if (take_curve(reader, &pick, &f->curve))
		infer_staircase(f->curve.point, f->curve.n, &fetch_rules, &f->levels);
}

enum { EDGES_AT_ONCE = 8 };

static void frontend_plan_edges(struct bench *b, struct reader *reader)
{
	const struct resolution r = { .grain = GROUP, .ratio = FETCH_RATIO };
	struct fetched *f = row_alloc(b, sizeof *f);
	double next[EDGES_AT_ONCE];

	for (unsigned i = 0; f && i < CURVES; i++) {
		take_kind(b, reader, i, f);
		unsigned n = infer_bisect_staircase(f->curve.point, f->curve.n, &fetch_rules, &r,
			next, EDGES_AT_ONCE);

		for (unsigned k = 0; k < n; k++)
			plan_row(b, &kinds[i], (uint64_t)next[k], plan_between);
	}
}

static bool same_bytes(const struct estimate *a, const struct estimate *b)
{
	return !a->reason && !b->reason && a->low <= SAME_BYTES * b->high &&
		b->low <= SAME_BYTES * a->high;
}

/*
 * Short instructions fill an op cache with fewer bytes than long ones: an edge that both have at
 * the same bytes is that of a cache of bytes, and the first such one L1I's. Writes which level of
 * each ends there; false: none does.
 */
static bool l1i_levels(const struct fetched *of_kind, unsigned *in_short, unsigned *in_long)
{
	const struct staircase *s = &of_kind[SHORT].levels, *l = &of_kind[LONG].levels;

	for (unsigned i = 0; i < s->count; i++)
		for (unsigned k = 0; k < l->count; k++)
			if (same_bytes(&s->level[i].edge, &l->level[k].edge)) {
				*in_short = i;
				*in_long = k;
				return true;
			}
	return false;
}

/* Why there is no staircase; NULL: there is one, with an edge. */
static const char *no_edge(const struct staircase *s)
{
	return !s->count ? s->reason : s->level[0].edge.reason;
}

/* The edge of the first level as ops that were held. */
static struct estimate ops_held(struct reader *reader, const struct code_pattern *k,
	const struct fetched *f)
{
	struct estimate e = edge_of(reader, &f->curve, f->levels.level[0].edge);
	double each = (double)k->ops / GROUP;

	e.value *= each;
	e.low *= each;
	e.high *= each;
	e.rise_10 *= each;
	e.rise_50 *= each;
	e.rise_90 *= each;
	return e;
}

static const char no_op_cache[] = "no step that moves with the length of instructions";

/*
 * Returns the kind of code of which the op cache holds most; NULL with *why: none does. The first
 * edge of dense code is the op cache's if that of long code is at clearly more bytes. The edge of
 * `six` must, besides, be clearly below L1I's: with as many lines as long code, it would end at the
 * same place.
 */
static const struct code_pattern *op_cache_kind(const struct fetched *of_kind,
	const struct estimate *l1i, const char **why)
{
	const struct staircase *d = &of_kind[DENSE].levels, *l = &of_kind[LONG].levels;
	const struct staircase *six = &of_kind[SIX].levels;

	*why = no_edge(d);
	if (!*why)
		*why = no_edge(l);
	if (!*why && d->level[0].edge.value * CLEARLY > l->level[0].edge.value)
		*why = no_op_cache;
	if (*why)
		return NULL;
	if (no_edge(six) || l1i->reason || six->level[0].edge.value * CLEARLY > l1i->value ||
		six->level[0].edge.value * kinds[SIX].ops <=
			d->level[0].edge.value * kinds[DENSE].ops)
		return &kinds[DENSE];
	return &kinds[SIX];
}

/* Returns true if an op cache was found. */
static bool find_op_cache(struct bench *b, struct found_values *values,
	const struct fetched *of_kind, const struct estimate *l1i, const char **why)
{
	static const char rests_on[] = "frontend dense and six over bytes";
	const struct code_pattern *k = op_cache_kind(of_kind, l1i, why);
	struct estimate held = not_resolved(*why), rate = held;

	if (k) {
		const struct fetched *f = &of_kind[k - kinds];
		const struct stair *s = &f->levels.level[0];

		held = ops_held(&values->reader, k, f);
		rate = less_sure(plain_estimate(1 / s->y, ONE_LEVEL),
			curve_confidence_loss(&f->curve, s->first, s->last));
	}
	found(values, VALUE_op_cache_ops, held, rests_on);
	found(values, VALUE_op_cache_ops_per_cycle, rate, rests_on);
	return k;
}

/* A kind's level that ends with L1I, and the point there. */
struct l1i_end {
	const struct curve *curve;
	const struct staircase *levels;
	unsigned level, last;
};

static struct l1i_end l1i_end_of(const struct fetched *f, unsigned level)
{
	struct l1i_end e = { &f->curve, &f->levels, level, 0 };

	while (e.last + 1 < f->curve.n &&
		f->curve.point[e.last + 1].x <= f->levels.level[level].edge.low)
		e.last++;
	return e;
}

/*
 * Bytes of long code a cycle. Short code must take clearly less an instruction, or it is their
 * number that decides, and the bytes are so many or more.
 */
static struct estimate bytes_per_cycle(const struct curve *c, unsigned first, unsigned last,
	double cycles, double cycles_short)
{
	double bytes = (double)GROUP / kinds[LONG].ops / cycles;
	struct estimate e =
		not_resolved("so many instructions come in a cycle, whatever their length");

	e.least = bytes;
	if (cycles < BY_BYTES * cycles_short)
		return e;
	return less_sure(plain_estimate(bytes, ONE_LEVEL), curve_confidence_loss(c, first, last));
}

/*
 * From L1I: the largest code that L1I holds. Of it the op cache must have little: it is twice as
 * large as what that held, or there is none. An op cache that does not replace the oldest may still
 * have what it can hold; then L1I's own rate is less.
 */
static struct estimate from_l1i(const struct l1i_end *l, const struct l1i_end *s, bool op_cache)
{
	const struct stair *level = &l->levels->level[l->level];
	double x = l->curve->point[l->last].x, y = l->curve->point[l->last].y, share, alone;
	struct estimate e;

	if (!l->level && op_cache)
		return not_resolved("long code comes from the op cache up to the end of L1I");
	if (l->level && level[-1].edge.high * GONE > level->edge.low)
		return not_resolved("the op cache still has a part of all that L1I holds");
	e = bytes_per_cycle(l->curve, l->last, l->last, y, s->curve->point[s->last].y);
	if (e.reason || !l->level)
		return e;
	share = level[-1].edge.high / x;
	alone = (y - share * l->levels->level[0].y) / (1 - share);
	return resolved(e.value, e.value * y / alone, e.value, e.confidence);
}

static struct estimate from_l2(const struct l1i_end *l, const struct l1i_end *s)
{
	const struct stair *far = &l->levels->level[l->level + 1];
	const struct stair *far_short = &s->levels->level[s->level + 1];

	if (l->level + 1 >= l->levels->count || s->level + 1 >= s->levels->count || far->hidden ||
		far_short->hidden)
		return not_resolved("no plateau beyond L1I");
	return bytes_per_cycle(l->curve, far->first, far->last, far->y, far_short->y);
}

enum { CLAIMS = 16 };

static double l1i_claimed(struct bench *b)
{
	struct cache_claim claims[CLAIMS];
	unsigned n = claims_caches(b->room, claims, CLAIMS);

	for (unsigned i = 0; i < n; i++)
		if (claims[i].level == 1 && claims[i].type == CLAIM_INSTRUCTION)
			return (double)claims[i].bytes;
	return NOT_A_NUMBER;
}

/* A jump that ends at a multiple of GROUP, over one that does not. */
static struct estimate jump_ratio(struct bench *b, struct reader *reader)
{
	struct estimate end = row_cycles_estimate(reader, kinds[JUMP_END].variant);
	struct estimate inside = row_cycles_estimate(reader, kinds[JUMP_INSIDE].variant);

	if (end.reason || inside.reason)
		return end.reason ? end : inside;
	return plain_estimate(end.value / inside.value,
		math_min(end.confidence, inside.confidence));
}

static void frontend_find(struct bench *b, struct found_values *values)
{
	static const char rests_on[] = "frontend short and long over bytes";
	struct fetched *of_kind = row_alloc(b, CURVES * sizeof *of_kind);
	struct estimate l1i = not_resolved("no step of short and long code at the same bytes");
	struct estimate near, far;
	unsigned in_short, in_long;
	const char *why;

	if (!of_kind)
		return;
	for (unsigned i = 0; i < CURVES; i++)
		take_kind(b, &values->reader, i, &of_kind[i]);
	const struct fetched *s = &of_kind[SHORT], *l = &of_kind[LONG];
	bool known = l1i_levels(of_kind, &in_short, &in_long);

	if (known) {
		edge_of(&values->reader, &l->curve, l->levels.level[in_long].edge);
		l1i = edge_of(&values->reader, &s->curve, s->levels.level[in_short].edge);
	} else if (!s->curve.n || !l->curve.n) {
		l1i = not_resolved(NOT_MEASURED);
	}
	near = far = known ? not_resolved(NULL) : l1i;
	bool op_cache = find_op_cache(b, values, of_kind, &l1i, &why);

	if (known) {
		const struct l1i_end end = l1i_end_of(l, in_long),
				     end_short = l1i_end_of(s, in_short);

		near = op_cache || why == no_op_cache
			? from_l1i(&end, &end_short, op_cache)
			: not_resolved("it is not known whether there is an op cache");
		far = from_l2(&end, &end_short);
	}
	found(values, VALUE_l1i_bytes, l1i, rests_on)->claimed = l1i_claimed(b);
	found(values, VALUE_fetch_l1i_bytes_per_cycle, near, rests_on);
	found(values, VALUE_fetch_l2_bytes_per_cycle, far, rests_on);
	found(values, VALUE_jcc_erratum, jump_ratio(b, &values->reader),
		"frontend jump-end over jump-inside");
}

const struct hooks probe_frontend = {
	.plan = frontend_plan,
	.plan_edges = frontend_plan_edges,
	.find = frontend_find,
};
