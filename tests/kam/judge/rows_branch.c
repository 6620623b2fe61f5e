/* SPDX-License-Identifier: MIT */
/* Rows of `branch` beside those that the summary is read from: what coins cost. */
#include <math.h>

#include "tests/kam/judge/row_rules.h"

#define RESOLVED_MOST 10 /* cycles until a branch that waits for a load is resolved */

static double cycles_of(const struct judged *j, const char *variant, const char *param,
	double value)
{
	json_t *row = row_with(j, "branch", variant, param, value, NULL);

	return row ? number_of(row, "cycles") : NAN;
}

/* Half of the coins are guessed wrong: each costs the penalty and what it takes to resolve it. */
static void coins(const struct judged *j, const char *name, double random, double plain)
{
	double penalty = (double)j->cpu->penalty, each = 2 * (random - plain);
	bool guessed =
		j->cpu->predictor == PREDICTOR_HISTORY || j->cpu->predictor == PREDICTOR_BIMODAL;

	if (isnan(each) || !guessed || !undisturbed(j->cpu))
		return;
	tally_value(j->tally, name, penalty, each, "penalty, +10 cycles",
		each > penalty - 2 && each < penalty + RESOLVED_MOST ? NULL : "out of tolerance");
}

/* A branch costs its instructions at least, and no more than if each were mispredicted. */
static struct wanted machine(const struct judged *j, json_t *row)
{
	const struct cpu *c = j->cpu;

	return between(4 / (double)c->width,
		(double)(c->penalty + RESOLVED_MOST) + 8 / (double)c->width);
}

void judge_branch_rows(const struct judged *j)
{
	static const struct row_rule rules[] = {
		{ "branch:state-machine", "branch", "state-machine", NULL, CYCLES, machine },
	};

	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
	coins(j, "branch:bits", cycles_of(j, "bits-random", NULL, 0),
		cycles_of(j, "bits-zero", NULL, 0));
	coins(j, "branch:copy-odd", cycles_of(j, "copy-odd-random", NULL, 0),
		cycles_of(j, "copy-odd-odd", NULL, 0));
	if (j->cpu->capacity >= 2000 && j->cpu->predictor == PREDICTOR_HISTORY)
		coins(j, "branch:learn", cycles_of(j, "learn", "pass", 1),
			cycles_of(j, "learn", "pass", 20));
}
