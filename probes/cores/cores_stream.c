/* SPDX-License-Identifier: MIT */
#include "probes/cores/cores_stream.h"

#define LINE    64
#define CHUNK   (256 * KIB)
#define PATTERN 0x0101010101010101ULL

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
		.chunk = CHUNK,
		.end = end,
		.turn_ticks = (uint64_t)(stream_turn_ns(b) * b->room->facts.tsc_hz / 1e9),
	};
}

/* How often what is written is read at the same time: in a copy once, in a mix up to 3 times. */
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
	return (bytes + chain_index_bytes(bytes / b->node_bytes) + PAGE_4K - 1) / PAGE_4K * PAGE_4K;
}

int chaser_build(struct bench *b, struct job *job, const struct arena *arena, uint64_t bytes,
	struct chaser *c)
{
	*c = (struct chaser){ .ns = 0 };
	if (chain_layout(&c->chain, arena, bytes / b->node_bytes, b->node_bytes))
		return job_too_large(job, chaser_bytes(b, bytes));
	chain_order_random(&c->chain, &b->random);
	chain_link(&c->chain, CHAIN_POINTER);
	return 0;
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
