/* SPDX-License-Identifier: MIT */
/* What the planner knows of a machine's pace, in a room where time is made up. */
#include "engine/calibration.h"
#include "tests/unit/fake_room.h"
#include "tests/unit/test.h"

#define TRIALS    5
#define BEGIN     7 /* ticks that a timed section takes to begin, and to end */
#define END       11
#define LARGE     (80 * MIB)
#define UNTOUCHED 0xa5

static struct room room;
static unsigned char *memory;

static struct {
	unsigned slow;   /* of each five trials so many take ten times as long */
	unsigned chases; /* so far */
	unsigned empty;  /* calls of the empty loop */
	uint64_t next;   /* where the last chase ended */
	struct {
		uint64_t nodes, in_order; /* of a chain, and those that follow their neighbours */
	} chain[3];
} seen;

static void begin_timed(struct room *e, struct event_counts *q)
{
	fake_quiet(e, q);
	fake_time += BEGIN;
}

static void end_timed(struct room *e, struct event_counts *q)
{
	fake_quiet(e, q);
	fake_time += END;
}

static void look_at_chain(unsigned i, uint64_t first)
{
	uint64_t at = first;

	do {
		uint64_t next = *(uint64_t *)at;

		assert_int_equal(0, (next - (uint64_t)memory) % 64);
		seen.chain[i].in_order += next == at + 64;
		seen.chain[i].nodes++;
		at = next;
	} while (at != first);
}

static struct timed watched(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct timed t = fake_call(e, loop, a);
	unsigned trial = loop == loop_chase ? seen.chases % TRIALS : seen.empty / 8;

	if (trial < seen.slow)
		fake_time += 9 * t.ticks;
	if (loop == loop_chase) {
		assert_true(seen.chases < 3 * TRIALS);
		assert_int_equal(4096 / 16, a[1]);
		if (seen.chases % TRIALS == 0)
			look_at_chain(seen.chases / TRIALS, a[0]);
		else
			assert_int_equal(seen.next, a[0]);
		seen.chases++;
		seen.next = t.value;
	} else {
		assert_ptr_equal(loop_empty, loop);
		assert_int_equal(0, a[0]);
		seen.empty++;
	}
	return t;
}

static struct pace pace_in(size_t arena_bytes, unsigned slowness)
{
	static const struct options options = { .node = 128 };
	struct bench b = { .room = &room, .opt = &options };

	fake_reset(&room);
	fake_slowness = slowness;
	room.call = watched;
	room.timed_begin = begin_timed;
	room.timed_end = end_timed;
	free(memory);
	memory = aligned_alloc(64, arena_bytes);
	memset(memory, UNTOUCHED, arena_bytes);
	b.arena = (struct arena){ .base = memory, .bytes = arena_bytes, .page_bytes = PAGE_4K };
	seen.chases = seen.empty = 0;
	memset(seen.chain, 0, sizeof seen.chain);
	random_seed(&b.random, 1);
	measure_pace(&b);
	assert_int_equal(options.node, b.node_bytes);
	return b.pace;
}

static void expect(const char *what, double expected, double came)
{
	if (expected != came)
		fail_msg("%s: expected %.9g ns, came %.9g", what, expected, came);
}

static void expect_chain(unsigned i, uint64_t nodes)
{
	assert_int_equal(nodes, seen.chain[i].nodes);
	assert_true(seen.chain[i].in_order < 1 + nodes / 16);
}

/* 100 ticks from one look at the clock to the next; the far chain fills half of the arena. */
TEST(a_chain_is_built_and_chased)
{
	const size_t far = FAKE_ARENA / 2;
	double load = 4 + (FAKE_CALL + 100) / 4096.0;

	for (seen.slow = 0; seen.slow < 3; seen.slow++) {
		struct pace p = pace_in(FAKE_ARENA, 1);

		expect("a node", 100.0 / ((double)far / 64), p.ns_per_node);
		expect("a near load", load, p.ns_per_near_load);
		expect("a far load", load, p.ns_per_far_load);
		expect("a byte", 100.0 / (far / TRIALS), p.ns_per_byte);
		expect("a call", BEGIN + FAKE_CALL + END + 100 / 8.0, p.ns_per_call);
	}
	seen.slow = 0;
	assert_int_equal(3 * TRIALS, seen.chases);
	assert_int_equal(8 * TRIALS, seen.empty);
	expect_chain(0, 4096);
	expect_chain(1, 128);
	expect_chain(2, far / 64);
}

/* What a chain does not hold of its lines is as the pace of bytes left it. */
TEST(half_of_the_arena_is_written)
{
	const size_t far = FAKE_ARENA / 2, index = far / 64 * 4;

	pace_in(FAKE_ARENA, 1);
	for (size_t at = 8; at < FAKE_ARENA - index; at += at % 64 == 63 ? 9 : 1)
		if (memory[at] != (at < far / TRIALS * TRIALS ? 1 : UNTOUCHED))
			fail_msg("byte %zu: came %u", at, memory[at]);
}

/* Building the far chain shall take 100 ms at most, but it has 2 MiB. */
TEST(a_slow_machine_has_a_shorter_chain)
{
	static const struct {
		size_t arena;
		unsigned slowness; /* a node of the first chain takes 100 / 4096 ns so often */
		size_t far;
	} machines[] = { { LARGE, 1, 32 * MIB }, { LARGE, 15625, 16 * MIB },
		{ LARGE, 15626, 8 * MIB }, { LARGE, 1000000, 2 * MIB }, { 3 * MIB, 1, MIB },
		{ 3 * MIB, 1000000, MIB } };

	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
		pace_in(machines[i].arena, machines[i].slowness);
		expect_chain(2, machines[i].far / 64);
	}
}

TEST(no_chain_fits_and_none_has_a_pace)
{
	struct pace p = pace_in(64, 1);

	if (p.ns_per_node != 0 || p.ns_per_far_load != 0)
		fail_msg("expected 0 ns for a node and a load, came %g and %g", p.ns_per_node,
			p.ns_per_far_load);
}

AFTER_ALL(release)
{
	free(memory);
}
