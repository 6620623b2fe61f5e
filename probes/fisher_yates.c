/* SPDX-License-Identifier: MIT */
#include "probes/fisher_yates.h"

/* As in probes/loops/shuffle_loops.S: Lemire's generator, Weyl's sequence by the golden ratio. */
static uint64_t next(uint64_t seed)
{
	return seed + 0x9e3779b97f4a7c15;
}

static uint64_t place(uint64_t x, uint64_t n)
{
	return (uint64_t)((unsigned __int128)x * n >> 64);
}

uint64_t fisher_yates(uint32_t *array, uint64_t n, uint64_t seed)
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

uint64_t fisher_yates_sum(uint64_t n, uint64_t seed)
{
	uint64_t sum = 0;

	for (; n > 1; n--) {
		seed = next(seed);
		sum += place(seed, n);
	}
	return sum;
}

uint64_t fisher_yates_mark(const uint32_t *array, uint64_t n)
{
	uint64_t mark = n;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t x = (array[i] + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;

		mark += x ^ x >> 29;
	}
	return mark;
}
