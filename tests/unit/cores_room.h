/* SPDX-License-Identifier: MIT */
/*
 * Rows of several CPUs, sampled in a room of eight CPUs on two nodes, each of which works in its
 * turn: what each CPU does, in order, and the number that comes of it.
 */
#ifndef TESTS_UNIT_CORES_ROOM_H
#define TESTS_UNIT_CORES_ROOM_H

#include "lib/jsonl_write.h"
#include "probes/cores/cores_parts.h"
#include "tests/unit/fake_room.h"

#define CPUS       8
#define BYTES      (4 * MIB)  /* of a last cache's CPUs, or for one row of a node */
#define NODE_BYTES (16 * MIB) /* that a node has */
#define LEFT       0x41       /* bytes that an earlier row has left */

static struct room room;
static struct options options;
static struct bench b;
static struct plan plan;
static struct job job;
static struct sample sample;
static unsigned char *memory_of[2]; /* by node */

static struct {
	char did[2048]; /* "CPU:what " in order; a stream is noted once */
	char last[64];
	unsigned cpu; /* at work */
	struct cpu_task *started[CPUS];
	void (*begin[CPUS])(void *);
	unsigned deaf;  /* a CPU that does not answer; 0: none */
	double adds[2]; /* ticks of an add before and after the first chase */
	bool chased;
	uint64_t chased_at;
	uint64_t *end;               /* of the stream at work, */
	unsigned streams, most;      /* its calls, and the last one before it is told to end */
	uint64_t from, to;           /* the lowest and the highest byte that was read */
	uint64_t hops[2], hop_ticks; /* values of both sides, and how long they took */
	uint64_t slower[3];          /* by so much, in turn */
	unsigned bounces;
	uint64_t line, flushed;
} eight;

static void note(const char *what, uint64_t number)
{
	char text[64];
	size_t used = strlen(eight.did);

	snprintf(text, sizeof text, number ? "%u:%s-%llu " : "%u:%s ", eight.cpu, what,
		(unsigned long long)number);
	if (!strcmp(text, eight.last) && strstr(text, "stream"))
		return;
	strcpy(eight.last, text);
	snprintf(eight.did + used, sizeof eight.did - used, "%s", text);
}

/* A task with a limit of calls is a stream. */
static void let_work(unsigned cpu)
{
	struct cpu_task *task = eight.started[cpu];

	eight.started[cpu] = NULL;
	if (!task)
		return;
	if (eight.most)
		eight.end = (uint64_t *)(uintptr_t)((struct streamer *)task->arg)->end;
	eight.cpu = cpu;
	eight.streams = 0;
	eight.begin[cpu](task);
	eight.cpu = 0;
}

static int run_on(struct room *e, unsigned cpu, void (*begin)(void *), void *arg)
{
	note("starts", cpu);
	if (cpu == eight.deaf)
		return -1;
	eight.started[cpu] = arg;
	eight.begin[cpu] = begin;
	eight.started[cpu]->ready = 1;
	return 0;
}

static int run_wait(struct room *e, unsigned cpu)
{
	let_work(cpu);
	return 0;
}

/* Let the CPUs read now that must read until this one has chased. */
static void let_others_read(void)
{
	for (unsigned cpu = 1; eight.most && cpu < CPUS; cpu++)
		if (eight.started[cpu]) {
			let_work(cpu);
			*eight.end = 0;
		}
}

/* CPU n moves 1 + n bytes a tick. */
static struct timed stream(uint64_t from, uint64_t bytes)
{
	note("stream", bytes);
	eight.from = from < eight.from ? from : eight.from;
	eight.to = from + bytes > eight.to ? from + bytes : eight.to;
	if (eight.end && ++eight.streams == eight.most)
		*eight.end = 1;
	return (struct timed){ .ticks = bytes / (1 + eight.cpu) };
}

static struct timed adds(loop_fn *loop, uint64_t rounds)
{
	bool twice = loop == loop_add_chain_double;

	note(twice ? "twice" : "adds", rounds);
	return (struct timed){
		.ticks = (uint64_t)((twice ? 128 : 64) * (double)rounds * eight.adds[eight.chased]),
	};
}

static struct timed bounce(const uint64_t a[LOOP_ARGS])
{
	note(a[1] ? "second" : "first", a[2]);
	assert_int_equal(1 << 28, a[3]); /* looks at the line before it gives up */
	eight.line = a[0];
	return (struct timed){
		.ticks = (eight.hop_ticks + eight.slower[eight.bounces++ / 2 % 3]) * a[2] +
			41 * a[1],
		.value = eight.hops[a[1]],
	};
}

static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct timed t = { 0 };

	if (loop == loop_chase) {
		eight.chased_at = fake_time;
		let_others_read();
		note("chase", 0);
		eight.chased = true;
		return fake_call(e, loop, a);
	}
	if (loop == loop_flush) {
		note("flush", 0);
		assert_int_equal(1, a[1]);
		eight.flushed = *(uint64_t *)(uintptr_t)a[0];
	} else {
		t = loop == loop_bounce                                           ? bounce(a)
			: loop == loop_add_chain || loop == loop_add_chain_double ? adds(loop, a[0])
			: loop == loop_copy_128 ? stream(a[0], a[2])
						: stream(a[0], a[1]);
	}
	fake_time += t.ticks;
	return t;
}

static uint64_t now(struct room *e)
{
	return fake_time++;
}

static bool can_flush;

static struct cpuid cpuid(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	return (struct cpuid){ .eax = leaf ? 0 : 1, .edx = leaf == 1 && can_flush ? 1u << 19 : 0 };
}

static void node_memory(uint32_t node, struct arena *out)
{
	*out = (struct arena){ .base = memory_of[node],
		.bytes = NODE_BYTES,
		.page_bytes = PAGE_2M,
		.write_back = true,
		.node = node };
}

static int arena_on(struct room *e, uint32_t node, size_t page_bytes, struct arena *out)
{
	node_memory(node, out);
	return 0;
}

/* Two nodes, of which the first has a last cache of three CPUs and one of a single CPU. */
static const struct cpu_location places[CPUS] = {
	{ .core = 0, .node = 0, .l3 = 0, .core_type = 0x40 },
	{ .core = 1, .node = 0, .l3 = 0, .core_type = 0x40 },
	{ .core = 2, .node = 0, .l3 = 0, .core_type = 0x20 },
	{ .core = 3, .node = 0, .l3 = 1, .core_type = 0x20 },
	{ .core = 4, .node = 1, .l3 = 2, .core_type = 0x20 },
	{ .core = 5, .node = 1, .l3 = 2, .core_type = 0x20 },
	{ .core = 6, .node = 1, .l3 = 3 },
	{ .core = 7, .node = 1, .l3 = 3 },
};

static void reset(void)
{
	memset(&eight, 0, sizeof eight);
	eight.adds[0] = 1;
	eight.adds[1] = 2;
	can_flush = true;
	fake_reset(&room);
	room.facts.cpus = CPUS;
	room.facts.topology = places;
	room.arena_on = arena_on;
	room.call = call;
	room.now = now;
	room.cpuid = cpuid;
	room.run_on = run_on;
	room.run_wait = run_wait;
	options = (struct options){ .profile = PROFILE_SMOKE, .probes = "cores" };
	b = (struct bench){ .room = &room,
		.opt = &options,
		.plan = &plan,
		.probe = probes,
		.node_bytes = LINE_PAIR,
		.empty_ticks = FAKE_CALL };
	b.caches.bytes[LEVEL_L3] = MIB;
	b.caches.count = 3;
	b.caches.memory_ns = 80;
	b.levels[LEVEL_L1] = (struct level_size){ "l1", 16 * KIB, "measured" };
	b.levels[LEVEL_L2] = (struct level_size){ "l2", 64 * KIB, "measured" };
	b.levels[LEVEL_MEMORY].bytes = BYTES;
	b.work.base = room.work;
	b.work.bytes = 256 * KIB;
	random_seed(&b.random, 1);
	plan.n = 0;
	for (unsigned i = 0; i < 2; i++)
		if (!memory_of[i])
			memory_of[i] = aligned_alloc(PAGE_2M, NODE_BYTES);
	node_memory(0, &b.arena);
}

/* Plans the rows of the probe of which the variants begin so, and of no other kind. */
static __attribute__((unused)) void plan_kind(const char *begin)
{
	unsigned kept = plan.n;

	for (unsigned i = 0; i < probe_count; i++)
		if (!strcmp(probes[i].name, "cores"))
			probes[i].hooks->plan(&b);
	for (unsigned i = kept; i < plan.n; i++)
		if (!strncmp(plan.rows[i].variant, begin, strlen(begin)))
			plan.rows[kept++] = plan.rows[i];
	plan.n = kept;
}

static const struct row *planned(const char *variant, const char *p, double x, const char *q,
	double y)
{
	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];

		if (!strcmp(row->variant, variant) && row_get(row, p, -1) == x &&
			(!q || row_get(row, q, -1) == y))
			return row;
	}
	fail_msg("%s with %s %g, %s %g is not planned", variant, p, x, q ? q : "-", y);
	return NULL;
}

static __attribute__((unused)) unsigned planned_of(const char *variant)
{
	unsigned n = 0;

	for (unsigned i = 0; i < plan.n; i++)
		n += !strcmp(plan.rows[i].variant, variant);
	return n;
}

static void prepare(const struct row *row)
{
	memset(room.work, LEFT, b.work.bytes);
	b.work.used = 0;
	job = (struct job){ .row = row, .arena = b.arena };
	if (row->prepare(&b, row, &job))
		fail_msg("%s: %s", row->variant, job.skip);
}

/* Once; what lies beyond the row's scratch memory stays as it was. */
static int take(void)
{
	unsigned char *beyond = room.work + b.work.used;

	*eight.did = *eight.last = 0;
	eight.from = UINT64_MAX;
	eight.to = 0;
	eight.chased = false;
	sample = (struct sample){ 0 };
	int bad = job.sampler(&b, &job, &sample);

	for (unsigned i = 0; i < 1024; i++)
		assert_int_equal(LEFT, beyond[i]);
	return bad;
}

static void expect_did(const char *did)
{
	if (strcmp(eight.did, did))
		fail_msg("expected '%s', came '%s'", did, eight.did);
}

static void expect_skip(const char *why, bool disproved)
{
	assert_int_equal(-1, take());
	assert_string_equal(why, job.skip);
	assert_int_equal(disproved, job.disproved);
	job.skip[0] = 0;
	job.disproved = false;
}

/* Returns the members that the row's probe adds to its line. */
static __attribute__((unused)) const char *extra(void)
{
	static char text[256];
	struct jsonl l;

	jsonl_begin(&l, text, sizeof text);
	job.extra(&b, &job, &l, NULL, 0);
	text[jsonl_end(&l)] = 0;
	return text;
}

static __attribute__((unused)) void expect_extra(const char *text)
{
	if (strncmp(text, extra(), strlen(text)))
		fail_msg("expected %s, came %s", text, extra());
}

/* Within a tenth of a per cent: a look at the clock takes a tick. */
static __attribute__((unused)) void expect_about(const char *what, double expected, double came)
{
	if (!(fabs(came - expected) <= 1e-3 * expected))
		fail_msg("%s: expected %g, came %g", what, expected, came);
}

#endif
