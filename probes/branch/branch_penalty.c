/* SPDX-License-Identifier: MIT */
/*
 * (c) The cost of one misprediction: random bits against zero bits, in a register. Each bit decides
 * one branch, both ways of which cost the same.
 */
#include "probes/branch/branch.h"

#include "engine/core_clock.h"
#include "engine/find.h"
#include "lib/math.h"

#define WORDS       128
#define BITS        (WORDS * 64)
#define CLOCK_TURNS 128 /* of 64 adds, before and after */

/* Two cycles: what data-dependent branches may cost even where all are predicted. */
#define PENALTY_LEAST 2

static const struct unit unit_cycles = { "cycles", SCALE_PLAIN };

static const char penalty[] = "penalty";

/* What a row measures. */
struct bits_spec {
	bool random;  /* else zero bits */
	bool counted; /* the PMU counts mispredictions */
};

struct bits {
	bool random;
	bool counted;
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
	struct bits *m = job_alloc(b, job, sizeof *m);

	if (!m)
		return NULL;
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
	m->random = row_spec(row, struct bits_spec)->random;
	const uint64_t *words = m->random ? m->random_words : m->zero_words;
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)words, WORDS };

	job_call(job, loop_branch_bits, 1, args);
	job->ops = BITS;
	return 0;
}

struct timed_bits {
	double ticks;
	double mispredicts;
	bool right; /* the loop returned what plain C says */
};

static struct timed_bits time_bits(struct bench *b, const uint64_t *words)
{
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)words, WORDS };
	uint64_t expect = branch_bits_value(words, WORDS);
	struct event_counts q = { 0 };

	b->room->timed_begin(b->room, &q);
	struct timed t = call_loop(b, loop_branch_bits, args);
	b->room->timed_end(b->room, &q);
	return (struct timed_bits){ (double)t.ticks, (double)q.mispredicts, t.value == expect };
}

/* Both kinds in one sample, so that a change of the clock, or load from elsewhere, affects both. */
static int sample_penalty(struct bench *b, struct job *job, struct sample *s)
{
	struct bits *m = job->priv;
	double clock = core_clock_ticks(b, CLOCK_TURNS);
	struct timed_bits random = time_bits(b, m->random_words);
	struct timed_bits zero = time_bits(b, m->zero_words);

	clock += core_clock_ticks(b, CLOCK_TURNS);
	if (!random.right || !zero.right)
		return job_disproved(job, "the loop miscounted the bits");
	double missed = m->counted ? random.mispredicts - zero.mispredicts : BITS / 2;

	if (clock <= 0 || missed <= 0)
		return job_skip(job,
			clock <= 0 ? "the TSC is too coarse" : "the counter saw no mispredictions");
	s->core_hz = core_clock_of(b, 2 * CLOCK_TURNS, clock);
	s->control = zero.ticks * s->core_hz / b->room->facts.tsc_hz / missed;
	s->value = random.ticks * s->core_hz / b->room->facts.tsc_hz / missed - s->control;
	return 0;
}

static int prepare_penalty(struct bench *b, const struct row *row, struct job *job)
{
	struct bits *m = bits_new(b, job);

	if (!m)
		return -1;
	m->random = true;
	m->counted = row_spec(row, struct bits_spec)->counted;
	job->sampler = sample_penalty;
	job->min_samples = 15;
	job->ops = BITS;
	return 0;
}

static bool mispredicts_counted(struct bench *b)
{
	struct event_counts q = { 0 };

	b->room->timed_begin(b->room, &q);
	b->room->timed_end(b->room, &q);
	return q.known & EVENT_MISPREDICTS;
}

/* A bit costs about as much as five loads of the pace's chase when half are mispredicted. */
static double cost(const struct bench *b, unsigned calls)
{
	return calls * (b->pace.ns_per_call + BITS * 5 * b->pace.ns_per_near_load);
}

void branch_penalty_plan(struct bench *b)
{
	struct row row = row_new(penalty, &unit_cycles, DROP_LAST, prepare_penalty);
	bool counted = mispredicts_counted(b);

	row_spec(&row, struct bits_spec)->counted = counted;
	row.cost_ns = cost(b, 40);
	row_param(&row, "mispredicts_counted", counted);
	plan_add(b, &row);
	for (unsigned random = 0; random < 2; random++) {
		row = row_new(random ? "bits-random" : "bits-zero", &unit_ns_branch, DROP_LATE,
			prepare_bits);
		row_spec(&row, struct bits_spec)->random = random;
		row.cost_ns = cost(b, 20);
		plan_add(b, &row);
	}
}

void branch_penalty_find(struct bench *b)
{
	struct estimate e = row_estimate(b, penalty);

	if (e.value < PENALTY_LEAST)
		e = not_resolved("random branches cost no more than constant ones");
	found(b, "mispredict_cycles", "cycles", e, NOT_A_NUMBER, "branch penalty");
}

void branch_penalty_meaning(struct bench *b)
{
	const struct result *r = find_row(b, penalty, NULL, 0);

	if (r)
		say(b, "  Mispredictions were %s.\n",
			row_spec(r->row, struct bits_spec)->counted
				? "counted by the processor"
				: "taken to be half of the random bits");
}
