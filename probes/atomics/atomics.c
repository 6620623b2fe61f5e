/* SPDX-License-Identifier: MIT */
/*
 * Locked operations: what one takes alone, in a line of L1, and across the end of a line; what one
 * takes several CPUs at once, in one word, in words of one line, in lines of their own.
 * Model and definitions: README.md.
 */
#include "probes/probe.h"

#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "lib/stats.h"
#include "probes/cores/cores_parts.h"

#define FOUR  4   /* operations of a turn */
#define TURNS 256 /* in a call */
#define CALLS 50  /* of a row, in its estimate */
#define NEAR  6   /* near loads that an operation is said to take; across lines: */
#define FAR   1000

#define AT          1024 /* in the arena: a multiple of the largest line, 128 */
#define SPLIT       (LINE_PAIR - 4)
#define SPLIT_TURNS 2
#define SPLIT_LONG  1e6 /* ns of one: somebody traps it */

#define TEST_CTRL   0x33 /* MSR */
#define SPLIT_FAULT (1u << 29)

/* Several CPUs at once. */
#define TOGETHER_NS 1e6 /* how long */
#define CHUNK       256 /* turns of all CPUs' calls, between two looks at the time */
#define CROWD_CALLS 12
#define CROWD_MOST  30 /* samples: they scatter by who has the line, however many there are */
#define WORD        8
#define IN_LINE     8 /* words */

static const char lock_add[] = "lock-add", cas[] = "cas", split[] = "split", shared[] = "shared",
		  one_line[] = "false-sharing", own_lines[] = "own-lines";

static const struct unit unit_together = { "ns/op", SCALE_PLAIN };

/* An operation alone. */
struct locked_operation {
	const char *variant;
	loop_fn *loop;
	uint8_t adds; /* how often a turn adds to the word */
	enum answer answer;
};

static const struct locked_operation operations[] = {
	{ "add", loop_atomic_add, FOUR, ANSWER_ATOMICS },
	{ lock_add, loop_atomic_lock_add, FOUR, ANSWER_ATOMICS },
	{ cas, loop_atomic_cas, FOUR, ANSWER_ATOMICS },
	{ "cas-fails", loop_atomic_cas_fails, 0, ANSWER_ATOMICS_MORE },
	{ "lock-xadd", loop_atomic_lock_xadd, FOUR, ANSWER_ATOMICS_MORE },
	{ "xchg", loop_atomic_xchg, FOUR / 2, ANSWER_ATOMICS_MORE },
	{ "store-mfence", loop_atomic_store_mfence, FOUR, ANSWER_ATOMICS_MORE },
	{ split, loop_atomic_lock_add, FOUR, ANSWER_ATOMICS_MORE },
};

/* An operation of several CPUs at once, and the bytes between their words. */
struct together {
	const char *variant;
	loop_fn *loop;
	uint8_t apart;
	enum answer answer; /* of two CPUs */
};

static const struct together togethers[] = {
	{ shared, loop_atomic_lock_xadd, 0, ANSWER_ATOMICS },
	{ "shared-cas", loop_atomic_retry, 0, ANSWER_ATOMICS_MORE },
	{ one_line, loop_atomic_lock_add, WORD, ANSWER_ATOMICS },
	{ own_lines, loop_atomic_lock_add, LINE_PAIR, ANSWER_ATOMICS },
	{ "false-sharing-add", loop_atomic_add, WORD, ANSWER_ATOMICS_MORE },
	{ "own-lines-add", loop_atomic_add, LINE_PAIR, ANSWER_ATOMICS_MORE },
};

/* Parameters of a row. */
struct spec {
	const void *what; /* struct locked_operation; where there are cpus, struct together */
	unsigned cpus;
};

/* The word begins as that which the addend is not. */
static void set_word(struct bench *b, struct job *job)
{
	uint64_t first = ~job->args[2];

	__builtin_memcpy((void *)(uintptr_t)job->args[1], &first, sizeof first);
}

static void call_operation(struct bench *b, struct job *job, const struct locked_operation *o,
	uint64_t offset, uint64_t turns)
{
	const uint64_t args[LOOP_ARGS] = { turns, (uintptr_t)job->arena.base + AT + offset,
		random_next(&b->random) };

	job_call(job, o->loop, 0, args);
	job->expect = ~args[2] + turns * o->adds * args[2];
	job->ops = (double)(FOUR * turns);
	job->refresh = set_word;
}

static int prepare_operation(struct bench *b, const struct row *row, struct job *job)
{
	call_operation(b, job, row_spec(row, struct spec)->what, 0, TURNS);
	return 0;
}

/* Why a lock across lines is not to be made, by one that is tried at last; NULL: it may be. */
static const char *trapped(struct bench *b, uint64_t at)
{
	struct room *room = b->room;
	const uint64_t once[LOOP_ARGS] = { 1, at };
	const char *why = NULL;
	uint64_t test, since;

	if (room->facts.split_locks_trapped)
		return "split_lock_detect";
	if (*room->facts.hypervisor && !room->facts.emulated)
		return "perhaps by the hypervisor";
	if (room->read_msr && !room->read_msr(room, TEST_CTRL, &test) && (test & SPLIT_FAULT))
		return "MSR 33h, bit 29";
	since = room->now(room);
	if (!room->attempt)
		call_loop(b, loop_atomic_retry, once);
	else if (room->attempt(room, loop_atomic_retry, once, NULL, &why))
		return why;
	return ticks_to_ns(b, (double)(int64_t)(room->now(room) - since)) > SPLIT_LONG
		? "one took more than 1 ms"
		: NULL;
}

static int prepare_split(struct bench *b, const struct row *row, struct job *job)
{
	const char *why;

	call_operation(b, job, row_spec(row, struct spec)->what, SPLIT, SPLIT_TURNS);
	why = trapped(b, job->args[1]);
	return why ? job_skip(job, "locks across lines are trapped: %s", why) : 0;
}

/* Several CPUs of which each works on a word. */
struct shared_word {
	_Alignas(LINE_PAIR) loop_fn *loop;
	uint64_t turns; /* of a call */
	uint64_t *word;
	int64_t ops, retries;
	double ticks;
};

struct members {
	_Alignas(LINE_PAIR) volatile uint64_t go;
	_Alignas(LINE_PAIR) struct cpu_task *tasks;
	struct shared_word *member;
	unsigned calls; /* of the sampler; of the last ones, from the first place on and again: */
	double least[CROWD_MOST], most[CROWD_MOST]; /* ticks an operation */
	double retries[CROWD_MOST];                 /* for each that succeeded */
};

static void work(struct cpu_task *c)
{
	struct shared_word *m = c->arg;
	struct room *room = c->b->room;
	bool retries = m->loop == loop_atomic_retry;
	const uint64_t args[LOOP_ARGS] = { retries ? FOUR * m->turns : m->turns, (uintptr_t)m->word,
		1 };
	uint64_t since = room->now(room);

	m->ops = m->retries = 0;
	m->ticks = 0;
	do {
		struct timed t = call_loop(c->b, m->loop, args);

		m->ticks += (double)t.ticks - c->b->empty_ticks;
		m->ops += (int64_t)(FOUR * m->turns);
		m->retries += retries ? (int64_t)t.value : 0;
	} while (ticks_to_ns(c->b, (double)(int64_t)(room->now(room) - since)) < TOGETHER_NS);
}

/* In other lines each time, anywhere in the arena. */
static int sample_together(struct bench *b, struct job *job, struct sample *s)
{
	const struct spec *spec = row_spec(job->row, struct spec);
	const struct together *what = spec->what;
	unsigned apart = what->apart, n = spec->cpus;
	struct members *all = job->priv;
	uint64_t bytes = apart > WORD ? (uint64_t)n * apart : LINE_PAIR;
	uint64_t at = random_below(&b->random, job->arena.bytes / bytes) * bytes;
	unsigned place = all->calls++ % CROWD_MOST;
	int64_t ops = 0, sum = 0, retries = 0;
	double rate = 0, least = 0, most = 0;

	for (unsigned i = 0; i < n; i++) {
		all->member[i].word = (uint64_t *)(job->arena.base + at + i * apart);
		*(volatile uint64_t *)all->member[i].word = 0;
	}
	if (cpu_tasks_run(job, all->tasks, n, &all->go))
		return -1;
	for (unsigned i = 0; i < n; i++) {
		const struct shared_word *m = &all->member[i];
		double each = m->ticks / (double)m->ops;

		rate += 1 / each;
		least = i ? math_min(least, each) : each;
		most = math_max(most, each);
		ops += m->ops;
		retries += m->retries;
		if (!i || apart)
			sum += *(volatile int64_t *)m->word;
	}
	if (sum != ops)
		return job_disproved(job, "%llu additions, and the words have %llu",
			(unsigned long long)ops, (unsigned long long)sum);
	all->least[place] = least;
	all->most[place] = most;
	all->retries[place] = (double)retries / (double)ops;
	s->value = ticks_to_ns(b, n / rate);
	return 0;
}

/* The median of what was noted in the last `samples` calls, as the row's number is. */
static double median_of(const struct members *all, const double noted[CROWD_MOST], unsigned samples)
{
	double values[CROWD_MOST];
	unsigned n = samples < CROWD_MOST ? samples : CROWD_MOST;

	for (unsigned i = 0; i < n; i++)
		values[i] = noted[(all->calls - 1 - i) % CROWD_MOST];
	return stats_median(values, n);
}

static void tell_together(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned samples)
{
	const struct members *all = job->priv;

	jsonl_number(l, "cpu_ns_least", ticks_to_ns(b, median_of(all, all->least, samples)));
	jsonl_number(l, "cpu_ns_most", ticks_to_ns(b, median_of(all, all->most, samples)));
	if (all->member->loop == loop_atomic_retry)
		jsonl_number(l, "retries", median_of(all, all->retries, samples));
}

static int prepare_together(struct bench *b, const struct row *row, struct job *job)
{
	const struct spec *spec = row_spec(row, struct spec);
	unsigned n = spec->cpus;
	struct members *all = job_alloc(b, job, sizeof *all);
	struct cpu_task *tasks = job_alloc(b, job, n * sizeof *tasks);
	struct shared_word *member = job_alloc(b, job, n * sizeof *member);
	unsigned *order = job_alloc(b, job, b->room->facts.cpus * sizeof *order);

	if (!all || !tasks || !member || !order)
		return -1;
	cores_order(&b->room->facts, order);
	all->tasks = tasks;
	all->member = member;
	for (unsigned i = 0; i < n; i++) {
		member[i].loop = ((const struct together *)spec->what)->loop;
		member[i].turns = n < CHUNK ? CHUNK / n : 1;
		tasks[i] = (struct cpu_task){
			.b = b, .cpu = order[i], .work = work, .arg = &member[i]
		};
	}
	job->priv = all;
	job->max_samples = CROWD_MOST;
	job->sampler = sample_together;
	job->extra = tell_together;
	return 0;
}

/* Plan a row of one CPU, or of n together. */
static void plan_row(struct bench *b, const char *variant, enum answer answer, const void *what,
	unsigned n, int (*prepare)(struct bench *, const struct row *, struct job *))
{
	struct row row = row_new(variant, n ? &unit_together : &unit_ns_op, answer, prepare);
	unsigned loads = FOUR * (prepare == prepare_split ? SPLIT_TURNS * FAR : TURNS * NEAR);

	*row_spec(&row, struct spec) = (struct spec){ what, n };
	row.page_bytes = common_page(b);
	row.cost_ns = CALLS * (b->pace.ns_per_call + loads * b->pace.ns_per_near_load);
	if (n) {
		row.needs = NEED_CPUS;
		row.cost_ns = CROWD_CALLS * (TOGETHER_NS + 2 * n * b->pace.ns_per_call);
		row_param(&row, "cpus", n);
	}
	plan_add(b, &row);
}

/* With one CPU the rows of two are skipped with that reason. */
static void atomics_plan(struct bench *b)
{
	unsigned all = b->room->facts.cpus < 2 ? 2 : b->room->facts.cpus;

	for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++) {
		const struct locked_operation *o = &operations[i];

		plan_row(b, o->variant, o->answer, o, 0,
			o->variant == split ? prepare_split : prepare_operation);
	}
	for (unsigned n = 2; n <= all; n = cores_next_count(n, all))
		for (unsigned i = 0; i < sizeof togethers / sizeof *togethers; i++) {
			const struct together *t = &togethers[i];

			if (!t->apart || n <= IN_LINE)
				plan_row(b, t->variant, n == 2 ? t->answer : ANSWER_ATOMICS_MORE, t,
					n, prepare_together);
		}
}

static const struct result *of_two(struct bench *b, const char *variant)
{
	const struct param two = { "cpus", 2 };

	return find_row(b, variant, &two, 1);
}

/* The ns of two CPUs, or how many times those of another row they are; as sure as both rows. */
static void found_of_two(struct bench *b, struct found_values *f, enum value_id id,
	const char *variant, const char *control, const char *rests_on)
{
	const struct result *r = of_two(b, variant), *c = of_two(b, control);

	found(f, id,
		r && c ? plain_estimate(row_value(r, f->reader.reading) /
					 (r == c ? 1 : row_value(c, f->reader.reading)),
				 row_confidence(r) * (r == c ? 1 : row_confidence(c)))
		       : not_resolved(NOT_MEASURED),
		rests_on);
}

static void atomics_find(struct bench *b, struct found_values *f)
{
	found(f, VALUE_lock_add_cycles, row_cycles_estimate(&f->reader, lock_add),
		"atomics lock-add");
	found(f, VALUE_cas_cycles, row_cycles_estimate(&f->reader, cas), "atomics cas");
	found_of_two(b, f, VALUE_atomics_shared_ns, shared, shared, "atomics shared, 2 CPUs");
	found_of_two(b, f, VALUE_false_sharing_ratio, one_line, own_lines,
		"atomics false-sharing, own-lines, 2 CPUs");
}

const struct hooks probe_atomics = {
	.plan = atomics_plan,
	.find = atomics_find,
};
