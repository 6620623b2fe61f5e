/* SPDX-License-Identifier: MIT */
/* What is fetched together, on machines that fetch 1, 2, 4 or 8 lines, or the next one. */
#include "engine/calibration.h"
#include "tests/unit/fake_room.h"
#include "tests/unit/test.h"

#define MISS 300 /* ticks */
#define HIT  14

#define TRIALS 5 /* of each distance */

static struct {
	uint64_t together; /* bytes, aligned, that come with a line */
	bool next;         /* the next line comes too */
	unsigned slow;     /* every so many chases takes five times as long; 0: none */
	unsigned chases, flushes;
	unsigned broken_flush; /* 0: before a pair, 1: before lines far away, 2: none */
	bool cached[FAKE_ARENA / 64];
} machine = { .broken_flush = 2 };

static struct arena arena;

static void fetch(uint64_t at)
{
	uint64_t from = at / machine.together * machine.together;

	for (uint64_t line = from; line < from + machine.together; line += 64)
		machine.cached[line / 64] = true;
	if (machine.next && at / 64 + 1 < FAKE_ARENA / 64)
		machine.cached[at / 64 + 1] = true;
}

static uint64_t chase_ticks(uint64_t pointer, uint64_t loads)
{
	uint64_t ticks = 0;

	for (; loads--; pointer = *(uint64_t *)(uintptr_t)pointer) {
		uint64_t at = pointer - (uintptr_t)arena.base;

		assert_true(at < FAKE_ARENA);
		ticks += machine.cached[at / 64] ? HIT : MISS;
		fetch(at);
	}
	machine.chases++;
	return machine.slow && machine.chases % machine.slow == 0 ? 5 * ticks : ticks;
}

#define LINES   1024 /* of a trial, each in a block of its own, with its companion */
#define AT_ONCE 64
#define BLOCK   (region / LINES)

static uint64_t region = FAKE_ARENA / 2; /* bytes, of the arena */

/* 64 lines, then their companions: all of them `apart`; each block once, then the first again. */
static void check_visits(uint64_t start, uint64_t loads, uint64_t apart)
{
	static bool seen[LINES];
	uint64_t at = start, lines[AT_ONCE];

	assert_int_equal(2 * LINES, loads);
	memset(seen, 0, sizeof seen);
	for (unsigned i = 0; i < 2 * LINES; i++, at = *(uint64_t *)(uintptr_t)at) {
		uint64_t offset = at - (uintptr_t)arena.base;

		assert_true(offset % 64 == 0 && offset % BLOCK < 2048 && offset < BLOCK * LINES);
		if (i / AT_ONCE % 2) {
			assert_int_equal(lines[i % AT_ONCE] ^ apart, at);
			continue;
		}
		lines[i % AT_ONCE] = at;
		assert_false(seen[offset / BLOCK]);
		seen[offset / BLOCK] = true;
	}
	assert_int_equal(start, at);
}

static struct timed call(struct room *room, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct timed t = fake_call(room, loop, a);
	const uint64_t *list = (const uint64_t *)(uintptr_t)a[0];

	if (loop == loop_chase && machine.flushes % 2 == 0)
		check_visits(a[0], 16 * a[1], 1024);
	if (loop == loop_chase && machine.flushes < 2 * TRIALS && machine.flushes % 2 == 1)
		check_visits(a[0], 16 * a[1], 64);
	if (loop == loop_chase)
		t.ticks = chase_ticks(a[0], 16 * a[1]);
	if (loop == loop_flush)
		t.value ^= machine.flushes++ % 2 == machine.broken_flush;
	for (uint64_t i = 0; loop == loop_flush && i < a[1]; i++)
		machine.cached[(list[i] - (uintptr_t)arena.base) / 64] = false;
	return t;
}

static struct bench measured(uint64_t forced)
{
	static struct options options;
	static struct room room;
	struct bench b = { .room = &room, .opt = &options, .node_bytes_votes = 9 };

	fake_reset(&room);
	room.call = call;
	options = (struct options){ .node = forced };
	assert_int_equal(0, room.arena(&room, PAGE_2M, &arena));
	b.arena = arena;
	b.work = (struct workspace){ .base = room.work, .bytes = room.work_bytes };
	random_seed(&b.random, 7);
	memset(machine.cached, 1, sizeof machine.cached);
	machine.chases = machine.flushes = 0;
	measure_node_bytes(&b, region);
	assert_int_equal(0, b.work.used);
	return b;
}

TEST(what_comes_together)
{
	for (uint64_t bytes = 64; bytes <= 512; bytes *= 2) {
		machine.together = bytes;
		struct bench b = measured(0);

		assert_int_equal(bytes, b.node_bytes);
		assert_int_equal(5, b.node_bytes_votes);
	}
}

/* It is no pair: the line before comes alone. */
TEST(the_next_line)
{
	machine.together = 64;
	machine.next = true;
	assert_int_equal(64, measured(0).node_bytes);
	machine.next = false;
}

TEST(two_slow_trials_of_five)
{
	for (uint64_t bytes = 64; bytes <= 128; bytes *= 2) {
		machine.together = bytes;
		for (machine.slow = 5; machine.slow <= 7; machine.slow++) {
			struct bench b = measured(0);

			assert_int_equal(bytes, b.node_bytes);
			assert_in_range(b.node_bytes_votes, 3, 5);
		}
	}
	machine.slow = 0;
}

/* What was in a cache says nothing: no trial shows a pair. */
TEST(lines_that_are_not_flushed)
{
	machine.together = 128;
	for (machine.broken_flush = 0; machine.broken_flush < 2; machine.broken_flush++)
		assert_int_equal(64, measured(0).node_bytes);
	assert_int_equal(128, measured(0).node_bytes);
}

TEST(no_more_than_512_bytes)
{
	machine.together = 1024;
	assert_int_equal(512, measured(0).node_bytes);
}

/* A block of 2 KiB for each line is enough, and less is not tried. */
TEST(a_small_region_says_nothing)
{
	machine.together = 128;
	region = 2 * MIB;
	assert_int_equal(128, measured(0).node_bytes);
	region--;
	struct bench b = measured(0);

	assert_int_equal(64, b.node_bytes);
	assert_int_equal(0, b.node_bytes_votes);
	region = FAKE_ARENA / 2;
}

TEST(forced)
{
	machine.together = 128;
	struct bench b = measured(64);

	assert_int_equal(64, b.node_bytes);
	assert_int_equal(0, b.node_bytes_votes);
	assert_int_equal(0, machine.chases);
}
