/* SPDX-License-Identifier: MIT */
/*
 * Branches: what a predicted and a mispredicted branch cost, and how much the predictor
 * remembers. The experiments (a) to (f) of docs/method.md; here is (a).
 */
#include "probes/branch/branch.h"

#include "lib/jsonl_write.h"
#include "probes/probe.h"

/*
 * (a) Copying all of 10 000 bytes, or only the odd ones. Source and destination fit into any L1.
 * Random data are made anew for every sample, or the predictor would learn them.
 */

#define ELEMENTS 10000

enum data { RANDOM, ODD, EVEN };

static const char odd_random[] = "copy-odd-random", odd_odd[] = "copy-odd-odd",
		  no_branch[] = "nobranch-random";

static const struct copy {
	const char *variant;
	loop_fn *loop;
	enum data data;
	bool odd_only;
} copies[] = {
	{ "copy", loop_branch_copy, RANDOM, false },
	{ odd_random, loop_branch_copy_odd, RANDOM, true },
	{ odd_odd, loop_branch_copy_odd, ODD, true },
	{ "copy-odd-even", loop_branch_copy_odd, EVEN, true },
	{ no_branch, loop_branch_copy_odd_free, RANDOM, true },
	{ "nobranch-odd", loop_branch_copy_odd_free, ODD, true },
};

/* What a row copies. */
struct copy_spec {
	const struct copy *copy;
};

struct buffers {
	const struct copy *copy;
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
 * bytes: they lie in L2.
 */

static const char free_odd[] = "word-free-odd", words_odd_odd[] = "word-odd-odd";

static const struct words {
	const char *variant;
	loop_fn *loop;
	enum data data;
	bool odd_only;
} kinds[] = {
	{ "word-copy", loop_words_copy, RANDOM, false },
	{ "word-odd-random", loop_words_odd, RANDOM, true },
	{ words_odd_odd, loop_words_odd, ODD, true },
	{ "word-odd-even", loop_words_odd, EVEN, true },
	{ "word-free-random", loop_words_odd_free, RANDOM, true },
	{ free_odd, loop_words_odd_free, ODD, true },
};

/* What a row copies. */
struct words_spec {
	const struct words *words;
};

struct arrays {
	const struct words *words;
	uint64_t from[ELEMENTS], to[ELEMENTS];
};

/* New data in every sample, or the predictor would learn them; what was copied before stays. */
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

/* What the source prints: the time of all elements. */
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
	job->refresh = renew_words;
	job->extra = words_extra;
	job->priv = m;
	return 0;
}

static void plan_words(struct bench *b)
{
	if (b->opt->profile == PROFILE_SMOKE)
		return;
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct row row =
			row_new(kinds[i].variant, &unit_ns_element, ANSWER_COPIES, prepare_words);

		row_spec(&row, struct words_spec)->words = &kinds[i];
		row.cost_ns = 40 * (b->pace.ns_per_call + ELEMENTS * 6 * b->pace.ns_per_near_load);
		row_param(&row, "elements", ELEMENTS);
		plan_add(b, &row);
	}
}

static void say_words(struct bench *b)
{
	const struct result *with = find_row(b, words_odd_odd, NULL, 0);
	const struct result *without = find_row(b, free_odd, NULL, 0);

	if (with && without && with->median > 0)
		say(b, "  Of words, on odd data, it takes %.1f times as long without the branch.\n",
			without->median / with->median);
}

static void branch_plan(struct bench *b)
{
	plan_copies(b);
	plan_words(b);
	branch_pattern_plan(b);
	branch_code_plan(b);
}

static void branch_plan_edges(struct bench *b)
{
	branch_pattern_plan_edges(b);
	branch_code_plan_edges(b);
}

static void branch_find(struct bench *b)
{
	branch_pattern_find(b);
	branch_code_find(b);
}

static void branch_meaning(struct bench *b)
{
	say_copies(b);
	say_words(b);
	branch_pattern_meaning(b);
}

const struct hooks probe_branch = {
	.plan = branch_plan,
	.plan_edges = branch_plan_edges,
	.find = branch_find,
	.meaning = branch_meaning,
};
