/* SPDX-License-Identifier: MIT */
#include "probes/fisher_yates.h"

/* Constants as in probes/loops/shuffle_loops.S: Knuth's MMIX generator. */
static uint64_t next(uint64_t seed)
{
	return seed * 6364136223846793005 + 1442695040888963407;
}

static uint64_t place(uint64_t x, uint64_t n)
{
	return (uint64_t)((unsigned __int128)x * n >> 64);
}

uint64_t fisher_yates(uint64_t *array, uint64_t n, uint64_t seed)
{
	uint64_t sum = 0;

	for (; n > 1; n--) {
		seed = next(seed);
		uint64_t at = place(seed, n), keep = array[n - 1];

		array[n - 1] = array[at];
		array[at] = keep;
		sum += at;
	}
	return sum;
}

uint64_t fisher_yates_sum(uint64_t n, uint64_t seed)
{
	uint64_t sum = 0;

	for (; n > 1; n--) {
		seed = next(seed);
		sum += place(seed, n);
	}
	return sum;
}

uint64_t fisher_yates_mark(const uint64_t *array, uint64_t n)
{
	uint64_t mark = n;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t x = (array[i] ^ array[i] >> 31) * 0xbf58476d1ce4e5b9;

		mark += x ^ x >> 29;
	}
	return mark;
}
