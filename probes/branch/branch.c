/* SPDX-License-Identifier: MIT */
/*
 * Branches: what a predicted and a mispredicted branch cost, and how much the predictor remembers.
 * The experiments (a) to (f) of README.md; here are (a), (e) and (f).
 */
#include <string.h>

#include "probes/branch/branch.h"

#include "lib/jsonl_write.h"
#include "probes/generated_code.h"
#include "probes/probe.h"
#include "lib/permutation.h"
#include "engine/find.h"
#include "lib/math.h"

/*
 * (e) and (f): how many branch targets, and how many return addresses, the processor remembers.
 * The code is generated, since its size is the parameter: of nothing but jumps, calls and returns.
 * The jumps are visited in random order: in that of their addresses, the front end fetches the next
 * line, and finds the next jump, whether it knows the target or not.
 */

/*
 * Written is x86-64 code of nothing but jumps, calls and returns (Intel SDM vol. 2: EB, E9, E8,
 * C3). Offsets count from the start of the block.
 */

/* Offset of the code proper; offset 0 is a lone return, the twin without work. */
#define CODE_ENTRY 64

/* In code_targets: where the lone return is, in which the jumps end. */
#define CODE_RETURN 8

#define FUNCTION_BYTES 64

/* Bytes that code_calls needs. */
static size_t code_calls_bytes(uint64_t depth)
{
	return CODE_ENTRY + depth * FUNCTION_BYTES;
}

/*
 * `jumps` taken jumps in as many slots of `spacing` (>= 16) bytes, from slot order[0] to order[1]
 * and so on, then a return. order[]: each of 0..jumps-1 once.
 */
static void code_targets(struct code_block *c, const uint32_t *order, uint64_t jumps,
	uint64_t spacing)
{
	code_pad(c, jumps * spacing);
	for (uint64_t k = 0; k < jumps; k++) {
		c->at = order[k] * spacing;
		code_near(c, INSN_JUMP, k + 1 < jumps ? order[k + 1] * spacing : CODE_RETURN);
	}
	c->at = CODE_RETURN;
	code_put(c, INSN_RETURN, 1);
}

/* A function that calls a function ... `depth` deep (>= 1, itself included), 64 bytes apart. */
static void code_calls(struct code_block *c, uint64_t depth)
{
	code_put(c, INSN_RETURN, 1);
	for (uint64_t i = 0; i < depth; i++) {
		code_pad(c, CODE_ENTRY + i * FUNCTION_BYTES);
		if (i + 1 < depth)
			code_near(c, INSN_CALL, CODE_ENTRY + (i + 1) * FUNCTION_BYTES);
		code_put(c, INSN_RETURN, 1);
	}
}

#define TARGETS_MOST   131072
#define TARGETS_SMOKE  32768 /* in that profile: an emulator translates each, in its time */
#define JUMPS_PER_CALL 16384
#define LONG_SAMPLES   31 /* of a row with more jumps than that, at most: code in shared caches */
#define SPACING_NEAR   16 /* bytes that a jump has to itself, */
#define SPACING_FAR    32 /* and the other spacing */
#define FEW_JUMPS      16 /* fewer tell nothing of the memory for targets */
#define DEPTH_MOST     64
#define EDGES_AT_ONCE  8       /* planned in one round, at most */
#define CALLS_PER_CALL 4096    /* nested calls per call of the loop, about */
#define TRANSLATE_NS   30000.0 /* an emulator translates each jump when it first meets it */

#define TARGETS_RATIO 1.01 /* the first x above the edge over the last one below it, at most */

static const struct unit unit_ns_jump = { "ns/jump", SCALE_NS };
static const struct unit unit_ns_call = { "ns/call", SCALE_NS };

static const char targets[] = "targets", return_stack[] = "return-stack";

/* Parameters of the rows of each. */
struct targets_spec {
	uint64_t jumps;
	uint64_t spacing; /* bytes */
};

struct calls_spec {
	uint64_t depth;
};

static uint64_t laps_of_jumps(uint64_t jumps)
{
	return jumps < JUMPS_PER_CALL ? JUMPS_PER_CALL / jumps : 1;
}

/* Makes the block executable; loop_timed_call calls what is at `entry` `laps` times. */
static int make_ready(struct bench *b, struct job *job, const struct code_block *c, size_t entry,
	uint64_t laps)
{
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)c->base + entry, laps };

	if (code_memory_seal(b, job, c))
		return -1;
	job_call(job, loop_timed_call, 1, args);
	job->expect = laps;
	job->warm_calls = 4;
	return 0;
}

/* The empty twin calls a lone return as often: what remains is the time of the jumps. */
static int prepare_targets(struct bench *b, const struct row *row, struct job *job)
{
	const struct targets_spec *spec = row_spec(row, struct targets_spec);
	uint64_t laps = laps_of_jumps(spec->jumps);
	uint32_t *order = job_alloc(b, job, spec->jumps * sizeof *order);
	struct code_block c;

	if (!order || code_memory_open(b, job, &c, spec->jumps * spec->spacing))
		return -1;
	permutation_list(order, spec->jumps, &b->random);
	code_targets(&c, order, spec->jumps, spec->spacing);
	if (make_ready(b, job, &c, order[0] * spec->spacing, laps))
		return -1;
	job->empty_args[0] = (uint64_t)(uintptr_t)c.base + CODE_RETURN;
	job->empty_args[1] = laps;
	job->ops = (double)(laps * spec->jumps);
	if (spec->jumps > JUMPS_PER_CALL)
		job->max_samples = LONG_SAMPLES;
	return 0;
}

static int prepare_calls(struct bench *b, const struct row *row, struct job *job)
{
	uint64_t depth = row_spec(row, struct calls_spec)->depth, laps = CALLS_PER_CALL / depth;
	struct code_block c;

	if (code_memory_open(b, job, &c, code_calls_bytes(depth)))
		return -1;
	code_calls(&c, depth);
	job->ops = (double)(laps * depth);
	return make_ready(b, job, &c, CODE_ENTRY, laps);
}

/* A jump or a call with its return is at worst mispredicted: ten loads of the pace's chase. */
static double code_cost(const struct bench *b, double different, double operations)
{
	double once = b->room->facts.emulated ? different * TRANSLATE_NS : 0;

	return once + 60 * (b->pace.ns_per_call + operations * 10 * b->pace.ns_per_near_load);
}

static void plan_targets(struct bench *b, uint64_t jumps, uint64_t spacing, row_adder *add)
{
	struct row row = row_new(targets, &unit_ns_jump, ANSWER_TARGETS, prepare_targets);

	row.needs = NEED_CODE;
	*row_spec(&row, struct targets_spec) = (struct targets_spec){ jumps, spacing };
	row.cost_ns = code_cost(b, (double)jumps, (double)(laps_of_jumps(jumps) * jumps));
	row_param(&row, "targets", (double)jumps);
	row_param(&row, "stride_bytes", (double)spacing);
	add(b, &row);
}

static void plan_calls(struct bench *b, uint64_t depth, row_adder *add)
{
	struct row row = row_new(return_stack, &unit_ns_call, ANSWER_RETURNS, prepare_calls);

	row.needs = NEED_CODE;
	row_spec(&row, struct calls_spec)->depth = depth;
	row.cost_ns = code_cost(b, 2.0 * (double)depth, CALLS_PER_CALL);
	row_param(&row, "depth", (double)depth);
	add(b, &row);
}

/* (e) and (f): generated code */
static void branch_code_plan(struct bench *b)
{
	uint64_t most = b->opt->profile == PROFILE_SMOKE ? TARGETS_SMOKE : TARGETS_MOST;
	uint64_t sizes[SIZES_MOST];

	for (uint64_t spacing = SPACING_NEAR; spacing <= SPACING_FAR; spacing *= 2) {
		unsigned n = (spacing == SPACING_NEAR ? sweep : sweep_coarse)(b, 1, most, 1, sizes);

		for (unsigned i = 0; i < n; i++)
			plan_targets(b, sizes[i], spacing, plan_add);
	}
	for (uint64_t depth = 1; depth <= DEPTH_MOST; depth++) {
		unsigned step = depth > 16 ? 4 : depth > 8 ? 2 : 1;

		if (b->opt->profile != PROFILE_SMOKE || depth % step == 0)
			plan_calls(b, depth, plan_add);
	}
}

#define TARGETS_RISE 1.5 /* factor of a step, and in an octave: README.md */

/* The loop around the jumps has two of its own, its call and the jump back. */
#define LOOP_JUMPS 2
/* Steps at the same number of jumps, to this factor; that of a cache moves by 2, as the spacing. */
#define SAME_STEP 1.15

static const struct staircase_rules targets_rules = { .rise = TARGETS_RISE, .steps = true };

/* The curve of a spacing, without its first points; returns how many there are. */
static unsigned take_targets(const struct bench *b, const struct reader *reader, double spacing,
	struct curve *c)
{
	const struct pick pick = {
		.variant = targets,
		.x = "targets",
		.only = "stride_bytes",
		.only_value = spacing,
	};
	unsigned from = 0;

	take_curve(reader, &pick, c);
	while (from < c->n && c->point[from].x < FEW_JUMPS)
		from++;
	c->n -= from;
	memmove(c->point, c->point + from, c->n * sizeof *c->point);
	memmove(c->from, c->from + from, c->n * sizeof *c->from);
	return c->n;
}

/* Its clear steps. NULL; or why there are none. */
static const char *steps_at(const struct bench *b, const struct reader *reader, double spacing,
	struct curve *c, struct staircase *s)
{
	if (!take_targets(b, reader, spacing, c))
		return NOT_MEASURED;
	return infer_staircase(c->point, c->n, &targets_rules, s) ? NULL : s->reason;
}

/* The step of the other spacing at the same number of jumps, or NULL. */
static const struct estimate *same_step(const struct estimate *e, const struct staircase *other)
{
	for (unsigned i = 0; i < other->count && !e->reason; i++) {
		const struct estimate *o = &other->level[i].edge;

		if (!o->reason && o->low <= SAME_STEP * e->high && e->low <= SAME_STEP * o->high)
			return o;
	}
	return NULL;
}

/* Returns the number of targets that the table holds, from this step of its curve. */
static struct estimate targets_held(struct reader *reader, const struct curve *c, struct estimate e)
{
	e = edge_of(reader, c, e);
	e.value += LOOP_JUMPS;
	e.low += LOOP_JUMPS;
	e.high += LOOP_JUMPS;
	return e;
}

/*
 * A table of targets counts jumps, and a cache that holds their code counts bytes: a step is that
 * of a table if both spacings have it at the same number of jumps. The last one is what all levels
 * hold together, the one before it what those before the last level hold.
 */
static void find_targets(struct bench *b, struct found_values *f, struct curve *near,
	struct curve *far)
{
	static const char rests_on[] = "branch targets, 16 and 32 bytes apart";
	struct estimate all = not_resolved("moves with the jumps' spacing"), first = all;
	struct staircase s = { 0 }, other = { 0 };
	const char *reason = steps_at(b, &f->reader, SPACING_NEAR, near, &s);
	const char *far_reason = steps_at(b, &f->reader, SPACING_FAR, far, &other);

	for (unsigned i = 0; !reason && !far_reason && i < s.count; i++) {
		const struct estimate *same = same_step(&s.level[i].edge, &other);

		if (!same)
			continue;
		edge_of(&f->reader, far, *same);
		first = all;
		all = targets_held(&f->reader, near, s.level[i].edge);
	}
	if (reason || far_reason)
		all = not_resolved(reason ? reason : far_reason);
	if (!first.reason)
		found(f, VALUE_branch_targets_first, first, rests_on);
	found(f, VALUE_branch_targets, all, rests_on);
}

/* All calls of a lap together: a straight line as long as every return is predicted. */
static struct estimate predicted_returns(struct bench *b, struct reader *reader, struct curve *c)
{
	const struct pick pick = { .variant = return_stack, .x = "depth" };

	if (!take_curve(reader, &pick, c))
		return not_resolved(NOT_MEASURED);
	for (unsigned i = 0; i < c->n; i++)
		c->point[i].y *= c->point[i].x;
	return edge_of(reader, c, infer_bend(c->point, c->n));
}

/* Targets to 1 %, at the other spacing to 5 %; the return stack to the call. */
static void branch_code_plan_edges(struct bench *b, struct reader *reader)
{
	const struct resolution one = { .grain = 1, .ratio = 1 };
	struct curve *c = row_alloc(b, sizeof *c);
	double next[EDGES_AT_ONCE], depth;
	struct estimate e;

	if (!c)
		return;
	for (uint64_t spacing = SPACING_NEAR; spacing <= SPACING_FAR; spacing *= 2) {
		const struct resolution part = { .grain = 1,
			.ratio = spacing == SPACING_NEAR ? TARGETS_RATIO : BRANCH_RATIO };
		unsigned n = take_targets(b, reader, (double)spacing, c);

		n = infer_bisect_staircase(c->point, n, &targets_rules, &part, next, EDGES_AT_ONCE);
		for (unsigned i = 0; i < n; i++)
			plan_targets(b, (uint64_t)next[i], spacing, plan_between);
	}
	e = predicted_returns(b, reader, c);
	depth = infer_bisect_bracket(&e, &one);
	if (math_finite(depth))
		plan_calls(b, (uint64_t)depth, plan_between);
}

static void branch_code_find(struct bench *b, struct found_values *f)
{
	struct curve *c = row_alloc(b, sizeof *c), *other = row_alloc(b, sizeof *other);

	if (!c || !other)
		return;
	find_targets(b, f, c, other);
	found(f, VALUE_return_stack, predicted_returns(b, &f->reader, c),
		"branch return-stack over depth");
}

/*
 * (a) Copying all of 10 000 bytes, or only the odd ones. Source and destination fit into any L1.
 * Random data are made anew for every sample, or the predictor would learn them.
 */

#define ELEMENTS 10000

enum data { RANDOM, ODD, EVEN };

static const char odd_random[] = "copy-odd-random", odd_odd[] = "copy-odd-odd",
		  no_branch[] = "nobranch-random";

static const struct word_copy {
	const char *variant;
	loop_fn *loop;
	enum data data;
	bool odd_only;
} copies[] = {
	{ "copy", loop_branch_copy, RANDOM },
	{ odd_random, loop_branch_copy_odd, RANDOM, true },
	{ odd_odd, loop_branch_copy_odd, ODD, true },
	{ "copy-odd-even", loop_branch_copy_odd, EVEN, true },
	{ no_branch, loop_branch_copy_odd_free, RANDOM, true },
	{ "nobranch-odd", loop_branch_copy_odd_free, ODD, true },
};

/* Parameters of a row. */
struct copy_spec {
	const struct word_copy *copy;
};

struct buffers {
	const struct word_copy *copy;
	unsigned char from[ELEMENTS], to[ELEMENTS], wanted[ELEMENTS];
};

static void fill_bytes(struct random *r, unsigned char *bytes, enum data data)
{
	uint64_t set = data == ODD ? 0x0101010101010101 : 0;
	uint64_t clear = data == EVEN ? 0x0101010101010101 : 0;

	for (unsigned i = 0; i < ELEMENTS; i += 8) {
		uint64_t word = (random_next(r) | set) & ~clear;

		__builtin_memcpy(bytes + i, &word, 8);
	}
}

/* loop_branch_copy and its kin: digest of the n bytes that were copied. */
static uint64_t branch_digest(const unsigned char *bytes, uint64_t n)
{
	uint64_t digest = n;

	for (uint64_t i = 0; i < n; i++)
		digest = (digest << 5 | digest >> 59) ^ bytes[i];
	return digest;
}

static void renew_bytes(struct bench *b, struct job *job)
{
	struct buffers *m = job->priv;
	unsigned k = 0;

	fill_bytes(&b->random, m->from, m->copy->data);
	for (unsigned i = 0; i < ELEMENTS; i++) {
		m->wanted[k] = m->from[i];
		k += m->copy->odd_only ? m->from[i] & 1 : 1;
	}
	job->expect = branch_digest(m->wanted, k);
}

static int prepare_copy(struct bench *b, const struct row *row, struct job *job)
{
	struct buffers *m = job_alloc(b, job, sizeof *m);

	if (!m)
		return -1;
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)m->to, (uint64_t)(uintptr_t)m->from,
		ELEMENTS };

	m->copy = row_spec(row, struct copy_spec)->copy;
	job_call(job, m->copy->loop, 2, args);
	job->ops = ELEMENTS;
	job->refresh = renew_bytes;
	job->priv = m;
	return 0;
}

/* Per element: one timed, one digested, three prepared; about five steps each. */
static void plan_copies(struct bench *b)
{
	for (unsigned i = 0; i < sizeof copies / sizeof *copies; i++) {
		struct row row =
			row_new(copies[i].variant, &unit_ns_element, ANSWER_COPIES, prepare_copy);

		row_spec(&row, struct copy_spec)->copy = &copies[i];
		row.cost_ns = 40 * (b->pace.ns_per_call + ELEMENTS * 8 * b->pace.ns_per_near_load);
		row_param(&row, "elements", ELEMENTS);
		plan_add(b, &row);
	}
}

static void say_copies(struct bench *b)
{
	const struct result *random = find_row(b, odd_random, NULL, 0);
	const struct result *odd = find_row(b, odd_odd, NULL, 0);
	const struct result *without = find_row(b, no_branch, NULL, 0);

	if (random && odd && odd->median > 0)
		say(b, "  Unpredictable branches make the same loop %.1f times as slow.\n",
			random->median / odd->median);
	if (random && without && without->median > 0)
		say(b, "  Without the branch it is %.1f times as fast on random data.\n",
			random->median / without->median);
}

/*
 * (a) as its source has it [L]: 10 000 integers of 64 bits, each copied to its own place, all or
 * only the odd ones; without a branch, d ^= -(v & 1) & (v ^ d). Both arrays together have 160 000
 * bytes: they lie in L2. Its program copies one array again and again, which a predictor may learn:
 * the rows named printed- are that program, the others have new data in each sample.
 */

#define PRINTED_WARM 200 /* passes before the first sample; the source's benchmarks take seconds */

static const char free_odd[] = "word-free-odd", words_odd_odd[] = "word-odd-odd",
		  words_random[] = "word-odd-random", printed_random[] = "printed-odd-random";

static const struct branch_words {
	const char *variant;
	loop_fn *loop;
	enum data data;
	bool odd_only;
	bool again; /* the same data in each sample */
} word_kinds[] = {
	{ "word-copy", loop_words_copy, RANDOM },
	{ words_random, loop_words_odd, RANDOM, true },
	{ words_odd_odd, loop_words_odd, ODD, true },
	{ "word-odd-even", loop_words_odd, EVEN, true },
	{ "word-free-random", loop_words_odd_free, RANDOM, true },
	{ free_odd, loop_words_odd_free, ODD, true },
	{ "printed-copy", loop_singly_copy, RANDOM, false, true },
	{ printed_random, loop_singly_odd, RANDOM, true, true },
	{ "printed-odd-odd", loop_singly_odd, ODD, true, true },
	{ "printed-odd-even", loop_singly_odd, EVEN, true, true },
	{ "printed-free-random", loop_singly_odd_free, RANDOM, true, true },
};

/* Parameters of a row. */
struct words_spec {
	const struct branch_words *words;
};

struct arrays {
	const struct branch_words *words;
	uint64_t from[ELEMENTS], to[ELEMENTS];
};

/* New data, and what plain C makes of them; what was copied before stays. */
static void renew_words(struct bench *b, struct job *job)
{
	struct arrays *m = job->priv;
	uint64_t digest = 0;

	for (unsigned i = 0; i < ELEMENTS; i++) {
		uint64_t value = random_next(&b->random);

		if (m->words->data != RANDOM)
			value = (value & ~1ULL) | (m->words->data == ODD);
		m->from[i] = value;
		uint64_t taken = m->words->odd_only ? -(value & 1) : ~0ULL;

		digest = (digest << 5 | digest >> 59) ^ (m->to[i] ^ ((value ^ m->to[i]) & taken));
	}
	job->expect = digest;
}

/* Add the number that the source prints: the time of all elements. */
static void words_extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	jsonl_number(l, "ns_in_all", b->results[b->nresults - 1].median * ELEMENTS);
}

static int prepare_words(struct bench *b, const struct row *row, struct job *job)
{
	struct arrays *m = job_alloc(b, job, sizeof *m);

	if (!m)
		return -1;
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)m->to, (uintptr_t)m->from, ELEMENTS };

	m->words = row_spec(row, struct words_spec)->words;
	__builtin_memset(m->to, 0, sizeof m->to);
	job_call(job, m->words->loop, 2, args);
	job->ops = ELEMENTS;
	job->extra = words_extra;
	job->priv = m;
	if (m->words->again) {
		renew_words(b, job);
		job->warm_calls = PRINTED_WARM;
	} else {
		job->refresh = renew_words; /* or the predictor would learn them */
	}
	return 0;
}

static void plan_words(struct bench *b)
{
	if (b->opt->profile == PROFILE_SMOKE)
		return;
	for (unsigned i = 0; i < sizeof word_kinds / sizeof *word_kinds; i++) {
		const struct branch_words *words = &word_kinds[i];
		struct row row = row_new(words->variant, &unit_ns_element,
			words->again ? ANSWER_LONG_STATES : ANSWER_COPIES, prepare_words);
		unsigned calls = 40 + (words->again ? PRINTED_WARM : 0);

		row_spec(&row, struct words_spec)->words = words;
		row.cost_ns =
			calls * (b->pace.ns_per_call + ELEMENTS * 6 * b->pace.ns_per_near_load);
		row_param(&row, "elements", ELEMENTS);
		plan_add(b, &row);
	}
}

static void say_words(struct bench *b)
{
	const struct result *with = find_row(b, words_odd_odd, NULL, 0);
	const struct result *without = find_row(b, free_odd, NULL, 0);
	const struct result *again = find_row(b, printed_random, NULL, 0);
	const struct result *random = find_row(b, words_random, NULL, 0);

	if (with && without && with->median > 0)
		say(b, "  Of words, on odd data, it takes %.1f times as long without the branch.\n",
			without->median / with->median);
	if (again && random && again->median > 0)
		say(b, "  Random words that come again cost %.2f ns each, new ones %.2f ns.\n",
			again->median, random->median);
}

static void branch_plan(struct bench *b)
{
	plan_copies(b);
	plan_words(b);
	branch_pattern.plan(b);
	branch_states.plan(b);
	branch_code_plan(b);
}

static void branch_plan_edges(struct bench *b, struct reader *reader)
{
	branch_pattern.plan_edges(b, reader);
	branch_code_plan_edges(b, reader);
}

static void branch_find(struct bench *b, struct found_values *f)
{
	branch_pattern.find(b, f);
	branch_states.find(b, f);
	branch_code_find(b, f);
}

static void branch_meaning(struct bench *b)
{
	say_copies(b);
	say_words(b);
	branch_pattern.meaning(b);
	branch_states.meaning(b);
}

const struct hooks probe_branch = {
	.plan = branch_plan,
	.plan_edges = branch_plan_edges,
	.find = branch_find,
	.meaning = branch_meaning,
};
