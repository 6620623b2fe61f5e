/* SPDX-License-Identifier: MIT */
/* Work that a run which is to end leaves where it is. No test looks at how long that takes. */
#include "linux/abandon.c"
#include "tests/unit/test.h"

static volatile unsigned calls, loops;
static volatile bool allowed_too_early;

BEFORE_EACH(reset)
{
	calls = loops = 0;
	allowed_too_early = false;
	here.due = here.working = here.forbidden = 0;
	assert_int_equal(0, abandon_init());
}

static void returns(void *arg)
{
	calls++;
}

/* Returns only if it is abandoned. */
static void goes_on(void *arg)
{
	calls++;
	abandon_soon();
	for (;;)
		loops++;
}

TEST(work_that_ends_is_not_abandoned)
{
	assert_int_equal(0, abandon_call(returns, NULL));
	assert_int_equal(1, calls);
	assert_int_equal(0, abandon_due());
}

TEST(work_that_goes_on_is_left)
{
	assert_int_equal(-1, abandon_call(goes_on, NULL));
	assert_int_equal(1, calls);
	assert_true(loops > 0);
	assert_int_equal(1, abandon_due());
	assert_int_equal(-1, abandon_call(returns, NULL)); /* nothing is begun any more */
	assert_int_equal(1, calls);
}

/* The signal comes where nothing is under way: it holds for what would come next. */
TEST(work_is_not_begun_too_late)
{
	raise(SIGUSR2);
	assert_int_equal(1, abandon_due());
	assert_int_equal(-1, abandon_call(returns, NULL));
	assert_int_equal(0, calls);
}

static void holds_a_lock(void)
{
	NOT_ABANDONED;

	abandon_soon();
	while (!abandon_due())
		;
	calls++; /* the signal was here, and this function still returns */
}

static void calls_one_that_does(void *arg)
{
	NOT_ABANDONED;

	holds_a_lock();
	calls++; /* it was not the outermost one */
}

static void works(void *arg)
{
	calls_one_that_does(arg);
	allowed_too_early = true;
}

TEST(what_must_not_be_left_returns_first)
{
	assert_int_equal(-1, abandon_call(works, NULL));
	assert_int_equal(2, calls);
	assert_false(allowed_too_early);
	assert_int_equal(0, here.forbidden);
}

static void other_goes_on(void *arg)
{
	calls++;
	for (;;)
		loops++;
}

static void *other(void *came)
{
	*(int *)came = abandon_call(other_goes_on, NULL);
	return NULL;
}

/* Before it began, or in the middle of it: it ends. */
TEST(another_thread_leaves_its_work)
{
	for (unsigned wait = 0; wait < 2; wait++) {
		pthread_t thread;
		int came = 99;

		loops = 0;
		assert_int_equal(0, pthread_create(&thread, NULL, other, &came));
		while (wait && !loops)
			;
		abandon_thread(thread);
		assert_int_equal(0, pthread_join(thread, NULL));
		assert_int_equal(-1, came);
		assert_int_equal(0, abandon_due()); /* this one goes on */
	}
}
