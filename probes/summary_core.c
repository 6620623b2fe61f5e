/* SPDX-License-Identifier: MIT */
/* The core: its clock, and what its branches cost and remember. */
#include "probes/findings.h"
#include "probes/math.h"

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

static void find_predictor(struct findings *f, struct curve *c)
{
	const struct pick pick = { .probe = "branch", .variant = "period", .x = "elements" };
	struct estimate e = not_resolved(NOT_MEASURED);

	if (take_curve(f->b, &pick, c))
		e = infer_halfway(c->point, c->n);
	found(f, "predictor_branches", "branches", e, NOT_A_NUMBER, "branch period over elements");
}

/*
 * The last edge of the curve. A few jumps run at the pace of the loop, of fusion and of fetch
 * blocks, so that plateaus begin at 16.
 */
static struct estimate targets_at(struct findings *f, double spacing, struct curve *c)
{
	static const struct staircase_rules rules = { .offset = 0, .rise = 1.5, .octaves = 1.5 };
	const struct pick pick = { .probe = "branch", .variant = "targets", .x = "targets",
		.where = "stride_bytes", .is = spacing };
	struct staircase s;
	unsigned from = 0;

	if (!take_curve(f->b, &pick, c))
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
static void find_targets(struct findings *f, struct curve *c)
{
	struct estimate near = targets_at(f, 16, c), far = targets_at(f, 32, c), e = near;

	if (!near.reason && far.reason)
		e = not_resolved(far.reason);
	else if (!near.reason && (near.low >= far.high || far.low >= near.high))
		e = not_resolved("moves with the jumps' spacing");
	found(f, "branch_targets", "targets", e, NOT_A_NUMBER,
		"branch targets, 16 and 32 bytes apart");
}

/* All calls of a lap together: a straight line as long as every return is predicted. */
static void find_returns(struct findings *f, struct curve *c)
{
	const struct pick pick = { .probe = "branch", .variant = "return-stack", .x = "depth" };
	struct estimate e = not_resolved(NOT_MEASURED);

	if (take_curve(f->b, &pick, c)) {
		for (unsigned i = 0; i < c->n; i++)
			c->point[i].y *= c->point[i].x;
		e = infer_bend(c->point, c->n);
	}
	found(f, "return_stack", "calls", e, NOT_A_NUMBER, "branch return-stack over depth");
}

void find_core(struct findings *f)
{
	struct curve *c = scratch(f->b, sizeof *c);

	if (!c)
		return;
	find_clock(f);
	find_penalty(f);
	find_predictor(f, c);
	find_targets(f, c);
	find_returns(f, c);
}
