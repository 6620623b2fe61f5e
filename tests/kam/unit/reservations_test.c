/* SPDX-License-Identifier: MIT */
/* When a resource is free: against a calendar that is searched cycle by cycle. */
#include "tests/kam/cpu/reservations.h"
#include "tests/unit/test.h"

#define CYCLES (1 << 18)

/* The number of units taken in each cycle. */
static unsigned char taken[CYCLES];

static uint64_t first_free(uint64_t from, uint64_t duration, uint64_t capacity)
{
	uint64_t start = from, t;

	for (t = start; t < start + duration; t++)
		if (taken[t] >= capacity)
			start = t + 1;
	return start;
}

static uint64_t below(uint64_t *random, uint64_t n)
{
	*random = *random * 6364136223846793005ull + 1442695040888963407ull;
	return (*random >> 33) % n;
}

/* Requests `apart` cycles from each other, up to `ahead` of now, that last up to `longest`. */
static void compare(uint64_t capacity, uint64_t apart, uint64_t ahead, uint64_t longest)
{
	uint64_t now = 0, random = capacity, from, duration, start, expected, t;
	struct reservations r;

	memset(taken, 0, sizeof(taken));
	reservations_init(&r, capacity, &now);
	while (now < CYCLES / 2) {
		from = now + below(&random, ahead + 1);
		duration = 1 + below(&random, longest);
		expected = first_free(from, duration, capacity);
		start = reserve(&r, from, duration);
		assert_int_equal(start, expected);
		for (t = start; t < start + duration; t++)
			taken[t]++;
		now += below(&random, 2 * apart + 1);
	}
	reservations_free(&r);
}

/* Far below what the units allow, at it, and beyond. */
TEST(test_against_a_calendar)
{
	compare(10, 300, 0, 600);
	compare(10, 100, 2000, 600);
	compare(10, 40, 500, 600);
	compare(10, 31, 5000, 600);
	compare(1, 40, 200, 60);
	compare(2, 400, 20000, 600);
	compare(200, 2, 3000, 600);
}

/* A chase: each begins where the one before ended, far ahead of now, then all at once. */
TEST(test_long_chain)
{
	uint64_t now = 0, from = 0, i;
	struct reservations r;

	reservations_init(&r, 4, &now);
	for (i = 0; i < 3000; i++, from += 270)
		assert_int_equal(reserve(&r, from, 270), from);
	assert_int_equal(reserve(&r, 100, 270), 100);
	assert_int_equal(reserve(&r, 100, 270), 100);
	assert_int_equal(reserve(&r, 100, 270), 100);
	assert_int_equal(reserve(&r, 100, 270), 370);
	reservations_free(&r);
}
