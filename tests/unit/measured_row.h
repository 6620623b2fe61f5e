/* SPDX-License-Identifier: MIT */
/* A row that is measured in a room where time passes in calls only, and where they are noted. */
#ifndef TESTS_UNIT_MEASURED_ROW_H
#define TESTS_UNIT_MEASURED_ROW_H

#include "engine/measure.h"
#include "engine/plan.h"
#include "engine/probe_api.h"
#include "tests/unit/fake_env.h"
#include "tests/unit/near.h"

#define OVERHEAD 30 /* ticks of the empty loop */
#define CHAIN    2048
#define VALUES   300

static struct env env;
static struct bench b;
static struct row row;
static struct job job, asked; /* asked: what the row's preparation makes of its job */
static struct samples samples;
static struct result result;

static struct {
	char calls[4096]; /* one letter each, in order */
	unsigned prepared, works, fails_at;
	double work
		[VALUES]; /* ticks beyond the overhead, or a sampler's value; then the last one */
	unsigned values;
	uint64_t after; /* ticks of the clock's chain after the work */
	bool memory_is_wrong;
	unsigned wrong_at; /* the work whose value is wrong; 0: none */
	uint64_t switches; /* in each timed section */
	uint64_t base[3], bytes[3], uses[3];
	bool stop;
} room;

static void note(char c)
{
	size_t n = strlen(room.calls);

	if (n < sizeof room.calls - 1)
		room.calls[n] = c;
}

static double next_value(void)
{
	unsigned at = room.works < room.values ? room.works : room.values - 1;

	room.works++;
	return room.work[at];
}

static struct timed call(struct env *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	(void)e;
	if (loop == loop_add_chain) {
		note('c');
		return (struct timed){ .ticks = room.works % 2 ? room.after : CHAIN };
	}
	if (!a[0]) {
		note('o');
		return (struct timed){ .ticks = OVERHEAD };
	}
	note('w');
	struct timed t = { .ticks = OVERHEAD + (uint64_t)next_value(), .value = 77 };

	t.value += room.works == room.wrong_at;
	fake_time += t.ticks;
	return t;
}

static void begin_timed(struct env *e, struct event_counts *q)
{
	(void)e;
	(void)q;
	note('(');
}

static void end_timed(struct env *e, struct event_counts *q)
{
	(void)e;
	q->known = EVENT_SWITCHES;
	q->switches += room.switches;
	note(')');
}

static uint64_t now(struct env *e)
{
	(void)e;
	return fake_time;
}

static bool stop(struct env *e)
{
	(void)e;
	return room.stop;
}

static int prepare(struct bench *bench, const struct row *of, struct job *j)
{
	struct arena arena = j->arena;
	double ops = asked.ops > 0 ? asked.ops : j->ops;
	unsigned at = room.prepared++ % 3;

	room.base[at] = (uint64_t)arena.base;
	room.bytes[at] = arena.bytes;
	room.uses[at] = bench->arena_uses;
	note('p');
	if (room.prepared == room.fails_at)
		return job_skip(j, "no room");
	if (!job_alloc(bench, j, 600))
		return -1;
	*j = asked;
	j->row = of;
	j->ops = ops;
	j->arena = arena;
	return 0;
}

static int reset(void **state)
{
	(void)state;
	fake_reset(&env);
	memset(&room, 0, sizeof room);
	env.facts.tsc_hz = 2e9;
	env.call = call;
	env.now = now;
	env.stop = stop;
	env.timed_begin = begin_timed;
	env.timed_end = end_timed;
	static const struct options options = { .page = PAGE_4K };
	b = (struct bench){ .env = &env,
		.opt = &options,
		.clock_turns = 32,
		.turn_cycles = 64,
		.tsc_step_ticks = 2 };
	b.work.base = env.work;
	b.work.bytes = 1000; /* for one preparation */
	random_seed(&b.random, 1);
	row = row_new("counted", &unit_ns_op, RANK_MAIN, prepare);
	asked = (struct job){ .loop = loop_chase, .args = { 1 }, .expect = 77, .ops = 10 };
	room.work[0] = 100;
	room.values = 1;
	room.after = CHAIN;
	return 0;
}

static enum measured measure(double budget_ns)
{
	b.work.used = 0; /* as after every row */
	return measure_row(&b, &row, budget_ns, &job, &samples, &result);
}

static void values(unsigned n, const double *ticks)
{
	memcpy(room.work, ticks, n * sizeof *ticks);
	room.values = n;
}

#define VALUES_ARE(...)                                                                            \
	values(sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double),                           \
		(const double[]){ __VA_ARGS__ })

static void expect_not(enum measured verdict, const char *why, unsigned works)
{
	assert_int_equal(verdict, measure(1e12));
	assert_string_equal(why, job.skip);
	assert_int_equal(verdict == MEASURED_WRONG, job.disproved);
	assert_int_equal(works, room.works);
}

#endif
