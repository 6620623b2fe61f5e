/* SPDX-License-Identifier: MIT */
/*
 * Rows of `bandwidth` beyond L1 that no summary line rests on, and of `stride`: all by what the
 * timing model makes of the bare accesses.
 */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/pair_oracle.h"
#include "tests/kam/judge/row_rules.h"

/* Per cent. */
#define EITHER_WAY 3  /* as for the summary's bandwidths */
#define BY_CHANCE  10 /* a copy in 9/10 of an L3 of slices settled 8 % below the oracle's */

/*
 * Where a cache does not replace by LRU, or a hash spreads its lines, what it held before decides
 * which lines of two buffers displace each other. In layer b the image's stack and buffers lie
 * elsewhere than the oracle's: writes settled up to 6.2 % beside it.
 */
static struct wanted about(const struct judged *j, struct stream_rate rate, bool two_buffers)
{
	const struct cpu *c = j->cpu;
	bool image = strcmp(text_of(j->run->run, "room"), "hosted") != 0;
	bool chance = image || (two_buffers && soft_edge(c, cpu_levels(c) - 1));
	double room = (chance ? BY_CHANCE : EITHER_WAY) / 100.;

	return between(rate.low * (1 - room), rate.high * (1 + room));
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
	return about(j, mix_oracle(j->cpu, reads, (uint64_t)bytes), true);
}

static struct wanted mix_3_1(const struct judged *j, json_t *row)
{
	return mix(j, row, 3);
}

static struct wanted mix_2_1(const struct judged *j, json_t *row)
{
	return mix(j, row, 2);
}

static struct wanted mix_1_1(const struct judged *j, json_t *row)
{
	return mix(j, row, 1);
}

/*
 * The accesses alone have one branch. Between two passes the loop leaves its turns, tests for 8, 4,
 * 2 and 1 single accesses and begins again, which a predictor may not know. So writes of 92672
 * bytes to L3 take machine `quick` 287 cycles more a pass than the same machine that knows every
 * branch.
 */
#define PASS_BRANCHES 6

static struct stream_rate with_branches(const struct cpu *c, struct stream_rate r, double bytes)
{
	double missed = c->predictor == PREDICTOR_PERFECT ? 0 : PASS_BRANCHES;

	r.low = bytes / (bytes / r.low + missed * (double)c->penalty);
	return r;
}

/* Every width and size beyond L1. */
static struct wanted beyond_l1(const struct judged *j, json_t *row, enum stream_op kind)
{
	double bytes = param_of(row, "bytes"), width = param_of(row, "width_bits") / 8;

	if (!foretold(j, row) || bytes <= (double)j->cpu->level[0].bytes)
		return anything();
	struct stream_rate rate = stream_oracle(j->cpu, kind, (uint64_t)bytes, (unsigned)width);

	return about(j, with_branches(j->cpu, rate, bytes), kind == STREAM_COPY);
}

static struct wanted reads(const struct judged *j, json_t *row)
{
	return beyond_l1(j, row, STREAM_READ);
}

static struct wanted writes(const struct judged *j, json_t *row)
{
	return beyond_l1(j, row, STREAM_WRITE);
}

static struct wanted copies(const struct judged *j, json_t *row)
{
	return beyond_l1(j, row, STREAM_COPY);
}

static struct wanted strided(const struct judged *j, json_t *row)
{
	double stride = param_of(row, "stride_bytes"), bytes = param_of(row, "bytes");

	if (!foretold(j, row))
		return anything();
	return about(j, stride_oracle(j->cpu, (uint64_t)stride, (uint64_t)bytes), true);
}

void judge_stream_rows(const struct judged *j)
{
	static const struct row_rule rules[] = {
		{ "bandwidth:mix-3-1", "bandwidth", "mix-3-1", NULL, BYTES_PER_CYCLE, mix_3_1 },
		{ "bandwidth:mix-2-1", "bandwidth", "mix-2-1", NULL, BYTES_PER_CYCLE, mix_2_1 },
		{ "bandwidth:mix-1-1", "bandwidth", "mix-1-1", NULL, BYTES_PER_CYCLE, mix_1_1 },
		{ "bandwidth:read beyond L1", "bandwidth", "read", NULL, BYTES_PER_CYCLE, reads },
		{ "bandwidth:write beyond L1", "bandwidth", "write", NULL, BYTES_PER_CYCLE,
			writes },
		{ "bandwidth:copy beyond L1", "bandwidth", "copy", NULL, BYTES_PER_CYCLE, copies },
		{ "stride:even", "stride", "even", NULL, CYCLES, strided },
		{ "stride:odd", "stride", "odd", NULL, CYCLES, strided },
	};

	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
}
