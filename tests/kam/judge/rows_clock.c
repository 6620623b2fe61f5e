/* SPDX-License-Identifier: MIT */
/* Rows of `clock` and `noise`: time stamps, adds, divisions, fixed work. */
#include <math.h>

#include "tests/kam/judge/expected.h"
#include "tests/kam/judge/row_rules.h"
#include "tests/kam/judge/run_rules.h"

#define STAMPS 64 /* groups of eight between two stamps, of which each may be a step off */

/* Ticks of the counter's step, seen in core cycles. */
static double step_cycles(const struct cpu *c)
{
	return (double)c->tsc_step * (double)c->hz / (double)c->tsc_hz;
}

static struct wanted stamps(const struct cpu *c, double cycles, double each)
{
	double room = cycles * STAMP / 100 + (STAMP_CYCLES + 2 * step_cycles(c)) / each;

	return between(cycles - room, cycles + room);
}

/* Reading is not pipelined. */
static struct wanted bare_stamp(const struct judged *j, json_t *row)
{
	return stamps(j->cpu, (double)j->cpu->tsc_cycles, STAMPS * 8);
}

/* Each of two fences waits, and is left a cycle later at most by what it held back. */
static struct wanted fenced_stamp(const struct judged *j, json_t *row)
{
	double cycles = (double)(j->cpu->tsc_cycles + 2 * j->cpu->fence);

	return between(cycles - FENCE_LESS,
		cycles + FENCE_MORE + 2 * step_cycles(j->cpu) / (STAMPS * 8));
}

static struct wanted serialised_stamp(const struct judged *j, json_t *row)
{
	return stamps(j->cpu, (double)(j->cpu->cpuid_cycles + j->cpu->tsc_cycles), 16);
}

/*
 * Ticks between two reads that follow one another, as a whole number of the counter's steps; of
 * readings that lack some, these may be all that is between them.
 */
static struct wanted counter_step(const struct judged *j, json_t *row)
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
static struct wanted plain_add(const struct judged *j, json_t *row)
{
	const struct cpu *c = j->cpu;
	double enter = ceil(66 / (double)c->width);
	double start = (c->fold ? 65 : 66) / (double)c->alus;

	if (c->predictor == PREDICTOR_NEVER)
		return anything();
	return adds(j, fmax(64, fmax(enter, start)) / 64);
}

/* Without what two turns have in common. */
static struct wanted one_add(const struct judged *j, json_t *row)
{
	return adds(j, 1);
}

static struct wanted gigahertz(const struct judged *j, json_t *row)
{
	return within(clock_beside_jitter(j->cpu) / 1e9, CLOCK);
}

/*
 * So short that the overhead of the stamps would show if it were not subtracted. Each stamp may be
 * off by one step of the counter.
 */
static struct wanted divisions(const struct judged *j, json_t *row)
{
	double cycles = 3 * (double)j->cpu->divide, room = STAMP_CYCLES + 2 * step_cycles(j->cpu);

	return between(cycles - room, cycles + room);
}

/* Two stamps without a fence: the second does not wait for the divisions between them. */
static struct wanted unfenced_remainders(const struct judged *j, json_t *row)
{
	double stamps = (double)(2 * j->cpu->tsc_cycles), room = UNFENCED + 2 * step_cycles(j->cpu);

	return between(0, stamps + room);
}

/* Stamps that wait have all three divisions in them, and one stamp with its fences at most. */
static struct wanted fenced_remainders(const struct judged *j, json_t *row)
{
	double divided = 3 * (double)j->cpu->divide;
	double stamps = (double)(2 * j->cpu->tsc_cycles + 4 * j->cpu->fence);

	return between(divided, divided + stamps + REMAINDERS + 2 * step_cycles(j->cpu));
}

/* As many adds as take the quantum at the clock that was measured: rounded down to 64 of them. */
static struct wanted quantum(const struct judged *j, json_t *row)
{
	double ns = param_of(row, "quantum_ns"), add = 1e9 / (double)j->cpu->hz;
	double room = ns * CLOCK / 100 + 2 * step_cycles(j->cpu) * add;

	return undisturbed(j->cpu) ? between(ns - 64 * add - room, ns + room) : anything();
}

/* Nothing takes time away from a machine without jitter and spikes. */
static struct wanted nothing(const struct judged *j, json_t *row)
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
		{ "three_divisions", "clock", "div3-lfence", NULL, CYCLES, divisions },
		{ "clock:rem3-rdtsc", "clock", "rem3-rdtsc", NULL, CYCLES, unfenced_remainders },
		{ "clock:rem3-rdtscp", "clock", "rem3-rdtscp", NULL, CYCLES, fenced_remainders },
		{ "clock:rem3-fenced", "clock", "rem3-fenced", NULL, CYCLES, fenced_remainders },
		{ "clock:rdtsc", "clock", "rdtsc", NULL, CYCLES, bare_stamp },
		{ "clock:rdtscp", "clock", "rdtscp", NULL, CYCLES, bare_stamp },
		{ "clock:lfence-rdtsc", "clock", "lfence-rdtsc", NULL, CYCLES, fenced_stamp },
		{ "clock:cpuid-rdtsc", "clock", "cpuid-rdtsc", NULL, CYCLES, serialised_stamp },
		{ "clock:step", "clock", "step", NULL, MEDIAN, counter_step },
		{ "clock:adds-plain", "clock", "adds-plain", NULL, MEDIAN, plain_add },
		{ "clock:adds-delta", "clock", "adds-delta", NULL, MEDIAN, one_add },
		{ "clock:core-clock", "clock", "core-clock", NULL, MEDIAN, gigahertz },
		{ "noise:quanta", "noise", "quanta", NULL, MEDIAN, quantum },
		{ "noise:gaps", "noise", "gaps", NULL, MEDIAN, nothing },
		{ "noise:stolen", "noise", "stolen", NULL, MEDIAN, nothing },
		{ "noise:longest", "noise", "longest", NULL, MEDIAN, nothing },
	};

	gaps(j);
	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
}
