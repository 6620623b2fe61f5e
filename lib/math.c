/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "lib/math.h"

/*
 * The exponent comes from its bits; for the mantissa, ln m = 2 atanh((m - 1) / (m + 1)) with m
 * within a factor sqrt 2 of 1.
 */
double math_log(double x)
{
	const double ln2 = 0.69314718055994530942;
	uint64_t word;
	double m, z, z2, sum = 0;
	int exponent;

	memcpy(&word, &x, 8);
	exponent = (int)(word >> 52 & 0x7ff) - 1023;
	word = (word & 0xfffffffffffffULL) | 1023ULL << 52;
	memcpy(&m, &word, 8);
	if (m > 1.41421356237309504880) {
		m /= 2;
		exponent++;
	}
	z = (m - 1) / (m + 1);
	z2 = z * z;
	for (int k = 15; k > 0; k -= 2)
		sum = sum * z2 + 1.0 / k;
	return 2 * z * sum + exponent * ln2;
}

double math_log2(double x)
{
	return math_log(x) * 1.44269504088896340736;
}

/* 2^n by its bits, with n the whole number nearest to x / ln 2, times the series of the rest. */
double math_exp(double x)
{
	const double ln2 = 0.69314718055994530942;
	double n = math_clamp(x / ln2, -1022, 1023), rest, sum = 1, power;
	int64_t whole = (int64_t)(n < 0 ? n - 0.5 : n + 0.5);
	uint64_t word = (uint64_t)(whole + 1023) << 52;

	rest = x - (double)whole * ln2;
	for (int k = 16; k > 0; k--)
		sum = 1 + sum * rest / k;
	memcpy(&power, &word, 8);
	return sum * power;
}

double math_median_of_three(double a, double b, double c)
{
	return math_max(math_min(a, b), math_min(math_max(a, b), c));
}

static uint64_t rotate_left(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

void random_seed(struct random *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		seed += 0x9e3779b97f4a7c15;
		uint64_t z = seed;
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
		z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
		r->s[i] = z ^ (z >> 31);
	}
}

uint64_t random_next(struct random *r)
{
	uint64_t *s = r->s, result = rotate_left(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate_left(s[3], 45);
	return result;
}

uint64_t random_below(struct random *r, uint64_t n)
{
	for (;;) {
		unsigned __int128 wide = (unsigned __int128)random_next(r) * n;
		uint64_t low = (uint64_t)wide;

		if (low >= n || low >= -n % n)
			return (uint64_t)(wide >> 64);
	}
}

/* Count years from March, so that leap days come last. */
int64_t date_to_days(int64_t year, int64_t month, int64_t day)
{
	year -= month <= 2;
	int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return 365 * year + year / 4 - year / 100 + year / 400 + day_of_year - 719468;
}

/* Returns the number of n digits, or -1. */
static int number(const char *s, unsigned n)
{
	int value = 0;

	for (unsigned i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		value = 10 * value + s[i] - '0';
	}
	return value;
}

uint64_t utc_seconds(const char *utc)
{
	int year = number(utc, 4), month, day, hour, minute, second;

	if (year < 1970 || (month = number(utc + 4, 2)) < 1 || (day = number(utc + 6, 2)) < 1 ||
		utc[8] != 'T' || (hour = number(utc + 9, 2)) < 0 ||
		(minute = number(utc + 11, 2)) < 0 || (second = number(utc + 13, 2)) < 0)
		return 0;
	return ((uint64_t)date_to_days(year, month, day) * 24 + (uint64_t)hour) * 3600 +
		(uint64_t)(minute * 60 + second);
}
