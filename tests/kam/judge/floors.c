/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/conditions.h"
#include "tests/kam/judge/floors.h"
#include "tests/kam/judge/value_rules.h"
#include "tests/kam/judge/tolerances.h"

#define AWAY    0.03 /* docs/method.md, "Floors": of a value without a bracket */
#define OUTSIDE 0.01 /* likewise of one with a bracket, beyond it */

/* Returns the share of the samples of a probe's rows that was disturbed. */
static double disturbed_share(const struct judged *j, const char *probe)
{
	double all = 0, disturbed = 0;
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row) {
		if (strcmp(text_of(row, "probe"), probe))
			continue;
		all += number_of(row, "samples");
		disturbed += fmax(0, number_of(row, "disturbed"));
	}
	return all > 0 ? disturbed / all : 0;
}

static bool another_machine(json_t *line)
{
	double value = number_of(line, "value"), floor = number_of(line, "floor");
	double low = number_of(line, "low"), high = number_of(line, "high");
	double away = fabs(floor - value) / value;

	if (isnan(value))
		return true;
	return isnan(low) ? away > AWAY : (floor < low || floor > high) && away > OUTSIDE;
}

static const char *bracket_fault(json_t *line, const struct expected *truth)
{
	double floor = number_of(line, "floor");
	double low = number_of(line, "floor_low"), high = number_of(line, "floor_high");

	if (isnan(low) != isnan(high))
		return "one end of floor_low..floor_high is missing";
	if (isnan(low))
		return NULL;
	if (floor < low || floor > high)
		return "the floor is outside floor_low..floor_high";
	if (truth && truth->bracketed && !expected_within(truth, low, high))
		return "the expected value is outside floor_low..floor_high";
	return NULL;
}

/*
 * A predictor of tables with tags goes on learning, a cache may replace at random, and a short
 * sample of memory has a refresh in it or none: samples differ by themselves.
 */
static bool samples_differ(const struct judged *j, const struct value_rule *n)
{
	return !undisturbed(j->cpu) || j->cpu->tsc_step > 1 || j->cpu->refresh_every ||
		cpu_at_random(j->cpu) ||
		(j->cpu->predictor == PREDICTOR_TAGGED && n && !strcmp(n->probe, "branch"));
}

const char *floor_fault(const struct judged *j, json_t *line, const struct expected *truth)
{
	const struct value_rule *n = value_rule(text_of(line, "name"));
	double floor = number_of(line, "floor"), share = number_of(line, "disturbed_share"), rows;

	if (isnan(floor))
		return isnan(share) && isnan(number_of(line, "floor_low"))
			? NULL
			: "parts of a floor, and no floor";
	if (!samples_differ(j, n))
		return "a floor on a machine without disturbances";
	if (!another_machine(line))
		return "the floor does not differ from the value";
	rows = disturbed_share(j, n ? n->probe : "");
	if (!(fabs(share - rows) <= SHARE_PRINTED / 100 * fmax(share, rows)))
		return "disturbed_share is not that of the rows";
	if (truth && truth->must_be_unresolved)
		return "a floor of what the machine does not have";
	if (truth && (floor < truth->low || floor > truth->high))
		return "the floor is out of tolerance";
	return bracket_fault(line, truth);
}

bool right_by_floor(const struct judged *j, json_t *line, const struct expected *truth)
{
	return !undisturbed(j->cpu) && !truth->must_be_unresolved &&
		!isnan(number_of(line, "floor")) && !floor_fault(j, line, truth);
}
