/* SPDX-License-Identifier: MIT */
/*
 * A room for tests: loops really run (their values are proved), but for chains of adds, chases
 * after their first way around the cycle, and CPUID; time is made up. A loop takes FAKE_CALL ticks,
 * a chase 4 ticks a load and an add one tick, at a TSC of 1 GHz, so every result is known in
 * advance. fake_slowness stretches what the planner sees of time.
 */
#ifndef TESTS_UNIT_FAKE_ENV_H
#define TESTS_UNIT_FAKE_ENV_H

#include <cpuid.h>

#include "engine/bench.h"
#include "engine/plan.h"
#include "engine/probe_api.h"
#include "tests/unit/test.h"

#define FAKE_CALL  30
#define FAKE_ARENA (8 * MIB) /* real loads go through it */
#define FAKE_WORK  (32 * MIB)

static size_t fake_arena_bytes = FAKE_ARENA; /* a test of the engine needs less, and is quicker */
static uint64_t fake_time;
static unsigned fake_slowness = 1;
static uint64_t fake_load = 4; /* ticks */
static bool fake_wrong;        /* loops return a wrong value */
static bool fake_restless; /* the core's clock falls and rises from one chain of adds to the next */
static char *fake_out;     /* all result lines */
static size_t fake_used;
static const size_t fake_out_bytes = 16 * MIB;
static char fake_said[64 * KIB]; /* all text for the screen */

static int fake_arena(struct room *room, size_t page_bytes, struct arena *out)
{
	static unsigned char *base;

	if (!base)
		base = aligned_alloc(PAGE_2M, FAKE_ARENA);
	*out = (struct arena){ .base = base,
		.bytes = fake_arena_bytes,
		.page_bytes = page_bytes > PAGE_2M ? PAGE_2M : page_bytes,
		.write_back = true,
		.node = NODE_UNKNOWN };
	return base ? 0 : -1;
}

static uint64_t fake_work_ticks(loop_fn *loop, const uint64_t *a)
{
	if (loop == loop_add_chain)
		return 64 * a[0];
	if (loop == loop_add_chain_double)
		return 128 * a[0];
	if (loop == loop_chase || loop == loop_chase_warm)
		return 16 * fake_load * a[1];
	return 0;
}

/*
 * Returns the node where a chase ends. Walks a cycle only once, and skips further laps by their
 * length; the loops' own test walks them all (registry_loops_test.c).
 */
__attribute__((no_sanitize("address", "undefined"))) static uint64_t fake_chase_end(loop_fn *loop,
	const uint64_t *a)
{
	bool pointers = loop == loop_chase || loop == loop_chase_warm;
	uint64_t start = a[pointers ? 0 : 1], at = start, walked = 0;
	uint64_t left = 16 * (pointers ? a[1] + (loop == loop_chase_warm ? a[2] : 0) : a[2]);

	while (left) {
		at = pointers
			? *(uint64_t *)(uintptr_t)at
			: ((uint64_t *)(uintptr_t)
					  a[0])[loop == loop_chase_index_padded ? 8 * at : at];
		left--;
		walked++;
		if (at == start)
			left %= walked;
	}
	return at;
}

static bool fake_is_chase(loop_fn *loop)
{
	return loop == loop_chase || loop == loop_chase_warm || loop == loop_chase_index ||
		loop == loop_chase_index_checked || loop == loop_chase_index_padded;
}

/* The same value without CPUID, which takes microseconds where a hypervisor answers. */
static loop_fn *fake_loop(loop_fn *loop)
{
	return loop == loop_div_cpuid      ? loop_div_bare
		: loop == loop_cpuid_rdtsc ? loop_rdtsc
					   : loop;
}

static struct timed fake_call(struct room *room, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	static bool slower;
	struct timed t;

	if (fake_is_chase(loop))
		t.value = fake_chase_end(loop, a);
	else if (loop == loop_add_chain || loop == loop_add_chain_double)
		t.value = fake_work_ticks(loop, a); /* an add of 1 a tick */
	else
		t = fake_loop(loop)(a[0], a[1], a[2], a[3], a[4], a[5]);
	t.ticks = FAKE_CALL + fake_work_ticks(loop, a);
	if (fake_restless && loop == loop_add_chain && (slower = !slower))
		t.ticks += t.ticks / 2;
	fake_time += t.ticks * fake_slowness;
	if (loop == loop_tsc_step)
		t.value = 8; /* ticks of the real counter otherwise */
	t.value ^= fake_wrong && (loop == loop_chase || loop == loop_chase_warm);
	return t;
}

static void fake_quiet(struct room *room, struct event_counts *q)
{
	q->known = EVENT_SWITCHES;
}

static struct cpuid fake_cpuid(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	struct cpuid c;

	__cpuid_count(leaf, subleaf, c.eax, c.ebx, c.ecx, c.edx);
	return c;
}

static uint64_t fake_now(struct room *room)
{
	return fake_time += 100 * fake_slowness;
}

static void fake_write(struct room *room, const char *line, size_t n)
{
	if (fake_used + n < fake_out_bytes) {
		memcpy(fake_out + fake_used, line, n);
		fake_used += n;
		fake_out[fake_used] = 0;
	}
}

static void fake_say(struct room *room, const char *text, size_t n)
{
	size_t used = strlen(fake_said);

	if (used + n < sizeof fake_said) {
		memcpy(fake_said + used, text, n);
		fake_said[used + n] = 0;
	}
}

/* A room's `progress`: a cache of 48 KiB, told by the size of the row that comes next. */
static inline void fake_cache(struct room *room, const char *line, size_t n, double part)
{
	char text[128] = "", unit = 0;
	double size = 0;

	memcpy(text, line, n < sizeof text ? n : sizeof text - 1);
	if (strstr(text, "pointer-padded"))
		sscanf(strstr(text, "pointer-padded"), "pointer-padded %lf%c", &size, &unit);
	size *= unit == 'M' ? 1024 : unit == 'K' ? 1 : 1 / 1024.;
	fake_load = size > 48 ? 20 : 4;
}

/* Is not called: a row of `oscost` costs nothing where nobody can be asked. */
static __attribute__((unused)) int no_request(struct room *e, enum os_request what, uint64_t laps,
	struct request_result *out, const char **why)
{
	return -1;
}

static void fake_reset(struct room *room)
{
	fake_time = 1000;
	fake_used = 0;
	fake_said[0] = 0;
	fake_wrong = fake_restless = false;
	fake_load = 4;
	fake_slowness = 1;
	if (!fake_out)
		fake_out = malloc(fake_out_bytes);
	fake_out[0] = 0;
	static unsigned char *work;
	if (!work)
		work = aligned_alloc(LINE_PAIR, FAKE_WORK);
	*room = (struct room){
		.kind = ROOM_HOSTED,
		.facts = { .build = "test",
			.hypervisor = "",
			.tsc_hz = 1e9,
			.tsc_source = "fake",
			.cpus = 1,
			.pages = PAGE_4K | PAGE_2M },
		.work = work,
		.work_bytes = FAKE_WORK,
		.arena = fake_arena,
		.call = fake_call,
		.timed_begin = fake_quiet,
		.timed_end = fake_quiet,
		.cpuid = fake_cpuid,
		.now = fake_now,
		.write = fake_write,
		.say = fake_say,
	};
}

#endif
