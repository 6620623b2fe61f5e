/* SPDX-License-Identifier: MIT */
#include "probes/loops/leaf.h"

static LEAF uint64_t is_odd(uint64_t word)
{
	return word & 1;
}

LEAF uint64_t leaf_count_odd_calls(const uint64_t *words, uint64_t n)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < n; i++)
		count += is_odd(words[i]);
	return count;
}

LEAF uint64_t leaf_count_odd_inlined(const uint64_t *words, uint64_t n)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < n; i++)
		count += words[i] & 1;
	return count;
}

/* Static, and exported under another name: a call of a global function would need a relocation. */
static LEAF uint64_t factorial(uint64_t n)
{
	return n < 1 ? 1 : n * factorial(n - 1);
}

uint64_t leaf_factorial_calls(uint64_t n) __attribute__((alias("factorial")));

LEAF uint64_t leaf_factorial_loop(uint64_t n)
{
	uint64_t product = 1;

	for (; n > 0; n--)
		product *= n;
	return product;
}

LEAF uint64_t leaf_factorials_calls(uint64_t *to, uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 1; i <= n; i++)
		sum += to[i - 1] = factorial(i);
	return sum;
}

LEAF uint64_t leaf_factorials_loop(uint64_t *to, uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 1; i <= n; i++) {
		uint64_t product = 1;

		for (uint64_t k = 1; k <= i; k++)
			product *= k;
		sum += to[i - 1] = product;
	}
	return sum;
}

static uint64_t last_bits(const struct matmul *m)
{
	union {
		double value;
		uint64_t bits;
	} last = { m->c[m->rows * m->n - 1] };

	return last.bits;
}

LEAF uint64_t leaf_matmul_ijk(const struct matmul *m)
{
	uint64_t n = m->n;

	for (uint64_t i = 0; i < m->rows; i++)
		for (uint64_t j = 0; j < n; j++) {
			double sum = 0;

			for (uint64_t k = 0; k < n; k++)
				sum += m->a[i * n + k] * m->b[k * n + j];
			m->c[i * n + j] = sum;
		}
	return last_bits(m);
}

LEAF uint64_t leaf_matmul_ikj(const struct matmul *m)
{
	uint64_t n = m->n;

	for (uint64_t i = 0; i < m->rows; i++) {
		double *c = m->c + i * n;

		for (uint64_t j = 0; j < n; j++)
			c[j] = 0;
		for (uint64_t k = 0; k < n; k++) {
			const double *b = m->b + k * n;
			double a = m->a[i * n + k];

			for (uint64_t j = 0; j < n; j++)
				c[j] += a * b[j];
		}
	}
	return last_bits(m);
}
