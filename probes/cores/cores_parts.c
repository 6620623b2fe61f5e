/* SPDX-License-Identifier: MIT */
/*
 * Helpers of probe `cores`' rows: the CPUs that share a core, a die or a package, the memory of
 * each CPU, and its work there.
 */
#include "probes/cores/cores_parts.h"

#include "engine/levels.h"

static bool one_core(const struct cpu_location *p, const struct cpu_location *q)
{
	return p->package == q->package && p->die == q->die && p->core == q->core &&
		p->core != UINT32_MAX;
}

static bool sibling_taken(const struct facts *f, const unsigned *order, unsigned n, unsigned cpu)
{
	for (unsigned i = 0; i < n; i++)
		if (one_core(&f->topology[cpu], &f->topology[order[i]]))
			return true;
	return false;
}

void cores_order(const struct facts *f, unsigned *order)
{
	unsigned n = 0;

	for (unsigned cpu = 0; cpu < f->cpus; cpu++)
		if (!f->topology || !sibling_taken(f, order, n, cpu))
			order[n++] = cpu;
	unsigned cores = n;

	for (unsigned cpu = 0; cpu < f->cpus; cpu++) {
		unsigned i = 0;

		while (i < cores && order[i] != cpu)
			i++;
		if (i == cores)
			order[n++] = cpu;
	}
}

const char *cores_between(const struct facts *f, unsigned a, unsigned b)
{
	const struct cpu_location *p = f->topology ? &f->topology[a] : NULL,
				  *q = p ? &f->topology[b] : NULL;

	if (!p || p->package == UINT32_MAX || q->package == UINT32_MAX)
		return "";
	if (p->package != q->package)
		return ", two packages";
	if (one_core(p, q))
		return ", siblings of one core";
	return p->die == q->die ? ", one die" : ", two dies";
}

uint32_t cores_node(const struct facts *f, unsigned cpu)
{
	return f->topology ? f->topology[cpu].node : NODE_UNKNOWN;
}

/* Returns true if two CPUs share the last cache; if that is unknown, CPUs of one die do. */
static bool cores_share_cache(const struct facts *f, unsigned a, unsigned b)
{
	const struct cpu_location *p = f->topology ? &f->topology[a] : NULL,
				  *q = p ? &f->topology[b] : NULL;

	if (p && p->l3 != UINT32_MAX && q->l3 != UINT32_MAX)
		return p->l3 == q->l3;
	return !p || (p->package == q->package && p->die == q->die);
}

void cores_count(const struct facts *f, unsigned *packages, unsigned *cores)
{
	*packages = *cores = 0;
	for (unsigned i = 0; i < f->cpus; i++) {
		bool new_package = true, new_core = true;

		for (unsigned k = 0; k < i; k++) {
			new_package &= f->topology[k].package != f->topology[i].package;
			new_core &= !one_core(&f->topology[k], &f->topology[i]);
		}
		*packages += new_package;
		*cores += new_core;
	}
}

unsigned cores_next_count(unsigned n, unsigned all)
{
	return n == all ? all + 1 : 2 * n < all ? 2 * n : all;
}

/* Rather more than needed, unless there is no time for it. */
#define DOMAIN_LEAST(b) ((b)->opt->profile == PROFILE_SMOKE ? 32 * MIB : 128 * MIB)
#define GRAIN           PAGE_4K

uint64_t parts_domain_bytes(struct bench *b)
{
	uint64_t needed = PART_TIMES_CACHE * last_cache_bytes(b);
	uint64_t usual = b->levels[LEVEL_MEMORY].bytes;

	if (usual > DOMAIN_LEAST(b))
		usual = DOMAIN_LEAST(b);
	return needed > usual ? needed : usual;
}

/* The share of one of the CPUs order[0..n-1] in what its last cache's CPUs work on together. */
static uint64_t share_of(struct bench *b, const unsigned *order, unsigned n, unsigned cpu)
{
	unsigned sharers = 0;

	for (unsigned i = 0; i < n; i++)
		sharers += cores_share_cache(&b->room->facts, order[i], cpu);
	return (parts_domain_bytes(b) / sharers + GRAIN - 1) / GRAIN * GRAIN;
}

static unsigned *take_order(struct bench *b)
{
	unsigned *order = row_alloc(b, b->room->facts.cpus * sizeof *order);

	if (order)
		cores_order(&b->room->facts, order);
	return order;
}

uint64_t parts_bytes(struct bench *b, unsigned n)
{
	size_t mark = b->work.used;
	unsigned *order = take_order(b);
	uint64_t sum = 0;

	for (unsigned i = 0; order && i < n; i++)
		sum += share_of(b, order, n, order[i]);
	b->work.used = mark;
	return sum;
}

/* Lays the parts of one node side by side, in what `at` says is left. */
static void lay_out(const struct facts *f, struct cpu_part *parts, unsigned n, uint32_t node,
	unsigned char *at)
{
	for (unsigned i = 0; i < n; i++) {
		if (cores_node(f, parts[i].cpu) != node)
			continue;
		parts[i].base = at;
		at += parts[i].bytes;
	}
}

static int take_node(struct bench *b, struct job *job, struct cpu_part *parts, unsigned n,
	uint32_t node, struct arena *apart)
{
	const struct facts *f = &b->room->facts;
	uint64_t bytes = apart ? apart->bytes : 0;
	struct arena memory;

	for (unsigned i = 0; i < n; i++)
		bytes += cores_node(f, parts[i].cpu) == node ? parts[i].bytes : 0;
	if (job_arena_on(b, job, node, bytes, &memory))
		return -1;
	unsigned char *at = memory.base;

	if (apart) {
		at += apart->bytes;
		memory.bytes = apart->bytes;
		*apart = memory;
	}
	lay_out(f, parts, n, node, at);
	return 0;
}

static bool seen_before(const struct facts *f, const struct cpu_part *parts, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (cores_node(f, parts[k].cpu) == cores_node(f, parts[i].cpu))
			return true;
	return false;
}

int parts_take(struct bench *b, struct job *job, unsigned n, struct cpu_part *parts,
	struct arena *apart)
{
	const struct facts *f = &b->room->facts;
	unsigned *order = take_order(b);

	if (!order)
		return job_skip(job, "no scratch memory");
	for (unsigned i = 0; i < n; i++)
		parts[i] = (struct cpu_part){ order[i], NULL, share_of(b, order, n, order[i]) };
	for (unsigned i = 0; i < n; i++)
		if (!seen_before(f, parts, i) &&
			take_node(b, job, parts, n, cores_node(f, parts[i].cpu), i ? NULL : apart))
			return -1;
	return 0;
}

/* Keeps those of a node, in the order as it is; how many. */
static unsigned keep_node(const struct facts *f, unsigned *order, uint32_t node)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->cpus; i++)
		if (cores_node(f, order[i]) == node)
			order[n++] = order[i];
	return n;
}

uint64_t parts_bytes_of_node(struct bench *b, uint32_t cpu_node, unsigned *cpus)
{
	size_t mark = b->work.used;
	unsigned *order = take_order(b);
	uint64_t sum = 0;

	*cpus = order ? keep_node(&b->room->facts, order, cpu_node) : 0;
	for (unsigned i = 0; i < *cpus; i++)
		sum += share_of(b, order, *cpus, order[i]);
	b->work.used = mark;
	return sum;
}

int parts_take_of_node(struct bench *b, struct job *job, uint32_t cpu_node, uint32_t memory_node,
	unsigned n, struct cpu_part *parts)
{
	unsigned *order = take_order(b);
	struct arena memory;
	uint64_t bytes = 0;

	if (!order)
		return job_skip(job, "no scratch memory");
	keep_node(&b->room->facts, order, cpu_node);
	for (unsigned i = 0; i < n; i++) {
		parts[i] = (struct cpu_part){ order[i], NULL, share_of(b, order, n, order[i]) };
		bytes += parts[i].bytes;
	}
	if (job_arena_on(b, job, memory_node, bytes, &memory))
		return -1;
	lay_out(&b->room->facts, parts, n, cpu_node, memory.base);
	return 0;
}

#define LINE         64
#define STREAM_CHUNK (256 * KIB)
#define PATTERN      0x0101010101010101ULL

const char *const op_names[OPS] = { "read", "copy", "write", "mix-3-1", "mix-2-1", "mix-1-1" };

static loop_fn *widest_loop(struct bench *b, unsigned op)
{
	unsigned w = WIDTHS - 1;
	const char *why;

	while (!machine_has(b, widths[w].needs, &why))
		w--;
	switch (op) {
	case OP_READ:
		return widths[w].read;
	case OP_COPY:
		return widths[w].copy;
	case OP_WRITE:
		return widths[w].write;
	default:
		return widths[w].mix[op - OP_MIX];
	}
}

double stream_turn_ns(const struct bench *b)
{
	return b->opt->profile == PROFILE_SMOKE ? 5e6 : 20e6;
}

struct streamer streamer_of(struct bench *b, unsigned op, unsigned char *part, uint64_t bytes,
	const volatile uint64_t *end)
{
	return (struct streamer){
		.op = op,
		.loop = widest_loop(b, op),
		.part = part,
		.bytes = bytes,
		.chunk = STREAM_CHUNK,
		.end = end,
		.turn_ticks = (uint64_t)(stream_turn_ns(b) * b->room->facts.tsc_hz / 1e9),
	};
}

/* Returns the reads per write of a stream: 1 in a copy, up to 3 in a mix. */
static unsigned reads_per_write(const struct streamer *s)
{
	return s->op == OP_COPY ? 1 : s->op >= OP_MIX ? mix_reads[s->op - OP_MIX] : 0;
}

/*
 * Works on `bytes` from `at` of what is walked, which is the whole part, or, where reads and writes
 * go to different places, what is written. Returns the bytes that it asked to move.
 */
static double stream_chunk(struct bench *b, const struct streamer *s, uint64_t span, uint64_t at,
	uint64_t bytes)
{
	unsigned reads = reads_per_write(s);
	uint64_t to = (uint64_t)(uintptr_t)s->part + at;
	uint64_t from = (uint64_t)(uintptr_t)s->part + span + at * reads;
	const uint64_t one[LOOP_ARGS] = { to, bytes, 1, PATTERN };
	const uint64_t copy[LOOP_ARGS] = { to, from, bytes, 1 };
	const uint64_t mix[LOOP_ARGS] = { to, from, bytes / LINE, 1, PATTERN };

	call_loop(b, s->loop, s->op >= OP_MIX ? mix : s->op == OP_COPY ? copy : one);
	return (double)bytes * (1 + reads);
}

static void idle(struct bench *b, uint64_t ticks)
{
	uint64_t since = b->room->now(b->room);

	while (ticks && b->room->now(b->room) - since < ticks)
		;
}

void streamer_work(struct cpu_task *c)
{
	struct streamer *s = c->arg;
	uint64_t span = s->bytes / (1 + reads_per_write(s)) / LINE * LINE;
	uint64_t chunk = span < s->chunk ? span : s->chunk;
	uint64_t patience = (uint64_t)(CPU_TASK_WAIT_NS * c->b->room->facts.tsc_hz / 1e9);
	uint64_t turn = s->turn_ticks ? s->turn_ticks : patience;
	uint64_t since = c->b->room->now(c->b->room), now = since;

	s->moved = 0;
	for (; !*s->end && now - since <= turn; now = c->b->room->now(c->b->room)) {
		s->moved += stream_chunk(c->b, s, span, s->at, chunk);
		s->at = s->at + 2 * chunk <= span ? s->at + chunk : 0;
		idle(c->b, s->idle_ticks);
	}
	s->ticks = (double)(now - since);
}

double streamers_gbs(const struct bench *b, const struct streamer *s, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += s[i].ticks > 0 ? s[i].moved / ticks_to_ns(b, s[i].ticks) : 0;
	return sum;
}

uint64_t chaser_bytes(const struct bench *b, uint64_t bytes)
{
	return (bytes + PAGE_4K - 1) / PAGE_4K * PAGE_4K;
}

int chaser_build(struct bench *b, struct job *job, const struct arena *arena, uint64_t bytes,
	struct chaser *c)
{
	*c = (struct chaser){ .ns = 0 };
	if (chain_layout(&c->chain, arena, bytes / b->node_bytes, b->node_bytes))
		return job_too_large(job, chaser_bytes(b, bytes));
	chain_order_random(&c->chain, &b->random);
	return job_link(b, job, &c->chain, CHAIN_POINTER);
}

void chaser_work(struct cpu_task *task)
{
	struct chaser *c = task->arg;
	struct chain *chain = &c->chain;
	const uint64_t args[LOOP_ARGS] = { chain_at(chain, CHAIN_POINTER, chain->position),
		CHASE_LOADS / 16 };

	idle(task->b, c->wait_ticks);
	struct timed timed = call_loop(task->b, loop_chase, args);

	if (c->end)
		*c->end = 1;
	chain->position = (chain->position + CHASE_LOADS) % chain->nodes;
	c->ns = ticks_to_ns(task->b, (double)timed.ticks - task->b->empty_ticks) / CHASE_LOADS;
	c->wrong = timed.value != chain_at(chain, CHAIN_POINTER, chain->position);
}
