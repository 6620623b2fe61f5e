/* SPDX-License-Identifier: MIT */
/* `stride`: strided copies, and how far a flush reaches. */
#include <math.h>

#include "tests/kam/judge/pair_oracle.h"
#include "tests/kam/judge/stream_rows.h"
#include "tests/kam/judge/truth.h"

TOLERANCE(FLUSHED, 2, "%", "the flush and the fence beside the load")
TOLERANCE(BESIDE_A_HIT, 50, "%", "above a hit in L2: the line beside a flushed one")

#define APART_MOST 256 /* bytes from a flushed word to the one that is loaded */

static struct wanted strided(const struct judged *j, json_t *row, unsigned of)
{
	double stride = param_of(row, "stride_bytes"), bytes = param_of(row, "bytes");

	if (!stream_foretold(j, row))
		return anything();
	return stream_about(j, row, stride_oracle(j->chip, (uint64_t)stride, (uint64_t)bytes),
		true);
}

/* With pages of 4 KiB each page of both arrays costs a walk as well, at most. */
static struct wanted strided_in_small(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double stride = param_of(row, "stride_bytes"), bytes = param_of(row, "bytes");
	struct stream_rate rate = stride_oracle(j->chip, (uint64_t)stride, (uint64_t)bytes);

	if (!undisturbed(c) || c->predictor == PREDICTOR_NEVER)
		return anything();
	rate.high += 2 * stride / 4096 * (double)(c->stlb_latency + c->walk);
	return stream_about(j, row, rate, true);
}

/*
 * Returns the most cycles of refreshes for each load of so short a sample: as many refreshes as it
 * may contain.
 */
static double refreshed(const struct cpu *c, double loads)
{
	double most = c->refresh_every
		? ceil(loads * (double)c->memory_latency / (double)c->refresh_every)
		: 0;

	return most * (double)c->refresh / loads;
}

/* A word in a flushed line comes from memory, where a row may be open; one beside it is a hit. */
static struct wanted flush_beside(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double memory = (double)c->memory_latency, hit = level_latency(c, 1);
	double open = c->row_bytes ? (double)c->row_hit : 0;
	double away = refreshed(c, number_of(row, "ops") / number_of(row, "samples"));

	if (!undisturbed(c))
		return anything();
	if (param_of(row, "apart_bytes") < (double)c->line)
		return between(less(memory - open, FLUSHED), more(memory + away, FLUSHED));
	return between(0, more(hit, BESIDE_A_HIT));
}

static void expect_stride(struct expected_list *l)
{
	const struct cpu *c = l->cpu;
	double line = (double)c->line;

	expect_maybe_none(expect_near(l, "line_bytes", line, 0, "exact"), line > APART_MOST,
		"beyond the distances that are tried");
	expect_maybe_none(expect_near(l, "fetch_bytes", line * (c->adjacent ? 2 : 1), 0, "exact"),
		c->stream != STREAM_OFF || c->next_page || c->ip_stride,
		"a stream brings lines that are not touched");
}

static const struct row_rule rules[] = {
	ROWS("even", CYCLES, strided),
	ROWS("odd", CYCLES, strided),
	ROWS("odd-4k", CYCLES, strided_in_small),
	ROWS("flush-beside", CYCLES, flush_beside),
};

static const struct sweep sweeps[] = {
	{ "flush-beside", "apart_bytes", .first = 8, .last = APART_MOST, .step = 1, .ratio = 2 },
	{ 0 },
};

static const struct row_unit units[] = { { "flush-beside", "ns/load" }, { 0 } };

const struct truth truth_stride = {
	RULES(rules),
	.expect = expect_stride,
	.sweeps = sweeps,
	.units = units,
};
