/* SPDX-License-Identifier: MIT */
#include "lib/permutation.h"

/* Fewer bits are not mixed well enough; a small n goes through the rounds more often instead. */
#define BITS_LEAST 8

#define GOLDEN 0x9e3779b97f4a7c15ULL /* 2^64 / golden ratio: its multiples are far apart */

/* Newton's iteration: each turn doubles the bits that are right, of which an odd x has three. */
static uint32_t inverse_of(uint32_t x)
{
	uint32_t y = x;

	for (unsigned i = 0; i < 4; i++)
		y *= 2 - x * y;
	return y;
}

static void set_numbers(struct permutation *p, uint64_t n)
{
	unsigned bits = BITS_LEAST;

	while (n > 1ULL << bits)
		bits++;
	p->n = n;
	p->mask = (uint32_t)((1ULL << bits) - 1);
	p->half = (bits + 1) / 2;
}

struct permutation permutation_draw(uint64_t n, struct random *random)
{
	struct permutation p;

	set_numbers(&p, n);
	for (unsigned i = 0; i < PERMUTATION_ROUNDS; i++) {
		uint64_t drawn = random_next(random);
		uint32_t odd = (uint32_t)(drawn >> 32) | 1;

		p.rounds[i] = (struct permutation_round){ (uint32_t)drawn, odd, inverse_of(odd) };
	}
	return p;
}

struct permutation permutation_variant(const struct permutation *p, uint64_t n, uint64_t number)
{
	struct permutation other = *p;

	set_numbers(&other, n);
	for (unsigned i = 0; i < PERMUTATION_ROUNDS; i++) {
		number = (number + 1) * GOLDEN;
		other.rounds[i].add += (uint32_t)(number >> 32);
		other.rounds[i].multiply += 2 * (uint32_t)(number >> 16);
		other.rounds[i].inverse = inverse_of(other.rounds[i].multiply);
	}
	return other;
}

uint64_t permutation_at(const struct permutation *p, uint64_t k)
{
	uint32_t x = (uint32_t)k;

	do {
		for (unsigned i = 0; i < PERMUTATION_ROUNDS; i++) {
			x = (x + p->rounds[i].add) * p->rounds[i].multiply & p->mask;
			x ^= x >> p->half;
		}
	} while (x >= p->n);
	return x;
}

/* The upper half is in its place, so that the exclusive-or with it is its own inverse. */
uint64_t permutation_place(const struct permutation *p, uint64_t number)
{
	uint32_t x = (uint32_t)number;

	do {
		for (unsigned i = PERMUTATION_ROUNDS; i--;) {
			x ^= x >> p->half;
			x = (x * p->rounds[i].inverse - p->rounds[i].add) & p->mask;
		}
	} while (x >= p->n);
	return x;
}

void permutation_list(uint32_t *out, uint64_t n, struct random *random)
{
	struct permutation p = permutation_draw(n, random);

	for (uint64_t k = 0; k < n; k++)
		out[k] = (uint32_t)permutation_at(&p, k);
}
