/* SPDX-License-Identifier: MIT */
/* Rows of `clock` and `noise`: time stamps, adds, divisions, fixed work. */
#include <math.h>

#include "tests/kam/judge/expected.h"
#include "tests/kam/judge/row_rules.h"
#include "tests/kam/judge/run_rules.h"

#define STAMPS 64 /* groups of eight between two stamps, of which each may be a step off */

static struct wanted stamps(const struct cpu *c, double cycles, double each)
{
	double room = cycles * STAMP / 100 + (STAMP_CYCLES + 2 * step_cycles(c)) / each;

	return between(cycles - room, cycles + room);
}

/* Reading is not pipelined. */
static struct wanted bare_stamp(const struct judged *j, json_t *row, unsigned of)
{
	return stamps(j->cpu, (double)j->cpu->tsc_cycles, STAMPS * 8);
}

/* Each of two fences waits, and is left a cycle later at most by what it held back. */
static struct wanted fenced_stamp(const struct judged *j, json_t *row, unsigned of)
{
	double cycles = (double)(j->cpu->tsc_cycles + 2 * j->cpu->fence);

	return between(cycles - FENCE_LESS,
		cycles + FENCE_MORE + 2 * step_cycles(j->cpu) / (STAMPS * 8));
}

static struct wanted serialised_stamp(const struct judged *j, json_t *row, unsigned of)
{
	return stamps(j->cpu, (double)(j->cpu->cpuid_cycles + j->cpu->tsc_cycles), 16);
}

/*
 * Ticks between two reads that follow one another, as a whole number of the counter's steps; of
 * readings that lack some, these may be all that is between them.
 */
static struct wanted counter_step(const struct judged *j, json_t *row, unsigned of)
{
	double step = (double)j->cpu->tsc_step;
	double pair = (double)j->cpu->tsc_cycles * (double)j->cpu->tsc_hz / (double)j->cpu->hz;

	if (j->cpu->tsc_jitter)
		return between((double)j->cpu->tsc_jitter, step);
	return between(fmax(step, floor(pair / step - 1) * step), ceil(pair / step + 1) * step);
}

static struct wanted adds(const struct judged *j, double cycles)
{
	return within(cycles * 1e9 / (double)j->cpu->hz,
		ADD + 100 * 2 * step_cycles(j->cpu) / 16384);
}

/*
 * A turn is 64 adds, one after the other, a count and a jump: these two take time where one
 * instruction enters a cycle, or one computation starts.
 */
static struct wanted plain_add(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double enter = ceil(66 / (double)c->width);
	double start = (c->fold ? 65 : 66) / (double)c->alus;

	if (c->predictor == PREDICTOR_NEVER)
		return anything();
	return adds(j, fmax(64, fmax(enter, start)) / 64);
}

/* Without what two turns have in common. */
static struct wanted one_add(const struct judged *j, json_t *row, unsigned of)
{
	return adds(j, 1);
}

static struct wanted gigahertz(const struct judged *j, json_t *row, unsigned of)
{
	return within(clock_beside_jitter(j->cpu) / 1e9, CLOCK);
}

/*
 * So short that the overhead of the stamps would show if it were not subtracted. Each stamp may be
 * off by one step of the counter.
 */
static struct wanted divisions(const struct judged *j, json_t *row, unsigned of)
{
	double cycles = 3 * (double)j->cpu->divide, room = STAMP_CYCLES + 2 * step_cycles(j->cpu);

	return between(cycles - room, cycles + room);
}

/* Two stamps without a fence: the second does not wait for the divisions between them. */
static struct wanted unfenced_remainders(const struct judged *j, json_t *row, unsigned of)
{
	double stamps = (double)(2 * j->cpu->tsc_cycles), room = UNFENCED + 2 * step_cycles(j->cpu);

	return between(0, stamps + room);
}

/* Stamps that wait have all three divisions in them, and one stamp with its fences at most. */
static struct wanted fenced_remainders(const struct judged *j, json_t *row, unsigned of)
{
	double divided = 3 * (double)j->cpu->divide;
	double stamps = (double)(2 * j->cpu->tsc_cycles + 4 * j->cpu->fence);

	return between(divided, divided + stamps + REMAINDERS + 2 * step_cycles(j->cpu));
}

/* As many adds as take the quantum at the clock that was measured: rounded down to 64 of them. */
static struct wanted quantum(const struct judged *j, json_t *row, unsigned of)
{
	double ns = param_of(row, "quantum_ns"), add = 1e9 / (double)j->cpu->hz;
	double room = ns * CLOCK / 100 + 2 * step_cycles(j->cpu) * add;

	return undisturbed(j->cpu) ? between(ns - 64 * add - room, ns + room) : anything();
}

/* Nothing takes time away from a machine without jitter and spikes. */
static struct wanted nothing(const struct judged *j, json_t *row, unsigned of)
{
	return undisturbed(j->cpu) ? between(0, 0) : anything();
}

/* The summary's lines of the same. */
static void gaps(const struct judged *j)
{
	static const char *const names[] = { "noise_gaps_per_second", "noise_stolen_ppm",
		"noise_longest_ns" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		json_t *line = summary_of(j->run, names[i]);
		double got = line ? number_of(line, "value") : NAN;

		if (!is_measured(line))
			judge_unmeasured(j, names[i]);
		else if (undisturbed(j->cpu))
			tally_value(j->tally, names[i], 0, got, "exact",
				got == 0 ? NULL : "out of tolerance");
	}
}

void judge_clock_rows(const struct judged *j)
{
	static const struct row_rule rules[] = {
		ROWS_AS("three_divisions", "clock", "div3-lfence", CYCLES, divisions),
		ROWS("clock", "rem3-rdtsc", CYCLES, unfenced_remainders),
		ROWS("clock", "rem3-rdtscp", CYCLES, fenced_remainders),
		ROWS("clock", "rem3-fenced", CYCLES, fenced_remainders),
		ROWS("clock", "rdtsc", CYCLES, bare_stamp),
		ROWS("clock", "rdtscp", CYCLES, bare_stamp),
		ROWS("clock", "lfence-rdtsc", CYCLES, fenced_stamp),
		ROWS("clock", "cpuid-rdtsc", CYCLES, serialised_stamp),
		ROWS("clock", "step", MEDIAN, counter_step),
		ROWS("clock", "adds-plain", MEDIAN, plain_add),
		ROWS("clock", "adds-delta", MEDIAN, one_add),
		ROWS("clock", "core-clock", MEDIAN, gigahertz),
		ROWS("noise", "quanta", MEDIAN, quantum),
		ROWS("noise", "gaps", MEDIAN, nothing),
		ROWS("noise", "stolen", MEDIAN, nothing),
		ROWS("noise", "longest", MEDIAN, nothing),
	};

	gaps(j);
	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
}
