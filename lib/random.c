/* SPDX-License-Identifier: MIT */
#include "lib/random.h"

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
