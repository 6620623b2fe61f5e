/* SPDX-License-Identifier: MIT */
/*
 * What the loops return, in plain C. It does not branch on the data itself: mispredictions would
 * make it slow.
 */
#include "probes/branch/branch.h"

const struct unit unit_ns_branch = { "ns/branch", SCALE_NS };

uint64_t branch_digest(const unsigned char *bytes, uint64_t n)
{
	uint64_t digest = n;

	for (uint64_t i = 0; i < n; i++)
		digest = (digest << 5 | digest >> 59) ^ bytes[i];
	return digest;
}

uint64_t branch_states_value(const unsigned char *bytes, uint64_t n)
{
	uint64_t moves = 0, state = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t next = bytes[i] != 0;

		moves += state ^ next;
		state = next;
	}
	return n - 2 * moves;
}

uint64_t branch_walk_value(const unsigned char *bytes, uint64_t n)
{
	uint64_t ones = 0;

	for (uint64_t i = 0; i < n; i++)
		ones += bytes[i] != 0;
	return 2 * ones - n;
}

/* Population count by halves (Warren, Hacker's Delight, 5-1): the baseline has no popcnt. */
static uint64_t ones_of(uint64_t x)
{
	x -= x >> 1 & 0x5555555555555555;
	x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return x * 0x0101010101010101 >> 56;
}

uint64_t branch_bits_value(const uint64_t *words, uint64_t n)
{
	uint64_t ones = 0;

	for (uint64_t i = 0; i < n; i++)
		ones += ones_of(words[i]);
	return 2 * ones - 64 * n;
}

void branch_fill_coins(struct random *r, unsigned char *bytes, uint64_t n)
{
	for (uint64_t i = 0; i < n; i += 64) {
		uint64_t coins = random_next(r);

		for (uint64_t k = i; k < n && k < i + 64; k++, coins >>= 1)
			bytes[k] = coins & 1;
	}
}
