/* SPDX-License-Identifier: MIT */
/*
 * (a) as its source has it [L]: 10 000 integers of 64 bits, each copied to its own place, all or
 * only the odd ones; without a branch, d ^= -(v & 1) & (v ^ d). Both arrays together have 160 000
 * bytes: they lie in L2.
 */
#include "probes/branch/branch.h"

#include "lib/jsonl_write.h"

#define ELEMENTS 10000

enum data { RANDOM, ODD, EVEN };

static const char free_odd[] = "word-free-odd", odd_odd[] = "word-odd-odd";

static const struct words {
	const char *variant;
	loop_fn *loop;
	enum data data;
	bool odd_only;
} kinds[] = {
	{ "word-copy", loop_words_copy, RANDOM, false },
	{ "word-odd-random", loop_words_odd, RANDOM, true },
	{ odd_odd, loop_words_odd, ODD, true },
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
static void refresh(struct bench *b, struct job *job)
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
static void extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	jsonl_number(l, "ns_in_all", b->results[b->nresults - 1].median * ELEMENTS);
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	struct arrays *m = job_alloc(b, job, sizeof *m);

	if (!m)
		return -1;
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)m->to, (uintptr_t)m->from, ELEMENTS };

	m->words = row_spec(row, struct words_spec)->words;
	__builtin_memset(m->to, 0, sizeof m->to);
	job_call(job, m->words->loop, 2, args);
	job->ops = ELEMENTS;
	job->refresh = refresh;
	job->extra = extra;
	job->priv = m;
	return 0;
}

void branch_words_plan(struct bench *b)
{
	if (b->opt->profile == PROFILE_SMOKE)
		return;
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct row row = row_new(kinds[i].variant, &unit_ns_element, DROP_MIDDLE, prepare);

		row_spec(&row, struct words_spec)->words = &kinds[i];
		row.cost_ns = 40 * (b->pace.ns_per_call + ELEMENTS * 6 * b->pace.ns_per_near_load);
		row_param(&row, "elements", ELEMENTS);
		plan_add(b, &row);
	}
}

void branch_words_meaning(struct bench *b)
{
	const struct result *with = find_row(b, odd_odd, NULL, 0);
	const struct result *without = find_row(b, free_odd, NULL, 0);

	if (with && without && with->median > 0)
		say(b, "  Of words, on odd data, it takes %.1f times as long without the branch.\n",
			without->median / with->median);
}
