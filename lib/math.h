/* SPDX-License-Identifier: MIT */
/* The little mathematics that freestanding code needs; random numbers; days of a date. */
#ifndef LIB_MATH_H
#define LIB_MATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOT_A_NUMBER __builtin_nan("")

static inline bool math_is_nan(double x)
{
	return __builtin_isnan(x);
}

static inline bool math_finite(double x)
{
	return __builtin_isfinite(x);
}

/* Returns true for a whole number below 1e15, which is printed with all of its digits. */
static inline bool math_is_whole(double x)
{
	return x > -1e15 && x < 1e15 && x == (double)(int64_t)x;
}

static inline double math_abs(double x)
{
	return __builtin_fabs(x);
}

static inline double math_max(double a, double b)
{
	return a > b ? a : b;
}

static inline double math_min(double a, double b)
{
	return a < b ? a : b;
}

static inline double math_clamp(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

/* The greatest common divisor; of 0 and b: b. */
static inline uint64_t math_common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Natural logarithm of a positive normal number, to 1e-12. */
double math_log(double x);
double math_log2(double x);
double math_exp(double x);
double math_median_of_three(double a, double b, double c);

/* xoshiro256** (Blackman and Vigna, 2018), seeded through splitmix64: fast, equidistributed. */
struct random {
	uint64_t s[4];
};

void random_seed(struct random *, uint64_t seed);
uint64_t random_next(struct random *);
/* Uniform in 0..n-1, n >= 1, without modulo bias (Lemire 2019). */
uint64_t random_below(struct random *, uint64_t n);

/* Days from 1970-01-01 to a date, by the proleptic Gregorian calendar; month 1..12, day 1..31. */
int64_t date_to_days(int64_t year, int64_t month, int64_t day);
/* Seconds since 1970 of a text like "20260101T000000Z"; 0: it is not such a text. */
uint64_t utc_seconds(const char *utc);

#endif
