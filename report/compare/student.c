/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "report/compare/student.h"

#define NORMAL_FROM 1e6 /* degrees of freedom: no digit that anybody sees differs from there on */
#define ASYMPTOTIC  12  /* from this argument on the series have 13 digits */
#define STEPS       200 /* of a bisection: down to neighbouring numbers */
#define TERMS       500 /* of a continued fraction, which needs about 3 sqrt(df) */
#define TINY        1e-300

static double apart_from_zero(double x)
{
	return fabs(x) < TINY ? TINY : x;
}

/*
 * The continued fraction of the incomplete beta function, DLMF 8.17.22, by the modified method of
 * Lentz: https://dlmf.nist.gov/8.17.v
 */
static double beta_fraction(double x, double a, double b)
{
	double c = 1, d = 1 / apart_from_zero(1 - (a + b) * x / (a + 1)), f = d;

	for (int m = 1; m < TERMS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 / apart_from_zero(1 + even * d);
		c = apart_from_zero(1 + even / c);
		f *= c * d;
		d = 1 / apart_from_zero(1 + odd * d);
		c = apart_from_zero(1 + odd / c);
		f *= c * d;
		if (fabs(c * d - 1) < 1e-15)
			break;
	}
	return f;
}

/* I_x(a, b), regularised: DLMF 8.17.2. */
static double incomplete_beta(double x, double a, double b)
{
	if (x <= 0 || x >= 1)
		return x > 0;
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double student_tail(double t, double df)
{
	if (df >= NORMAL_FROM)
		return erfc(t / M_SQRT2) / 2;
	return incomplete_beta(df / (df + t * t), df / 2, 0.5) / 2;
}

double student_quantile(double tail, double df)
{
	double low = 0, high = 1;

	while (student_tail(high, df) > tail && high < 1e300)
		high *= 2;
	for (int i = 0; i < STEPS; i++) {
		double middle = (low + high) / 2;
		if (student_tail(middle, df) > tail)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* DLMF 5.5.2 and 5.11.2. */
double digamma(double x)
{
	double sum = 0;

	for (; x < ASYMPTOTIC; x++)
		sum -= 1 / x;
	double y = 1 / (x * x);
	return sum + log(x) - 0.5 / x -
		y * (1. / 12 - y * (1. / 120 - y * (1. / 252 - y * (1. / 240 - y / 132))));
}

/* DLMF 5.15.5 and 5.15.8. */
double trigamma(double x)
{
	double sum = 0;

	for (; x < ASYMPTOTIC; x++)
		sum += 1 / (x * x);
	double y = 1 / (x * x);
	return sum + 1 / x + y / 2 +
		y / x * (1. / 6 - y * (1. / 30 - y * (1. / 42 - y * (1. / 30 - y * 5 / 66))));
}

/* It falls all the way: bisected by the logarithm of x. */
double trigamma_inverse(double y)
{
	double low = log(1e-8), high = log(1e12);

	for (int i = 0; i < STEPS; i++) {
		double middle = (low + high) / 2;
		if (trigamma(exp(middle)) > y)
			low = middle;
		else
			high = middle;
	}
	return exp((low + high) / 2);
}
