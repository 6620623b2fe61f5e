/* SPDX-License-Identifier: MIT */
/* The core: its clock, and what its branches cost and remember. */
#include "engine/find.h"
#include "lib/math.h"

static struct estimate of_row(const struct bench *b, const char *probe, const char *variant)
{
	const struct result *r = find_result(b, probe, variant, NULL, 0);

	if (!r)
		return not_resolved(NOT_MEASURED);
	return plain_estimate(r->median,
		math_clamp(1 - 3 * r->mad / math_abs(r->median), 0.1, 0.95));
}

static void find_clock(struct findings *f)
{
	struct estimate hz = of_row(f->b, "clock", "core-clock"), ratio;

	hz.value *= 1e9;
	ratio = hz;
	ratio.value /= f->b->env->facts.tsc_hz;
	found(f, "core_clock_hz", "Hz", hz, NOT_A_NUMBER, "clock core-clock");
	found(f, "core_tsc_ratio", "cycles/tick", ratio, NOT_A_NUMBER,
		"clock core-clock and the TSC's rate");
}

/* Two cycles: what data-dependent branches may cost even where all are predicted. */
#define PENALTY_LEAST 2

static void find_penalty(struct findings *f)
{
	struct estimate e = of_row(f->b, "branch", "penalty");

	if (e.value < PENALTY_LEAST)
		e = not_resolved("random branches cost no more than constant ones");
	found(f, "mispredict_cycles", "cycles", e, NOT_A_NUMBER, "branch penalty");
}

struct estimate read_period(const struct bench *b, struct curve *c)
{
	const struct pick pick = { .probe = "branch", .variant = "period", .x = "elements" };

	if (!take_curve(b, &pick, c))
		return not_resolved(NOT_MEASURED);
	return infer_halfway(c->point, c->n);
}

/*
 * The last edge of the curve: what all levels of the memory hold together. Few jumps run at the pace
 * of the loop, of fusion and of fetch blocks, and smaller memories come before the last one, so that
 * the plateau before that edge may begin anywhere.
 */
struct estimate read_targets(const struct bench *b, double spacing, struct curve *c)
{
	static const struct staircase_rules rules = {
		.offset = 0, .rise = 1.5, .octaves = 1.5, .late = true
	};
	const struct pick pick = {
		.probe = "branch",
		.variant = "targets",
		.x = "targets",
		.where = "stride_bytes",
		.is = spacing,
	};
	struct staircase s;
	unsigned from = 0;

	if (!take_curve(b, &pick, c))
		return not_resolved(NOT_MEASURED);
	while (from < c->n && c->point[from].x < 16)
		from++;
	if (!infer_staircase(c->point + from, c->n - from, &rules, &s))
		return not_resolved(s.reason);
	if (s.count == 1 && !s.rising)
		return not_resolved("flat up to the most jumps");
	return s.level[s.rising ? s.count - 1 : s.count - 2].edge;
}

/* A memory of targets counts jumps; the instruction cache counts bytes, and moves with spacing. */
struct estimate read_all_targets(const struct bench *b, struct curve *c)
{
	struct estimate near = read_targets(b, 16, c), far = read_targets(b, 32, c);

	if (!near.reason && far.reason)
		return not_resolved(far.reason);
	if (!near.reason && (near.low >= far.high || far.low >= near.high))
		return not_resolved("moves with the jumps' spacing");
	return near;
}

/* All calls of a lap together: a straight line as long as every return is predicted. */
struct estimate read_returns(const struct bench *b, struct curve *c)
{
	const struct pick pick = { .probe = "branch", .variant = "return-stack", .x = "depth" };

	if (!take_curve(b, &pick, c))
		return not_resolved(NOT_MEASURED);
	for (unsigned i = 0; i < c->n; i++)
		c->point[i].y *= c->point[i].x;
	return infer_bend(c->point, c->n);
}

void find_core(struct findings *f)
{
	struct curve *c = row_alloc(f->b, sizeof *c);

	if (!c)
		return;
	find_clock(f);
	find_penalty(f);
	found(f, "predictor_branches", "branches", read_period(f->b, c), NOT_A_NUMBER,
		"branch period over elements");
	found(f, "branch_targets", "targets", read_all_targets(f->b, c), NOT_A_NUMBER,
		"branch targets, 16 and 32 bytes apart");
	found(f, "return_stack", "calls", read_returns(f->b, c), NOT_A_NUMBER,
		"branch return-stack over depth");
}
