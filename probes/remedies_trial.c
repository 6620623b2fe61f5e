/* SPDX-License-Identifier: MIT */
/*
 * The measuring of probe `remedies`. Noise comes and goes, so no remedy is measured at one time and
 * another one at another: blocks of samples with each of them follow one another, again and again.
 * The data lie in small pages for all but two; these have their blocks in the middle of the time.
 */
#include "probes/remedies.h"

#include "engine/core_clock.h"
#include "engine/measure.h"
#include "lib/text.h"

#define BLOCK        64 /* samples, of about 0.25 ms each: 16 ms with a remedy at a time */
#define UNRECORDED   2  /* at the begin of each */
#define ROUNDS       (SAMPLES_LIMIT / BLOCK)
#define STATES_CALLS 64
#define CHASE_LOADS  8192
#define NODE         64

static const uint32_t remedies[TRIALS] = {
	[TRIAL_PINNED] = REMEDY_PINNED,
	[TRIAL_NICE] = REMEDY_NICE,
	[TRIAL_FIFO] = REMEDY_FIFO,
	[TRIAL_NO_TURBO] = REMEDY_NO_TURBO,
};

/* Which can be had, each alone. */
static void try_all(struct bench *b, struct trial *t)
{
	for (unsigned i = TRIAL_PINNED; i <= TRIAL_NO_TURBO; i++) {
		const char *why = NULL;

		if (b->room->remedy(b->room, remedies[i], &why))
			text_format(t->of[i].why, sizeof t->of[i].why, "%s", why);
		else
			t->all |= remedies[i];
	}
	b->room->remedy_end(b->room);
}

static void build_states(struct bench *b, struct trial *t, const struct arena *arena)
{
	uint64_t state = 0, moves = 0;

	for (unsigned i = 0; i < TRIAL_ELEMENTS; i++) {
		uint64_t next = random_next(&b->random) & 1;

		arena->base[i] = (unsigned char)next;
		moves += state ^ next;
		state = next;
	}
	t->loop = loop_branch_states;
	t->args[0] = (uintptr_t)arena->base;
	t->args[1] = TRIAL_ELEMENTS;
	t->expect = TRIAL_ELEMENTS - 2 * moves;
	t->calls = STATES_CALLS;
	t->ops = STATES_CALLS * TRIAL_ELEMENTS;
}

static int build_chase(struct bench *b, struct job *job, struct trial *t, const struct arena *arena)
{
	uint64_t nodes = TRIAL_BYTES / NODE;

	if (chain_layout(&t->chain, arena, nodes, NODE)) {
		job->arena = *arena;
		return job_too_large(job, TRIAL_BYTES + 4 * nodes);
	}
	chain_order_random(&t->chain, &b->random);
	chain_link(&t->chain, CHAIN_POINTER);
	t->loop = loop_chase;
	t->args[1] = CHASE_LOADS / 16;
	t->calls = 1;
	t->ops = CHASE_LOADS;
	return 0;
}

static int build(struct bench *b, struct job *job, struct trial *t, const struct arena *arena)
{
	uint64_t none[LOOP_ARGS];

	if (t->subject == SUBJECT_STATES)
		build_states(b, t, arena);
	else if (build_chase(b, job, t, arena))
		return -1;
	__builtin_memcpy(none, t->args, sizeof none);
	none[1] = 0;
	t->overhead = measure_overhead(b, t->loop, none);
	return 0;
}

/* The next stretch of the chase. */
static void step_on(struct trial *t)
{
	struct chain *c = &t->chain;
	uint64_t end = c->position + CHASE_LOADS;

	if (t->subject != SUBJECT_CHASE)
		return;
	t->args[0] = chain_at(c, CHAIN_POINTER, c->position);
	t->expect = chain_at(c, CHAIN_POINTER, end);
	c->position = end % c->nodes;
}

static int take(struct bench *b, struct job *job, struct trial *t, struct sample *s,
	struct event_counts *q)
{
	double ticks = 0;
	bool right = true;

	*q = (struct event_counts){ 0 };
	step_on(t);
	b->room->timed_begin(b->room, q);
	double before = core_clock_ticks(b, b->clock_turns);
	for (unsigned i = 0; i < t->calls; i++) {
		struct timed timed = call_loop(b, t->loop, t->args);

		ticks += (double)timed.ticks - t->overhead;
		right &= timed.value == t->expect;
	}
	double after = core_clock_ticks(b, b->clock_turns);
	b->room->timed_end(b->room, q);
	if (!right)
		return job_disproved(job, "the loop did not return what plain C says");
	s->value = ticks_to_ns(b, ticks) / t->ops;
	s->core_hz = core_clock_of(b, 2.0 * (double)b->clock_turns, before + after);
	s->disturbed = core_clock_moved(b, before, after);
	return 0;
}

/* A block with the remedies of `which`. What could be had at first may be refused later. */
static int block(struct bench *b, struct job *job, struct trial *t, unsigned which)
{
	const char *why = NULL;
	struct event_counts q;
	struct sample s;
	int failed = 0;

	if (b->room->remedy(b->room, which == TRIAL_ALL ? t->all : remedies[which], &why)) {
		text_format(t->of[which].why, sizeof t->of[which].why, "%s", why);
		return 0;
	}
	for (unsigned i = 0; i < UNRECORDED + BLOCK && !failed; i++) {
		unsigned at = t->of[which].n;

		failed = take(b, job, t, &s, &q);
		if (i < UNRECORDED || failed || at == SAMPLES_LIMIT)
			continue;
		t->of[which].sample[at] = s;
		t->of[which].counted[at] = q;
		t->of[which].n++;
	}
	b->room->remedy_end(b->room);
	return failed;
}

static bool stopped(struct bench *b)
{
	return b->room->stop && b->room->stop(b->room);
}

/* So many rounds over all remedies that have their data in such pages. */
static int rounds(struct bench *b, struct job *job, struct trial *t, bool huge, unsigned n)
{
	struct arena arena;

	if (bench_arena(b, huge ? PAGE_2M : PAGE_4K, &arena))
		return job_skip(job, "no memory for an arena");
	b->arena_uses++; /* no row finds there what it left */
	if (huge && arena.page_bytes == PAGE_4K) {
		text_format(t->of[TRIAL_HUGE].why, sizeof t->of[TRIAL_HUGE].why,
			"large pages did not come");
		t->of[TRIAL_ALL].huge = false;
		return 0;
	}
	if (build(b, job, t, &arena))
		return -1;
	for (unsigned round = 0; round < n; round++)
		for (unsigned i = 0; i < TRIALS && !stopped(b); i++)
			if (t->of[i].huge == huge && !t->of[i].why[0] && block(b, job, t, i))
				return -1;
	return 0;
}

int trial_measure(struct bench *b, struct job *job, struct trial *t)
{
	bool large = b->room->facts.pages & (PAGE_2M | PAGE_1G);

	try_all(b, t);
	t->of[TRIAL_HUGE].huge = true;
	t->of[TRIAL_ALL].huge = large;
	if (!large)
		text_format(t->of[TRIAL_HUGE].why, sizeof t->of[TRIAL_HUGE].why,
			"no large pages: needs transparent_hugepage or nr_hugepages");
	if (rounds(b, job, t, false, ROUNDS / 2) || (large && rounds(b, job, t, true, ROUNDS)) ||
		rounds(b, job, t, false, ROUNDS / 2))
		return -1;
	return 0;
}
