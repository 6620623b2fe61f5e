/* SPDX-License-Identifier: MIT */
/*
 * (e) and (f): how many branch targets, and how many return addresses, the processor remembers.
 * The code is generated, since its size is the parameter: of nothing but jumps, calls and returns.
 */
#include "probes/branch/branch.h"

#include <string.h>

#include "engine/find.h"
#include "lib/math.h"

#define FUNCTION_BYTES 64

enum { JUMP_SHORT = 0xeb, JUMP_NEAR = 0xe9, CALL_NEAR = 0xe8, RETURN = 0xc3, INT3 = 0xcc };

struct code code_begin(void *base, size_t capacity)
{
	return (struct code){ .base = base, .capacity = capacity };
}

static void put(struct code *c, unsigned byte)
{
	if (c->at < c->capacity)
		c->base[c->at++] = (unsigned char)byte;
	else
		c->full = true;
}

/* Displacements count from the end of the instruction, lowest byte first. */
static void put_near(struct code *c, unsigned opcode, size_t target)
{
	uint32_t displacement = (uint32_t)(target - (c->at + 5));

	put(c, opcode);
	for (unsigned i = 0; i < 4; i++)
		put(c, displacement >> 8 * i & 0xff);
}

void code_return(struct code *c)
{
	put(c, RETURN);
}

void code_jump(struct code *c, size_t target)
{
	int64_t displacement = (int64_t)target - (int64_t)(c->at + 2);

	if (displacement < -128 || displacement > 127) {
		put_near(c, JUMP_NEAR, target);
		return;
	}
	put(c, JUMP_SHORT);
	put(c, (unsigned)displacement & 0xff);
}

void code_call(struct code *c, size_t target)
{
	put_near(c, CALL_NEAR, target);
}

void code_pad(struct code *c, size_t at)
{
	while (c->at < at && !c->full)
		put(c, INT3);
}

size_t code_targets_bytes(uint64_t jumps, uint64_t spacing)
{
	return CODE_ENTRY + jumps * spacing + 1;
}

size_t code_calls_bytes(uint64_t depth)
{
	return CODE_ENTRY + depth * FUNCTION_BYTES;
}

void code_targets(struct code *c, uint64_t jumps, uint64_t spacing)
{
	code_return(c);
	for (uint64_t i = 0; i < jumps; i++) {
		code_pad(c, CODE_ENTRY + i * spacing);
		code_jump(c, CODE_ENTRY + (i + 1) * spacing);
	}
	code_pad(c, CODE_ENTRY + jumps * spacing);
	code_return(c);
}

void code_calls(struct code *c, uint64_t depth)
{
	code_return(c);
	for (uint64_t i = 0; i < depth; i++) {
		code_pad(c, CODE_ENTRY + i * FUNCTION_BYTES);
		if (i + 1 < depth)
			code_call(c, CODE_ENTRY + (i + 1) * FUNCTION_BYTES);
		code_return(c);
	}
}

#define TARGETS_MOST   16384
#define JUMPS_PER_CALL 16384
#define LAPS_FEWEST    4
#define SPACING_NEAR   16 /* bytes from one jump to the next, */
#define SPACING_FAR    32 /* and the other spacing */
#define FEW_JUMPS      16 /* fewer tell nothing of the memory for targets */
#define DEPTH_MOST     64
#define EDGES_AT_ONCE  8       /* planned in one round, at most */
#define CALLS_PER_CALL 4096    /* nested calls per call of the loop, about */
#define TRANSLATE_NS   30000.0 /* an emulator translates each jump when it first meets it */

#define TARGETS_RATIO 1.01 /* the first x above the edge over the last one below it, at most */

static const struct unit unit_ns_jump = { "ns/jump", SCALE_NS };
static const struct unit unit_ns_call = { "ns/call", SCALE_NS };

static const char targets[] = "targets", return_stack[] = "return-stack";

/* What the rows of each measure. */
struct targets_spec {
	uint64_t jumps;
	uint64_t spacing; /* bytes */
};

struct calls_spec {
	uint64_t depth;
};

static uint64_t laps_of_jumps(uint64_t jumps)
{
	uint64_t laps = JUMPS_PER_CALL / jumps;

	return laps < LAPS_FEWEST ? LAPS_FEWEST : laps;
}

/* Makes the block executable; loop_timed_call calls it `laps` times. */
static int make_ready(struct bench *b, struct job *job, const struct code *c, uint64_t laps)
{
	uint64_t base = (uint64_t)(uintptr_t)c->base;

	if (c->full)
		return job_skip(job, "the generated code does not fit");
	if (b->room->code_seal(b->room))
		return job_skip(job, "generated code cannot be made executable");
	const uint64_t args[LOOP_ARGS] = { base + CODE_ENTRY, laps };

	job_call(job, loop_timed_call, 1, args);
	job->expect = laps;
	job->warm_calls = 4;
	return 0;
}

static int open_code(struct bench *b, struct job *job, struct code *c, size_t bytes)
{
	void *base = b->room->code_open(b->room, bytes);

	if (!base)
		return job_skip(job, "no %llu KiB for generated code",
			(unsigned long long)(bytes / KIB + 1));
	*c = code_begin(base, bytes);
	return 0;
}

/* The empty twin calls a lone return as often: what remains is the time of the jumps. */
static int prepare_targets(struct bench *b, const struct row *row, struct job *job)
{
	const struct targets_spec *spec = row_spec(row, struct targets_spec);
	uint64_t laps = laps_of_jumps(spec->jumps);
	struct code c;

	if (open_code(b, job, &c, code_targets_bytes(spec->jumps, spec->spacing)))
		return -1;
	code_targets(&c, spec->jumps, spec->spacing);
	if (make_ready(b, job, &c, laps))
		return -1;
	job->empty_args[0] = (uint64_t)(uintptr_t)c.base;
	job->empty_args[1] = laps;
	job->ops = (double)(laps * spec->jumps);
	return 0;
}

static int prepare_calls(struct bench *b, const struct row *row, struct job *job)
{
	uint64_t depth = row_spec(row, struct calls_spec)->depth, laps = CALLS_PER_CALL / depth;
	struct code c;

	if (open_code(b, job, &c, code_calls_bytes(depth)))
		return -1;
	code_calls(&c, depth);
	job->ops = (double)(laps * depth);
	return make_ready(b, job, &c, laps);
}

/* A jump or a call with its return is at worst mispredicted: ten loads of the pace's chase. */
static double code_cost(const struct bench *b, double different, double operations)
{
	double once = b->room->facts.emulated ? different * TRANSLATE_NS : 0;

	return once + 60 * (b->pace.ns_per_call + operations * 10 * b->pace.ns_per_near_load);
}

static void plan_targets(struct bench *b, uint64_t jumps, uint64_t spacing)
{
	struct row row = row_new(targets, &unit_ns_jump, ANSWER_TARGETS, prepare_targets);

	row.needs = NEED_CODE;
	*row_spec(&row, struct targets_spec) = (struct targets_spec){ jumps, spacing };
	row.cost_ns = code_cost(b, (double)jumps, (double)(laps_of_jumps(jumps) * jumps));
	row_param(&row, "targets", (double)jumps);
	row_param(&row, "stride_bytes", (double)spacing);
	plan_add(b, &row);
}

static void plan_calls(struct bench *b, uint64_t depth)
{
	struct row row = row_new(return_stack, &unit_ns_call, ANSWER_RETURNS, prepare_calls);

	row.needs = NEED_CODE;
	row_spec(&row, struct calls_spec)->depth = depth;
	row.cost_ns = code_cost(b, 2.0 * (double)depth, CALLS_PER_CALL);
	row_param(&row, "depth", (double)depth);
	plan_add(b, &row);
}

void branch_code_plan(struct bench *b)
{
	uint64_t sizes[SIZES_MOST];

	for (uint64_t spacing = SPACING_NEAR; spacing <= SPACING_FAR; spacing *= 2) {
		unsigned n = sweep(b, 1, TARGETS_MOST, 1, sizes);

		for (unsigned i = 0; i < n; i++)
			plan_targets(b, sizes[i], spacing);
	}
	for (uint64_t depth = 1; depth <= DEPTH_MOST; depth++) {
		unsigned step = depth > 16 ? 4 : depth > 8 ? 2 : 1;

		if (b->opt->profile != PROFILE_SMOKE || depth % step == 0)
			plan_calls(b, depth);
	}
}

#define TARGETS_RISE   1.5 /* factor between plateaus */
#define TARGETS_LENGTH 1.5 /* octaves of a plateau: shorter ones belong to the loop around */

/* The loop around the jumps has two of its own, its call and the jump back. */
#define LOOP_JUMPS 2
/* An edge of the instruction cache moves by a factor of 2, as the spacing does. */
#define SAME_EDGE 1.3

static const struct staircase_rules targets_rules = {
	.rise = TARGETS_RISE, .octaves = TARGETS_LENGTH, .late = true
};

/* The curve of a spacing, without its first points; returns how many there are. */
static unsigned take_targets(const struct bench *b, double spacing, struct curve *c)
{
	const struct pick pick = {
		.variant = targets,
		.x = "targets",
		.only = "stride_bytes",
		.only_value = spacing,
	};
	unsigned from = 0;

	take_curve(b, &pick, c);
	while (from < c->n && c->point[from].x < FEW_JUMPS)
		from++;
	c->n -= from;
	memmove(c->point, c->point + from, c->n * sizeof *c->point);
	memmove(c->from, c->from + from, c->n * sizeof *c->from);
	return c->n;
}

/*
 * The last edge of the curve: what all levels of the memory hold together. The cost of few jumps
 * depends on the loop around them, on fusion and on fetch blocks, and smaller memories show as
 * edges before the last one; so the plateau before that edge may begin anywhere.
 */
static struct estimate targets_at(struct bench *b, double spacing, struct curve *c)
{
	struct staircase s;
	struct estimate e;

	if (!take_targets(b, spacing, c))
		return not_resolved(NOT_MEASURED);
	if (!infer_staircase(c->point, c->n, &targets_rules, &s))
		return not_resolved(s.reason);
	if (s.count == 1 && !s.rising)
		return not_resolved("flat up to the most jumps");
	e = edge_of(b, c, s.level[s.rising ? s.count - 1 : s.count - 2].edge);
	e.value += LOOP_JUMPS;
	e.low += LOOP_JUMPS;
	e.high += LOOP_JUMPS;
	return e;
}

/* A memory of targets counts jumps; the edge of the instruction cache moves with their spacing. */
static struct estimate all_targets(struct bench *b, struct curve *c)
{
	struct estimate near = targets_at(b, SPACING_NEAR, c), far = targets_at(b, SPACING_FAR, c);

	if (!near.reason && far.reason)
		return not_resolved(far.reason);
	if (!near.reason && (near.low > SAME_EDGE * far.high || far.low > SAME_EDGE * near.high))
		return not_resolved("moves with the jumps' spacing");
	return near;
}

/* All calls of a lap together: a straight line as long as every return is predicted. */
static struct estimate predicted_returns(struct bench *b, struct curve *c)
{
	const struct pick pick = { .variant = return_stack, .x = "depth" };

	if (!take_curve(b, &pick, c))
		return not_resolved(NOT_MEASURED);
	for (unsigned i = 0; i < c->n; i++)
		c->point[i].y *= c->point[i].x;
	return edge_of(b, c, infer_bend(c->point, c->n));
}

/* Targets to 1 %, at the other spacing to 5 %; the return stack to the call. */
void branch_code_plan_edges(struct bench *b)
{
	const struct resolution one = { .grain = 1, .ratio = 1 };
	struct curve *c = row_alloc(b, sizeof *c);
	double next[EDGES_AT_ONCE], depth;
	struct estimate e;

	if (!c)
		return;
	for (uint64_t spacing = SPACING_NEAR; spacing <= SPACING_FAR; spacing *= 2) {
		const struct resolution part = { .grain = 1,
			.ratio = spacing == SPACING_NEAR ? TARGETS_RATIO : BRANCH_RATIO };
		unsigned n = take_targets(b, (double)spacing, c);

		n = infer_bisect_staircase(c->point, n, &targets_rules, &part, next, EDGES_AT_ONCE);
		for (unsigned i = 0; i < n; i++)
			plan_targets(b, (uint64_t)next[i], spacing);
	}
	e = predicted_returns(b, c);
	depth = infer_bisect_bracket(&e, &one);
	if (math_finite(depth))
		plan_calls(b, (uint64_t)depth);
}

void branch_code_find(struct bench *b)
{
	struct curve *c = row_alloc(b, sizeof *c);

	if (!c)
		return;
	found(b, "branch_targets", "targets", all_targets(b, c), NOT_A_NUMBER,
		"branch targets, 16 and 32 bytes apart");
	found(b, "return_stack", "calls", predicted_returns(b, c), NOT_A_NUMBER,
		"branch return-stack over depth");
}
