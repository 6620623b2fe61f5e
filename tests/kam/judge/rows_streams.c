/* SPDX-License-Identifier: MIT */
/*
 * Rows of `bandwidth` beyond L1 that no summary line rests on, and of `stride`: all by what the
 * timing model makes of the bare accesses.
 */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/pair_oracle.h"
#include "tests/kam/judge/row_rules.h"

#define EDGE 0.1 /* of what a level holds */

static bool in_image(const struct judged *j)
{
	return strcmp(text_of(j->run->run, "room"), "hosted") != 0;
}

/* Whether a buffer is as large as a level: which lines of it stay is what else is there. */
static bool at_an_edge(const struct cpu *c, double bytes)
{
	unsigned i;

	for (i = 0; i < cpu_levels(c); i++)
		if (fabs(bytes / (double)c->level[i].bytes - 1) < EDGE)
			return true;
	return false;
}

/*
 * Where a cache does not replace by LRU, or a hash spreads its lines, what it held before decides
 * which lines of two buffers displace each other; the oracle knows the places of a copy's. In
 * layer b the image's stack and buffers lie elsewhere, which decides that for one buffer, too.
 */
static double percent_of(const struct judged *j, double bytes, bool two_buffers)
{
	const struct cpu *c = j->cpu;
	bool image = in_image(j), soft = soft_edge(c, cpu_levels(c) - 1);
	bool chance = two_buffers ? soft || image : image && (soft || at_an_edge(c, bytes));

	return chance ? STREAM_BY_CHANCE : STREAM;
}

double stream_percent(const struct judged *j, double bytes, enum stream_op kind)
{
	return percent_of(j, bytes, kind == STREAM_COPY && in_image(j));
}

static struct wanted about(const struct judged *j, json_t *row, struct stream_rate rate,
	bool two_buffers)
{
	double percent = percent_of(j, param_of(row, "bytes"), two_buffers);

	return between(less(rate.low, percent), more(rate.high, percent));
}

/* Whether the model's accesses alone tell: disturbances come in between, small pages miss a TLB. */
static bool foretold(const struct judged *j, json_t *row)
{
	return undisturbed(j->cpu) && j->cpu->predictor != PREDICTOR_NEVER &&
		param_of(row, "page_bytes") == 2 << 20;
}

static struct wanted mix(const struct judged *j, json_t *row, unsigned reads)
{
	double bytes = param_of(row, "bytes");

	if (!foretold(j, row) || param_of(row, "width_bits") != 128)
		return anything();
	return about(j, row, mix_oracle(j->chip, reads, (uint64_t)bytes), true);
}

/*
 * The accesses alone have one branch. Between two passes the loop leaves its turns, tests for 8, 4,
 * 2 and 1 single accesses and begins again, which a predictor may not know. So writes of 92672
 * bytes to L3 take machine `quick` 287 cycles more a pass than the same machine that knows every
 * branch.
 */
#define PASS_BRANCHES 6

/*
 * A sample that is a part of a pass begins with a load that nothing overlaps with: of 64 KiB of
 * memory at 6.4 bytes a cycle that is 4 %.
 */
struct stream_rate stream_in_samples(const struct judged *j, json_t *row, struct stream_rate r)
{
	const struct cpu *c = j->cpu;
	double bytes = param_of(row, "bytes"), missed = PASS_BRANCHES * (double)c->penalty;
	double sample = fmin(bytes, number_of(row, "ops") / number_of(row, "samples"));
	unsigned level = 0;

	while (level < cpu_levels(c) && bytes > level_holds(c, level))
		level++;
	if (c->predictor == PREDICTOR_PERFECT)
		missed = 0;
	if (sample > 0)
		r.low = sample / (sample / r.low + missed + level_latency(c, level));
	return r;
}

/* Every width and size beyond L1. */
static struct wanted beyond_l1(const struct judged *j, json_t *row, unsigned kind)
{
	double bytes = param_of(row, "bytes"), width = param_of(row, "width_bits") / 8;

	if (!foretold(j, row) || bytes <= (double)j->cpu->level[0].bytes)
		return anything();
	struct stream_rate rate = stream_oracle(j->chip, kind, (uint64_t)bytes, (unsigned)width);

	return about(j, row, stream_in_samples(j, row, rate), kind == STREAM_COPY && in_image(j));
}

static struct wanted strided(const struct judged *j, json_t *row, unsigned of)
{
	double stride = param_of(row, "stride_bytes"), bytes = param_of(row, "bytes");

	if (!foretold(j, row))
		return anything();
	return about(j, row, stride_oracle(j->chip, (uint64_t)stride, (uint64_t)bytes), true);
}

void judge_stream_rows(const struct judged *j)
{
	static const struct row_rule rules[] = {
		ROWS("bandwidth", "mix-3-1", BYTES_PER_CYCLE, mix, 3),
		ROWS("bandwidth", "mix-2-1", BYTES_PER_CYCLE, mix, 2),
		ROWS("bandwidth", "mix-1-1", BYTES_PER_CYCLE, mix, 1),
		ROWS_AS("bandwidth:read beyond L1", "bandwidth", "read", BYTES_PER_CYCLE, beyond_l1,
			STREAM_READ),
		ROWS_AS("bandwidth:write beyond L1", "bandwidth", "write", BYTES_PER_CYCLE,
			beyond_l1, STREAM_WRITE),
		ROWS_AS("bandwidth:copy beyond L1", "bandwidth", "copy", BYTES_PER_CYCLE, beyond_l1,
			STREAM_COPY),
		ROWS("stride", "even", CYCLES, strided),
		ROWS("stride", "odd", CYCLES, strided),
	};

	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
}
