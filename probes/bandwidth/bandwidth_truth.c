/* SPDX-License-Identifier: MIT */
/* Rows of `bandwidth`: every width out of L1, every level with the widest accesses. */
#include <math.h>
#include <stdio.h>

#include "tests/kam/judge/floors.h"
#include "tests/kam/judge/row_rules.h"
#include "tests/kam/judge/run_rules.h"
#include "tests/kam/judge/stream_oracle.h"

#define WIDEST      128  /* bits of the widest access that the machines have */
#define SWEPT_LEAST 4096 /* bytes: in smaller buffers the ends of the passes show */
#define TWO_ORDERS  1    /* per cent between them: else they are called one */

static const char *const variants[STREAM_OPS] = { "read", "write", "copy" };

static struct wanted out_of_l1(const struct judged *j, json_t *row, unsigned kind)
{
	double width = param_of(row, "width_bits") / 8, bytes = param_of(row, "bytes");

	if (j->cpu->predictor == PREDICTOR_NEVER)
		return anything();
	return within(bandwidth_bound(j->cpu, kind, bytes, width), BOUND);
}

/* Of the sweep of every width, the sizes that surely lie in L1. */
static bool swept_in_l1(const struct judged *j, json_t *row)
{
	double bytes = param_of(row, "bytes");

	return !*text_of(row, "level") && undisturbed(j->cpu) && bytes >= SWEPT_LEAST &&
		bytes <= (double)j->cpu->level[0].bytes / 2;
}

static struct wanted swept(const struct judged *j, json_t *row, unsigned kind)
{
	return swept_in_l1(j, row) ? out_of_l1(j, row, kind) : anything();
}

/* 32 reads of one word, as many a cycle as there are ports, and a count and a jump beside them. */
static struct wanted one_int(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double cycles = fmax(32 / (double)c->loads, 34 / (double)c->width);

	if (c->predictor == PREDICTOR_NEVER)
		return anything();
	return between(less(cycles, ONE_INT_LESS), more(cycles, ONE_INT_MORE) + ONE_INT_CYCLES);
}

/*
 * Past the caches: a line leaves at memory's pace, or more than once, or at that of the stores. The
 * last lines of a sample are in buffers when it ends, as many as L1 has.
 */
static struct wanted past_caches(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double line = (double)c->line, width = param_of(row, "width_bits") / 8;
	double passes = fmax(1, ceil((double)c->memory_nt_gap / (double)c->memory_gap));
	double gap = passes * (double)c->memory_gap, rate = fmin(line / gap, width);
	double sample = number_of(row, "ops") / number_of(row, "samples");
	double left = fmin(sample / 2, (double)c->level[0].buffers * line);

	if (c->predictor == PREDICTOR_NEVER)
		return anything();
	return between(less(rate, NT_STREAM),
		more(fmin(rate * sample / (sample - left), width), NT_STREAM));
}

static struct wanted bytes_of_lines(const struct judged *j, json_t *row, unsigned of)
{
	double bytes = param_of(row, "bytes");
	struct stream_rate rate;

	if (j->cpu->predictor == PREDICTOR_NEVER || bytes < 3 * (double)j->cpu->level[0].bytes)
		return anything();
	rate = line_oracle(j->chip, (uint64_t)bytes);
	return between(less(rate.low, STREAM), more(rate.high, STREAM));
}

static struct stream_rate level_rate(const struct cpu *c, enum stream_op kind, double bytes,
	unsigned level)
{
	double near = bandwidth_bound(c, kind, bytes, WIDEST / 8);

	if (level == 0)
		return (struct stream_rate){ near, near };
	return stream_oracle(c, kind, (uint64_t)bytes, WIDEST / 8);
}

/* Whether a buffer lies in a level: within it and beyond the one before; memory: twice the last. */
static bool lies_in(const struct cpu *c, unsigned level, double bytes)
{
	double before = level ? (double)c->level[level - 1].bytes : 0;

	if (level == cpu_levels(c))
		return bytes >= 2 * before;
	return bytes > before && bytes <= (double)c->level[level].bytes;
}

static void say(const struct judged *j, const char *name, const struct stream_rate *want,
	double percent)
{
	json_t *line = summary_of(j->run, name);
	double got = number_of(line, "value"), floor = number_of(line, "floor");
	char text[32];
	const struct expected truth = {
		.value = (want->low + want->high) / 2,
		.low = less(want->low, percent),
		.high = more(want->high, percent),
		.tolerance = text,
	};
	const char *wrong = floor_fault(j, line, &truth);

	snprintf(text, sizeof(text), "%.0f %%%s", percent,
		want->high > more(want->low, TWO_ORDERS) ? " of two orders" : "");
	if (!wrong && !isnan(floor))
		tally_value(j->tally, name, truth.value, floor, "by its floor", NULL);
	else
		tally_value(j->tally, name, truth.value, got, truth.tolerance,
			wrong                                           ? wrong
				: got >= truth.low && got <= truth.high ? NULL
									: "out of tolerance");
}

/* The summary's value of a level, by the row at its canonical size. */
static void level_value(const struct judged *j, enum stream_op kind, unsigned level)
{
	bool memory = level == cpu_levels(j->cpu);
	const char *name = bandwidth_name(kind, memory ? CPU_LEVELS : level);
	struct stream_rate want;
	char at[8];
	json_t *row;

	snprintf(at, sizeof(at), memory ? "memory" : "l%u", level + 1);
	row = row_with(j, "bandwidth", variants[kind], "width_bits", WIDEST, at);
	if (j->cpu->predictor == PREDICTOR_NEVER)
		return;
	if (!row || param_of(row, "page_bytes") < 2 << 20) {
		judge_unmeasured(j, name);
		return;
	}
	if (!lies_in(j->cpu, level, param_of(row, "bytes"))) {
		tally_wrong(j->tally, name, "%.0f bytes do not lie in this level",
			param_of(row, "bytes"));
		return;
	}
	want = level_rate(j->chip, kind, param_of(row, "bytes"), level);
	if (level)
		want = stream_in_samples(j, row, want);
	say(j, name, &want, level ? stream_percent(j, param_of(row, "bytes"), kind) : BOUND);
}

void judge_bandwidth_rows(const struct judged *j)
{
	static const struct row_rule rules[] = {
		ROWS("bandwidth", "read", BYTES_PER_CYCLE, out_of_l1, STREAM_READ, .level = "l1"),
		ROWS("bandwidth", "write", BYTES_PER_CYCLE, out_of_l1, STREAM_WRITE, .level = "l1"),
		ROWS("bandwidth", "copy", BYTES_PER_CYCLE, out_of_l1, STREAM_COPY, .level = "l1"),
		ROWS("bandwidth", "words-read", BYTES_PER_CYCLE, swept, STREAM_READ),
		ROWS("bandwidth", "words-write", BYTES_PER_CYCLE, swept, STREAM_WRITE),
		ROWS("bandwidth", "one-int", CYCLES, one_int),
		ROWS_AS("bandwidth:read swept", "bandwidth", "read", BYTES_PER_CYCLE, swept,
			STREAM_READ),
		ROWS_AS("bandwidth:write swept", "bandwidth", "write", BYTES_PER_CYCLE, swept,
			STREAM_WRITE),
		ROWS("bandwidth", "nt-write", BYTES_PER_CYCLE, past_caches),
		ROWS("bandwidth", "one-byte-per-line", BYTES_PER_CYCLE, bytes_of_lines),
	};
	unsigned kind, level;

	for (kind = 0; kind < STREAM_OPS; kind++)
		for (level = 0; level <= cpu_levels(j->cpu); level++)
			level_value(j, kind, level);
	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
}
