/* SPDX-License-Identifier: MIT */
/* Independent accesses through an index, against plain C. */
#include "lib/math.h"
#include "tests/unit/guard.h"
#include "tests/unit/loop_calls.h"

#define PATTERN 0x8877665544332211ULL

static unsigned char *buffer, *index_space;

/* n distinct places of the width at the end of both guarded buffers, shuffled. */
static uint32_t *make_index(size_t n, unsigned width, unsigned char **base)
{
	uint32_t *index = (uint32_t *)guarded_end(index_space, n * sizeof(uint32_t));
	struct random random;

	random_seed(&random, n);
	*base = guarded_end(buffer, n * width);
	for (size_t i = 0; i < n; i++)
		index[i] = (uint32_t)(i * width);
	for (size_t i = n; i > 1; i--) {
		size_t j = random_below(&random, i);
		uint32_t keep = index[i - 1];

		index[i - 1] = index[j];
		index[j] = keep;
	}
	return index;
}

static uint64_t expected(const unsigned char *base, const uint32_t *index, size_t n, unsigned width)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < width; k += 8) {
			uint64_t word = 0;

			memcpy(&word, base + index[i] + k, width == 4 ? 4 : 8);
			sum += word;
		}
	return sum;
}

static const size_t counts[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17, 31, 32, 33, 47, 63, 64,
	65, 100, 255, 1000, 1023, 4095 };

TEST(reads)
{
	for (size_t i = 0; i < GUARD_MOST; i++)
		buffer[i] = test_byte(i);
	for (unsigned w = 0; w < WIDTHS && can_run(&widths[w]); w++)
		for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
			for (uint64_t passes = 0; passes < 3; passes++) {
				unsigned char *base;
				unsigned width = widths[w].bits / 8;
				uint32_t *index = make_index(counts[i], width, &base);
				uint64_t sum = passes * expected(base, index, counts[i], width);
				uint64_t got = call_kernel("random_read", widths[w].random_read,
					(uintptr_t)base, (uintptr_t)index, counts[i], passes, 0);

				if (got != (width == 4 ? (uint32_t)sum : sum))
					fail_msg("random_read_%u of %zu, %lu passes: %#lx, plain C "
						 "%#lx "
						 "(probes/loops/random_loops.S)",
						widths[w].bits, counts[i], passes, got, sum);
			}
}

/* Every second place is written: the others and all outside stay. */
static void write_one(const struct width *w, size_t n)
{
	unsigned char *base;
	unsigned width = w->bits / 8;
	uint32_t *index = make_index(n, width, &base);
	uint64_t sum = 0;
	size_t half = n / 2;

	for (size_t i = 0; i < GUARD_MOST; i++)
		buffer[i] = test_byte(i);
	for (size_t i = 0; i < half; i++)
		sum += index[i];
	uint64_t got = call_kernel("random_write", w->random_write, (uintptr_t)base,
		(uintptr_t)index, half, 2, PATTERN);

	if (got != 2 * sum)
		fail_msg("random_write_%u of %zu: %#lx, plain C %#lx", w->bits, half, got, 2 * sum);
	for (size_t i = 0; i < half; i++) {
		if (!streams_filled(base + index[i], width, width == 4 ? 32 : 64, PATTERN))
			fail_msg("random_write_%u of %zu: place %zu lacks the pattern", w->bits,
				half, i);
		for (unsigned k = 0; k < width; k++)
			base[index[i] + k] = test_byte((size_t)(base - buffer) + index[i] + k);
	}
	for (size_t i = 0; i < GUARD_MOST; i++)
		if (buffer[i] != test_byte(i))
			fail_msg("random_write_%u of %zu wrote elsewhere, at %zu", w->bits, half,
				i);
}

TEST(writes)
{
	for (unsigned w = 0; w < WIDTHS && can_run(&widths[w]); w++)
		for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
			write_one(&widths[w], counts[i]);
}

BEFORE_ALL(make_buffers)
{
	buffer = guarded();
	index_space = guarded();
}
