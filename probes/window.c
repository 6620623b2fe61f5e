/* SPDX-License-Identifier: MIT */
/*
 * The out-of-order window: two independent misses with ever more instructions between them. While
 * the window holds both, they overlap; beyond, the second waits for the first to retire.
 */
#include "probes/probe.h"
#include "lib/math.h"
#include "probes/lanes.h"

#define PAIRS_MOST  512 /* per sample */
#define PAIRS_LEAST 128
#define WORK        65536 /* instructions of a sample, where that leaves PAIRS_LEAST */
#define GROUPS_MOST 128   /* of 8 fillers, see probes/loops/window_loops.S */
#define COUNTED     3     /* instructions besides the fillers: a jump, and both loads */
#define EDGE_RATIO  1.004

/* What a row measures. */
struct distance {
	unsigned fillers; /* instructions between the two misses, but for a jump */
	unsigned pairs;   /* in a sample */
	uint64_t bytes;   /* of the region */
};

static const char two_misses[] = "two-misses";

struct gap {
	struct chain *chain;
	unsigned pairs;
	uint64_t *list; /* every node of a sample */
};

/* Two stretches half a cycle apart, flushed. */
static void refresh(struct bench *b, struct job *job)
{
	struct gap *g = job->priv;
	uint64_t at = g->chain->position, other = at + g->chain->nodes / 2;
	uint64_t *end = lanes_list(g->chain, at, g->pairs + 1, g->list);

	end = lanes_list(g->chain, other, g->pairs + 1, end);
	job->args[0] = chain_at(g->chain, CHAIN_POINTER, at);
	job->args[1] = chain_at(g->chain, CHAIN_POINTER, other);
	job->expect = chain_at(g->chain, CHAIN_POINTER, at + g->pairs) +
		chain_at(g->chain, CHAIN_POINTER, other + g->pairs);
	g->chain->position = (at + g->pairs) % g->chain->nodes;
	if (lanes_flush(b, g->list, (uint64_t)(end - g->list)))
		job->expect = ~job->expect; /* not flushed: the row must not be measured */
}

/* Bytes of the last fillers of a group of 8: what the loop is told is where to jump. */
static uint64_t filler_bytes(unsigned fillers)
{
	static const uint8_t last[8] = { 0, 4, 9, 14, 17, 19, 24, 29 };

	return fillers / 8 * 32 + last[fillers % 8];
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct distance *spec = row_spec(row, struct distance);
	struct gap *g = job_alloc(b, job, sizeof *g);

	if (!g)
		return -1;
	g->pairs = spec->pairs;
	g->list = job_alloc(b, job, 2 * (PAIRS_MOST + 1) * sizeof *g->list);
	if (!g->list)
		return -1;
	g->chain = lanes_chain(b, job, spec->bytes, b->node_bytes);
	if (!g->chain)
		return -1;
	if (g->chain->nodes < 4 * PAIRS_MOST)
		return job_skip(job, "the arena is too small");
	uint64_t base = (uintptr_t)g->chain->base;
	const uint64_t args[LOOP_ARGS] = { base, base, spec->pairs, filler_bytes(spec->fillers) };

	job_call(job, loop_window, 2, args);
	job->refresh = refresh;
	job->priv = g;
	job->ops = spec->pairs;
	job->warm_calls = 2;
	return 0;
}

/* So many entries must the window have to hold both loads and all between. */
static void add(struct bench *b, unsigned instructions, bool first)
{
	const struct level_size *p = &b->levels[LEVEL_MEMORY];
	unsigned fillers = instructions - COUNTED;
	unsigned pairs = math_clamp(WORK / instructions, PAIRS_LEAST, PAIRS_MOST);
	struct row row = row_new(two_misses, &unit_ns_op, ANSWER_WINDOW, prepare);
	double far = b->pace.ns_per_far_load, near = b->pace.ns_per_near_load;

	row.page_bytes = common_page(b);
	*row_spec(&row, struct distance) = (struct distance){ fillers, pairs, p->bytes };
	row.cost_ns = 10 * pairs * (4 * far + 2.0 * fillers * near / 8) +
		(first ? (double)(p->bytes / b->node_bytes) * b->pace.ns_per_node : 0);
	row_param(&row, "instructions", instructions);
	row_param(&row, "bytes", (double)p->bytes);
	plan_add(b, &row);
}

/*
 * Steps of 8 instructions to 640 in `full`, of 16 in `default`, of 64 in `smoke`; wider above.
 * Below 64 always of 8: a small core's window is there.
 */
static unsigned next_groups(const struct bench *b, unsigned groups)
{
	static const unsigned steps[] = {
		[PROFILE_SMOKE] = 8, [PROFILE_DEFAULT] = 2, [PROFILE_FULL] = 1
	};

	if (groups < 8)
		return groups + 1;
	return groups + (groups < 80 ? steps[b->opt->profile] : 8);
}

static void window_plan(struct bench *b)
{
	for (unsigned g = 0; g <= GROUPS_MOST; g = next_groups(b, g))
		add(b, 8 * g + COUNTED, g == 0);
}

static struct estimate last_overlap(const struct bench *b, struct curve *c)
{
	const struct pick pick = { .variant = two_misses, .x = "instructions" };

	return take_curve(b, &pick, c) ? infer_step(c->point, c->n) : not_resolved(NOT_MEASURED);
}

static void window_plan_edges(struct bench *b)
{
	const struct resolution r = { .grain = 1, .ratio = EDGE_RATIO };
	struct curve *c = row_alloc(b, sizeof *c);
	struct estimate e = c ? last_overlap(b, c) : not_resolved(NOT_MEASURED);
	double next = infer_bisect_bracket(&e, &r);

	if (math_finite(next))
		add(b, (unsigned)next, false);
}

/* The step on the slope that the instructions between draw. */
static void window_find(struct bench *b)
{
	struct curve *c = row_alloc(b, sizeof *c);

	if (!c)
		return;
	struct estimate e = last_overlap(b, c);

	found(b, "window_instructions", "instructions", edge_of(b, c, e), NOT_A_NUMBER,
		"window two-misses over instructions");
}

const struct hooks probe_window = {
	.plan = window_plan,
	.plan_edges = window_plan_edges,
	.find = window_find,
};
