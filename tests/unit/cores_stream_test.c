/* SPDX-License-Identifier: MIT */
/* What a CPU's stream walks: its whole part, in turn, however short it works at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probes/cores/cores_stream.h"
#include "tests/unit/fake_env.h"

#define CHUNK (256 * KIB)
#define PART  (8 * CHUNK)
#define CALLS 64

/* Where the calls began, in chunks of the part. */
static struct {
	uint64_t to[CALLS];
	unsigned n;
} seen;

static struct timed remember(struct env *env, loop_fn *loop, const uint64_t args[LOOP_ARGS])
{
	(void)loop;
	assert_true(seen.n < CALLS);
	seen.to[seen.n++] = args[0] / CHUNK;
	env->now(env);
	return (struct timed){ .ticks = 1 };
}

static uint64_t ticks; /* a look at the clock takes one */

static uint64_t tick(struct env *env)
{
	(void)env;
	return ticks++;
}

/* Works `turns` times, so long that each asks for `each` chunks. */
static void work(unsigned op, unsigned turns, unsigned each)
{
	struct env env;

	fake_reset(&env);
	env.call = remember;
	env.now = tick;
	struct options opt = { .profile = PROFILE_SMOKE };
	struct bench b = { .env = &env, .opt = &opt };
	const uint64_t end = 0;
	struct streamer s = streamer_of(&b, op, NULL, PART, &end);
	struct cpu_task task = { .b = &b, .arg = &s };

	seen.n = 0;
	s.turn_ticks = 3 * each - 1; /* the call looks at the clock, the pause and the loop do */
	for (unsigned i = 0; i < turns; i++)
		streamer_work(&task);
}

static void expect_in_turn(unsigned turns, unsigned each, unsigned chunks)
{
	assert_int_equal(turns * each, seen.n);
	for (unsigned i = 0; i < seen.n; i++)
		if (seen.to[i] != i % chunks)
			fail_msg("call %u: expected chunk %u, came %u", i, i % chunks,
				(unsigned)seen.to[i]);
}

/* Where each turn began anew, a cache would have kept what all turns walk. */
static void a_turn_goes_on_where_the_last_one_ended(void **state)
{
	(void)state;
	work(OP_READ, 5, 3);
	expect_in_turn(5, 3, 8);
}

/* Of a copy, half of the part is read: what is written goes round in the other half. */
static void a_copy_goes_round_in_half_of_its_part(void **state)
{
	(void)state;
	work(OP_COPY, 3, 3);
	expect_in_turn(3, 3, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_turn_goes_on_where_the_last_one_ended),
		cmocka_unit_test(a_copy_goes_round_in_half_of_its_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
