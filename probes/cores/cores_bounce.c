/* SPDX-License-Identifier: MIT */
/*
 * Ping-pong: how long a line takes from one processor to another, which hands it back.
 *
 * The address of a line decides in which slice of the last cache and with which directory it is at
 * home, and its page on which node; who has had it before can matter too (AMD's Zen keeps lines
 * where they were: nviennot/core-to-core-latency #97, #155, #156). So every sample uses another
 * line, on the node of the first of the two, which flushes it from all caches and writes it first.
 * The number is the median over the lines.
 */
#include "engine/find.h"
#include "lib/text.h"
#include "probes/cores/cores_parts.h"

#define ROUNDS      200
#define LINES       9  /* samples at least, each on another line */
#define TRIAL       50 /* rounds of a trial at planning */
#define TRIALS      3
#define PATIENCE    (1ULL << 28)
#define EVERY_PAIR  64 /* CPUs up to which every pair is measured; beyond, a sample */
#define OTHER_PAIRS 1024
#define MATRIX_MOST 10 /* CPUs whose matrix fits 79 columns */

static const char bounces[] = "bounce";

/* Parameters of a row. */
struct pair_spec {
	unsigned first, second; /* CPUs */
};

static const struct unit unit_hop = { "ns/hop", SCALE_PLAIN };

/* State that both sides share, beside the line. */
struct ping_pong {
	_Alignas(LINE_PAIR) volatile uint64_t go;
	_Alignas(LINE_PAIR) struct cpu_task tasks[3], opening[2];
	struct timed timed[2];
	unsigned ntasks, nopening;
	struct arena memory; /* that the lines are taken from */
	uint64_t *line;
	uint64_t flushed; /* the line's address, where the loop can read it */
	bool can_flush;
	uint64_t rounds;
};

static void bounce(struct ping_pong *p, struct bench *b, unsigned side)
{
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)p->line, side, p->rounds,
		PATIENCE };

	p->timed[side] = call_loop(b, loop_bounce, args);
}

static void bounce_first(struct cpu_task *c)
{
	bounce(c->arg, c->b, 0);
}

static void bounce_second(struct cpu_task *c)
{
	bounce(c->arg, c->b, 1);
}

/* The first of the two flushes the line from all caches and is the first to write it. */
static void open_line(struct cpu_task *c)
{
	struct ping_pong *p = c->arg;
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)&p->flushed, 1 };

	p->flushed = (uint64_t)(uintptr_t)p->line;
	if (p->can_flush)
		call_loop(c->b, loop_flush, args);
	*(volatile uint64_t *)p->line = 0;
}

/* Another line, anywhere in the memory; its neighbour in a pair of lines is nobody's. */
static int new_line(struct bench *b, struct job *job, struct ping_pong *p)
{
	uint64_t at = random_below(&b->random, p->memory.bytes / LINE_PAIR) * LINE_PAIR;

	p->line = (uint64_t *)(p->memory.base + at);
	return cpu_tasks_run(job, p->opening, p->nopening, &p->go);
}

/* The measuring CPU takes part if it is one of the two; else it starts them and waits. */
static int sample_pair(struct bench *b, struct job *job, struct sample *s)
{
	struct ping_pong *p = job->priv;

	if (new_line(b, job, p) || cpu_tasks_run(job, p->tasks, p->ntasks, &p->go))
		return -1;
	uint64_t done = p->timed[0].value, other = p->timed[1].value;

	if (done < 2 * ROUNDS || other < 2 * ROUNDS + 1) /* it waited in vain: loop_bounce */
		return job_skip(job, "a CPU was taken away: %llu of %u hand-overs",
			(unsigned long long)done, 2 * ROUNDS);
	if (done > 2 * ROUNDS || other > 2 * ROUNDS + 1)
		return job_disproved(job, "the line was handed over %llu times, not %u",
			(unsigned long long)done, 2 * ROUNDS);
	s->value = ticks_to_ns(b, (double)p->timed[0].ticks - b->empty_ticks) / (2 * ROUNDS);
	return 0;
}

static void set_pair_tasks(struct bench *b, struct ping_pong *p, const struct pair_spec *spec)
{
	const struct cpu_task nothing = { .b = b, .work = cpu_task_nothing };
	unsigned n = 0;

	if (spec->first != 0) {
		p->opening[p->nopening++] = nothing;
		p->tasks[n++] = nothing;
	}
	p->opening[p->nopening++] =
		(struct cpu_task){ .b = b, .cpu = spec->first, .work = open_line, .arg = p };
	p->tasks[n++] =
		(struct cpu_task){ .b = b, .cpu = spec->first, .work = bounce_first, .arg = p };
	p->tasks[n++] =
		(struct cpu_task){ .b = b, .cpu = spec->second, .work = bounce_second, .arg = p };
	p->ntasks = n;
}

static int prepare_pair(struct bench *b, const struct row *row, struct job *job)
{
	const struct pair_spec *spec = row_spec(row, struct pair_spec);
	struct ping_pong *p = job_alloc(b, job, sizeof *p);
	const char *why;

	if (!p)
		return -1;
	__builtin_memset(p, 0, sizeof *p);
	if (job_arena_on(b, job, cores_node(&b->room->facts, spec->first), PAGE_2M, &p->memory))
		return -1;
	p->rounds = ROUNDS;
	p->can_flush = machine_has(b, NEED_CLFLUSH, &why);
	set_pair_tasks(b, p, spec);
	job->min_samples = LINES;
	job->sampler = sample_pair;
	job->priv = p;
	return 0;
}

static void plan_pair(struct bench *b, unsigned first, unsigned second, double sample_ns)
{
	struct row row = row_new(bounces, &unit_hop, first ? ANSWER_OTHER_PAIRS : ANSWER_PAIRS,
		prepare_pair);

	*row_spec(&row, struct pair_spec) = (struct pair_spec){ first, second };
	row.page_bytes = common_page(b);
	row.cost_ns = (LINES + 3) * sample_ns;
	row_param(&row, "cpu_a", first);
	row_param(&row, "cpu_b", second);
	plan_add(b, &row);
}

/*
 * Returns the time of a sample, from one of fewer rounds; 0 if the two CPUs do not answer each
 * other.
 */
static double trial_ns(struct bench *b, struct ping_pong *p)
{
	const struct pair_spec pair = { 0, 1 };
	struct job job = { .ops = 1 };
	uint64_t since = b->room->now(b->room);

	__builtin_memset(p, 0, sizeof *p);
	p->rounds = TRIAL;
	set_pair_tasks(b, p, &pair);
	if (bench_arena(b, common_page(b), 0, &p->memory) || new_line(b, &job, p) ||
		cpu_tasks_run(&job, p->tasks, p->ntasks, &p->go))
		return 0;
	/* Its rounds many times; the start of the tasks once. */
	return ticks_to_ns(b,
		(double)(b->room->now(b->room) - since) +
			(double)p->timed[0].ticks * (ROUNDS / TRIAL - 1));
}

/* The quickest of some trials: others may have had the CPUs during one. */
static double sample_cost(struct bench *b)
{
	bool can = b->room->facts.cpus >= 2 && b->room->run_on;
	size_t mark = b->work.used;
	struct ping_pong *p = can ? row_alloc(b, sizeof *p) : NULL;
	double best = 0;

	if (!p)
		return 0;
	for (unsigned i = 0; i < TRIALS; i++) {
		double ns = trial_ns(b, p);

		if (ns > 0 && (!(best > 0) || ns < best))
			best = ns;
	}
	b->work.used = mark;
	return best;
}

/* Pair number `at` of those without the measuring CPU: 1 and 2, 1 and 3, ... */
static void plan_other(struct bench *b, uint64_t at, double sample_ns)
{
	unsigned n = b->room->facts.cpus, i = 1;

	for (; at >= n - 1 - i; i++)
		at -= n - 1 - i;
	plan_pair(b, i, i + 1 + (unsigned)at, sample_ns);
}

/*
 * All pairs up to EVERY_PAIR CPUs; of more, those with the measuring CPU, and of the others one of
 * each of OTHER_PAIRS equal parts, at random.
 */
static void cores_plan_bounce(struct bench *b)
{
	unsigned n = b->room->facts.cpus;
	unsigned all = n <= EVERY_PAIR ? n : 1;
	uint64_t others = (uint64_t)(n - 1) * (n - 2) / 2;
	double sample_ns = sample_cost(b);

	for (unsigned i = 0; i < all; i++)
		for (unsigned k = i + 1; k < n; k++)
			plan_pair(b, i, k, sample_ns);
	for (uint64_t part = 0; n > EVERY_PAIR && part < OTHER_PAIRS; part++) {
		uint64_t first = part * others / OTHER_PAIRS;
		uint64_t next = (part + 1) * others / OTHER_PAIRS;

		plan_other(b, first + random_below(&b->random, next - first), sample_ns);
	}
}

static const struct result *pair_of(const struct bench *b, unsigned i, unsigned k)
{
	const struct param pair[] = { { "cpu_a", i < k ? i : k }, { "cpu_b", i < k ? k : i } };

	return find_row(b, bounces, pair, 2);
}

static void say_line_of_matrix(struct bench *b, unsigned i, unsigned n)
{
	char line[128];
	int used = text_format(line, sizeof line, "  CPU %3u", i);

	for (unsigned k = 0; k < n; k++) {
		const struct result *r = i == k ? NULL : pair_of(b, i, k);

		used += text_format(line + used, sizeof line - (size_t)used,
			r ? " %6.1f" : "      -", r ? r->median : 0);
	}
	say(b, "%s\n", line);
}

static void say_pair(struct bench *b, const char *what, const struct result *r)
{
	const struct pair_spec *spec = row_spec(r->row, struct pair_spec);

	say(b, "%s %.1f ns (%u and %u%s).\n", what, r->median, spec->first, spec->second,
		cores_between(&b->room->facts, spec->first, spec->second));
	if (!(r->undisturbed > 0) && 2 * r->disturbed > r->samples)
		say(b, "    %.0f of its %.0f samples were disturbed; the least is %.1f ns.\n",
			r->disturbed, r->samples, r->min);
}

/* Find the pairs with the least and the most time; NULL: no pair was measured. */
static void find_pairs(const struct bench *b, const struct result **nearest,
	const struct result **farthest)
{
	*nearest = *farthest = NULL;
	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (!is_variant(b, r, bounces))
			continue;
		*nearest = !*nearest || r->median < (*nearest)->median ? r : *nearest;
		*farthest = !*farthest || r->median > (*farthest)->median ? r : *farthest;
	}
}

static void cores_find_bounce(struct bench *b, struct found_values *f)
{
	const struct result *nearest, *farthest;
	struct estimate e = not_resolved(NOT_MEASURED);

	find_pairs(b, &nearest, &farthest);
	if (nearest)
		e = plain_estimate(row_value(nearest, f->reader.reading), row_confidence(nearest));
	found(f, VALUE_handover_ns, e, "cores bounce, the nearest pair");
	if (nearest != farthest)
		found(f, VALUE_handover_most_ns,
			plain_estimate(row_value(farthest, f->reader.reading),
				row_confidence(farthest)),
			"cores bounce, the farthest pair");
}

static void cores_meaning_bounce(struct bench *b)
{
	unsigned n = b->room->facts.cpus < MATRIX_MOST ? b->room->facts.cpus : MATRIX_MOST;
	const struct result *nearest, *farthest;

	find_pairs(b, &nearest, &farthest);
	if (!nearest)
		return;
	say_pair(b, "  A line goes from CPU to CPU in", nearest);
	if (farthest != nearest)
		say_pair(b, "                      at most in", farthest);
	if (n < 3)
		return;
	say(b, "  ns from CPU (down) to CPU (across)%s:\n",
		n < b->room->facts.cpus ? ", the first ten" : "");
	for (unsigned i = 0; i < n; i++)
		say_line_of_matrix(b, i, n);
}

const struct hooks cores_bounce = {
	.plan = cores_plan_bounce,
	.find = cores_find_bounce,
	.meaning = cores_meaning_bounce,
};
