/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "report/allocate.h"
#include "report/compare/run_effect.h"
#include "report/compare/student.h"

#define RUN_LEAST  0.0018 /* deviation of a run, at least: clocks are no more exact than 0.5 % */
#define ASSUMED_DF 4      /* how well an assumed deviation is known: within a factor of two */
#define DF_MOST    1e6

static double square(double x)
{
	return x * x;
}

struct variance run_variance(double assumed, double median_error)
{
	return (struct variance){ square(assumed) + square(median_error), ASSUMED_DF };
}

struct side side_of_values(const double *values, size_t n, struct variance of_one)
{
	struct side s = { (double)n, 0, NAN, of_one.factor, of_one.df };
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		s.mean += values[i] / s.runs;
	for (size_t i = 0; i < n; i++)
		squares += square(values[i] - s.mean);
	if (n > 1)
		s.own = squares / (s.runs - 1);
	return s;
}

/* Variance of a side's mean. */
static struct variance mean_variance(const struct side *s, const struct lot *lot)
{
	struct variance v = { s->expected, s->part_df };

	if (!isnan(s->own)) {
		struct variance row = { s->own / s->expected, s->runs - 1 };
		v = variance_moderated(lot->prior, row, fmax(lot->df, row.df));
		v.factor *= s->expected;
	}
	v.factor = fmax(v.factor, square(RUN_LEAST)) / s->runs;
	return v;
}

static bool one_variance(const struct side side[2], const struct lot lot[2])
{
	return side[0].runs == side[1].runs && side[0].runs > 1 && lot[0].prior.df == 0 &&
		lot[1].prior.df == 0;
}

static void find_p(struct effect *e)
{
	e->p = 2 * student_tail(fabs(e->size) / e->error, e->df);
}

struct effect effect_of(const struct side side[2], const struct lot lot[2])
{
	struct variance a = mean_variance(&side[0], &lot[0]), b = mean_variance(&side[1], &lot[1]);
	double sum = a.factor + b.factor;
	struct effect e = { .size = side[1].mean - side[0].mean, .error = sqrt(sum) };

	e.df = one_variance(side, lot)
		? a.df + b.df
		: square(sum) / (square(a.factor) / a.df + square(b.factor) / b.df);
	e.df = fmin(e.df, DF_MOST);
	find_p(&e);
	return e;
}

struct variance effect_scale(const struct effect *e, size_t n)
{
	struct variance *rows = new_array(n + 1, sizeof *rows);

	for (size_t i = 0; i < n; i++)
		rows[i] = (struct variance){
			square(fmax(fabs(e[i].size), RUN_LEAST * M_SQRT2) / e[i].error), 1
		};
	struct variance scale = variance_prior(rows, n);
	free(rows);
	return scale;
}

void effect_rescale(struct effect *e, struct variance scale, double most)
{
	if (scale.df == 0)
		return;
	most = fmax(most, e->error);
	e->error = fmin(fmax(e->error * sqrt(scale.factor), RUN_LEAST * M_SQRT2), most);
	e->df = fmin(e->df, scale.df);
	find_p(e);
}

void effect_bound(struct effect *e, double error)
{
	struct effect bound = { e->size, error, DF_MOST, NAN };

	find_p(&bound);
	if (bound.p < e->p)
		*e = bound;
}

double effect_runs_wanted(const struct effect *e, const struct side side[2], double margin)
{
	double size = fabs(e->size), have = fmax(side[0].runs, side[1].runs);
	double half = fmax(margin - size, 0.75 * size);
	double one = square(e->error) / (1 / side[0].runs + 1 / side[1].runs);
	double wanted = fmax(ceil(8 * one / square(half)), fmax(have + 1, RUNS_LEAST));

	return wanted <= RUNS_MOST ? wanted : NAN;
}

double effect_half(const struct effect *e)
{
	return e->error * student_quantile(0.025, e->df);
}
