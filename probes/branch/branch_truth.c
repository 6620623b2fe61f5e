/* SPDX-License-Identifier: MIT */
/* Rows of `branch` beside those that the summary is read from: what coins cost. */
#include <math.h>

#include "tests/kam/judge/predictor_oracle.h"
#include "tests/kam/judge/row_rules.h"

#define RISE_10       0.1 /* of what is lost in the end */
#define RISE_90       0.9
#define GUESSED_WRONG 0.5  /* of coins */
#define TURN_LEAST    8    /* instructions of a turn of `period`, two of them taken branches; */
#define TURN_MOST     10   /* more where groups end at a branch */
#define FORGETS       0.03 /* of a capacity: at its edge a row may be on either side */

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
		each > penalty - EARLY && each < penalty + RESOLVED ? NULL : "out of tolerance");
}

/* A branch costs its instructions at least, and no more than if each were mispredicted. */
static struct wanted machine(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;

	return between(4 / (double)c->width, (double)c->penalty + RESOLVED + 8 / (double)c->width);
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
		double truth = period_at(j->cpu, PERIOD_FROM, longest_period(j->cpu),
			i ? RISE_90 : RISE_10);
		double got = number_of(line, keys[i]);

		tally_value(j->tally, i ? "predictor:rise_90" : "predictor:rise_10", truth, got,
			"a step of the sweep",
			got > truth / j->grid && got < truth * j->grid ? NULL : "out of tolerance");
	}
}

/* The summary reads the penalty from it. */
static struct wanted penalty(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	bool guessed = c->predictor == PREDICTOR_HISTORY || c->predictor == PREDICTOR_BIMODAL;

	if (!undisturbed(c) || !guessed || c->penalty < 2)
		return anything();
	return between((double)c->penalty - PENALTY_LESS, (double)c->penalty + PENALTY_MORE);
}

/* Of a cost without mispredictions, with this share of them beside it. */
static struct wanted with_mispredicted(const struct judged *j, double low, double high,
	double share)
{
	double penalty = (double)j->cpu->penalty;

	return between(low + share * fmax(0, penalty - EARLY), high + share * (penalty + RESOLVED));
}

/* A pattern that is known costs its instructions; of one that is not, half is guessed wrong. */
static struct wanted period(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double times = param_of(row, "elements") / (double)c->capacity;
	double rate = fmin((double)c->width, (double)c->alus + 2);
	double least = fmax(2, TURN_LEAST / rate), most = fmax(2, TURN_MOST / rate);

	if (!undisturbed(c) || c->predictor != PREDICTOR_HISTORY || fabs(times - 1) < FORGETS)
		return anything();
	return with_mispredicted(j, less(least, PERIOD_LESS), more(most, PERIOD_MORE),
		times > 1 ? GUESSED_WRONG : 0);
}

static bool near_edge(double n, double known)
{
	return n > known * (1 - FORGETS) - 4 && n < known * (1 + FORGETS);
}

/* One taken jump a cycle; a target that is not known to the first level, or to any, costs more. */
static struct wanted targets(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double n = param_of(row, "targets"), first = (double)c->targets;
	double all = first + (double)c->targets_2;

	if (!undisturbed(c) || near_edge(n, first) || near_edge(n, all))
		return anything();
	return within(1 +
			(double)(n > all            ? c->target_miss
					: n > first ? c->target_2
						    : 0),
		TARGETS);
}

/* Call and return are two jumps, the first call costs more; deeper returns are guessed wrong. */
static struct wanted return_stack(const struct judged *j, json_t *row, unsigned of)
{
	double depth = param_of(row, "depth"), lost = fmax(0, depth - (double)j->cpu->returns);

	if (!undisturbed(j->cpu) || j->cpu->predictor == PREDICTOR_NEVER)
		return anything();
	return with_mispredicted(j, 2 - CALL_LESS, 2 + CALL_MORE + FIRST_CALL / depth,
		lost / depth);
}

void judge_branch_rows(const struct judged *j)
{
	static const struct row_rule rules[] = {
		ROWS("branch", "state-machine", CYCLES, machine),
		ROWS("branch", "penalty", MEDIAN, penalty),
		ROWS("branch", "period", CYCLES, period),
		ROWS("branch", "targets", CYCLES, targets),
		ROWS("branch", "return-stack", CYCLES, return_stack),
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
