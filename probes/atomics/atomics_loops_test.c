/* SPDX-License-Identifier: MIT */
/* The loops of `atomics` by several threads; registry_loops_test.c runs them alone. */
#include <pthread.h>

#include "tests/unit/guard.h"
#include "tests/unit/loop_calls.h"

#define THREADS 3
#define MANY    20000 /* turns: threads meet in them */

static const struct proved_operation {
	const char *name;
	loop_fn *loop;
	unsigned adds; /* of four, how many add to the word */
	bool locked;   /* and each of them, whoever else does so */
} operations[] = {
	{ "add", loop_atomic_add, 4, false },
	{ "lock_add", loop_atomic_lock_add, 4, true },
	{ "lock_xadd", loop_atomic_lock_xadd, 4, true },
	{ "cas", loop_atomic_cas, 4, false },
	{ "cas_fails", loop_atomic_cas_fails, 0, false },
	{ "xchg", loop_atomic_xchg, 2, false },
	{ "store_mfence", loop_atomic_store_mfence, 4, false },
};

#define OPERATIONS (sizeof operations / sizeof *operations)

TEST(alone_no_cas_fails)
{
	for (uint64_t n = 0; n < 25; n++)
		for (unsigned side = 0; side < 2; side++) {
			uint64_t *at = (uint64_t *)guarded_side(1, 8, side);

			*at = 5 - n;
			assert_int_equal(0,
				call_kernel("retry", loop_atomic_retry, n, (uintptr_t)at, 7, 0, 0));
			assert_int_equal(5 - n + 7 * n, *at);
		}
}

static struct {
	loop_fn *loop;
	uint64_t turns;
	volatile unsigned ready;
	uint64_t word;
} met;

static void *meet(void *arg)
{
	__atomic_fetch_add(&met.ready, 1, __ATOMIC_SEQ_CST);
	while (met.ready < THREADS)
		;
	met.loop(met.turns, (uintptr_t)&met.word, 3, 0, 0, 0);
	return arg;
}

static void expect_all(const char *name, loop_fn *loop, uint64_t turns, uint64_t each)
{
	pthread_t threads[THREADS];

	met.loop = loop;
	met.turns = turns;
	met.ready = 0;
	met.word = 0;
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(0, pthread_create(&threads[i], NULL, meet, NULL));
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (met.word != THREADS * each)
		fail_msg("%s: expected %lu of %u threads, came %lu", name, THREADS * each, THREADS,
			met.word);
}

TEST(nothing_is_lost_where_several_add)
{
	for (unsigned i = 0; i < OPERATIONS; i++)
		if (operations[i].locked)
			expect_all(operations[i].name, operations[i].loop, MANY, 4ull * MANY * 3);
	expect_all("retry", loop_atomic_retry, 4 * MANY, 4ull * MANY * 3);
}
