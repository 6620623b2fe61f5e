/* SPDX-License-Identifier: MIT */
/*
 * Every CPU by itself: its clock, and its own two caches. Cores of a hybrid processor differ by
 * design, others by what they are allowed to do; the rest of the run is of one CPU only.
 */
#include "engine/core_clock.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "probes/cores/cores.h"
#include "probes/cores/cores_stream.h"

#define EVERY_CPU    64  /* CPUs up to which each is measured; beyond, a sample of as many */
#define CLOCK_ROUNDS 512 /* of 64 adds, and of 128: the difference */
#define WARM_ROUNDS  16  /* of CLOCK_ROUNDS: half a millisecond at 1 GHz */

static const char cpu_clock[] = "cpu-clock", cpu_l1[] = "cpu-l1", cpu_l2[] = "cpu-l2";

static const struct unit unit_ghz = { "GHz", SCALE_RATE };

/* What a row measures. */
struct each_spec {
	unsigned cpu;
	uint64_t bytes; /* 0: the clock only */
};

/* One CPU at work; it has 128 bytes of its own to wait on. */
struct each {
	_Alignas(LINE_PAIR) volatile uint64_t go;
	_Alignas(LINE_PAIR) struct cpu_task tasks[2];
	unsigned ntasks;
	bool chases;
	struct chaser chaser;
	double hz;
};

static double adds_ticks(struct bench *b, uint64_t rounds)
{
	const uint64_t args[LOOP_ARGS] = { rounds };

	return (double)call_loop(b, loop_add_chain, args).ticks;
}

/* A CPU that was waiting is warmed first; then its clock is measured on both sides of the chase. */
static void work(struct cpu_task *c)
{
	struct each *e = c->arg;

	adds_ticks(c->b, WARM_ROUNDS * CLOCK_ROUNDS);
	e->hz = core_clock_by_difference(c->b, CLOCK_ROUNDS);
	if (!e->chases)
		return;
	struct cpu_task chase = { .b = c->b, .arg = &e->chaser };

	chaser_work(&chase); /* brings the chain into the cache: a call is more than a walk */
	chaser_work(&chase);
	double after = core_clock_by_difference(c->b, CLOCK_ROUNDS);

	e->hz = e->hz > 0 && after > 0 ? (e->hz + after) / 2 : 0; /* 0: not known */
}

static int sample_each(struct bench *b, struct job *job, struct sample *s)
{
	struct each *e = job->priv;

	if (cpu_tasks_run(job, e->tasks, e->ntasks, &e->go))
		return -1;
	if (e->chaser.wrong)
		return job_disproved(job, "the chase ended at a wrong node");
	s->core_hz = e->hz;
	s->value = e->chases ? e->chaser.ns : e->hz / 1e9;
	return 0;
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct each_spec *spec = row_spec(row, struct each_spec);
	struct each *e = job_alloc(b, job, sizeof *e);

	if (!e)
		return -1;
	__builtin_memset(e, 0, sizeof *e);
	e->chases = spec->bytes > 0;
	if (e->chases && chaser_build(b, job, &job->arena, spec->bytes, &e->chaser))
		return -1;
	if (spec->cpu)
		e->tasks[e->ntasks++] = (struct cpu_task){ .b = b, .work = cpu_task_nothing };
	e->tasks[e->ntasks++] =
		(struct cpu_task){ .b = b, .cpu = spec->cpu, .work = work, .arg = e };
	job->sampler = sample_each;
	job->priv = e;
	return 0;
}

static void add(struct bench *b, const char *variant, unsigned cpu, const struct level_size *level,
	unsigned drop_order)
{
	const struct cpu_location *at = b->room->facts.topology;
	struct row row = row_new(variant, level ? &unit_ns_load : &unit_ghz, drop_order, prepare);
	double adds = 64.0 * CLOCK_ROUNDS * (WARM_ROUNDS + 6), loads = level ? 2 * CHASE_LOADS : 0;

	*row_spec(&row, struct each_spec) = (struct each_spec){ cpu, level ? level->bytes : 0 };
	row.cost_ns = TASK_CALLS *
		((adds / 4 + loads) * b->pace.ns_per_near_load + 4 * b->pace.ns_per_call);
	row_param(&row, "cpu", cpu);
	if (at && at[cpu].core_type)
		row_param(&row, "core_type", at[cpu].core_type);
	if (level) {
		row.page_bytes = common_page(b);
		row.level = level->name;
		row_param(&row, "bytes", (double)level->bytes);
	}
	plan_add(b, &row);
}

static bool first_of_its_type(const struct facts *f, unsigned cpu)
{
	for (unsigned i = 0; f->topology && i < cpu; i++)
		if (f->topology[i].core_type == f->topology[cpu].core_type)
			return false;
	return f->topology || cpu == 0;
}

/* Evenly spread, and the first of each core type. */
static bool chosen(const struct facts *f, unsigned cpu)
{
	unsigned step = (f->cpus + EVERY_CPU - 1) / EVERY_CPU;

	return cpu % step == 0 || first_of_its_type(f, cpu);
}

static void add_all(struct bench *b, const char *variant, const struct level_size *level)
{
	const struct facts *f = &b->room->facts;

	for (unsigned cpu = 0; cpu < f->cpus; cpu++)
		if (chosen(f, cpu))
			add(b, variant, cpu, level,
				(first_of_its_type(f, cpu) ? DROP_LATE : DROP_MIDDLE) + !!level);
}

void cores_plan_each(struct bench *b)
{
	add_all(b, cpu_clock, NULL);
	if (b->levels[LEVEL_L1].bytes)
		add_all(b, cpu_l1, &b->levels[LEVEL_L1]);
	if (b->levels[LEVEL_L2].bytes)
		add_all(b, cpu_l2, &b->levels[LEVEL_L2]);
}

static const struct result *row_of(const struct bench *b, const char *variant, unsigned cpu)
{
	const struct param p[] = { { "cpu", cpu } };

	return find_row(b, variant, p, 1);
}

static void say_cpu(struct bench *b, unsigned cpu)
{
	const struct cpu_location *at = b->room->facts.topology;
	const struct result *clock = row_of(b, cpu_clock, cpu), *l1 = row_of(b, cpu_l1, cpu),
			    *l2 = row_of(b, cpu_l2, cpu);

	if (clock)
		say(b, "  Core type %#x, by CPU %u: %.3f GHz.\n", at[cpu].core_type, cpu,
			clock->median);
	if (l1 && l2 && l1->cycles > 0 && l2->cycles > 0)
		say(b, "                          L1 %.2f cycles, L2 %.2f cycles.\n", l1->cycles,
			l2->cycles);
}

void cores_meaning_each(struct bench *b)
{
	const struct facts *f = &b->room->facts;
	const struct result *slowest = NULL, *fastest = NULL;

	for (unsigned cpu = 0; cpu < f->cpus; cpu++) {
		const struct result *r = row_of(b, cpu_clock, cpu);

		if (f->topology && f->topology[cpu].core_type && first_of_its_type(f, cpu))
			say_cpu(b, cpu);
		if (!r)
			continue;
		slowest = !slowest || r->median < slowest->median ? r : slowest;
		fastest = !fastest || r->median > fastest->median ? r : fastest;
	}
	if (slowest)
		say(b,
			"  Core clocks, one CPU at a time: %.3f GHz (CPU %.0f) to %.3f (CPU "
			"%.0f).\n",
			slowest->median, row_get(slowest->row, "cpu", 0), fastest->median,
			row_get(fastest->row, "cpu", 0));
}
