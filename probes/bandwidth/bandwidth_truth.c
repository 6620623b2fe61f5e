/* SPDX-License-Identifier: MIT */
/*
 * `bandwidth`: every width out of L1 by a closed form, and beyond L1 by what the timing model makes
 * of the bare accesses.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/kam/judge/floors.h"
#include "tests/kam/judge/pair_oracle.h"
#include "tests/kam/judge/run_rules.h"
#include "tests/kam/judge/stream_rows.h"
#include "tests/kam/judge/truth.h"

TOLERANCE(BOUND, 3, "%",
	"a closed form of front end, ports and store buffer; not what two passes overlap")
TOLERANCE(NT_STREAM, 4, "%", "a pass ends with a fence")
TOLERANCE(ONE_INT_LESS, 2, "%", "the loop's end overlaps with the next stamp")
TOLERANCE(ONE_INT_MORE, 10, "%", "groups of instructions do not fill each cycle, and")
TOLERANCE(ONE_INT_CYCLES, 1, "cycles", "the load of the last turn")
TOLERANCE(ROOF_PRINTED, 0.001, "%", "of a rate: it has seven digits")

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

/* Returns true for a row of a width's sweep whose size surely lies in L1. */
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

static struct wanted mix(const struct judged *j, json_t *row, unsigned reads)
{
	double bytes = param_of(row, "bytes");

	if (!stream_foretold(j, row) || param_of(row, "width_bits") != 128)
		return anything();
	return stream_about(j, row, mix_oracle(j->chip, reads, (uint64_t)bytes), true);
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
static struct stream_rate in_samples(const struct judged *j, json_t *row, struct stream_rate r)
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

static bool two_buffers(const struct judged *j, enum stream_op kind)
{
	return kind == STREAM_COPY && in_layer_b(j);
}

/* Every width and size beyond L1. */
static struct wanted beyond_l1(const struct judged *j, json_t *row, unsigned kind)
{
	double bytes = param_of(row, "bytes"), width = param_of(row, "width_bits") / 8;

	if (!stream_foretold(j, row) || bytes <= (double)j->cpu->level[0].bytes)
		return anything();
	struct stream_rate rate = stream_oracle(j->chip, kind, (uint64_t)bytes, (unsigned)width);

	return stream_about(j, row, in_samples(j, row, rate), two_buffers(j, kind));
}

static struct stream_rate level_rate(const struct cpu *c, enum stream_op kind, double bytes,
	unsigned level)
{
	double near = bandwidth_bound(c, kind, bytes, WIDEST / 8);

	if (level == 0)
		return (struct stream_rate){ near, near };
	return stream_oracle(c, kind, (uint64_t)bytes, WIDEST / 8);
}

/*
 * Returns true if a buffer fits the level and not the one before; memory: if it is at least twice
 * the last cache.
 */
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
		want = in_samples(j, row, want);
	say(j, name, &want,
		level ? stream_percent(j, param_of(row, "bytes"), two_buffers(j, kind)) : BOUND);
}

/* Accesses wider than the machine has are skips, one for each width. */
static void all_widths(const struct judged *j)
{
	static const double widths[] = { 32, 64, 128, 256, 512 };
	char name[32];
	size_t v, w, i;
	json_t *line;

	for (v = 0; v < 3; v++) {
		snprintf(name, sizeof(name), "bandwidth:%s", variants[v]);
		for (w = 0; w < 5 && was_planned(j, "bandwidth", variants[v], "l1"); w++) {
			bool found = false;

			json_array_foreach(j->run->rows, i, line)
				found |= is_row(line, "bandwidth", variants[v]) &&
					param_of(line, "width_bits") == widths[w];
			json_array_foreach(j->run->skips, i, line)
				found |= is_row(line, "bandwidth", variants[v]) &&
					param_of(line, "width_bits") == widths[w];
			if (!found)
				tally_wrong(j->tally, name, "no row of %g bits, nor a skip",
					widths[w]);
		}
	}
}

/*
 * The roofs: each is the fastest of its result's own rows, which are judged one by one.
 * bandwidth_stated.long.bats judges which form is the fastest on a machine.
 */
static const struct operation {
	const char *name, *variants[6];
} operations[] = {
	{ "read", { "read", "read-form" } },
	{ "write", { "write", "write-form", "nt-write", "nt-write-form", "rep-stosb" } },
	{ "copy", { "copy", "copy-form", "nt-copy-form", "rep-movsb" } },
};

static bool is_of(json_t *row, const struct operation *of)
{
	for (unsigned i = 0; of->variants[i]; i++)
		if (is_row(row, "bandwidth", of->variants[i]))
			return true;
	return false;
}

/* Bytes per core cycle of the fastest row at that level, in the run's usual pages; NAN: none. */
static double fastest(const struct judged *j, const struct operation *of, const char *level)
{
	double page = json_number_value(json_object_get(j->run->run, "page_bytes")), most = NAN;
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row) {
		double hz = json_number_value(json_object_get(row, "core_hz"));
		double median = json_number_value(json_object_get(row, "median"));

		if (is_of(row, of) && !strcmp(text_of(row, "level"), level) && hz > 0 &&
			param_of(row, "page_bytes") == page)
			most = fmax(most, median * 1e9 / hz);
	}
	return most;
}

static void judge_roofs(const struct judged *j)
{
	static const char *const levels[] = { "l1", "l2", "l3", "l4", "memory" };
	json_t *line;
	size_t i;

	json_array_foreach(j->run->summaries, i, line) {
		json_t *value = json_object_get(line, "value");

		for (unsigned at = 0; at < 3 * 5 && json_is_number(value); at++) {
			const struct operation *of = &operations[at / 5];
			char name[40];

			snprintf(name, sizeof(name), "%s_roof_%s", of->name, levels[at % 5]);
			double most = fastest(j, of, levels[at % 5]), is = json_number_value(value);
			if (!strcmp(text_of(line, "name"), name) &&
				!(fabs(is - most) <= ROOF_PRINTED / 100 * most))
				tally_wrong(j->tally, name, "%g, its fastest row has %g", is, most);
		}
	}
}

static void values(const struct judged *j)
{
	for (unsigned kind = 0; kind < STREAM_OPS; kind++)
		for (unsigned level = 0; level <= cpu_levels(j->cpu); level++)
			level_value(j, kind, level);
	judge_roofs(j);
	all_widths(j);
}

static const struct row_rule rules[] = {
	ROWS("read", BYTES_PER_CYCLE, out_of_l1, STREAM_READ, .level = "l1"),
	ROWS("write", BYTES_PER_CYCLE, out_of_l1, STREAM_WRITE, .level = "l1"),
	ROWS("copy", BYTES_PER_CYCLE, out_of_l1, STREAM_COPY, .level = "l1"),
	ROWS("words-read", BYTES_PER_CYCLE, swept, STREAM_READ),
	ROWS("words-write", BYTES_PER_CYCLE, swept, STREAM_WRITE),
	ROWS("one-int", CYCLES, one_int),
	ROWS_AS("bandwidth:read swept", "read", BYTES_PER_CYCLE, swept, STREAM_READ),
	ROWS_AS("bandwidth:write swept", "write", BYTES_PER_CYCLE, swept, STREAM_WRITE),
	ROWS("nt-write", BYTES_PER_CYCLE, past_caches),
	ROWS("one-byte-per-line", BYTES_PER_CYCLE, bytes_of_lines),
	ROWS("mix-3-1", BYTES_PER_CYCLE, mix, 3),
	ROWS("mix-2-1", BYTES_PER_CYCLE, mix, 2),
	ROWS("mix-1-1", BYTES_PER_CYCLE, mix, 1),
	ROWS_AS("bandwidth:read beyond L1", "read", BYTES_PER_CYCLE, beyond_l1, STREAM_READ),
	ROWS_AS("bandwidth:write beyond L1", "write", BYTES_PER_CYCLE, beyond_l1, STREAM_WRITE),
	ROWS_AS("bandwidth:copy beyond L1", "copy", BYTES_PER_CYCLE, beyond_l1, STREAM_COPY),
};

static const char *const at_levels[] = { "read", "write", "copy", NULL };

static const struct row_unit units[] = { { "one-int", "ns/op" }, { "", "GB/s" }, { 0 } };

const struct truth truth_bandwidth = {
	RULES(rules),
	.rows = values,
	.levels = at_levels,
	.units = units,
};
