/* SPDX-License-Identifier: MIT */
/*
 * Bandwidth of several processors together, and the latency of one while the others stream.
 *
 * Each CPU works on its own part of a region as large as the canonical memory size, which is many
 * times the last cache. All begin together and go on for the same time. The number is the sum of
 * each CPU's rate by its own clock. Bytes are counted as in `bandwidth`: a copy counts twice.
 */
#include "engine/chain.h"
#include "lib/jsonl_write.h"
#include "probes/cores/cores.h"

#define TURN_NS     20e6        /* how long all stream together */
#define LOADS       (64 * 1024) /* of the chase under load */
#define CHUNK       (256 * KIB) /* streamed between two readings of the TSC */
#define NODE        64          /* bytes from one node of the chase to the next */
#define PAUSES_MOST 5
#define LOADED      3 /* a load beside streams takes so many times longer, at a guess */

static const char loaded_latency[] = "loaded-latency";

static const struct unit unit_sum = { "GB/s", SCALE_RATE };
static const struct unit unit_loaded = { "ns/load", SCALE_PLAIN };

enum op { OP_READ, OP_COPY, OP_WRITE };
static const char *const op_names[] = { "read", "copy", "write" };

/* What the rows of each measure. */
struct streaming_spec {
	unsigned cpus;
	enum op op;
	uint64_t bytes; /* of the region */
};

struct loaded_spec {
	unsigned cpus;
	uint64_t pause_ns;
	uint64_t bytes;
};

/* The widest loop that the machine has. */
static loop_fn *stream_loop(struct bench *b, enum op op)
{
	static const struct {
		uint32_t needs;
		loop_fn *loop[3];
	} widths[] = {
		{ NEED_AVX512, { loop_read_512, loop_copy_512, loop_write_512 } },
		{ NEED_AVX2, { loop_read_256, loop_copy_256, loop_write_256 } },
		{ 0, { loop_read_128, loop_copy_128, loop_write_128 } },
	};
	const char *why;

	for (unsigned i = 0;; i++)
		if (machine_has(b, widths[i].needs, &why))
			return widths[i].loop[op];
}

/* One CPU's share of the work and what became of it. */
struct streamer {
	enum op op;
	loop_fn *loop;
	unsigned char *part;
	size_t bytes;        /* of the part */
	uint64_t idle_ticks; /* waited after each chunk */
	uint64_t turn_ticks; /* how long to stream, or 0: until *end */
	const volatile uint64_t *end;
	double moved, ticks;
};

/* Bytes moved by one call on `bytes` bytes at `at`; a copy goes to the part's second half. */
static double stream_chunk(struct bench *b, const struct streamer *s, size_t at, size_t bytes)
{
	uint64_t here = (uint64_t)(uintptr_t)s->part + at;
	const uint64_t one[LOOP_ARGS] = { here, bytes, 1, 0x0101010101010101 };
	const uint64_t two[LOOP_ARGS] = { here + s->bytes / 2, here, bytes, 1 };

	call_loop(b, s->loop, s->op == OP_COPY ? two : one);
	return (double)bytes * (s->op == OP_COPY ? 2 : 1);
}

static void idle(struct bench *b, uint64_t ticks)
{
	uint64_t since = b->env->now(b->env);

	while (ticks && b->env->now(b->env) - since < ticks)
		;
}

static void stream(struct cpu_task *c)
{
	struct streamer *s = c->arg;
	size_t span = s->op == OP_COPY ? s->bytes / 2 : s->bytes;
	size_t chunk = span < CHUNK ? span : CHUNK;
	uint64_t patience = (uint64_t)(CPU_TASK_WAIT_NS * c->b->env->facts.tsc_hz / 1e9);
	uint64_t since = c->b->env->now(c->b->env), now = since;

	s->moved = 0;
	for (size_t at = 0; !*s->end; now = c->b->env->now(c->b->env)) {
		s->moved += stream_chunk(c->b, s, at, chunk);
		at = at + 2 * chunk <= span ? at + chunk : 0;
		idle(c->b, s->idle_ticks);
		if (now - since > (s->turn_ticks ? s->turn_ticks : patience))
			break;
	}
	s->ticks = (double)(now - since);
}

/* All CPUs of a row; 128 bytes keep what one writes and others read away from the rest. */
struct streaming {
	_Alignas(128) volatile uint64_t go;
	_Alignas(128) volatile uint64_t end;
	_Alignas(128) unsigned n;
	struct cpu_task *tasks;
	struct streamer *streamers;
	struct chain chain;
	double latency_ns;
	unsigned samples; /* of the latency, and the sum of the others' rates meanwhile */
	double sum_gbs;
};

static double turn_ticks(const struct bench *b)
{
	return TURN_NS * b->env->facts.tsc_hz / 1e9;
}

static double sum_gbs(struct bench *b, const struct streamer *s, unsigned from, unsigned to)
{
	double sum = 0;

	for (unsigned i = from; i < to; i++)
		sum += s[i].ticks > 0 ? s[i].moved / ticks_to_ns(b, s[i].ticks) : 0;
	return sum;
}

static int sample_streaming(struct bench *b, struct job *job, struct sample *s)
{
	struct streaming *t = job->priv;

	if (cpu_tasks_run(job, t->tasks, t->n, &t->go))
		return -1;
	s->value = sum_gbs(b, t->streamers, 0, t->n);
	return 0;
}

/* Divides `region` bytes from `base` among `n` CPUs in the order of cores_order. */
static struct streaming *set_up(struct bench *b, struct job *job, unsigned n, enum op op,
	unsigned char *base, size_t region)
{
	struct streaming *t = job_alloc(b, job, sizeof *t + 128);
	unsigned *order = job_alloc(b, job, b->env->facts.cpus * sizeof *order);
	struct cpu_task *tasks = job_alloc(b, job, n * sizeof *tasks);
	struct streamer *streamers = job_alloc(b, job, n * sizeof *streamers);
	size_t part = region / n / PAGE_4K * PAGE_4K;

	if (!t || !order || !tasks || !streamers)
		return NULL;
	t = (struct streaming *)(((uintptr_t)t + 127) & ~(uintptr_t)127);
	*t = (struct streaming){ .n = n, .tasks = tasks, .streamers = streamers };
	cores_order(&b->env->facts, order);
	for (unsigned i = 0; i < n; i++) {
		streamers[i] = (struct streamer){
			.op = op,
			.loop = stream_loop(b, op),
			.part = base + i * part,
			.bytes = part,
			.end = &t->end,
			.turn_ticks = (uint64_t)turn_ticks(b),
		};
		tasks[i] = (struct cpu_task){
			.b = b, .cpu = order[i], .work = stream, .arg = &streamers[i]
		};
	}
	__builtin_memset(base, 1, part * n);
	job->priv = t;
	return t;
}

static int prepare_streaming(struct bench *b, const struct row *row, struct job *job)
{
	const struct streaming_spec *spec = row_spec(row, struct streaming_spec);

	job->sampler = sample_streaming;
	return set_up(b, job, spec->cpus, spec->op, job->arena.base, spec->bytes) ? 0 : -1;
}

/* The measuring CPU chases through its own part, then tells the others to stop. */
static void chase(struct cpu_task *c)
{
	struct streaming *t = c->arg;
	struct chain *chain = &t->chain;
	const uint64_t args[LOOP_ARGS] = { chain_at(chain, CHAIN_POINTER, chain->position),
		LOADS / 16 };

	idle(c->b, (uint64_t)(turn_ticks(c->b) / 10));
	struct timed timed = call_loop(c->b, loop_chase, args);

	t->end = 1;
	chain->position = (chain->position + LOADS) % chain->nodes;
	t->latency_ns = ticks_to_ns(c->b, (double)timed.ticks - c->b->empty_ticks) / LOADS;
	if (timed.value != chain_at(chain, CHAIN_POINTER, chain->position))
		t->latency_ns = -1;
}

static int sample_loaded(struct bench *b, struct job *job, struct sample *s)
{
	struct streaming *t = job->priv;

	t->end = 0;
	if (cpu_tasks_run(job, t->tasks, t->n, &t->go))
		return -1;
	if (t->latency_ns < 0)
		return job_disproved(job, "the chase under load ended at a wrong node");
	s->value = t->latency_ns;
	t->samples++;
	t->sum_gbs += sum_gbs(b, t->streamers, 1, t->n);
	return 0;
}

static void extra_loaded(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct streaming *t = job->priv;

	jsonl_number(l, "load_gbs", t->sum_gbs / t->samples);
}

static int prepare_loaded(struct bench *b, const struct row *row, struct job *job)
{
	const struct loaded_spec *spec = row_spec(row, struct loaded_spec);
	uint64_t nodes = spec->bytes / 2 / NODE;
	struct chain chain;

	if (chain_layout(&chain, &job->arena, nodes, NODE))
		return job_too_large(job, spec->bytes / 2 + chain_index_bytes(nodes));
	chain_order_random(&chain, &b->random);
	chain_link(&chain, CHAIN_POINTER);
	struct streaming *t = set_up(b, job, spec->cpus, OP_READ, job->arena.base + nodes * NODE,
		spec->bytes / 2);

	if (!t)
		return -1;
	t->chain = chain;
	t->tasks[0].work = chase;
	t->tasks[0].arg = t;
	for (unsigned i = 1; i < t->n; i++) {
		t->streamers[i].turn_ticks = 0;
		t->streamers[i].idle_ticks =
			(uint64_t)((double)spec->pause_ns * b->env->facts.tsc_hz / 1e9);
	}
	job->sampler = sample_loaded;
	job->extra = extra_loaded;
	return 0;
}

#define CALLS 9 /* two to warm up and the fewest samples */

/* One CPU and all of them tell most; the steps between come after. */
static unsigned step_rank(const struct bench *b, unsigned n, unsigned rank)
{
	return n == 1 || n == b->env->facts.cpus ? rank : rank + 2;
}

static void add_streaming(struct bench *b, enum op op, unsigned n)
{
	static const unsigned ranks[] = { RANK_MAIN, RANK_USEFUL, RANK_USEFUL };
	uint64_t bytes = b->levels[LEVEL_MEMORY].bytes;
	struct row row =
		row_new(op_names[op], &unit_sum, step_rank(b, n, ranks[op]), prepare_streaming);

	*row_spec(&row, struct streaming_spec) = (struct streaming_spec){ n, op, bytes };
	row.page_bytes = b->opt->page ? b->opt->page : PAGE_1G;
	row.level = "memory";
	row.cost_ns =
		(double)bytes * b->pace.ns_per_byte + CALLS * (TURN_NS + n * b->pace.ns_per_call);
	row_param(&row, "cpus", n);
	row_param(&row, "bytes", (double)bytes);
	plan_add(b, &row);
}

/* n CPUs: one chases, n - 1 read, with a pause of so many ns after each 256 KiB. */
static void add_loaded(struct bench *b, unsigned n, uint64_t pause_ns)
{
	struct row row = row_new(loaded_latency, &unit_loaded,
		step_rank(b, n, pause_ns ? RANK_USEFUL : RANK_MAIN), prepare_loaded);
	double loads = (double)LOADS * b->pace.ns_per_far_load * (n > 1 ? LOADED : 1);
	uint64_t bytes = b->levels[LEVEL_MEMORY].bytes;
	double nodes = (double)bytes / 2 / NODE;

	*row_spec(&row, struct loaded_spec) = (struct loaded_spec){ n, pause_ns, bytes };
	row.page_bytes = b->opt->page ? b->opt->page : PAGE_1G;
	row.level = "memory";
	row.cost_ns = (double)bytes / 2 * b->pace.ns_per_byte + nodes * b->pace.ns_per_node +
		CALLS * (TURN_NS / 10 + loads + n * b->pace.ns_per_call);
	row_param(&row, "cpus", n);
	row_param(&row, "bytes", (double)bytes);
	row_param(&row, "pause_ns", (double)pause_ns);
	plan_add(b, &row);
}

static unsigned next_count(unsigned n, unsigned all)
{
	return n == all ? all + 1 : 2 * n < all ? 2 * n : all;
}

void cores_plan_bandwidth(struct bench *b)
{
	static const uint64_t pauses[PAUSES_MOST] = { 300000, 100000, 30000, 10000, 0 };
	unsigned all = b->env->facts.cpus;

	for (enum op op = OP_READ; op <= OP_WRITE; op++)
		for (unsigned n = 1; n <= all; n = next_count(n, all))
			add_streaming(b, op, n);
	add_loaded(b, 1, 0);
	for (unsigned i = 0; i < PAUSES_MOST; i++)
		add_loaded(b, all, pauses[i]);
	for (unsigned n = 2; n < all; n = next_count(n, all))
		add_loaded(b, n, 0);
}

static const struct result *with_cpus(const struct bench *b, const char *variant, unsigned n)
{
	const struct param cpus[] = { { "cpus", n } };

	return find_row(b, variant, cpus, 1);
}

void cores_meaning_bandwidth(struct bench *b)
{
	unsigned all = b->env->facts.cpus;
	const struct result *one = with_cpus(b, op_names[OP_READ], 1);
	const struct result *many = with_cpus(b, op_names[OP_READ], all);
	const struct param loaded[] = { { "cpus", all }, { "pause_ns", 0 } };
	const struct result *alone = with_cpus(b, loaded_latency, 1);
	const struct result *busy = find_row(b, loaded_latency, loaded, 2);

	if (one && many && one->median > 0 && many->median > 0)
		say(b, "  %u CPUs read %.1f GB/s, %.2f times what one does (%.1f).\n", all,
			many->median, many->median / one->median, one->median);
	if (alone && busy)
		say(b, "  A load takes %.0f ns alone and %.0f ns while %u other(s) stream.\n",
			alone->median, busy->median, all - 1);
}
