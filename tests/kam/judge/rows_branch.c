/* SPDX-License-Identifier: MIT */
/* Rows of `branch` beside those that the summary is read from: what coins cost. */
#include <math.h>

#include "tests/kam/judge/predictor_oracle.h"
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

/* Where a predictor forgets gradually: the range over which it does, to a step of the sweep. */
static void soft_predictor(const struct judged *j)
{
	static const char *const keys[] = { "rise_10", "rise_90" };
	json_t *line = summary_of(j->run, "predictor_branches");
	unsigned i;

	if (j->cpu->predictor != PREDICTOR_TAGGED || isnan(number_of(line, "value")))
		return;
	for (i = 0; i < 2; i++) {
		double truth = period_at(j->cpu, PERIOD_FROM, PERIOD_TO, i ? 0.9 : 0.1);
		double got = number_of(line, keys[i]);

		tally_value(j->tally, i ? "predictor:rise_90" : "predictor:rise_10", truth, got,
			"a step of the sweep",
			got > truth / j->grid && got < truth * j->grid ? NULL : "out of tolerance");
	}
}

void judge_branch_rows(const struct judged *j)
{
	static const struct row_rule rules[] = {
		{ "branch:state-machine", "branch", "state-machine", NULL, CYCLES, machine },
	};

	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));

	soft_predictor(j);
	coins(j, "branch:bits", cycles_of(j, "bits-random", NULL, 0),
		cycles_of(j, "bits-zero", NULL, 0));
	coins(j, "branch:copy-odd", cycles_of(j, "copy-odd-random", NULL, 0),
		cycles_of(j, "copy-odd-odd", NULL, 0));
	if (j->cpu->capacity >= 2000 && j->cpu->predictor == PREDICTOR_HISTORY)
		coins(j, "branch:learn", cycles_of(j, "learn", "pass", 1),
			cycles_of(j, "learn", "pass", 20));
}
