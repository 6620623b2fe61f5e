/* SPDX-License-Identifier: MIT */
/*
 * Bandwidth of several processors together: each streams through its own part (cores_parts.h). All
 * begin together and go on for the same time. The number is the sum of each CPU's rate by its own
 * clock. Bytes are counted as in `bandwidth`: what the program asked to move.
 */
#include "lib/jsonl_write.h"
#include "probes/cores/cores.h"
#include "probes/cores/cores_parts.h"
#include "probes/cores/cores_stream.h"

static const struct unit unit_sum = { "GB/s", SCALE_RATE };

/* What a row measures. */
struct streaming_spec {
	unsigned cpus, op;
};

/* All CPUs of a row; 128 bytes keep what one writes and others read away from the rest. */
struct streaming {
	_Alignas(LINE_PAIR) volatile uint64_t go;
	_Alignas(LINE_PAIR) volatile uint64_t end; /* stays 0: each ends after its turn */
	_Alignas(LINE_PAIR) unsigned n;
	struct cpu_task *tasks;
	struct streamer *streamers;
};

static int sample_streaming(struct bench *b, struct job *job, struct sample *s)
{
	struct streaming *t = job->priv;

	if (cpu_tasks_run(job, t->tasks, t->n, &t->go))
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

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct streaming_spec *spec = row_spec(row, struct streaming_spec);
	unsigned n = spec->cpus;
	struct streaming *t = job_alloc(b, job, sizeof *t);
	struct part *parts = job_alloc(b, job, n * sizeof *parts);
	struct cpu_task *tasks = job_alloc(b, job, n * sizeof *tasks);
	struct streamer *streamers = job_alloc(b, job, n * sizeof *streamers);

	if (!t || !parts || !tasks || !streamers || parts_take(b, job, n, parts, NULL))
		return -1;
	*t = (struct streaming){ .n = n, .tasks = tasks, .streamers = streamers };
	for (unsigned i = 0; i < n; i++) {
		streamers[i] = streamer_of(b, spec->op, parts[i].base, parts[i].bytes, &t->end);
		tasks[i] = (struct cpu_task){
			.b = b, .cpu = parts[i].cpu, .work = streamer_work, .arg = &streamers[i]
		};
		__builtin_memset(parts[i].base, 1, parts[i].bytes);
	}
	job->priv = t;
	job->sampler = sample_streaming;
	job->extra = extra;
	return 0;
}

static void add(struct bench *b, unsigned op, unsigned n)
{
	static const unsigned ranks[OPS] = { RANK_MAIN, RANK_USEFUL, RANK_USEFUL, RANK_USEFUL,
		RANK_USEFUL, RANK_USEFUL };
	uint64_t bytes = parts_bytes(b, n);
	struct row row =
		row_new(op_names[op], &unit_sum, cores_step_rank(b, n, ranks[op]), prepare);

	*row_spec(&row, struct streaming_spec) = (struct streaming_spec){ n, op };
	row.page_bytes = common_page(b);
	row.level = "memory";
	row.cost_ns = (double)bytes * b->pace.ns_per_byte +
		TASK_CALLS * (stream_turn_ns(b) + n * b->pace.ns_per_call);
	row_param(&row, "cpus", n);
	row_param(&row, "bytes", (double)bytes);
	plan_add(b, &row);
}

void cores_plan_bandwidth(struct bench *b)
{
	unsigned all = b->env->facts.cpus;

	for (unsigned op = 0; op < OPS; op++)
		for (unsigned n = 1; n <= all; n = cores_next_count(n, all))
			add(b, op, n);
}

void cores_meaning_bandwidth(struct bench *b)
{
	unsigned all = b->env->facts.cpus;
	const struct result *one = cores_with_cpus(b, op_names[OP_READ], 1);
	const struct result *many = cores_with_cpus(b, op_names[OP_READ], all);

	if (one && many && one->median > 0 && many->median > 0)
		say(b, "  %u CPUs read %.1f GB/s, %.2f times what one does (%.1f).\n", all,
			many->median, many->median / one->median, one->median);
}
