/* SPDX-License-Identifier: MIT */
/* Against tables: Student's quantiles, values and derivatives of log gamma (R 4; DLMF 5.4). */
#include <math.h>

#include "report/compare/statistics.h"
#include "tests/unit/test.h"

#define PI_SQUARED 9.869604401089358
#define EULER      0.5772156649015329

static void expect(const char *what, double have, double want)
{
	if (!(fabs(have / want - 1) < 1e-9))
		fail_msg("%s: expected %.12g, got %.12g (report/compare/student.c)", what, want,
			have);
}

/* Of one and two degrees of freedom there are closed forms. */
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
