/* SPDX-License-Identifier: MIT */
/*
 * Bandwidth of several processors together: each streams through its own part (cores_parts.h), or
 * all of a node through memory of one node, as in Intel's Memory Latency Checker. All begin
 * together and go on for the same time. The number is the sum of each CPU's rate by its own clock.
 * Bytes are counted as in `bandwidth`: what the program asked to move.
 */
#include "lib/jsonl_write.h"
#include "probes/cores/cores.h"
#include "probes/cores/cores_parts.h"
#include "probes/cores/cores_stream.h"

static const struct unit unit_sum = { "GB/s", SCALE_RATE };

const char cores_node_read_all[] = "node-read-all";

/* What a row measures. */
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

static int sample_streaming(struct bench *b, struct job *job, struct sample *s)
{
	struct streaming *t = job->priv;

	if (cpu_tasks_run(job, t->tasks, t->ntasks, &t->go))
		return -1;
	s->value = streamers_gbs(b, t->streamers, t->n);
	return 0;
}

static void extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
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
	struct part *parts)
{
	if (spec->of_node)
		return parts_take_of_node(b, job, spec->cpu_node, spec->memory_node, spec->cpus,
			parts);
	return parts_take(b, job, spec->cpus, parts, NULL);
}

/* The measuring CPU, which does the first task itself, is not always one of those that stream. */
static void set_tasks(struct bench *b, struct streaming *t, const struct part *parts, unsigned op)
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

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct streaming_spec *spec = row_spec(row, struct streaming_spec);
	unsigned n = spec->cpus;
	struct streaming *t = job_alloc(b, job, sizeof *t);
	struct part *parts = job_alloc(b, job, n * sizeof *parts);
	struct cpu_task *tasks = job_alloc(b, job, (n + 1) * sizeof *tasks);
	struct streamer *streamers = job_alloc(b, job, n * sizeof *streamers);

	if (!t || !parts || !tasks || !streamers || take_parts(b, job, spec, parts))
		return -1;
	*t = (struct streaming){ .n = n, .tasks = tasks, .streamers = streamers };
	set_tasks(b, t, parts, spec->op);
	job->priv = t;
	job->sampler = sample_streaming;
	job->extra = extra;
	return 0;
}

static struct row streaming_row(struct bench *b, const char *variant, unsigned drop_order,
	const struct streaming_spec *spec, uint64_t bytes)
{
	struct row row = row_new(variant, &unit_sum, drop_order, prepare);

	*row_spec(&row, struct streaming_spec) = *spec;
	row.page_bytes = common_page(b);
	row.level = "memory";
	row.cost_ns = (double)bytes * b->pace.ns_per_byte +
		TASK_CALLS * (stream_turn_ns(b) + spec->cpus * b->pace.ns_per_call);
	return row;
}

static void add(struct bench *b, unsigned op, unsigned n)
{
	static const unsigned ranks[OPS] = { DROP_LATE, DROP_MIDDLE, DROP_MIDDLE, DROP_MIDDLE,
		DROP_MIDDLE, DROP_MIDDLE };
	const struct streaming_spec spec = { .cpus = n, .op = op };
	uint64_t bytes = parts_bytes(b, n);
	struct row row = streaming_row(b, op_names[op], cores_step_drop_order(b, n, ranks[op]),
		&spec, bytes);

	row_param(&row, "cpus", n);
	row_param(&row, "bytes", (double)bytes);
	plan_add(b, &row);
}

void cores_add_node_read_all(struct bench *b, uint32_t cpu_node, uint32_t memory_node,
	unsigned drop_order)
{
	struct streaming_spec spec = { 0, OP_READ, true, cpu_node, memory_node };
	uint64_t bytes = parts_bytes_of_node(b, cpu_node, &spec.cpus);
	struct row row = streaming_row(b, cores_node_read_all, drop_order, &spec, bytes);

	cores_node_params(&row, cpu_node, memory_node);
	row_param(&row, "cpus", spec.cpus);
	row_param(&row, "bytes", (double)bytes);
	plan_add(b, &row);
}

void cores_plan_bandwidth(struct bench *b)
{
	unsigned all = b->room->facts.cpus;

	for (unsigned op = 0; op < OPS; op++)
		for (unsigned n = 1; n <= all; n = cores_next_count(n, all))
			add(b, op, n);
}

void cores_meaning_bandwidth(struct bench *b)
{
	unsigned all = b->room->facts.cpus;
	const struct result *one = cores_with_cpus(b, op_names[OP_READ], 1);
	const struct result *many = cores_with_cpus(b, op_names[OP_READ], all);

	if (one && many && one->median > 0 && many->median > 0)
		say(b, "  %u CPUs read %.1f GB/s, %.2f times what one does (%.1f).\n", all,
			many->median, many->median / one->median, one->median);
}
