/* SPDX-License-Identifier: MIT */
/*
 * A computed permutation has each number once, and is as disordered as a Fisher-Yates shuffle: by
 * statistics which that shuffle passes, and which a multiplicative step or fewer rounds fail.
 */
#include "lib/permutation.c"
#include "tests/unit/test.h"

#define MOST 65536

static uint32_t numbers[MOST], before[MOST];

/* All n of some thousands, and the inverse of each place. */
TEST(each_number_once)
{
	static bool seen[2100];
	struct random r;

	random_seed(&r, 1);
	for (uint64_t n = 1; n <= 2100; n++) {
		struct permutation p = permutation_draw(n, &r);
		struct permutation other = permutation_variant(&p, 1 + n / 2, n);

		memset(seen, 0, n);
		for (uint64_t k = 0; k < n; k++) {
			uint64_t number = permutation_at(&p, k);

			if (number >= n || seen[number])
				fail_msg("%lu of %lu is %lu", k, n, number);
			seen[number] = true;
			assert_int_equal(k, permutation_place(&p, number));
			if (k < other.n)
				assert_int_equal(k,
					permutation_place(&other, permutation_at(&other, k)));
		}
	}
}

/* Where a place and a number that come from each other differ from n others, all are one to one. */
TEST(large_ones_have_an_inverse)
{
	static const uint64_t counts[] = { 16777216, 16777217, 99999989, 2147483648, 2147483649,
		UINT32_MAX };
	struct random r;

	random_seed(&r, 2);
	for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
		struct permutation p = permutation_draw(counts[i], &r);

		for (unsigned t = 0; t < 100000; t++) {
			uint64_t k = random_below(&r, counts[i]), number = permutation_at(&p, k);

			assert_true(number < counts[i]);
			assert_int_equal(k, permutation_place(&p, number));
			assert_int_equal(k, permutation_at(&p, permutation_place(&p, k)));
		}
	}
}

/* What the statistics are of. */
enum source { COMPUTED, VARIANTS, FISHER_YATES, STEP, FEWER_ROUNDS };

/* Rounds from the third on that change nothing: an addition of 0 and a multiplication by 1. */
static void leave_rounds(struct permutation *p, unsigned rounds, uint64_t n, uint32_t *out)
{
	for (uint64_t k = 0; k < n; k++) {
		uint32_t x = (uint32_t)k;

		do {
			for (unsigned i = 0; i < rounds; i++) {
				x = (x + p->rounds[i].add) * p->rounds[i].multiply & p->mask;
				x ^= x >> p->half;
			}
		} while (x >= n);
		out[k] = x;
	}
}

static void shuffle(uint32_t *out, uint64_t n, struct random *r)
{
	for (uint64_t k = 0; k < n; k++)
		out[k] = (uint32_t)k;
	for (uint64_t k = n; k > 1; k--) {
		uint64_t other = random_below(r, k);
		uint32_t swapped = out[k - 1];

		out[k - 1] = out[other];
		out[other] = swapped;
	}
}

static void fill(enum source source, uint64_t n, unsigned trial, struct random *r)
{
	static struct permutation first;
	struct permutation p = permutation_draw(n, r);
	uint64_t step = (uint64_t)((double)n * 0.38) + random_below(r, n / 4);

	if (source == VARIANTS) {
		first = trial ? first : p;
		p = permutation_variant(&first, n, trial);
	}
	while (math_common_divisor(step, n) != 1)
		step++;
	if (source == FISHER_YATES)
		shuffle(numbers, n, r);
	else if (source == STEP)
		for (uint64_t k = 0; k < n; k++)
			numbers[k] = (uint32_t)(k * step % n);
	else if (source == FEWER_ROUNDS)
		leave_rounds(&p, 2, n, numbers);
	else
		for (uint64_t k = 0; k < n; k++)
			numbers[k] = (uint32_t)permutation_at(&p, k);
}

#define DISTANCES 64 /* classes of the distance from one number to another, modulo n */
#define WINDOW    32 /* numbers that follow one another, and sets that they fall into */
#define LAGS      16

/* How many places further on the other number is. */
static const unsigned lags[LAGS] = { 1, 2, 3, 4, 5, 7, 8, 16, 32, 64, 128, 256, 1024, 4096, 8192,
	16384 };

struct disorder {
	double chi[LAGS]; /* of the distances at each lag: standard deviations above chance */
	double repeats;   /* steps that are equal to the step before; by chance 1 */
	double most;      /* equal steps in one permutation */
	double alike;     /* places that have the number of the permutation before; by chance 1 */
	double sets;      /* that a window uses: mean */
	double spread;    /* and standard deviation */
	double near;      /* steps to a number less than 64 away, over those by chance */
};

/* Expected counts: distances 1 .. n - 1 are equally likely, and as many fall into each class. */
static double chi_squared(const unsigned *count, uint64_t n, unsigned lag, double total)
{
	double sum = 0, degrees = -1;

	for (unsigned i = 0; i < DISTANCES; i++) {
		uint64_t from = (i * (n - 1) + DISTANCES - 1) / DISTANCES;
		uint64_t to = ((i + 1) * (n - 1) + DISTANCES - 1) / DISTANCES;
		double expected = total * (double)(to - from) / (double)(n - 1);

		if (to == from)
			continue;
		sum += (count[i] - expected) * (count[i] - expected) / expected;
		degrees++;
	}
	return (sum - degrees) / sqrt(2 * degrees);
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static unsigned most_alike(uint32_t *steps, uint64_t n)
{
	unsigned most = 0, run = 0;

	qsort(steps, n, sizeof *steps, by_number);
	for (uint64_t k = 0; k < n; k++) {
		run = k && steps[k] == steps[k - 1] ? run + 1 : 1;
		most = run > most ? run : most;
	}
	return most;
}

static uint64_t distance(uint64_t n, uint64_t k, unsigned lag)
{
	return (numbers[(k + lag) % n] + n - numbers[k]) % n;
}

static struct disorder disorder_of(enum source source, uint64_t n, unsigned trials)
{
	static unsigned counts[LAGS][DISTANCES];
	static uint32_t steps[MOST];
	double windows = 0, sum = 0, squares = 0;
	struct disorder d = { .most = 0 };
	struct random r;

	random_seed(&r, n);
	memset(counts, 0, sizeof counts);
	for (unsigned trial = 0; trial < trials; trial++) {
		fill(source, n, trial, &r);
		for (unsigned l = 0; l < LAGS && lags[l] < n / 2; l++)
			for (uint64_t k = 0; k < n; k++)
				counts[l][(distance(n, k, lags[l]) - 1) * DISTANCES / (n - 1)]++;
		for (uint64_t k = 0; k < n; k++) {
			steps[k] = (uint32_t)distance(n, k, 1);
			d.repeats += k && steps[k] == steps[k - 1];
			d.alike += trial && numbers[k] == before[k];
			d.near += steps[k] < 64 || n - steps[k] < 64;
		}
		for (uint64_t k = 0; k + WINDOW <= n; k += WINDOW) {
			uint32_t used = 0;

			for (unsigned i = 0; i < WINDOW; i++)
				used |= 1U << numbers[k + i] % WINDOW;
			sum += __builtin_popcount(used);
			squares += __builtin_popcount(used) * __builtin_popcount(used);
			windows++;
		}
		memcpy(before, numbers, n * sizeof *numbers);
		d.most = fmax(d.most, most_alike(steps, n));
	}
	for (unsigned l = 0; l < LAGS && lags[l] < n / 2; l++)
		d.chi[l] = chi_squared(counts[l], n, lags[l], (double)n * trials);
	d.repeats /= trials;
	d.alike /= trials - 1;
	d.near /= trials * 126.0 * (double)n / (double)(n - 1);
	d.sets = windows ? sum / windows : 0;
	d.spread = windows ? sqrt(squares / windows - d.sets * d.sets) : 0;
	return d;
}

/* The number of statistics that are further from a shuffle's than chance takes them. */
static unsigned unlike(const struct disorder *d, const struct disorder *shuffled, uint64_t n,
	unsigned trials, bool tell)
{
	double chance = 0.1 + 5 / sqrt(trials);
	unsigned failed = 0;

#define LIMIT(what, value, low, high)                                                              \
	do {                                                                                       \
		if ((value) < (low) || (value) > (high)) {                                         \
			failed++;                                                                  \
			if (tell)                                                                  \
				print_message("n %lu: %s is %.3f, not %.3f to %.3f\n", n, what,    \
					value, (double)(low), (double)(high));                     \
		}                                                                                  \
	} while (0)
	for (unsigned l = 0; l < LAGS && lags[l] < n / 2; l++)
		LIMIT("chi-squared of distances", d->chi[l], -6, shuffled->chi[l] + 8);
	LIMIT("repeated steps", d->repeats, 1 - chance, 1 + chance);
	LIMIT("equal steps", d->most, 0, shuffled->most + 5);
	LIMIT("places alike", d->alike, 1 - chance, 1 + chance);
	LIMIT("steps nearby", d->near, shuffled->near - 0.2, shuffled->near + 0.2);
	LIMIT("sets in a window", d->sets, shuffled->sets - 0.2, shuffled->sets + 0.2);
	LIMIT("their spread", d->spread, shuffled->spread - 0.12, shuffled->spread + 0.12);
#undef LIMIT
	return failed;
}

static const struct {
	uint64_t n;
	unsigned trials;
} sizes[] = { { 8, 4000 }, { 9, 4000 }, { 12, 3000 }, { 16, 3000 }, { 31, 2000 }, { 32, 2000 },
	{ 33, 2000 }, { 64, 1000 }, { 100, 1000 }, { 128, 500 }, { 200, 500 }, { 256, 300 },
	{ 500, 300 }, { 512, 300 }, { 777, 200 }, { 1024, 200 }, { 4096, 12 }, { 5000, 12 },
	{ 16384, 4 }, { 40000, 3 } };

TEST(as_disordered_as_a_shuffle)
{
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct disorder shuffled = disorder_of(FISHER_YATES, sizes[i].n, sizes[i].trials);

		for (enum source s = COMPUTED; s <= VARIANTS; s++) {
			struct disorder d = disorder_of(s, sizes[i].n, sizes[i].trials);

			if (unlike(&d, &shuffled, sizes[i].n, sizes[i].trials, true))
				fail_msg("%s of %lu numbers are not as a shuffle's",
					s == COMPUTED ? "permutations" : "variants", sizes[i].n);
		}
	}
}

/* What is no disorder fails at every size from 256 on, by several statistics. */
TEST(steps_and_fewer_rounds_are_noticed)
{
	for (unsigned i = 11; i < sizeof sizes / sizeof *sizes; i++) {
		struct disorder shuffled = disorder_of(FISHER_YATES, sizes[i].n, sizes[i].trials);
		struct disorder step = disorder_of(STEP, sizes[i].n, sizes[i].trials);
		struct disorder fewer = disorder_of(FEWER_ROUNDS, sizes[i].n, sizes[i].trials);

		assert_true(unlike(&step, &shuffled, sizes[i].n, sizes[i].trials, false) >= 3);
		assert_true(unlike(&fewer, &shuffled, sizes[i].n, sizes[i].trials, false) >= 3);
	}
}
