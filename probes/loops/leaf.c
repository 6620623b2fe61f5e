/* SPDX-License-Identifier: MIT */
#include "probes/loops/leaf.h"

static LEAF uint64_t is_odd(uint64_t i)
{
	return i & 1;
}

LEAF uint64_t leaf_sum_odd_calls(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 1; i <= n; i++)
		if (is_odd(i))
			sum += i;
	return sum;
}

LEAF uint64_t leaf_sum_odd_inlined(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 1; i <= n; i++)
		if (i & 1)
			sum += i;
	return sum;
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

LEAF uint64_t leaf_factorial_memory(volatile uint64_t *fact, uint64_t n, uint64_t laps)
{
	uint64_t sum = 0;

	for (; laps > 0; laps--) {
		*fact = 1;
		for (uint64_t i = 1; i <= n; i++)
			*fact *= i;
		sum += *fact;
	}
	return sum;
}

LEAF uint64_t leaf_factorial_buffer(uint64_t *to, uint64_t n, uint64_t laps)
{
	uint64_t sum = 0;

	for (; laps > 0; laps--) {
		to[0] = 1;
		for (uint64_t i = 1; i <= n; i++)
			to[i] = i * to[i - 1];
		sum += to[n];
	}
	return sum;
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

/* On lines of their own, as loops in assembly are: where they lie decides a third of the time. */
#define STATES(name, kind)                                                                         \
	__attribute__((aligned(64))) LEAF uint64_t name(const int *data, uint64_t n,               \
		int threshold)                                                                     \
	{                                                                                          \
		kind state = 0, acc = 0;                                                           \
                                                                                                   \
		for (uint64_t i = 0; i < n; i++) {                                                 \
			int v = data[i];                                                           \
                                                                                                   \
			if (state == 0) {                                                          \
				if (v > threshold) {                                               \
					acc += v * v;                                              \
					state = 1;                                                 \
				} else {                                                           \
					acc += v;                                                  \
				}                                                                  \
			} else {                                                                   \
				if (v & 1) {                                                       \
					acc ^= v;                                                  \
					state = 0;                                                 \
				} else {                                                           \
					acc += v >> 2;                                             \
				}                                                                  \
			}                                                                          \
		}                                                                                  \
		return (uint32_t)acc;                                                              \
	}

STATES(leaf_states, int)
STATES(leaf_states_on_stack, volatile int)

#define MATMUL(order) leaf_matmul_##order
#include "probes/loops/matmul.inc"
