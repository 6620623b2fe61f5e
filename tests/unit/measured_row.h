/* SPDX-License-Identifier: MIT */
/* A row that is measured in a room where time passes in calls only, and where they are noted. */
#ifndef TESTS_UNIT_MEASURED_ROW_H
#define TESTS_UNIT_MEASURED_ROW_H

#include "engine/measure.h"
#include "tests/unit/fake_room.h"

#define OVERHEAD 30 /* ticks of the empty loop */
#define CHAIN    2048
#define VALUES   300

static struct room room;
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
	unsigned wrong_at;     /* the work whose value is wrong; 0: none */
	uint64_t switches;     /* in each timed section */
	unsigned disturbed_at; /* the work that is switched away from; 0: none */
	uint64_t base[3], bytes[3], uses[3];
	uint64_t wants; /* bytes of the arena that it needs */
	bool stop;
} script;

static void note(char c)
{
	size_t n = strlen(script.calls);

	if (n < sizeof script.calls - 1)
		script.calls[n] = c;
}

static double next_value(void)
{
	unsigned at = script.works < script.values ? script.works : script.values - 1;

	script.works++;
	return script.work[at];
}

static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	if (loop == loop_add_chain) {
		note('c');
		return (struct timed){ .ticks = script.works % 2 ? script.after : CHAIN };
	}
	if (!a[0]) {
		note('o');
		return (struct timed){ .ticks = OVERHEAD };
	}
	note('w');
	struct timed t = { .ticks = OVERHEAD + (uint64_t)next_value(), .value = 77 };

	t.value += script.works == script.wrong_at;
	fake_time += t.ticks;
	return t;
}

static void begin_timed(struct room *e, struct event_counts *q)
{
	note('(');
}

static void end_timed(struct room *e, struct event_counts *q)
{
	q->known = EVENT_SWITCHES | EVENT_MISPREDICTS;
	q->mispredicts += 7;
	q->switches += script.switches + (script.works && script.works == script.disturbed_at);
	note(')');
}

static uint64_t now(struct room *e)
{
	return fake_time;
}

static bool stop(struct room *e)
{
	return script.stop;
}

static int prepare(struct bench *bench, const struct row *of, struct job *j)
{
	struct arena arena = j->arena;
	double ops = asked.ops > 0 ? asked.ops : j->ops;
	unsigned at = script.prepared++ % 3;

	script.base[at] = (uint64_t)arena.base;
	script.bytes[at] = arena.bytes;
	script.uses[at] = bench->arena_uses;
	note('p');
	if (script.wants > arena.bytes) {
		job_alloc(bench, j, 600);
		return job_too_large(j, script.wants);
	}
	if (script.prepared == script.fails_at)
		return job_skip(j, "no room");
	if (!job_alloc(bench, j, 600))
		return -1;
	*j = asked;
	j->row = of;
	j->ops = ops;
	j->arena = arena;
	return 0;
}

static void reset(void)
{
	fake_reset(&room);
	memset(&script, 0, sizeof script);
	room.facts.tsc_hz = 2e9;
	room.call = call;
	room.now = now;
	room.stop = stop;
	room.timed_begin = begin_timed;
	room.timed_end = end_timed;
	static const struct options options = { .page = PAGE_4K };
	b = (struct bench){ .room = &room,
		.opt = &options,
		.clock_turns = 32,
		.turn_cycles = 64,
		.tsc_step_ticks = 2 };
	b.work.base = room.work;
	b.work.bytes = 1000; /* for one preparation */
	random_seed(&b.random, 1);
	row = row_new("counted", &unit_ns_op, ANSWER_CLOCK, prepare);
	asked = (struct job){ .loop = loop_chase, .args = { 1 }, .expect = 77, .ops = 10 };
	script.work[0] = 100;
	script.values = 1;
	script.after = CHAIN;
}

static double cut_ns = 1e30;

static enum measured measure(double budget_ns)
{
	b.work.used = 0; /* as after every row */
	return measure_row(&b, &row, budget_ns, cut_ns, &job, &samples, &result);
}

static void values(unsigned n, const double *ticks)
{
	memcpy(script.work, ticks, n * sizeof *ticks);
	script.values = n;
}

#define VALUES_ARE(...)                                                                            \
	values(sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double),                           \
		(const double[]){ __VA_ARGS__ })

static void expect_not(enum measured verdict, const char *why, unsigned works)
{
	assert_int_equal(verdict, measure(1e12));
	assert_string_equal(why, job.skip);
	assert_int_equal(verdict == MEASURED_WRONG, job.disproved);
	assert_int_equal(works, script.works);
}

#endif
