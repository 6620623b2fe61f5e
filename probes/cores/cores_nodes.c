/* SPDX-License-Identifier: MIT */
/*
 * Node by node: latency, and the rate at which one CPU reads, from each node's memory, measured by
 * a CPU of each node; and the rate at which all CPUs of a node read. A machine that describes no
 * nodes has one, whose number is not known.
 */
#include "lib/text.h"
#include "probes/cores/cores.h"
#include "probes/cores/cores_parts.h"
#include "probes/cores/cores_stream.h"

#define NODES_MOST 16 /* with CPUs; more are not measured */

static const char latency[] = "node-latency", read[] = "node-read";

static const struct unit unit_load = { "ns/load", SCALE_PLAIN };
static const struct unit unit_rate = { "GB/s", SCALE_RATE };

/* What a row measures. */
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
static void set_tasks(struct bench *b, struct node_work *w, const struct node_spec *spec)
{
	struct cpu_task work = { .b = b,
		.cpu = spec->cpu,
		.work = spec->reads ? streamer_work : chaser_work,
		.arg = spec->reads ? (void *)&w->streamer : &w->chaser };

	if (spec->cpu)
		w->tasks[w->ntasks++] = (struct cpu_task){ .b = b, .work = cpu_task_nothing };
	w->tasks[w->ntasks++] = work;
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
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
	set_tasks(b, w, spec);
	job->sampler = sample_node;
	job->priv = w;
	return 0;
}

/* Those of the measuring CPU's node tell most. */
static unsigned rank_of(unsigned cpu)
{
	return cpu ? DROP_MIDDLE : DROP_LATE;
}

static void add(struct bench *b, unsigned cpu, uint32_t from, uint32_t memory, bool reads)
{
	struct row row = row_new(reads ? read : latency, reads ? &unit_rate : &unit_load,
		rank_of(cpu), prepare);
	uint64_t bytes = parts_domain_bytes(b);
	double nodes = (double)bytes / b->node_bytes;
	double build = reads ? (double)bytes * b->pace.ns_per_byte : nodes * b->pace.ns_per_node;
	double call = reads ? stream_turn_ns(b) : CHASE_LOADS * b->pace.ns_per_far_load;

	*row_spec(&row, struct node_spec) = (struct node_spec){ cpu, memory, bytes, reads };
	row.page_bytes = common_page(b);
	row.level = "memory";
	row.cost_ns = build + TASK_CALLS * (call + b->pace.ns_per_call);
	cores_node_params(&row, from, memory);
	row_param(&row, "bytes", (double)bytes);
	plan_add(b, &row);
}

void cores_plan_nodes(struct bench *b)
{
	uint32_t node[NODES_MOST];
	unsigned cpu[NODES_MOST], n = nodes_of(&b->room->facts, node, cpu);

	for (unsigned reads = 0; reads < 2; reads++)
		for (unsigned i = 0; i < n; i++)
			for (unsigned k = 0; k < n; k++)
				add(b, cpu[i], node[i], node[k], reads);
	/* Of one node that is `read` by all CPUs. */
	for (unsigned i = 0; i < n && n > 1; i++)
		for (unsigned k = 0; k < n; k++)
			cores_add_node_read_all(b, node[i], node[k], rank_of(cpu[i]));
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

void cores_meaning_nodes(struct bench *b)
{
	uint32_t own = cores_node(&b->room->facts, 0);

	if (cell(b, latency, own, own))
		say_matrix(b, latency, "ns per load, CPU");
	if (cell(b, read, own, own))
		say_matrix(b, read, "GB/s that one CPU reads, CPU");
	if (cell(b, cores_node_read_all, own, own))
		say_matrix(b, cores_node_read_all, "GB/s that all together read, CPUs");
}
