/* SPDX-License-Identifier: MIT */
/*
 * More than one processor: bandwidth together, latency under load, and how long a line takes from
 * one to another.
 */
#include "probes/probe.h"

#include "engine/core_clock.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "lib/text.h"
#include "probes/cores/cores_parts.h"

/*
 * Every CPU by itself: its clock, and its own two caches. Cores of a hybrid processor differ by
 * design, others by what they are allowed to do; the rest of the run is of one CPU only.
 */

#define EVERY_CPU    64  /* CPUs up to which each is measured; beyond, a sample of as many */
#define SOME_CPUS    8   /* of them in a short run */
#define CLOCK_ROUNDS 512 /* of 64 adds, and of 128: the difference */
#define WARM_ROUNDS  16  /* of CLOCK_ROUNDS: half a millisecond at 1 GHz */

static const char cpu_clock[] = "cpu-clock", cpu_l1[] = "cpu-l1", cpu_l2[] = "cpu-l2";

static const struct unit unit_ghz = { "GHz", SCALE_RATE };

/* Parameters of a row. */
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
	struct clock_reading clock; /* 0 Hz: not known */
};

static double adds_ticks(struct bench *b, uint64_t rounds)
{
	const uint64_t args[LOOP_ARGS] = { rounds };

	return (double)call_loop(b, loop_add_chain, args).ticks;
}

/* A CPU that was waiting is warmed first; then its clock is measured on both sides of the chase. */
static void measure_each(struct cpu_task *c)
{
	struct each *e = c->arg;

	adds_ticks(c->b, WARM_ROUNDS * CLOCK_ROUNDS);
	e->clock = core_clock_by_difference(c->b, CLOCK_ROUNDS);
	if (!e->chases)
		return;
	struct cpu_task chase = { .b = c->b, .arg = &e->chaser };

	chaser_work(&chase); /* brings the chain into the cache: a call is more than a walk */
	chaser_work(&chase);
	struct clock_reading after = core_clock_by_difference(c->b, CLOCK_ROUNDS);

	e->clock.hz = e->clock.hz > 0 && after.hz > 0 ? (e->clock.hz + after.hz) / 2 : 0;
	e->clock.disturbed |= after.disturbed;
}

static int sample_each(struct bench *b, struct job *job, struct sample *s)
{
	struct each *e = job->priv;

	if (cpu_tasks_run(job, e->tasks, e->ntasks, &e->go))
		return -1;
	if (e->chaser.wrong)
		return job_disproved(job, "the chase ended at a wrong node");
	s->core_hz = e->clock.hz;
	s->disturbed = e->clock.disturbed;
	s->value = e->chases ? e->chaser.ns : e->clock.hz / 1e9;
	return 0;
}

static int prepare_each(struct bench *b, const struct row *row, struct job *job)
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
		(struct cpu_task){ .b = b, .cpu = spec->cpu, .work = measure_each, .arg = e };
	job->sampler = sample_each;
	job->priv = e;
	return 0;
}

static void plan_cpu(struct bench *b, const char *variant, unsigned cpu,
	const struct level_size *level, enum answer answer)
{
	const struct cpu_location *at = b->room->facts.topology;
	struct row row = row_new(variant, level ? &unit_ns_load : &unit_ghz, answer, prepare_each);
	double adds = 64.0 * CLOCK_ROUNDS * (WARM_ROUNDS + 12), loads = level ? 2 * CHASE_LOADS : 0;

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

/* Returns true for so many CPUs, evenly spread, and for the first of each core type. */
static bool chosen_cpu(const struct facts *f, unsigned of, unsigned cpu)
{
	unsigned step = (f->cpus + of - 1) / of;

	return cpu % step == 0 || first_of_its_type(f, cpu);
}

static void plan_cpus(struct bench *b, const char *variant, const struct level_size *level)
{
	const struct facts *f = &b->room->facts;

	for (unsigned cpu = 0; cpu < f->cpus; cpu++)
		if (chosen_cpu(f, EVERY_CPU, cpu))
			plan_cpu(b, variant, cpu, level,
				first_of_its_type(f, cpu)               ? ANSWER_CORES
					: chosen_cpu(f, SOME_CPUS, cpu) ? ANSWER_CORES_STEPS
									: ANSWER_CORES_MORE);
}

static void cores_plan_each(struct bench *b)
{
	plan_cpus(b, cpu_clock, NULL);
	if (b->levels[LEVEL_L1].bytes)
		plan_cpus(b, cpu_l1, &b->levels[LEVEL_L1]);
	if (b->levels[LEVEL_L2].bytes)
		plan_cpus(b, cpu_l2, &b->levels[LEVEL_L2]);
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

static void say_each(struct bench *b)
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

/*
 * Bandwidth of several processors together: each streams through its own part (cores_parts.c), or
 * all of a node through memory of one node, as in Intel's Memory Latency Checker. All begin
 * together and go on for the same time. The number is the sum of each CPU's rate by its own clock.
 * Bytes are counted as in `bandwidth`: what the program asked to move.
 */

static const struct unit unit_sum = { "GB/s", SCALE_RATE };

static const char node_read_all[] = "node-read-all";

/* Parameters of a row. */
struct streaming_spec {
	unsigned cpus, op;
	bool of_node; /* those of a node, in memory of one; else the first ones, each on its own */
	uint32_t cpu_node, memory_node;
};

/* All CPUs of a row; 128 bytes keep what one writes and others read away from the rest. */
struct streaming {
	_Alignas(LINE_PAIR) volatile uint64_t go;
	_Alignas(LINE_PAIR) volatile uint64_t end; /* stays 0: each ends after its turn */
	_Alignas(LINE_PAIR) unsigned n, ntasks;
	struct cpu_task *tasks;
	struct streamer *streamers;
};

/* A row has the numbers of its nodes where they are known. */
static void node_params(struct row *row, uint32_t cpu_node, uint32_t memory_node)
{
	if (cpu_node != NODE_UNKNOWN)
		row_param(row, "cpu_node", cpu_node);
	if (memory_node != NODE_UNKNOWN)
		row_param(row, "memory_node", memory_node);
}

/* The row of a number of CPUs, or NULL. */
static const struct result *with_cpus(const struct bench *b, const char *variant, unsigned cpus)
{
	const struct param n[] = { { "cpus", cpus } };

	return find_row(b, variant, n, 1);
}

static int sample_streaming(struct bench *b, struct job *job, struct sample *s)
{
	struct streaming *t = job->priv;

	if (cpu_tasks_run(job, t->tasks, t->ntasks, &t->go))
		return -1;
	s->value = streamers_gbs(b, t->streamers, t->n);
	return 0;
}

static void streams_extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct streaming *t = job->priv;
	uint64_t least = t->streamers[0].bytes, most = least;

	for (unsigned i = 1; i < t->n; i++) {
		least = t->streamers[i].bytes < least ? t->streamers[i].bytes : least;
		most = t->streamers[i].bytes > most ? t->streamers[i].bytes : most;
	}
	jsonl_integer(l, "cpu_bytes_least", least);
	jsonl_integer(l, "cpu_bytes_most", most);
}

static int take_parts(struct bench *b, struct job *job, const struct streaming_spec *spec,
	struct cpu_part *parts)
{
	if (spec->of_node)
		return parts_take_of_node(b, job, spec->cpu_node, spec->memory_node, spec->cpus,
			parts);
	return parts_take(b, job, spec->cpus, parts, NULL);
}

/* The measuring CPU, which does the first task itself, is not always one of those that stream. */
static void set_streams(struct bench *b, struct streaming *t, const struct cpu_part *parts,
	unsigned op)
{
	if (parts[0].cpu)
		t->tasks[t->ntasks++] = (struct cpu_task){ .b = b, .work = cpu_task_nothing };
	for (unsigned i = 0; i < t->n; i++) {
		t->streamers[i] = streamer_of(b, op, parts[i].base, parts[i].bytes, &t->end);
		t->tasks[t->ntasks++] = (struct cpu_task){
			.b = b, .cpu = parts[i].cpu, .work = streamer_work, .arg = &t->streamers[i]
		};
		__builtin_memset(parts[i].base, 1, parts[i].bytes);
	}
}

static int prepare_streams(struct bench *b, const struct row *row, struct job *job)
{
	const struct streaming_spec *spec = row_spec(row, struct streaming_spec);
	unsigned n = spec->cpus;
	struct streaming *t = job_alloc(b, job, sizeof *t);
	struct cpu_part *parts = job_alloc(b, job, n * sizeof *parts);
	struct cpu_task *tasks = job_alloc(b, job, (n + 1) * sizeof *tasks);
	struct streamer *streamers = job_alloc(b, job, n * sizeof *streamers);

	if (!t || !parts || !tasks || !streamers || take_parts(b, job, spec, parts))
		return -1;
	*t = (struct streaming){ .n = n, .tasks = tasks, .streamers = streamers };
	set_streams(b, t, parts, spec->op);
	job->priv = t;
	job->sampler = sample_streaming;
	job->extra = streams_extra;
	return 0;
}

static struct row streaming_row(struct bench *b, const char *variant, enum answer answer,
	const struct streaming_spec *spec, uint64_t bytes)
{
	struct row row = row_new(variant, &unit_sum, answer, prepare_streams);

	*row_spec(&row, struct streaming_spec) = *spec;
	row.page_bytes = common_page(b);
	row.level = "memory";
	row.cost_ns = (double)bytes * b->pace.ns_per_byte +
		TASK_CALLS * (stream_turn_ns(b) + spec->cpus * b->pace.ns_per_call);
	return row;
}

static void plan_streams(struct bench *b, unsigned op, unsigned n)
{
	const struct streaming_spec spec = { .cpus = n, .op = op };
	uint64_t bytes = parts_bytes(b, n);
	bool ends = n == 1 || n == b->room->facts.cpus;
	struct row row = streaming_row(b, op_names[op],
		op != OP_READ ? (ends ? ANSWER_CORES_STEPS : ANSWER_CORES_MORE)
			      : (ends ? ANSWER_CORES : ANSWER_CORES_STEPS),
		&spec, bytes);

	row_param(&row, "cpus", n);
	row_param(&row, "bytes", (double)bytes);
	plan_add(b, &row);
}

static void plan_node_read_all(struct bench *b, uint32_t cpu_node, uint32_t memory_node,
	enum answer answer)
{
	struct streaming_spec spec = { 0, OP_READ, true, cpu_node, memory_node };
	uint64_t bytes = parts_bytes_of_node(b, cpu_node, &spec.cpus);
	struct row row = streaming_row(b, node_read_all, answer, &spec, bytes);

	node_params(&row, cpu_node, memory_node);
	row_param(&row, "cpus", spec.cpus);
	row_param(&row, "bytes", (double)bytes);
	plan_add(b, &row);
}

static void cores_plan_bandwidth(struct bench *b)
{
	unsigned all = b->room->facts.cpus;

	for (unsigned op = 0; op < OPS; op++)
		for (unsigned n = 1; n <= all; n = cores_next_count(n, all))
			plan_streams(b, op, n);
}

#define SPEED_UP_MOST 1.1 /* per CPU: a tenth is scatter, more cannot be */

static bool all_of_one_kind(const struct facts *f)
{
	for (unsigned i = 1; f->topology && i < f->cpus; i++)
		if (f->topology[i].core_type != f->topology[0].core_type)
			return false;
	return true;
}

/*
 * Returns true if all CPUs read at a rate that is impossible by what one reads: n are at most n
 * times as fast. Disturbances can only lower its rate, so that its quietest samples count. Of
 * cores of two kinds the other kind may be faster.
 */
static bool impossible_together(const struct bench *b, double gbs)
{
	const struct facts *f = &b->room->facts;
	const struct result *one = with_cpus(b, op_names[OP_READ], 1);

	return one && one->median > 0 && all_of_one_kind(f) &&
		gbs > SPEED_UP_MOST * f->cpus * math_max(one->median, one->floor);
}

static void say_bandwidth(struct bench *b)
{
	unsigned all = b->room->facts.cpus;
	const struct result *one = with_cpus(b, op_names[OP_READ], 1);
	const struct result *many = with_cpus(b, op_names[OP_READ], all);
	char of_one[SIZE_TEXT], of_many[SIZE_TEXT];

	if (!one || !many || !(one->median > 0) || !(many->median > 0))
		return;
	size_text(row_get(one->row, "bytes", 0), of_one);
	size_text(row_get(many->row, "bytes", 0), of_many);
	say(b, "  %u CPUs read %.1f GB/s of %s, ", all, many->median, of_many);
	if (impossible_together(b, many->median))
		say(b, "more than %u CPUs can by what one does of %s (%.1f): it was disturbed.\n",
			all, of_one, one->median);
	else
		say(b, "%.2f times what one does of %s (%.1f).\n", many->median / one->median,
			of_one, one->median);
}

/*
 * Node by node: latency, and the rate at which one CPU reads, from each node's memory, measured by
 * a CPU of each node; and the rate at which all CPUs of a node read. A machine that describes no
 * nodes has one, whose number is not known.
 */

#define NODES_MOST 16 /* with CPUs; more are not measured */

static const char latency[] = "node-latency", read[] = "node-read";

static const struct unit unit_load = { "ns/load", SCALE_PLAIN };
static const struct unit unit_rate = { "GB/s", SCALE_RATE };

/* Parameters of a row. */
struct node_spec {
	unsigned cpu;
	uint32_t memory; /* node, NODE_UNKNOWN: of a machine that describes none */
	uint64_t bytes;
	bool reads;
};

/* One CPU at work; it has 128 bytes of its own to wait on. */
struct node_work {
	_Alignas(LINE_PAIR) volatile uint64_t go;
	_Alignas(LINE_PAIR) volatile uint64_t end; /* stays 0 */
	_Alignas(LINE_PAIR) struct cpu_task tasks[2];
	unsigned ntasks;
	struct streamer streamer;
	struct chaser chaser;
};

/* The nodes that have CPUs, each with its first CPU: the measuring one's node comes first. */
static unsigned nodes_of(const struct facts *f, uint32_t *node, unsigned *cpu)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->cpus && n < NODES_MOST; i++) {
		unsigned k = 0;

		while (k < n && node[k] != cores_node(f, i))
			k++;
		if (k < n)
			continue;
		node[n] = cores_node(f, i);
		cpu[n++] = i;
	}
	return n;
}

/* The number that people see. */
static const char *shown(uint32_t node, char out[12])
{
	text_format(out, 12, node == NODE_UNKNOWN ? "?" : "%u", node);
	return out;
}

static int sample_node(struct bench *b, struct job *job, struct sample *s)
{
	const struct node_spec *spec = row_spec(job->row, struct node_spec);
	struct node_work *w = job->priv;

	if (cpu_tasks_run(job, w->tasks, w->ntasks, &w->go))
		return -1;
	if (w->chaser.wrong)
		return job_disproved(job, "the chase ended at a wrong node");
	s->value = spec->reads ? streamers_gbs(b, &w->streamer, 1) : w->chaser.ns;
	return 0;
}

/* The measuring CPU works itself, or starts the one that does and waits. */
static void set_node_tasks(struct bench *b, struct node_work *w, const struct node_spec *spec)
{
	struct cpu_task work = { .b = b,
		.cpu = spec->cpu,
		.work = spec->reads ? streamer_work : chaser_work,
		.arg = spec->reads ? (void *)&w->streamer : &w->chaser };

	if (spec->cpu)
		w->tasks[w->ntasks++] = (struct cpu_task){ .b = b, .work = cpu_task_nothing };
	w->tasks[w->ntasks++] = work;
}

static int prepare_node(struct bench *b, const struct row *row, struct job *job)
{
	const struct node_spec *spec = row_spec(row, struct node_spec);
	struct node_work *w = job_alloc(b, job, sizeof *w);
	struct arena memory;

	if (!w || job_arena_on(b, job, spec->memory, chaser_bytes(b, spec->bytes), &memory))
		return -1;
	__builtin_memset(w, 0, sizeof *w);
	w->streamer = streamer_of(b, OP_READ, memory.base, spec->bytes, &w->end);
	if (spec->reads)
		__builtin_memset(memory.base, 1, spec->bytes);
	else if (chaser_build(b, job, &memory, spec->bytes, &w->chaser))
		return -1;
	set_node_tasks(b, w, spec);
	job->sampler = sample_node;
	job->priv = w;
	return 0;
}

/* Those of the measuring CPU's node tell most. */
static enum answer answer_of(unsigned cpu)
{
	return cpu ? ANSWER_CORES_STEPS : ANSWER_CORES;
}

static void plan_node(struct bench *b, unsigned cpu, uint32_t from, uint32_t memory, bool reads)
{
	struct row row = row_new(reads ? read : latency, reads ? &unit_rate : &unit_load,
		answer_of(cpu), prepare_node);
	uint64_t bytes = parts_domain_bytes(b);
	double nodes = (double)bytes / b->node_bytes;
	double build = reads ? (double)bytes * b->pace.ns_per_byte : nodes * b->pace.ns_per_node;
	double call = reads ? stream_turn_ns(b) : CHASE_LOADS * b->pace.ns_per_far_load;

	*row_spec(&row, struct node_spec) = (struct node_spec){ cpu, memory, bytes, reads };
	row.page_bytes = common_page(b);
	row.level = "memory";
	row.cost_ns = build + TASK_CALLS * (call + b->pace.ns_per_call);
	node_params(&row, from, memory);
	row_param(&row, "bytes", (double)bytes);
	plan_add(b, &row);
}

static void cores_plan_nodes(struct bench *b)
{
	uint32_t node[NODES_MOST];
	unsigned cpu[NODES_MOST], n = nodes_of(&b->room->facts, node, cpu);

	for (unsigned reads = 0; reads < 2; reads++)
		for (unsigned i = 0; i < n; i++)
			for (unsigned k = 0; k < n; k++)
				plan_node(b, cpu[i], node[i], node[k], reads);
	/* With one node this is row `read` of all CPUs. */
	for (unsigned i = 0; i < n && n > 1; i++)
		for (unsigned k = 0; k < n; k++)
			plan_node_read_all(b, node[i], node[k], answer_of(cpu[i]));
}

static const struct result *cell(const struct bench *b, const char *variant, uint32_t from,
	uint32_t memory)
{
	const struct param p[] = { { "cpu_node", from }, { "memory_node", memory } };

	return find_row(b, variant, p, from == NODE_UNKNOWN || memory == NODE_UNKNOWN ? 0 : 2);
}

static void say_matrix(struct bench *b, const char *variant, const char *what)
{
	uint32_t node[NODES_MOST];
	unsigned cpu[NODES_MOST], n = nodes_of(&b->room->facts, node, cpu);
	char number[12];

	say(b, "  %s of node (down), memory of node (across):\n      ", what);
	for (unsigned k = 0; k < n; k++)
		say(b, " %7s", shown(node[k], number));
	for (unsigned i = 0; i < n; i++) {
		say(b, "\n  %4s", shown(node[i], number));
		for (unsigned k = 0; k < n; k++) {
			const struct result *r = cell(b, variant, node[i], node[k]);

			say(b, r ? " %7.1f" : "       -", r ? r->median : 0);
		}
	}
	say(b, "\n");
}

static void say_nodes(struct bench *b)
{
	uint32_t own = cores_node(&b->room->facts, 0);

	if (cell(b, latency, own, own))
		say_matrix(b, latency, "ns per load, CPU");
	if (cell(b, read, own, own))
		say_matrix(b, read, "GB/s that one CPU reads, CPU");
	if (cell(b, node_read_all, own, own))
		say_matrix(b, node_read_all, "GB/s that all together read, CPUs");
}

/*
 * The latency of one CPU while the others read: how it rises with what they move. They are slowed
 * down by a pause after each chunk. The chunk is small, or a load would meet either a burst or
 * nobody, and the number be a blend of a loaded and an idle memory.
 */

#define PAUSED_CHUNK (2 * KIB) /* between two pauses */
#define LOADED       3         /* a load beside streams takes so many times longer, at a guess */
#define PAUSES_MOST  11
#define PAUSES_USUAL 7

static const char loaded_latency[] = "loaded-latency";

/* ns; in the order of what they tell. A chunk takes about 100 ns where a core reads 20 GB/s. */
static const uint64_t pauses[PAUSES_MOST] = { 0, 100, 400, 1600, 200, 800, 6400, 50, 300, 3200,
	25600 };

static const struct unit unit_loaded = { "ns/load", SCALE_PLAIN };

/* Parameters of a row. */
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

static void loaded_extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct loaded *t = job->priv;

	jsonl_number(l, "load_gbs", t->sum_gbs / t->samples);
}

static void set_loaded(struct bench *b, struct loaded *t, const struct cpu_part *parts,
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
		s->chunk = pause_ns ? PAUSED_CHUNK : s->chunk;
		t->tasks[i] = (struct cpu_task){
			.b = b, .cpu = parts[i].cpu, .work = streamer_work, .arg = s
		};
		__builtin_memset(parts[i].base, 1, parts[i].bytes);
	}
}

static int prepare_loaded(struct bench *b, const struct row *row, struct job *job)
{
	const struct loaded_spec *spec = row_spec(row, struct loaded_spec);
	unsigned n = spec->cpus;
	struct loaded *t = job_alloc(b, job, sizeof *t);
	struct cpu_part *parts = job_alloc(b, job, n * sizeof *parts);
	struct cpu_task *tasks = job_alloc(b, job, n * sizeof *tasks);
	struct streamer *streamers = job_alloc(b, job, n * sizeof *streamers);
	struct arena apart = { .bytes = chaser_bytes(b, spec->bytes) };

	if (!t || !parts || !tasks || !streamers || parts_take(b, job, n, parts, &apart))
		return -1;
	*t = (struct loaded){ .n = n, .tasks = tasks, .streamers = streamers };
	if (chaser_build(b, job, &apart, spec->bytes, &t->chaser))
		return -1;
	set_loaded(b, t, parts, spec->pause_ns);
	job->priv = t;
	job->sampler = sample_loaded;
	job->extra = loaded_extra;
	return 0;
}

/* n CPUs: one chases, n - 1 read, with a pause of so many ns after each chunk. */
static void plan_pause(struct bench *b, unsigned n, uint64_t pause_ns, enum answer answer)
{
	struct row row = row_new(loaded_latency, &unit_loaded, answer, prepare_loaded);
	double loads = (double)CHASE_LOADS * b->pace.ns_per_far_load * (n > 1 ? LOADED : 1);
	uint64_t chase = parts_domain_bytes(b), all = parts_bytes(b, n) + chase;

	*row_spec(&row, struct loaded_spec) = (struct loaded_spec){ n, pause_ns, chase };
	row.page_bytes = common_page(b);
	row.level = "memory";
	row.cost_ns = (double)all * b->pace.ns_per_byte +
		(double)(chase / b->node_bytes) * b->pace.ns_per_node +
		TASK_CALLS * (stream_turn_ns(b) / 10 + loads + n * b->pace.ns_per_call);
	row_param(&row, "cpus", n);
	row_param(&row, "bytes", (double)chase);
	row_param(&row, "pause_ns", (double)pause_ns);
	plan_add(b, &row);
}

static void cores_plan_loaded(struct bench *b)
{
	unsigned all = b->room->facts.cpus;
	unsigned steps = b->opt->profile == PROFILE_FULL ? PAUSES_MOST : PAUSES_USUAL;

	plan_pause(b, 1, 0, ANSWER_LOADED);
	for (unsigned i = 0; i < steps; i++)
		plan_pause(b, all, pauses[i], ANSWER_LOADED);
	for (unsigned n = 2; n < all; n = cores_next_count(n, all))
		plan_pause(b, n, 0, ANSWER_CORES_MORE);
}

static void say_loaded(struct bench *b)
{
	unsigned all = b->room->facts.cpus;
	const struct param loaded[] = { { "cpus", all }, { "pause_ns", 0 } };
	const struct result *alone = with_cpus(b, loaded_latency, 1);
	const struct result *busy = find_row(b, loaded_latency, loaded, 2);

	if (alone && busy)
		say(b, "  A load takes %.0f ns alone and %.0f ns while %u other(s) stream.\n",
			alone->median, busy->median, all - 1);
}

static void say_topology(struct bench *b)
{
	const struct facts *f = &b->room->facts;
	unsigned packages, cores;

	if (!f->topology || f->topology[0].package == UINT32_MAX ||
		f->topology[0].core == UINT32_MAX) {
		say(b, "  %u CPUs; which of them share a core is not known.\n", f->cpus);
		return;
	}
	cores_count(f, &packages, &cores);
	say(b, "  %u CPUs, as claimed: %u package(s), %u core(s)%s.\n", f->cpus, packages, cores,
		cores < f->cpus ? "; SMT siblings come last" : ", no SMT siblings");
}

static void cores_plan(struct bench *b)
{
	cores_bounce.plan(b); /* cheap, so first: the rest may take longer than estimated */
	cores_plan_each(b);
	cores_plan_nodes(b);
	cores_plan_bandwidth(b);
	cores_plan_loaded(b);
}

static void cores_find(struct bench *b, struct found_values *f)
{
	const struct result *r = with_cpus(b, op_names[OP_READ], b->room->facts.cpus);
	double gbs = r ? row_value(r, f->reader.reading) : NOT_A_NUMBER;
	struct estimate e = not_resolved(NOT_MEASURED);

	if (r && impossible_together(b, gbs))
		e = not_resolved("n CPUs read more than 1.1 n times what one does");
	else if (r)
		e = plain_estimate(gbs, row_confidence(r));
	found(f, VALUE_memory_read_gbs, e, "cores read, all CPUs");
	cores_bounce.find(b, f);
}

static void cores_meaning(struct bench *b)
{
	say_topology(b);
	say_each(b);
	say_nodes(b);
	say_bandwidth(b);
	say_loaded(b);
	cores_bounce.meaning(b);
}

const struct hooks probe_cores = {
	.plan = cores_plan,
	.find = cores_find,
	.meaning = cores_meaning,
};
