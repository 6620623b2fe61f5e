/* SPDX-License-Identifier: MIT */
/* `noise`: fixed work, and what takes time away. */
#include <math.h>

#include "tests/kam/judge/run_rules.h"
#include "tests/kam/judge/truth.h"

/* The adds that fill the quantum at the measured clock, rounded down to a multiple of 64. */
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

/* Judge the summary's lines of gaps. */
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

static const struct row_rule rules[] = {
	ROWS("quanta", MEDIAN, quantum),
	ROWS("gaps", MEDIAN, nothing),
	ROWS("stolen", MEDIAN, nothing),
	ROWS("longest", MEDIAN, nothing),
};

const struct truth truth_noise = { RULES(rules), .rows = gaps, .over_all_samples = "" };
