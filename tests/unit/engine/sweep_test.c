/* SPDX-License-Identifier: MIT */
/* The sizes at which a sweep measures. */
#include "tests/unit/fake_room.h"

static struct options options;
static struct room room;
static struct bench b;

BEFORE_EACH(reset)
{
	options = (struct options){ .profile = PROFILE_DEFAULT };
	fake_reset(&room);
	b = (struct bench){ .opt = &options, .room = &room };
}

static uint32_t cache_mib; /* of level 3: 16 ways of 64 bytes */

static struct cpuid of_cache(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	if (leaf == 0)
		return (struct cpuid){ 4, 0x756e6547, 0x6c65746e, 0x49656e69 };
	if (leaf == 4 && subleaf == 0)
		return (struct cpuid){ 3 | 3 << 5, 15u << 22 | 63, cache_mib * 1024 - 1, 0 };
	return (struct cpuid){ 0 };
}

/* And to a gigabyte at least, but to no more than there is. */
TEST(sweeps_go_to_four_times_the_largest_cache)
{
	room.cpuid = of_cache;
	b.arena.bytes = 16 * GIB;
	cache_mib = 252;
	assert_int_equal(GIB, sweep_limit(&b));
	cache_mib = 504;
	assert_int_equal(4 * 504 * MIB, sweep_limit(&b));
	room.facts.memory_bytes = 4 * GIB;
	assert_int_equal(GIB, sweep_limit(&b));
	b.arena.bytes = 512 * MIB;
	assert_int_equal(448 * MIB, sweep_limit(&b));
}

typedef unsigned sweep_fn(const struct bench *, uint64_t from, uint64_t to, uint64_t round,
	uint64_t out[SIZES_MOST]);

static void expect_sizes(const char *expected, sweep_fn *make, uint64_t from, uint64_t to,
	uint64_t round)
{
	uint64_t out[SIZES_MOST];
	unsigned n = make(&b, from, to, round, out);
	char came[512] = "";

	for (unsigned i = 0; i < n; i++)
		snprintf(came + strlen(came), sizeof came - strlen(came), "%s%lu", i ? " " : "",
			out[i]);
	if (strcmp(expected, came))
		fail_msg("%lu..%lu in steps of %lu: expected '%s', came '%s'", from, to, round,
			expected, came);
}

TEST(sizes_of_a_sweep)
{
	uint64_t out[SIZES_MOST];

	expect_sizes("64 128 192 256 384 512", sweep, 64, 512, 64);
	expect_sizes("64 128 256 512", sweep_coarse, 64, 512, 64);
	expect_sizes("64 128 192 256 384", sweep, 16, 511, 64);
	expect_sizes("1 2 4 5 8", sweep, 1, 8, 1);
	expect_sizes("", sweep, 9, 8, 1);
	options.profile = PROFILE_SMOKE;
	expect_sizes("64 128 256 512", sweep, 64, 512, 64);
	expect_sizes("128 192 384 832", sweep, 100, 1000, 64); /* rounded */
	expect_sizes("100 200 400 800", sweep, 100, 1000, 1);
	expect_sizes("64 128 256 512", sweep_coarse, 64, 512, 64);
	options.profile = PROFILE_FULL;
	expect_sizes("64 128 192 256 320 384 448 512", sweep, 64, 512, 64);
	expect_sizes("64 128 192 256 384 512", sweep_coarse, 64, 512, 64);
	assert_int_equal(SIZES_MOST, sweep(&b, 1024, (1ULL << 42) - 1, 64, out));
	assert_int_equal(1ULL << 41, out[SIZES_MOST - 4]);
	expect_broken("n < SIZES_MOST", sweep(&b, 1024, 1ULL << 42, 64, out));
}

/* The user's bounds are of buffers, not of counts. */
TEST(bounds_of_the_user)
{
	options.smallest = 128;
	options.largest = 256;
	expect_sizes("128 192 256", sweep, 64, 512, 64);
	expect_sizes("256", sweep, 256, 512, 64);
	expect_sizes("1 2 4 5 8", sweep, 1, 8, 1);
	options.largest = 1024;
	expect_sizes("128 192 256 384 512", sweep, 64, 512, 64);
	options.smallest = 150;
	options.largest = 500;
	expect_sizes("150 212 300 424", sweep, 100, 1000, 2);
}
