/* SPDX-License-Identifier: MIT */
/* What a run counts beside time: the events that the machine can count, and as many as happen. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/kam/judge/conditions.h"
#include "tests/kam/judge/run_rules.h"
#include "tests/kam/judge/tolerances.h"

#define CLOCK_GRAINS 600.0 /* the chain beside a sample: steps of the TSC, or */
#define CLOCK_TURNS  32.0  /* so many turns; engine/core_clock.c */
#define TURN         66.0  /* 64 adds, a count and a jump */
#define ADDS_TURNS   256.0 /* of `adds-plain` */
#define BITS         8192.0

static bool counts_all(const struct judged *j)
{
	return in_layer_b(j) && j->cpu->counters == COUNTERS_ALL;
}

/* Whether the run must count this event. */
static bool is_counted(const struct judged *j, const char *event)
{
	if (!strcmp(event, "smis"))
		return !in_layer_b(j) || counts_all(j) || !cpu_is_amd(j->cpu);
	if (!strcmp(event, "interrupts") || !strcmp(event, "nmis"))
		return in_layer_b(j);
	if (!strcmp(event, "core_cycles"))
		return in_layer_b(j) && j->cpu->counters != COUNTERS_NONE;
	return counts_all(j) && (!strcmp(event, "mispredicts") || !strcmp(event, "instructions"));
}

static bool lists(json_t *list, const char *event)
{
	json_t *line;
	size_t i;

	json_array_foreach(list, i, line)
		if (!strcmp(json_string_value(line), event))
			return true;
	return false;
}

/* The run line names what is counted: all that the machine has, and no more. */
static void judge_list(const struct judged *j)
{
	static const char *const events[] = {
#define EVENT(NAME, name, kind, words) #name,
#include "lib/event_counts.inc"
#undef EVENT
	};
	json_t *list = json_object_get(j->run->run, "counts");
	unsigned right = 0, n = sizeof(events) / sizeof(*events), i;

	for (i = 0; i < n; i++) {
		bool listed = lists(list, events[i]);

		if (listed == is_counted(j, events[i]))
			right++;
		else
			tally_wrong(j->tally, "counts", "'%s' is %s", events[i],
				listed ? "counted, and the machine cannot" : "not counted");
	}
	if (right == n)
		tally_right(j->tally, "counts", n, "events");
}

static json_t *row_of(const struct judged *j, const char *probe, const char *variant)
{
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row)
		if (is_row(row, probe, variant))
			return row;
	return NULL;
}

/* Of an event in a sample of a row, on the average. */
static double in_a_sample(json_t *row, const char *event)
{
	return number_of(json_object_get(row, "counts"), event) / number_of(row, "samples");
}

static void judge_count(const struct judged *j, const char *name, double got, double low,
	double high)
{
	bool right = got >= low && got <= high;

	tally_value(j->tally, name, (low + high) / 2, got, "of what is executed",
		right ? NULL : "out of tolerance");
}

/* The chain of adds between two chains that measure the clock. */
static void judge_adds(const struct judged *j)
{
	const struct cpu *c = j->cpu;
	json_t *row = row_of(j, "clock", "adds-plain");
	double grains = CLOCK_GRAINS * step_cycles(c);
	double turns = ADDS_TURNS + 2 * fmax(CLOCK_TURNS, floor(grains / 64));

	if (row)
		judge_count(j, "counts:instructions", in_a_sample(row, "instructions"),
			TURN * turns, TURN * turns + AROUND_CALLS);
}

/* Of random bits, half are guessed, drawn anew for each sample; of zeros, none is wrong. */
static void judge_bits(const struct judged *j)
{
	json_t *zero = row_of(j, "branch", "bits-zero"),
	       *random = row_of(j, "branch", "bits-random");
	double room = SIGMAS * sqrt(BITS / 4 / fmax(1, number_of(random, "samples")));

	if (j->cpu->predictor != PREDICTOR_HISTORY)
		return;
	if (zero)
		judge_count(j, "counts:mispredicts zero", in_a_sample(zero, "mispredicts"), 0,
			AROUND_MISSES);
	if (random)
		judge_count(j, "counts:mispredicts random", in_a_sample(random, "mispredicts"),
			BITS / 2 - room, BITS / 2 + room + AROUND_MISSES);
}

/* Where mispredictions are counted, the penalty's row divides by them. */
static void judge_penalty(const struct judged *j)
{
	json_t *row = row_of(j, "branch", "penalty");

	if (row && param_of(row, "mispredicts_counted") != counts_all(j))
		tally_wrong(j->tally, "branch:penalty", "mispredicts_counted is not %d",
			counts_all(j));
}

void judge_counted_events(const struct judged *j)
{
	judge_list(j);
	judge_penalty(j);
	if (!counts_all(j))
		return;
	judge_adds(j);
	judge_bits(j);
}
