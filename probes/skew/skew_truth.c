/* SPDX-License-Identifier: MIT */
/* Rows and values of `skew`: the differences between the counters of the cores. */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/cores_bound.h"
#include "tests/kam/judge/run_rules.h"
#include "tests/kam/judge/truth.h"

TOLERANCE(SKEW, 1, "%", "of what is between the bounds: the two ways do not take equal times")
TOLERANCE(SKEW_WAYS, 10, "%", "of two hops: the quickest of all is less than the others")

static double more_of(json_t *row, const char *name)
{
	return number_of(json_object_get(row, "more"), name);
}

static unsigned core_of(json_t *row)
{
	double cpu = param_of(row, "cpu");

	return cpu > 0 && cpu < CORES_MOST ? (unsigned)cpu : 0;
}

/* Convert ticks to ns. */
static double ns(const struct cpu *c, double ticks)
{
	return ticks / (double)c->tsc_hz * 1e9;
}

/* Allow a row's number to differ from the truth by a part of the distance between its bounds. */
static struct wanted beside(const struct cpu *c, double truth, double bounds)
{
	double room = bounds * SKEW / 100 + 2 * ns(c, (double)c->tsc_step);

	return between(truth - room, truth + room);
}

static double true_offset(const struct cpu *c, json_t *row)
{
	return ns(c, cpu_ahead(c, core_of(row), more_of(row, "at_ticks")));
}

static double true_drift(const struct cpu *c, json_t *row)
{
	return (double)cpu_of_core(c->skew.ppb, core_of(row)) / 1e3;
}

/* The offset is in the middle of its bounds, since the two ways take equal times. */
static struct wanted offset(const struct judged *j, json_t *row, unsigned of)
{
	double bounds = more_of(row, "high_ns") - more_of(row, "low_ns");

	return beside(j->chip, true_offset(j->chip, row), bounds);
}

static double hops_of(const struct judged *j, json_t *row)
{
	return hop_cycles(j->chip, 0, core_of(row));
}

static double drift_bounds(json_t *row)
{
	return more_of(row, "high_ppm") - more_of(row, "low_ppm");
}

/*
 * Returns by how much the middle of a drift's bounds has moved, in ppm. Now and then a line comes
 * sooner, by up to a transfer: one bound is nearer, and the middle moves by half of that. All
 * drifts are over the same time, so the width of their bounds is proportional to their hops; the
 * drift that is widest for its hops has no such line.
 */
static double moved_middle(const struct judged *j, json_t *row)
{
	double widest = 0;
	json_t *other;
	size_t i;

	json_array_foreach(j->run->rows, i, other)
		if (is_row(other, "skew", "drift"))
			widest = fmax(widest, drift_bounds(other) / hops_of(j, other));
	return (widest * hops_of(j, row) - drift_bounds(row)) / 2;
}

static struct wanted drift(const struct judged *j, json_t *row, unsigned of)
{
	double truth = true_drift(j->chip, row);
	double room = drift_bounds(row) * SKEW / 100 + moved_middle(j, row);

	return between(truth - room, truth + room);
}

/*
 * The truth is between the bounds, which are as far apart as a line takes to and fro: see
 * moved_middle.
 */
static void bounds_of_offsets(const struct judged *j)
{
	const char *name = "skew:offset bounds";
	const struct cpu *c = j->chip;
	unsigned right = 0, all = 0;
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row) {
		if (!is_row(row, "skew", "offset"))
			continue;
		double low = more_of(row, "low_ns"), high = more_of(row, "high_ns");
		double truth = true_offset(c, row), steps = 4 * ns(c, (double)c->tsc_step);
		double ways = 2 * hop_cycles(c, 0, core_of(row)) * 1e9 / (double)c->hz;
		bool holds = low <= truth && truth <= high;
		double sooner = ways - transfer_cycles(c, 0, core_of(row)) * 1e9 / (double)c->hz;
		bool as_long = high - low >= less(sooner, SKEW_WAYS) &&
			high - low <= more(ways, SKEW_WAYS) + steps;

		all++;
		right += holds && as_long;
		if (!holds || !as_long)
			tally_wrong(j->tally, name, "expected %.6g, %.6g ns apart, got %.6g..%.6g",
				truth, ways, low, high);
	}
	if (all && right == all)
		tally_right(j->tally, name, all, "rows");
}

static void bounds_of_drifts(const struct judged *j)
{
	const char *name = "skew:drift bounds";
	unsigned right = 0, all = 0;
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row) {
		if (!is_row(row, "skew", "drift"))
			continue;
		double low = more_of(row, "low_ppm"), high = more_of(row, "high_ppm");
		double truth = true_drift(j->chip, row);
		bool holds = low <= truth && truth <= high;

		all++;
		right += holds;
		if (!holds)
			tally_wrong(j->tally, name, "expected %.6g, got %.6g..%.6g", truth, low,
				high);
	}
	if (all && right == all)
		tally_right(j->tally, name, all, "rows");
}

/* The largest of a variant's truths. */
static double largest(const struct judged *j, const char *variant,
	double (*truth)(const struct cpu *, json_t *row))
{
	double most = NAN;
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row)
		if (is_row(row, "skew", variant))
			most = fmax(most, fabs(truth(j->chip, row)));
	return most;
}

/*
 * Judge a value: the truth of the rows must be in its bracket, and near the value. truth NAN: there
 * must be no value.
 */
static void judge_value(const struct judged *j, const char *name, double truth, double steps)
{
	json_t *line = summary_of(j->run, name);
	double got = line ? number_of(line, "value") : NAN,
	       low = line ? number_of(line, "low") : NAN,
	       high = line ? number_of(line, "high") : NAN;
	double room = isnan(low) ? 0 : (high - low) * SKEW / 100 + steps;
	const char *wrong = NULL;

	if (!is_measured(line)) {
		if (isnan(truth))
			judge_unmeasured(j, name);
		else
			tally_wrong(j->tally, name, "not there, expected %.6g", truth);
		return;
	}
	if (isnan(truth))
		wrong = "no row says so";
	else if (!isnan(low) && !(truth >= low && truth <= high))
		wrong = "out of its bracket";
	else if (!(fabs(got - truth) <= room)) /* also where there is no value */
		wrong = "out of tolerance";
	tally_value(j->tally, name, truth, got, SKEW_TEXT, wrong);
}

static double most_moved(const struct judged *j)
{
	double most = 0;
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row)
		if (is_row(row, "skew", "drift"))
			most = fmax(most, moved_middle(j, row));
	return most;
}

/* Returns the largest difference between the cores' adjust registers; NAN: no row says so. */
static double adjustments(const struct judged *j)
{
	const struct cpu *c = j->chip;
	json_t *row = row_with(j, "skew", "adjust", NULL, 0, NULL);
	double least = (double)cpu_of_core(c->skew.adjust, 0), most = least;
	unsigned cpus = row ? (unsigned)param_of(row, "cpus") : 0, i;

	if (!cpus || cpus > CORES_MOST)
		return NAN;
	for (i = 1; i < cpus; i++) {
		least = fmin(least, (double)cpu_of_core(c->skew.adjust, i));
		most = fmax(most, (double)cpu_of_core(c->skew.adjust, i));
	}
	return most - least;
}

static struct wanted adjust(const struct judged *j, json_t *row, unsigned of)
{
	double apart = adjustments(j);

	return between(apart, apart);
}

static void bounds_and_values(const struct judged *j)
{
	bounds_of_offsets(j);
	bounds_of_drifts(j);
	judge_value(j, "tsc_skew_ns", largest(j, "offset", true_offset),
		2 * ns(j->chip, (double)j->chip->tsc_step));
	judge_value(j, "tsc_drift_ppm", largest(j, "drift", true_drift), most_moved(j));
	judge_value(j, "tsc_adjust_ticks", adjustments(j), 0);
}

static const struct row_rule rules[] = {
	ROWS("offset", MEDIAN, offset),
	ROWS("drift", MEDIAN, drift),
	ROWS("adjust", MEDIAN, adjust),
};

const struct truth truth_skew = { RULES(rules), .rows = bounds_and_values };
