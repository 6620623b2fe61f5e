/* SPDX-License-Identifier: MIT */
/*
 * The latency of one CPU while the others read: how it rises with what they move. They are slowed
 * down by a pause after each chunk. The chunk is small, or a load would meet either a burst or
 * nobody, and the number be a blend of a loaded and an idle memory.
 */
#include "lib/jsonl_write.h"
#include "probes/cores/cores.h"
#include "probes/cores/cores_parts.h"
#include "probes/cores/cores_stream.h"

#define CHUNK        (2 * KIB) /* between two pauses */
#define LOADED       3         /* a load beside streams takes so many times longer, at a guess */
#define PAUSES_MOST  11
#define PAUSES_USUAL 7

static const char loaded_latency[] = "loaded-latency";

/* ns; in the order of what they tell. A chunk takes about 100 ns where a core reads 20 GB/s. */
static const uint64_t pauses[PAUSES_MOST] = { 0, 100, 400, 1600, 200, 800, 6400, 50, 300, 3200,
	25600 };

static const struct unit unit_loaded = { "ns/load", SCALE_PLAIN };

/* What a row measures. */
struct loaded_spec {
	unsigned cpus;
	uint64_t pause_ns;
	uint64_t bytes; /* of the chase */
};

/* All CPUs of a row; 128 bytes keep what one writes and others read away from the rest. */
struct loaded {
	_Alignas(LINE_PAIR) volatile uint64_t go;
	_Alignas(LINE_PAIR) volatile uint64_t end;
	_Alignas(LINE_PAIR) unsigned n;
	struct cpu_task *tasks;
	struct streamer *streamers; /* [0] is not used: the first CPU chases */
	struct chaser chaser;
	unsigned samples;
	double sum_gbs;
};

static int sample_loaded(struct bench *b, struct job *job, struct sample *s)
{
	struct loaded *t = job->priv;

	t->end = 0;
	if (cpu_tasks_run(job, t->tasks, t->n, &t->go))
		return -1;
	if (t->chaser.wrong)
		return job_disproved(job, "the chase under load ended at a wrong node");
	s->value = t->chaser.ns;
	t->samples++;
	t->sum_gbs += streamers_gbs(b, t->streamers + 1, t->n - 1);
	return 0;
}

static void extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct loaded *t = job->priv;

	jsonl_number(l, "load_gbs", t->sum_gbs / t->samples);
}

static void set_tasks(struct bench *b, struct loaded *t, const struct part *parts,
	uint64_t pause_ns)
{
	double ticks_per_ns = b->room->facts.tsc_hz / 1e9;

	t->chaser.end = &t->end;
	t->chaser.wait_ticks = (uint64_t)(stream_turn_ns(b) / 10 * ticks_per_ns);
	t->tasks[0] = (struct cpu_task){ .b = b, .work = chaser_work, .arg = &t->chaser };
	for (unsigned i = 1; i < t->n; i++) {
		struct streamer *s = &t->streamers[i];

		*s = streamer_of(b, OP_READ, parts[i].base, parts[i].bytes, &t->end);
		s->turn_ticks = 0;
		s->idle_ticks = (uint64_t)((double)pause_ns * ticks_per_ns);
		s->chunk = pause_ns ? CHUNK : s->chunk;
		t->tasks[i] = (struct cpu_task){
			.b = b, .cpu = parts[i].cpu, .work = streamer_work, .arg = s
		};
		__builtin_memset(parts[i].base, 1, parts[i].bytes);
	}
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct loaded_spec *spec = row_spec(row, struct loaded_spec);
	unsigned n = spec->cpus;
	struct loaded *t = job_alloc(b, job, sizeof *t);
	struct part *parts = job_alloc(b, job, n * sizeof *parts);
	struct cpu_task *tasks = job_alloc(b, job, n * sizeof *tasks);
	struct streamer *streamers = job_alloc(b, job, n * sizeof *streamers);
	struct arena apart = { .bytes = chaser_bytes(b, spec->bytes) };

	if (!t || !parts || !tasks || !streamers || parts_take(b, job, n, parts, &apart))
		return -1;
	*t = (struct loaded){ .n = n, .tasks = tasks, .streamers = streamers };
	if (chaser_build(b, job, &apart, spec->bytes, &t->chaser))
		return -1;
	set_tasks(b, t, parts, spec->pause_ns);
	job->priv = t;
	job->sampler = sample_loaded;
	job->extra = extra;
	return 0;
}

/* n CPUs: one chases, n - 1 read, with a pause of so many ns after each chunk. */
static void add(struct bench *b, unsigned n, uint64_t pause_ns, unsigned drop_order)
{
	struct row row = row_new(loaded_latency, &unit_loaded, drop_order, prepare);
	double loads = (double)CHASE_LOADS * b->pace.ns_per_far_load * (n > 1 ? LOADED : 1);
	uint64_t chase = parts_domain_bytes(b), all = parts_bytes(b, n) + chase;

	*row_spec(&row, struct loaded_spec) = (struct loaded_spec){ n, pause_ns, chase };
	row.page_bytes = common_page(b);
	row.level = "memory";
	row.cost_ns = (double)all * b->pace.ns_per_byte +
		(double)(chase / b->node_bytes) * b->pace.ns_per_node +
		TASK_CALLS * (stream_turn_ns(b) / 10 + loads + n * b->pace.ns_per_call);
	/* One curve: alone, and beside all others by their pauses. */
	row.first = (n == 1 || n == b->room->facts.cpus) &&
		may_keep(b, (1 + PAUSES_USUAL) * row.cost_ns);
	row_param(&row, "cpus", n);
	row_param(&row, "bytes", (double)chase);
	row_param(&row, "pause_ns", (double)pause_ns);
	plan_add(b, &row);
}

void cores_plan_loaded(struct bench *b)
{
	unsigned all = b->room->facts.cpus;
	unsigned steps = b->opt->profile == PROFILE_FULL ? PAUSES_MOST : PAUSES_USUAL;

	add(b, 1, 0, DROP_LATE);
	for (unsigned i = 0; i < steps; i++)
		add(b, all, pauses[i], i ? DROP_MIDDLE + (i > 3) : DROP_LATE);
	for (unsigned n = 2; n < all; n = cores_next_count(n, all))
		add(b, n, 0, DROP_MIDDLE + 2);
}

void cores_meaning_loaded(struct bench *b)
{
	unsigned all = b->room->facts.cpus;
	const struct param loaded[] = { { "cpus", all }, { "pause_ns", 0 } };
	const struct result *alone = cores_with_cpus(b, loaded_latency, 1);
	const struct result *busy = find_row(b, loaded_latency, loaded, 2);

	if (alone && busy)
		say(b, "  A load takes %.0f ns alone and %.0f ns while %u other(s) stream.\n",
			alone->median, busy->median, all - 1);
}
