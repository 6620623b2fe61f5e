/* SPDX-License-Identifier: MIT */
/* The error of a median, against the theory of normal samples. */
#include "lib/math.h"
#include "linux/report/compare/statistics.c"
#include "tests/unit/test.h"

#define N 101

/* Sums of twelve uniforms: mean 0, deviation 1. */
static void noisy(double *values, uint64_t seed)
{
	struct random random;

	random_seed(&random, seed);
	for (int i = 0; i < N; i++) {
		values[i] = -6;
		for (int k = 0; k < 12; k++)
			values[i] += (double)random_below(&random, 1 << 20) / (1 << 20);
	}
}

/* sqrt(pi / 2 / n) of a deviation of 1, over 50 sets of samples. */
TEST(test_error_of_a_median)
{
	double values[N], mean = 0, want = sqrt(1.5708 / N);

	for (uint64_t seed = 1; seed <= 50; seed++) {
		noisy(values, seed);
		mean += median_error(values, N) / 50;
	}
	if (!(fabs(mean / want - 1) < 0.15))
		fail_msg("error of a median of %d: expected %g, got %g", N, want, mean);
	assert_true(fabs(median_error_by_mad(0.6745, N) / want - 1) < 0.01);
}

TEST(test_no_error)
{
	static const double same[] = { 4, 4, 4, 4 };

	assert_true(median_error(same, 4) == 0);
	assert_true(median_error(same, 1) == 0);
	assert_true(median_error(same, 0) == 0);
	assert_true(median_error_by_mad(1, 1) == 0);
}

/* Levels that last for ten samples: blocks must make the error larger than single draws would. */
TEST(test_drift_widens)
{
	double level[N], steady[N], drifting[N];

	noisy(level, 3);
	for (int i = 0; i < N; i++) {
		drifting[i] = level[i / 10];
		steady[i] = level[(i * 37) % N / 10]; /* the same values, shuffled */
	}
	assert_true(median_error(drifting, N) > 1.3 * median_error(steady, N));
	assert_true(median_error(drifting, N) == median_error(drifting, N));
}

/* Against tables: Student's quantiles, values and derivatives of log gamma (R 4; DLMF 5.4). */

#define PI_SQUARED 9.869604401089358
#define EULER      0.5772156649015329

static void expect(const char *what, double have, double want)
{
	if (!(fabs(have / want - 1) < 1e-9))
		fail_msg("%s: expected %.12g, got %.12g (linux/report/compare/statistics.c)", what,
			want, have);
}

/* One and two degrees of freedom have closed forms. */
TEST(test_tails)
{
	for (double t = 0.01; t < 1e6; t *= 3) {
		expect("df 1", student_tail(t, 1), atan2(1, t) / M_PI);
		double root = sqrt(2 + t * t);
		expect("df 2", student_tail(t, 2), 1 / (root * (root + t)));
		expect("df infinite", student_tail(t / 1e5, 1e6), erfc(t / 1e5 / M_SQRT2) / 2);
	}
	assert_true(fabs(student_tail(2, 10) - 0.03669401738537) < 1e-12);
	assert_true(fabs(student_tail(2, 9e5) - erfc(M_SQRT2) / 2) < 1e-6);
	assert_true(student_tail(0, 7) == 0.5);
}

TEST(test_quantiles)
{
	static const struct {
		double df, t;
	} table[] = { { 1, 12.706204736174705 }, { 2, 4.302652729749464 }, { 4, 2.776445105198055 },
		{ 8, 2.306004135204172 }, { 10, 2.228138851986274 }, { 30, 2.042272456301238 },
		{ 1e7, 1.959963984540054 } };

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		expect("quantile of 0.025", student_quantile(0.025, table[i].df), table[i].t);
}

TEST(test_derivatives_of_log_gamma)
{
	expect("digamma(1)", digamma(1), -EULER);
	expect("digamma(1/2)", digamma(0.5), -EULER - 2 * M_LN2);
	expect("digamma(10)", digamma(10), 2.251752589066721);
	expect("trigamma(1)", trigamma(1), PI_SQUARED / 6);
	expect("trigamma(1/2)", trigamma(0.5), PI_SQUARED / 2);
	expect("trigamma(10)", trigamma(10), 0.10516633568168575);
	for (double x = 0.001; x < 1e6; x *= 7)
		expect("the inverse of trigamma", trigamma_inverse(trigamma(x)), x);
}

/* Variances that are drawn towards each other: against factors whose distribution is known. */

#define ROWS 2000

static double uniform(struct random *r)
{
	return ((double)(random_next(r) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct random *r)
{
	return sqrt(-2 * log(uniform(r))) * cos(6.283185307179586 * uniform(r));
}

/* A chi-squared variate over its degrees of freedom. */
static double chi(struct random *r, int df)
{
	double sum = 0;

	for (int i = 0; i < df; i++) {
		double x = normal(r);
		sum += x * x / df;
	}
	return sum;
}

/* Rows whose true factors are `scale` over chi-squared variates of `tail` degrees; 0: all alike. */
static struct variance prior_of(double scale, int tail, int df)
{
	static struct variance rows[ROWS];
	struct random r;

	random_seed(&r, 5);
	for (int i = 0; i < ROWS; i++) {
		double truth = tail ? scale / chi(&r, tail) : scale;
		rows[i] = (struct variance){ truth * chi(&r, df), df };
	}
	return variance_prior(rows, ROWS);
}

TEST(test_what_rows_say_of_each_other)
{
	static const struct {
		double scale;
		int tail, df;
	} cases[] = { { 1, 4, 4 }, { 0.1, 8, 2 }, { 3, 3, 9 }, { 2, 0, 4 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct variance p = prior_of(cases[i].scale, cases[i].tail, cases[i].df);
		double part = cases[i].tail ? p.df / cases[i].tail : 1;

		if (!(fabs(p.factor / cases[i].scale - 1) < 0.15 && part > 0.6 && part < 1.2))
			fail_msg("expected %g with %d degrees of freedom, got %g with %g",
				cases[i].scale, cases[i].tail, p.factor, p.df);
		if (!cases[i].tail && p.df < 50)
			fail_msg("rows are all alike, got only %g degrees of freedom", p.df);
	}
}

/* A spread that is known badly, from few rows with two runs, is seldom taken for exact. */
TEST(test_what_is_known_badly_is_not_sure)
{
	struct variance rows[100];
	struct random r;

	unsigned sure = 0;

	random_seed(&r, 6);
	for (int draw = 0; draw < 50; draw++) {
		for (int i = 0; i < 100; i++)
			rows[i] = (struct variance){ chi(&r, 1) / chi(&r, 6), 1 };
		sure += variance_prior(rows, 100).df > 100;
	}
	if (sure > 16)
		fail_msg("truth 6 degrees of freedom: %u of 50 draws are sure", sure);
}

TEST(test_few_rows_say_nothing)
{
	struct variance rows[VARIANCE_ROWS] = { { 1, 2 } };

	assert_true(variance_prior(rows, VARIANCE_ROWS - 1).df == 0);
	assert_true(variance_prior(rows, 0).df == 0);
	for (int i = 0; i < VARIANCE_ROWS; i++)
		rows[i] = (struct variance){ 0, 2 }; /* of runs that agree in every digit */
	assert_true(isfinite(variance_prior(rows, VARIANCE_ROWS).factor));
}

TEST(test_drawn_towards_the_others)
{
	struct variance prior = { 1, 6 }, row = { 4, 2 };
	struct variance all = { 1, INFINITY }, none = { 1, 0 };

	assert_true(fabs(variance_moderated(prior, row, 100).factor - 14 / 8.) < 1e-12);
	assert_true(variance_moderated(prior, row, 100).df == 8);
	assert_true(variance_moderated(prior, row, 5).df == 5);
	assert_true(variance_moderated(all, row, 100).factor == 1);
	assert_true(variance_moderated(all, row, 100).df == 100);
	assert_true(variance_moderated(none, row, 100).factor == 4);
}

static const struct lot unknown = { { 1, 0 }, 0 }; /* no other rows */

static struct effect effect_between(const double *a, size_t na, const double *b, size_t nb)
{
	const struct variance of_one = run_variance(1, 0);
	const struct set_side side[2] = { side_of_values(a, na, of_one),
		side_of_values(b, nb, of_one) };

	return effect_of(side, (const struct lot[2]){ unknown, unknown });
}

static void expect_effect(struct effect e, double t, double df, double p, double low, double high)
{
	double half = effect_half(&e);
	const double want[] = { t, df, p, low, high };
	const double have[] = { e.size / e.error, e.df, e.p, e.size - half, e.size + half };

	for (size_t i = 0; i < sizeof want / sizeof *want; i++) /* as many digits as R prints */
		if (!(fabs(have[i] / want[i] - 1) < 5e-4))
			fail_msg("t, df, p, low, high: number %zu: expected %g, got %g "
				 "(linux/report/compare/statistics.c)",
				i + 1, want[i], have[i]);
}

/*
 * Extra hours of sleep with two drugs (Student, "The probable error of a mean", 1908), as R's
 * t.test(extra ~ group, sleep, var.equal = TRUE) has it: two sides with as many runs.
 */
TEST(test_students_sleep)
{
	static const double a[] = { 0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0 };
	static const double b[] = { 1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4 };

	expect_effect(effect_between(a, 10, b, 10), 1.8608, 18, 0.07919, -0.203874, 3.363874);
	expect_effect(effect_between(b, 10, a, 10), -1.8608, 18, 0.07919, -3.363874, 0.203874);
}

/* Welch's test, as R's manual has it: t.test(1:10, y = c(7:20)), and with 200 beside. */
TEST(test_welch)
{
	double a[10], b[15];

	for (int i = 0; i < 10; i++)
		a[i] = i + 1;
	for (int i = 0; i < 14; i++)
		b[i] = i + 7;
	b[14] = 200;
	expect_effect(effect_between(a, 10, b, 14), 5.4349, 21.982, 1.855e-05, 4.947198, 11.052802);
	expect_effect(effect_between(a, 10, b, 15), 1.6329, 14.165, 0.1245, -6.376233, 47.2429);
}

/* A single run: its error is what is assumed of it, known with ASSUMED_DF degrees of freedom. */
TEST(test_single_runs)
{
	const struct variance of_one = run_variance(0.03, 0.04); /* together 0.05 */
	const double zero = 0, value = 0.1;
	const struct set_side side[2] = { side_of_values(&zero, 1, of_one),
		side_of_values(&value, 1, of_one) };
	struct effect e = effect_of(side, (const struct lot[2]){ unknown, unknown });

	expect("error", e.error, 0.05 * M_SQRT2);
	expect("degrees of freedom", e.df, 2 * ASSUMED_DF);
	expect("half of the interval", effect_half(&e), 2.306004135204172 * 0.05 * M_SQRT2);
	effect_bound(&e,
		0.1 / 3.290526731491926); /* of a normal distribution 1 of 1000 is beyond */
	expect("p", e.p, 0.001);
	effect_bound(&e, 1);
	expect("p of the surer error", e.p, 0.001);
}

/* What both sides take from the other rows counts once: the less that either of them takes. */
TEST(test_what_is_taken_from_other_rows_counts_once)
{
	const struct set_side side = { .runs = 3, .own = 1, .expected = 1, .part_df = 4 };
	const struct set_side sides[2] = { side, side };
	const struct lot lots[] = { { { 1, 20 }, 30 }, { { 1, 28 }, 30 }, { { 1, 20 }, 12 } };
	const struct lot some[] = { lots[0], lots[1] }, others[] = { lots[1], lots[0] },
			 few[] = { lots[0], lots[2] };

	near("20 + 2 and 28 + 2, less 20", 32, effect_of(sides, some).df);
	near("either way", 32, effect_of(sides, others).df);
	near("20 + 2 and 12, less 12", 22, effect_of(sides, few).df);
}

/* What raises no error above `most` does not lower one that is larger by itself. */
TEST(test_scaled_up_to_what_is_usual)
{
	struct effect e = { 0.1, 0.05, 10, 0.1 };

	effect_rescale(&e, (struct variance){ 4, 20 }, 0.08);
	near("twice, but at most", 0.08, e.error);
	near("df", 10, e.df);
	e = (struct effect){ 0.1, 0.05, 10, 0.1 };
	effect_rescale(&e, (struct variance){ 4, 6 }, 0.01);
	near("not above what it was", 0.05, e.error);
	near("df", 6, e.df);
	effect_rescale(&e, (struct variance){ 4, 0 }, 0.01);
	near("nothing is known", 0.05, e.error);
}

/*
 * Runs a side: twice 2 deviations of a mean of n runs, 2 sqrt(2 / n) s, fill what is left of the
 * margin, or three quarters of the effect.
 */
TEST(test_runs_that_would_decide)
{
	const double margin = log1p(0.02), deviation = 0.03;
	const struct set_side of_2 = { .runs = 2 }, of_8 = { .runs = 8 };
	const struct set_side sides[][2] = { { of_2, of_8 }, { of_8, of_2 } };

	for (unsigned i = 0; i < 2; i++) {
		struct effect e = { .error = deviation * sqrt(1 / 2. + 1 / 8.) };

		near("no effect", 19, effect_runs_wanted(&e, sides[i], margin)); /* 18.4 */
		e.size = -0.06; /* 8 s^2 / 0.045^2 = 3.6; one more than there are */
		near("an effect", 9, effect_runs_wanted(&e, sides[i], margin));
		e.size = 0.024; /* 8 s^2 / 0.018^2 = 22.2 */
		near("a small one", 23, effect_runs_wanted(&e, sides[i], margin));
		e.size = 0.012; /* 0.009 of it, or 0.0078 of the margin: 88.9 */
		assert_true(isnan(effect_runs_wanted(&e, sides[i], margin)));
	}
}
