/* SPDX-License-Identifier: MIT */
/*
 * Indirect jumps: how many targets of one jump, and how long a sequence of them, are predicted, and
 * what it costs where they are not; returns beyond the depth of the return stack.
 */
#include "probes/generated_code.h"
#include "probes/probe.h"
#include "lib/math.h"

/*
 * Written is x86-64 code (Intel SDM vol. 2): one indirect jump, which takes from a list where it
 * goes, and slots to which it goes. A slot adds a number of its own to rax, which proves that it
 * was passed as often as the list says, and goes back to the jump; or it calls the jump, so that as
 * many calls as the list is long are nested, and adds its number when that call has returned. A
 * lone return is where a list ends. The code around the jump calls it once, or for each descent.
 *
 *     return:  ret                               jump:   add $8, %rdi;  jmp *-8(%rdi)
 *     slot:    add $n, %rax;  jmp jump           or:     call jump;  add $n, %rax;  ret
 *     entry:   mov $descents, %ecx;              again:  call jump;  dec %ecx;  jnz again;  ret
 */
#define RETURN_AT   0
#define JUMP_AT     16
#define SLOTS_AT    64
#define SLOT_BYTES  16
#define ENTRY_BYTES 15

#define ORDER_TO     8192 /* targets in a fixed order */
#define PERIOD_FROM  16   /* elements of a random sequence */
#define PERIOD_TO    8192
#define FEW          2  /* targets of it, */
#define MANY         64 /* and where what comes next is hardly ever guessed */
#define LIST_LEAST   2048
#define LIST_MOST    16384 /* a list has four periods, or as many as fit */
#define LIST_PERIODS 4
#define LEARN_LISTS  12      /* calls before the first sample */
#define EDGE_RATIO   1.03    /* the first x above an edge over the last one below it, at most */
#define TRANSLATE_NS 30000.0 /* an emulator translates each slot when it first meets it */

/* Nested calls: which no return stack known to us lacks, and which none has. */
#define DEPTH_LOW    2
#define DEPTH_NEAR   6
#define DEPTH_FIRST  8
#define DEPTH_DEEP   96
#define DEPTH_MOST   192
#define DEPTH_STEP   4 /* from one depth to the next, */
#define DEPTH_FINE   64
#define DEPTH_COARSE 32  /* and beyond that */
#define ALL_LOST     0.6 /* of a descent hardly too deep: not only the deepest returns */

#define MISS_LEAST 2.0 /* core cycles: less is no misprediction */

static const struct unit unit_ns_jump = { "ns/jump", SCALE_NS };
static const struct unit unit_ns_call = { "ns/call", SCALE_NS };

enum list_kind { IN_ORDER, IN_PERIODS, AT_RANDOM, RETURNS, RETURNS_RANDOM };

static const struct {
	const char *variant;
	bool nested; /* slots call the jump */
	bool fresh;  /* another list in each sample */
} kinds[] = {
	[IN_ORDER] = { "order" },
	[IN_PERIODS] = { "period" },
	[AT_RANDOM] = { "random", false, true },
	[RETURNS] = { "returns", true },
	[RETURNS_RANDOM] = { "returns-random", true, true },
};

/* Parameters of a row. */
struct indirect_spec {
	uint32_t kind;
	uint32_t targets; /* slots */
	uint32_t period;  /* elements until the list repeats itself; of nested calls the depth */
	uint32_t again;   /* periods of a list; of nested calls descents */
};

/* The list, and what it is made of. */
struct jump_list {
	uint64_t *at;
	const unsigned char *base; /* of the code */
	struct indirect_spec spec;
	struct random random;
};

/* Positive, odd, and another one for each slot. */
static uint32_t number_of_slot(uint32_t slot)
{
	return (slot * 0x9e3779b1u & 0x7fffffff) | 1;
}

static void put_add(struct code_block *c, uint32_t number)
{
	code_put(c, 0x0548, 2);
	code_put(c, number, 4);
}

static void put_slot(struct code_block *c, uint32_t slot, bool nested)
{
	code_pad(c, SLOTS_AT + (size_t)slot * SLOT_BYTES);
	if (nested)
		code_near(c, INSN_CALL, JUMP_AT);
	put_add(c, number_of_slot(slot));
	if (nested)
		code_put(c, INSN_RETURN, 1);
	else
		code_near(c, INSN_JUMP, JUMP_AT);
}

static size_t entry_at(const struct indirect_spec *s)
{
	return SLOTS_AT + (size_t)s->targets * SLOT_BYTES;
}

static size_t code_bytes(const struct indirect_spec *s)
{
	return entry_at(s) + ENTRY_BYTES;
}

static void put_code(struct code_block *c, const struct indirect_spec *s)
{
	code_put(c, INSN_RETURN, 1);
	code_pad(c, JUMP_AT);
	code_put(c, 0x08c78348, 4);
	code_put(c, 0xf867ff, 3);
	for (uint32_t i = 0; i < s->targets; i++)
		put_slot(c, i, kinds[s->kind].nested);
	code_pad(c, entry_at(s));
	code_put(c, 0xb9, 1);
	code_put(c, kinds[s->kind].nested ? s->again : 1, 4);
	code_near(c, INSN_CALL, JUMP_AT);
	code_put(c, 0xc3f775c9ff, 5);
}

static uint64_t elements(const struct indirect_spec *s)
{
	return (uint64_t)s->period * s->again;
}

/* Each slot once, in random order; of the others each element is drawn. */
static void draw(struct jump_list *l, uint64_t *at, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		at[i] = l->spec.kind == IN_ORDER ? i : random_below(&l->random, l->spec.targets);
	for (uint64_t i = n; l->spec.kind == IN_ORDER && i > 1; i--) {
		uint64_t k = random_below(&l->random, i), swapped = at[i - 1];

		at[i - 1] = at[k];
		at[k] = swapped;
	}
}

/* A list of slots' numbers, made one of addresses. Returns the sum of what they add. */
static uint64_t fill(struct jump_list *l)
{
	const struct indirect_spec *s = &l->spec;
	bool nested = kinds[s->kind].nested, fresh = kinds[s->kind].fresh;
	uint64_t *to = l->at, sum = 0;

	for (uint32_t again = 0; again < s->again; again++) {
		for (uint32_t i = 0; again && !fresh && i < s->period; i++)
			to[i] = (to - s->period - nested)[i];
		if (!again || fresh)
			draw(l, to, s->period);
		to += s->period;
		if (nested)
			*to++ = UINT64_MAX;
	}
	*to++ = UINT64_MAX;
	for (uint64_t *e = l->at; e < to; e++) {
		bool ends = *e == UINT64_MAX;

		sum += ends ? 0 : number_of_slot((uint32_t)*e);
		*e = (uint64_t)(uintptr_t)l->base + (ends ? RETURN_AT : SLOTS_AT + *e * SLOT_BYTES);
	}
	return sum;
}

/* Another list of the same kind; what it does to the sum is known. */
static void renew(struct bench *b, struct job *job)
{
	job->expect = 1 + fill(job->priv);
}

/* The list of a row is the same in every room; where the row is measured again, it is another. */
static uint64_t seed_of(const struct bench *b, const struct row *row)
{
	const struct indirect_spec *s = row_spec(row, struct indirect_spec);

	return b->opt->seed ^
		((uint64_t)row->remeasured << 56 | (uint64_t)s->kind << 48 |
			(uint64_t)s->targets << 24 | s->period);
}

/* The empty twin calls the lone return. */
static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct indirect_spec *s = row_spec(row, struct indirect_spec);
	struct jump_list *l = job_alloc(b, job, sizeof *l);
	uint64_t *at = job_alloc(b, job, (elements(s) + s->again + 1) * sizeof *at);
	struct code_block c;

	if (!l || !at || code_memory_open(b, job, &c, code_bytes(s)))
		return -1;
	put_code(&c, s);
	if (code_memory_seal(b, job, &c))
		return -1;
	const uint64_t base = (uint64_t)(uintptr_t)c.base;
	const uint64_t args[LOOP_ARGS] = { base + entry_at(s), 1, (uint64_t)(uintptr_t)at };

	*l = (struct jump_list){ .at = at, .base = c.base, .spec = *s };
	random_seed(&l->random, seed_of(b, row));
	job_call(job, loop_timed_call, 1, args);
	job->empty_args[0] = base + RETURN_AT;
	job->empty_args[1] = 1;
	job->priv = l;
	renew(b, job);
	if (kinds[s->kind].fresh)
		job->refresh = renew;
	job->ops = (double)elements(s);
	job->warm_calls = LEARN_LISTS;
	return 0;
}

/* A jump is at worst mispredicted, as a return is: ten loads of the pace's chase each. */
static double cost_of(const struct bench *b, const struct indirect_spec *s)
{
	double translated = s->targets + 2.0;
	double jumps = (double)elements(s) * (kinds[s->kind].nested ? 2 : 1);

	return (b->room->facts.emulated ? translated * TRANSLATE_NS : 0) +
		(LEARN_LISTS + 20) * (b->pace.ns_per_call + jumps * 10 * b->pace.ns_per_near_load);
}

static void plan_row(struct bench *b, enum answer answer, struct indirect_spec s, row_adder *add)
{
	bool nested = kinds[s.kind].nested;
	struct row row = row_new(kinds[s.kind].variant, nested ? &unit_ns_call : &unit_ns_jump,
		answer, prepare);

	*row_spec(&row, struct indirect_spec) = s;
	row.needs = NEED_CODE;
	row.cost_ns = cost_of(b, &s);
	row_param(&row, "targets", s.targets);
	if (nested)
		row_param(&row, "depth", s.period);
	else if (s.kind == IN_PERIODS)
		row_param(&row, "elements", s.period);
	add(b, &row);
}

static uint32_t periods_of(uint64_t period)
{
	uint64_t least = (LIST_LEAST + period - 1) / period;
	uint64_t most = LIST_MOST / period;

	return (uint32_t)(least > LIST_PERIODS ? least : most < LIST_PERIODS ? most : LIST_PERIODS);
}

static void plan_order(struct bench *b, uint64_t targets, row_adder *add)
{
	plan_row(b, ANSWER_INDIRECT,
		(struct indirect_spec){
			IN_ORDER, (uint32_t)targets, (uint32_t)targets, periods_of(targets) },
		add);
}

static void plan_period(struct bench *b, uint64_t targets, uint64_t period, row_adder *add)
{
	plan_row(b, targets == FEW ? ANSWER_INDIRECT : ANSWER_INDIRECT_MORE,
		(struct indirect_spec){
			IN_PERIODS, (uint32_t)targets, (uint32_t)period, periods_of(period) },
		add);
}

static unsigned deeper(unsigned depth)
{
	return depth + (depth < DEPTH_FINE ? DEPTH_STEP : DEPTH_COARSE);
}

static void plan_returns(struct bench *b, unsigned depth)
{
	for (uint32_t kind = RETURNS; kind <= RETURNS_RANDOM; kind++)
		plan_row(b, ANSWER_INDIRECT_MORE,
			(struct indirect_spec){ kind, MANY, depth, LIST_LEAST / depth }, plan_add);
}

static void indirect_plan(struct bench *b)
{
	uint64_t sizes[SIZES_MOST];
	unsigned n = sweep(b, 1, ORDER_TO, 1, sizes);

	for (unsigned i = 0; i < n; i++)
		plan_order(b, sizes[i], plan_add);
	n = sweep(b, PERIOD_FROM, PERIOD_TO, 1, sizes);
	for (unsigned i = 0; i < n; i++)
		plan_period(b, FEW, sizes[i], plan_add);
	plan_row(b, ANSWER_INDIRECT, (struct indirect_spec){ AT_RANDOM, MANY, LIST_LEAST, 1 },
		plan_add);
	for (unsigned i = 0; i < n; i++)
		plan_period(b, MANY, sizes[i], plan_add);
	plan_returns(b, DEPTH_LOW);
	plan_returns(b, DEPTH_NEAR);
	for (unsigned depth = DEPTH_FIRST; depth <= DEPTH_MOST; depth = deeper(depth))
		plan_returns(b, depth);
}

/* Core cycles of a row whose parameter has a value; not a number where they are not known. */
static double cycles_at(const struct bench *b, enum reading reading, unsigned kind,
	const char *name, double value)
{
	const struct param param = { name, value };
	const struct result *r = find_row(b, kinds[kind].variant, &param, 1);
	double cycles = r ? row_cycles(r, reading) : 0;

	return cycles > 0 ? cycles : NOT_A_NUMBER;
}

/*
 * Returns the cost of a miss: jumps of which one in `targets` is guessed by chance, against a jump
 * with one target.
 */
static struct estimate miss_cycles(struct bench *b, struct reader *reader)
{
	struct estimate e = row_cycles_estimate(reader, kinds[AT_RANDOM].variant);
	double known = cycles_at(b, reader->reading, IN_ORDER, "targets", 1);

	if (e.reason)
		return e;
	e.value = (e.value - known) / (1 - 1.0 / MANY);
	if (!math_finite(e.value))
		return not_resolved(NOT_MEASURED);
	return e.value < MISS_LEAST ? not_resolved("a random target costs no more than a known one")
				    : e;
}

static const struct list_edge {
	enum value_id value;
	const char *rests_on;
	unsigned kind, targets;
} edges[] = {
	{ VALUE_indirect_targets, "indirect order over targets", IN_ORDER },
	{ VALUE_indirect_history, "indirect period over elements, 2 targets", IN_PERIODS, FEW },
	{ VALUE_indirect_history_many, "indirect period over elements, 64 targets", IN_PERIODS,
		MANY },
};

/*
 * The last x that is predicted. `wrong`: the share that is mispredicted beyond it. What costs more
 * than such a misprediction has met another limit as well: it counts as one. A curve that does not
 * rise by half of that shows another limit alone.
 */
static struct estimate predicted(struct bench *b, struct reader *reader,
	const struct list_edge *edge, struct curve *c)
{
	double wrong = edge->kind == IN_ORDER ? 1 : 1 - 1.0 / edge->targets;
	double known = cycles_at(b, reader->reading, IN_ORDER, "targets", 1),
	       lost = wrong * miss_cycles(b, reader).value;
	const struct pick pick = {
		.variant = kinds[edge->kind].variant,
		.x = edge->kind == IN_ORDER ? "targets" : "elements",
		.only = edge->kind == IN_ORDER ? NULL : "targets",
		.only_value = edge->targets,
		.cycles = true,
	};
	unsigned n = take_curve(reader, &pick, c);

	if (!n || !math_finite(known))
		return not_resolved(NOT_MEASURED);
	if (!math_finite(lost))
		return not_resolved("a misprediction costs nothing");
	if (!(c->point[0].y < known + lost / 2))
		return not_resolved("no sequence is predicted");
	if (c->point[n - 1].y < known + lost / 2)
		return not_resolved("the longest sequence that is tried is predicted");
	for (unsigned i = 0; i < n; i++)
		c->point[i].y = math_min(c->point[i].y, known + lost);
	return edge_of(reader, c, infer_soft_rise(c->point, n, infer_halfway(c->point, n)));
}

static void indirect_plan_edges(struct bench *b, struct reader *reader)
{
	const struct resolution r = { .grain = 1, .ratio = EDGE_RATIO };
	struct curve *c = row_alloc(b, sizeof *c);

	for (unsigned i = 0; c && i < sizeof edges / sizeof *edges; i++) {
		struct estimate e = predicted(b, reader, &edges[i], c);
		double next = infer_bisect_bracket(&e, &r);

		if (!math_finite(next))
			continue;
		if (edges[i].kind == IN_ORDER)
			plan_order(b, (uint64_t)next, plan_between);
		else
			plan_period(b, edges[i].targets, (uint64_t)next, plan_between);
	}
}

static const struct result *deepest(const struct bench *b, unsigned kind)
{
	static const struct param depth = { "depth", DEPTH_MOST };

	return find_row(b, kinds[kind].variant, &depth, 1);
}

/* All that a descent of so many calls costs. */
static double descent(const struct bench *b, enum reading reading, unsigned kind, unsigned depth)
{
	return depth * cycles_at(b, reading, kind, "depth", depth);
}

/*
 * Returns the cost of one more call in a descent beyond the return stack, less that of one within
 * it.
 */
static double beyond(const struct bench *b, enum reading reading, unsigned kind)
{
	double deep = descent(b, reading, kind, DEPTH_MOST) - descent(b, reading, kind, DEPTH_DEEP);
	double low = descent(b, reading, kind, DEPTH_NEAR) - descent(b, reading, kind, DEPTH_LOW);

	return deep / (DEPTH_MOST - DEPTH_DEEP) - low / (DEPTH_NEAR - DEPTH_LOW);
}

/* Beyond the return stack, a return to random callers is predicted by chance only. */
static struct estimate beyond_stack(struct bench *b, struct reader *reader, unsigned kind)
{
	double random = beyond(b, reader->reading, RETURNS_RANDOM),
	       lost = miss_cycles(b, reader).value;

	if (!math_finite(random + lost))
		return not_resolved(NOT_MEASURED);
	if (random < lost / 2)
		return not_resolved("the deepest return that is tried is predicted");
	return plain_estimate(math_max(beyond(b, reader->reading, kind), 0),
		row_confidence(deepest(b, kind)));
}

static void indirect_find(struct bench *b, struct found_values *f)
{
	struct curve *c = row_alloc(b, sizeof *c);

	if (!c)
		return;
	for (unsigned i = 0; i < sizeof edges / sizeof *edges; i++)
		found(f, edges[i].value, predicted(b, &f->reader, &edges[i], c), edges[i].rests_on);
	found(f, VALUE_indirect_miss_cycles, miss_cycles(b, &f->reader),
		"indirect random, order of 1 target");
	found(f, VALUE_return_beyond_cycles, beyond_stack(b, &f->reader, RETURNS_RANDOM),
		"indirect returns-random over depth");
	found(f, VALUE_return_again_cycles, beyond_stack(b, &f->reader, RETURNS),
		"indirect returns over depth");
}

/*
 * Returns the share of returns that the first losing descent loses, of its depth; 0: no descent
 * loses any.
 */
static double lost_at_first(const struct bench *b, double cycles)
{
	double low = descent(b, READ_MEDIAN, RETURNS_RANDOM, DEPTH_LOW);
	double slope = (descent(b, READ_MEDIAN, RETURNS_RANDOM, DEPTH_NEAR) - low) /
		(DEPTH_NEAR - DEPTH_LOW);

	for (unsigned depth = DEPTH_FIRST; depth <= DEPTH_MOST; depth = deeper(depth)) {
		double more = descent(b, READ_MEDIAN, RETURNS_RANDOM, depth) - low -
			slope * (depth - DEPTH_LOW);

		if (more > DEPTH_STEP / 2 * cycles)
			return more / cycles / depth;
	}
	return 0;
}

static void indirect_meaning(struct bench *b)
{
	const struct summary *beyond = find_value(b->found, VALUE_return_beyond_cycles);
	const struct summary *again = find_value(b->found, VALUE_return_again_cycles);

	if (!beyond || !again || !math_finite(beyond->value) || !math_finite(again->value))
		return;
	say(b, "  In a descent too deep for the return stack, %s.\n",
		lost_at_first(b, beyond->value) > ALL_LOST ? "all returns are lost"
							   : "the last returns are predicted");
	say(b, "  A return beyond it costs %.1f cycles, %.1f where callers repeat themselves%s.\n",
		beyond->value, again->value,
		again->value < beyond->value / 2 ? ":\n  the predictor of indirect jumps knows it"
						 : "");
}

const struct hooks probe_indirect = {
	.plan = indirect_plan,
	.plan_edges = indirect_plan_edges,
	.find = indirect_find,
	.meaning = indirect_meaning,
};
