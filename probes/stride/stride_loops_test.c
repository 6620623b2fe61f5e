/* SPDX-License-Identifier: MIT */
/* The strided copy, the touch of pages and the shuffle, against plain C. */
#include "probes/shuffle/shuffle.c"
#include "tests/unit/guard.h"
#include "tests/unit/loop_calls.h"

static unsigned char *to, *from;

static void stride_one(uint64_t stride, uint64_t count)
{
	size_t bytes = count ? (count - 1) * stride + 1 : 0;
	unsigned char *t = guarded_end(to, bytes), *f = guarded_end(from, bytes);

	memset(to, 0xee, GUARD_MOST);
	for (size_t i = 0; i < GUARD_MOST; i++)
		from[i] = test_byte(i) | 1;
	uint64_t got = call_kernel("stride_copy", loop_stride_copy, (uintptr_t)t, (uintptr_t)f,
		stride, count, 2);

	if (got != 2 * count * stride)
		fail_msg("stride_copy %lu x %lu returned %lu", count, stride, got);
	for (size_t i = 0; i < GUARD_MOST; i++) {
		size_t at = (size_t)(to + i - t);
		int touched = to + i >= t && at % stride == 0;

		if (to[i] != (touched ? f[at] : 0xee))
			fail_msg("stride_copy %lu x %lu: byte %zu is %#x "
				 "(probes/stride/stride_loops.S)",
				count, stride, i, to[i]);
	}
}

TEST(strides)
{
	static const uint64_t list[] = { 1, 2, 15, 16, 63, 64, 65, 127, 255, 4095, 4096 };

	for (unsigned s = 0; s < sizeof list / sizeof *list; s++)
		for (uint64_t count = 0; count < 40 && count * list[s] < GUARD_MOST; count++)
			stride_one(list[s], count);
}

/* One byte in each of n places, and no other. */
static void touch_one(uint64_t stride, uint64_t count)
{
	unsigned char *t = guarded_end(to, count ? (count - 1) * stride + 1 : 0);

	memset(to, 0xee, GUARD_MOST);
	uint64_t got = call_kernel("touch", loop_touch, (uintptr_t)t, count, stride, 0, 0);

	if (got != count)
		fail_msg("touch of %lu places, %lu apart: returned %lu "
			 "(probes/bytouch/touch_loops.S)",
			count, stride, got);
	for (size_t i = 0; i < GUARD_MOST; i++) {
		int touched = to + i >= t && (size_t)(to + i - t) % stride == 0;

		if (to[i] != (touched ? 1 : 0xee))
			fail_msg("touch of %lu places, %lu apart: byte %zu is %#x", count, stride,
				i, to[i]);
	}
}

TEST(touches)
{
	for (uint64_t count = 0; count < 40; count++) {
		touch_one(1, count);
		touch_one(4095, count);
		touch_one(4096, count);
	}
}

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
	uint32_t *array = (uint32_t *)guarded_end(to, n * 4), *twin = (uint32_t *)from;

	for (uint64_t i = 0; i < n; i++)
		array[i] = twin[i] = (uint32_t)i * 3 + 1;
	uint64_t sum = fisher_yates(twin, n, seed);

	if (sum != fisher_yates_sum(n, seed))
		fail_msg("fisher_yates_sum(%lu) differs from fisher_yates", n);
	uint64_t got = call_kernel("shuffle", loop_shuffle, (uintptr_t)array, n, seed, 0, 0);

	if (got != sum)
		fail_msg("shuffle of %lu: %#lx, plain C %#lx (probes/shuffle/shuffle_loops.S)", n,
			got, sum);
	if (memcmp(array, twin, n * 4))
		fail_msg("shuffle of %lu left another order than plain C", n);
	if (fisher_yates_mark(array, n) != fisher_yates_mark(twin, n))
		fail_msg("the mark of %lu equal elements differs", n);
	if (n > 1 && (array[0] ^= 1, fisher_yates_mark(array, n) == fisher_yates_mark(twin, n)))
		fail_msg("the mark of %lu does not see a changed element", n);
}

TEST(shuffles)
{
	for (uint64_t n = 0; n < 70; n++)
		shuffle_one(n, n * 77 + 1);
	for (uint64_t n = 70; n < 32000; n = n * 3 + 1)
		shuffle_one(n, n);
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

BEFORE_ALL(make_buffers)
{
	to = guarded();
	from = guarded();
}
