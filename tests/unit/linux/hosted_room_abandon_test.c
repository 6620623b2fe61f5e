/* SPDX-License-Identifier: MIT */
/* The measuring thread leaves its work, and so do the threads that work for it on other CPUs. */
#include "linux/hosted_room.c"
#include "tests/unit/test.h"

static struct hosted h;
static struct cpu_location cpus[3];
static struct worker workers[3];
static volatile bool works_there[3], here_works;

BEFORE_EACH(make_room)
{
	unsigned cpu = first_cpu();

	for (unsigned i = 0; i < 3; i++)
		cpus[i].id = cpu;
	memset(workers, 0, sizeof workers);
	h = (struct hosted){ .workers = workers, .room.priv = &h };
	h.room.facts.cpus = 3;
	h.room.facts.topology = cpus;
	assert_int_equal(0, abandon_init());
}

static void goes_on_there(void *works)
{
	*(volatile bool *)works = true;
	for (;;)
		;
}

static void returns(void *arg)
{
	here_works = true;
}

/* All three go on until they are left. */
static void goes_on_everywhere(void *arg)
{
	struct room *room = arg;

	for (unsigned cpu = 1; cpu < 3; cpu++) {
		assert_int_equal(0,
			hosted_run_on(room, cpu, goes_on_there, (void *)&works_there[cpu]));
		while (!works_there[cpu])
			;
	}
	abandon_soon();
	for (;;)
		;
}

TEST(a_worker_ends_by_itself)
{
	assert_int_equal(0, hosted_abandonable(&h.room, returns, NULL));
	assert_true(here_works);
	here_works = false;
	assert_int_equal(0, hosted_run_on(&h.room, 1, returns, NULL));
	assert_int_equal(0, hosted_run_wait(&h.room, 1));
	assert_true(here_works);
}

/* From here on this thread begins nothing any more. */
TEST(all_threads_leave_their_work)
{
	assert_int_equal(-1, hosted_abandonable(&h.room, goes_on_everywhere, &h.room));
	for (unsigned cpu = 1; cpu < 3; cpu++)
		assert_false(workers[cpu].running);
}

TEST(a_wait_for_what_goes_on_ends)
{
	assert_true(abandon_due());
	assert_int_equal(0, hosted_run_on(&h.room, 1, goes_on_there, (void *)&works_there[1]));
	assert_int_equal(-1, hosted_run_wait(&h.room, 1));
	assert_false(workers[1].running);
}
