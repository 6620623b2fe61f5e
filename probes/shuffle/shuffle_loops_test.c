/* SPDX-License-Identifier: MIT */
/* The shuffle of few elements, which no row has, against plain C, beside a page that faults. */
#include "probes/shuffle/shuffle.c"
#include "tests/unit/guard.h"
#include "tests/unit/loop_calls.h"

/* Shuffles; returns the sum of the places chosen. */
static uint64_t fisher_yates(uint32_t *array, uint64_t n, uint64_t seed)
{
	uint64_t sum = 0;

	for (; n > 1; n--) {
		seed = next(seed);
		uint64_t at = place(seed, n);
		uint32_t keep = array[n - 1];

		array[n - 1] = array[at];
		array[at] = keep;
		sum += at;
	}
	return sum;
}

static void shuffle_one(uint64_t n, uint64_t seed)
{
	uint32_t *array = (uint32_t *)guarded_side(0, n * 4, n & 1), twin[70];

	for (uint64_t i = 0; i < n; i++)
		array[i] = twin[i] = (uint32_t)i * 3 + 1;
	uint64_t sum = fisher_yates(twin, n, seed);

	assert_int_equal(sum, fisher_yates_sum(n, seed));
	assert_int_equal(sum,
		call_kernel("shuffle", loop_shuffle, (uintptr_t)array, n, seed, 0, 0));
	if (memcmp(array, twin, n * 4) || fisher_yates_mark(array, n) != fisher_yates_mark(twin, n))
		fail_msg("shuffle of %lu left another order than plain C, or another mark", n);
	if (n > 1 && (array[0] ^= 1, fisher_yates_mark(array, n) == fisher_yates_mark(twin, n)))
		fail_msg("the mark of %lu does not see a changed element", n);
}

TEST(few_are_shuffled)
{
	for (uint64_t n = 0; n < 70; n++)
		shuffle_one(n, n * 77 + 1);
}

/*
 * Every place is chosen equally often. Not every order is: the places of one shuffle follow each
 * other in Weyl's sequence.
 */
TEST(places_are_even)
{
	unsigned count[7] = { 0 };

	for (uint64_t seed = 0; seed < 70000; seed++) {
		uint32_t a[7] = { 0, 1, 2, 3, 4, 5, 6 };

		fisher_yates(a, 7, seed * seed * 0xd6e8feb86659fd93);
		count[a[6]]++;
	}
	for (unsigned i = 0; i < 7; i++)
		if (count[i] < 9500 || count[i] > 10500)
			fail_msg("place %u was chosen %u times in 70000", i, count[i]);
}
