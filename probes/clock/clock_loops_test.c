/* SPDX-License-Identifier: MIT */
/* The loops of `clock`, run on this processor: what they return, and that their stamps move on. */
#include <limits.h>
#include <x86intrin.h>

#include "engine/room.h"
#include "probes/loops/loops.h"
#include "tests/unit/test.h"

#define SLACK 1000000 /* ticks: readings of the TSC without fences may pass one another */

static const struct {
	const char *name;
	loop_fn *loop;
} stamps[] = { { "rdtsc", loop_rdtsc }, { "rdtscp", loop_rdtscp },
	{ "lfence_rdtsc", loop_lfence_rdtsc }, { "cpuid_rdtsc", loop_cpuid_rdtsc },
	{ "scoped_timer", loop_scoped_timer } },
  divisions[] = { { "div_bare", loop_div_bare }, { "div_rdtscp", loop_div_rdtscp },
	  { "div_lfence", loop_div_lfence }, { "div_cpuid", loop_div_cpuid } };

TEST(nothing_returns_nothing)
{
	assert_int_equal(0, loop_empty(1, 2, 3, 4, 5, 6).value);
}

TEST(stamps_return_their_groups)
{
	for (unsigned i = 0; i < sizeof stamps / sizeof *stamps; i++)
		for (uint64_t n = 0; n < 100; n += 1 + n / 2) {
			struct timed t = stamps[i].loop(n, 0, 0, 0, 0, 0);

			if (t.value != n || !(t.ticks > 0))
				fail_msg("%s of %u groups: returned %u after %u ticks",
					stamps[i].name, (unsigned)n, (unsigned)t.value,
					(unsigned)t.ticks);
		}
}

/* Half of 2^64 takes so many digits that no division ends early. */
TEST(divisions_divide_thrice)
{
	const uint64_t dividend = 0x7fffffffffffffffULL;

	for (unsigned i = 0; i < sizeof divisions / sizeof *divisions; i++)
		for (uint64_t by = 1; by < 50; by++) {
			uint64_t before = __rdtsc();
			struct timed none = divisions[i].loop(dividend, by, 0, 0, 0, 0);
			struct timed all = divisions[i].loop(dividend, by, 1, 0, 0, 0);
			uint64_t most = __rdtsc() - before;

			if (none.ticks > most + SLACK || all.ticks > most + SLACK)
				fail_msg("%s by %u: %llu and %llu ticks of %llu", divisions[i].name,
					(unsigned)by, (unsigned long long)none.ticks,
					(unsigned long long)all.ticks, (unsigned long long)most);
			if (none.value != dividend || all.value != dividend / by / by / by)
				fail_msg("%s by %u: came %#llx, and %#llx without divisions",
					divisions[i].name, (unsigned)by,
					(unsigned long long)all.value,
					(unsigned long long)none.value);
		}
}

TEST(remainders_are_those_of_c)
{
	static loop_fn *const loops[] = { loop_rem3_rdtsc, loop_rem3_rdtscp, loop_rem3_fenced };
	static const int dividends[] = { INT_MAX, INT_MIN + 1, 0, 1, -1, 12345678, -7654321 };

	for (unsigned i = 0; i < 3; i++)
		for (unsigned d = 0; d < 7; d++)
			for (int y = 1; y < 100000; y = 7 * y + 3) {
				int z = y / 2 + 1, w = y % 13 + 1, x = dividends[d];
				struct timed t = loops[i]((uint32_t)x, (uint32_t)y, (uint32_t)z,
					(uint32_t)w, 0, 0);

				if (t.value != (uint32_t)(x % y % z % w) ||
					t.ticks > (uint64_t)1e12)
					fail_msg(
						"loop %u: %d %% %d %% %d %% %d: came %d after %llu "
						"ticks",
						i, x, y, z, w, (int)t.value,
						(unsigned long long)t.ticks);
			}
}

/* It is a difference of two readings, and none between them takes a second. */
TEST(a_step_is_found)
{
	uint64_t many = loop_tsc_step(4096, 0, 0, 0, 0, 0).value;

	assert_true(many > 0 && many < 1000000000);
	assert_true(loop_tsc_step(0, 0, 0, 0, 0, 0).value == UINT64_MAX);
}
