/* SPDX-License-Identifier: MIT */
/*
 * The out-of-order window: two independent misses with ever more instructions between them. While
 * the window holds both, they overlap; beyond, the second waits for the first to retire.
 */
#include "probes/probe.h"
#include "lib/math.h"
#include "probes/lanes.h"

#define GROUPS_MOST 128 /* of 8 fillers, see probes/loops/window_loops.S */
#define COUNTED     3   /* instructions besides the fillers: a jump, and both loads */
#define EDGE_RATIO  1.004

/* What a row measures. */
struct distance {
	unsigned fillers; /* instructions between the two misses, but for a jump */
	unsigned pairs;   /* in a sample */
	uint64_t bytes;   /* of the region */
};

static const char two_misses[] = "two-misses";

/* Bytes of the last fillers of a group of 8: what the loop is told is where to jump. */
static uint64_t filler_bytes(unsigned fillers)
{
	static const uint8_t last[8] = { 0, 4, 9, 14, 17, 19, 24, 29 };

	return fillers / 8 * 32 + last[fillers % 8];
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct distance *spec = row_spec(row, struct distance);
	const uint64_t more[2] = { filler_bytes(spec->fillers) };

	return lanes_pairs_ready(b, job, loop_window, spec->bytes, spec->pairs, more);
}

/* So many entries must the window have to hold both loads and all between. */
static void add(struct bench *b, unsigned instructions, bool first)
{
	const struct level_size *p = &b->levels[LEVEL_MEMORY];
	unsigned fillers = instructions - COUNTED, pairs = lanes_pairs(instructions);
	struct row row = row_new(two_misses, &unit_ns_op, ANSWER_WINDOW, prepare);

	row.page_bytes = common_page(b);
	*row_spec(&row, struct distance) = (struct distance){ fillers, pairs, p->bytes };
	row.cost_ns = lanes_pairs_cost(b, pairs, fillers) +
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
