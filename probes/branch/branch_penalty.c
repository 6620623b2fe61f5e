/* SPDX-License-Identifier: MIT */
/*
 * (c) The cost of one misprediction: random bits against zero bits, held in a register, one
 * two-way branch per bit whose two ways cost the same.
 */
#include "probes/branch/branch.h"

#define WORDS        128
#define BITS         (WORDS * 64)
#define CLOCK_ROUNDS 128 /* of 64 adds, before and after */

static const struct unit unit_cycles = { "cycles", SCALE_PLAIN };

struct bits {
	bool random;
	bool counted; /* mispredictions by the PMU */
	uint64_t random_words[WORDS];
	uint64_t zero_words[WORDS];
};

static void refresh(struct bench *b, struct job *job)
{
	struct bits *m = job->priv;
	uint64_t *words = m->random ? m->random_words : m->zero_words;

	for (unsigned i = 0; m->random && i < WORDS; i++)
		words[i] = random_next(&b->random);
	job->expect = branch_bits_value(words, WORDS);
}

static struct bits *bits_new(struct bench *b, struct job *job)
{
	struct bits *m = row_alloc(b, sizeof *m);

	if (!m) {
		job_skip(job, "no scratch memory");
		return NULL;
	}
	*m = (struct bits){ 0 };
	job->refresh = refresh;
	job->priv = m;
	return m;
}

static int prepare_bits(struct bench *b, const struct row *row, struct job *job)
{
	struct bits *m = bits_new(b, job);

	if (!m)
		return -1;
	m->random = row->key[0];
	job->loop = loop_branch_bits;
	job->args[0] = (uint64_t)(uintptr_t)(m->random ? m->random_words : m->zero_words);
	job->empty_args[0] = job->args[0];
	job->args[1] = WORDS;
	job->ops = BITS;
	return 0;
}

struct look {
	double ticks;
	double mispredicts;
	bool right; /* the kernel's value */
};

static struct look look_at(struct bench *b, const uint64_t *words)
{
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)words, WORDS };
	uint64_t expect = branch_bits_value(words, WORDS);
	struct event_counts q = { 0 };

	b->env->timed_begin(b->env, &q);
	struct timed t = call_loop(b, loop_branch_bits, args);
	b->env->timed_end(b->env, &q);
	return (struct look){ (double)t.ticks, (double)q.mispredicts, t.value == expect };
}

static double clock_ticks(struct bench *b)
{
	const uint64_t args[LOOP_ARGS] = { CLOCK_ROUNDS };

	return (double)call_loop(b, loop_add_chain, args).ticks - b->chain_overhead;
}

/* Both kinds in one sample, so that a change of the clock or of the neighbours meets both. */
static int sample_penalty(struct bench *b, struct job *job, struct sample *s)
{
	struct bits *m = job->priv;
	double clock = clock_ticks(b);
	struct look random = look_at(b, m->random_words), zero = look_at(b, m->zero_words);

	clock += clock_ticks(b);
	if (!random.right || !zero.right)
		return job_skip(job, "proof failed: the kernel miscounted the bits");
	double missed = m->counted ? random.mispredicts - zero.mispredicts : BITS / 2;

	if (clock <= 0 || missed <= 0)
		return job_skip(job,
			clock <= 0 ? "the TSC is too coarse" : "the counter saw no mispredictions");
	double cycles_per_tick = 2 * CLOCK_ROUNDS * 64 / clock;

	s->core_hz = cycles_per_tick * b->env->facts.tsc_hz;
	s->value = (random.ticks - zero.ticks) * cycles_per_tick / missed;
	return 0;
}

static int prepare_penalty(struct bench *b, const struct row *row, struct job *job)
{
	struct bits *m = bits_new(b, job);

	if (!m)
		return -1;
	m->random = true;
	m->counted = row->key[0];
	job->sampler = sample_penalty;
	job->min_samples = 15;
	job->ops = BITS;
	return 0;
}

static bool mispredicts_counted(struct bench *b)
{
	struct event_counts q = { 0 };

	b->env->timed_begin(b->env, &q);
	b->env->timed_end(b->env, &q);
	return q.known & EVENT_MISPREDICTS;
}

/* A bit costs about as much as five loads of the pace's chase when half are mispredicted. */
static double cost(const struct bench *b, unsigned calls)
{
	return calls * (b->pace.ns_per_call + BITS * 5 * b->pace.ns_per_near_load);
}

void branch_penalty_plan(struct bench *b)
{
	struct row row = row_new("penalty", &unit_cycles, RANK_NEEDED, prepare_penalty);
	bool counted = mispredicts_counted(b);

	row.key[0] = counted;
	row.cost_ns = cost(b, 40);
	row_param(&row, "mispredicts_counted", counted);
	plan_add(b, &row);
	for (unsigned random = 0; random < 2; random++) {
		row = row_new(random ? "bits-random" : "bits-zero", &unit_ns_branch, RANK_MAIN,
			prepare_bits);
		row.key[0] = random;
		row.cost_ns = cost(b, 20);
		plan_add(b, &row);
	}
}

void branch_penalty_meaning(struct bench *b)
{
	const struct result *r = find_result(b, "branch", "penalty", NULL, 0);

	if (r)
		say(b, "  A mispredicted branch costs %.1f core cycles (mispredictions %s).\n",
			r->median, r->row->key[0] ? "counted" : "taken as half the bits");
}
