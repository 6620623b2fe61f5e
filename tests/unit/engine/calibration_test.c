/* SPDX-License-Identifier: MIT */
/* The pace of a machine, measured in a room whose time the test sets. */
#include "engine/calibration.c"
#include "tests/unit/fake_room.h"

#define TRIALS    5
#define BEGIN     7 /* ticks that a timed section takes to begin, and to end */
#define END       11
#define LARGE     (80 * MIB)
#define UNTOUCHED 0xa5

static struct room room;
static unsigned char *memory;
static size_t memory_bytes;

static void new_memory(size_t bytes)
{
	free(memory);
	assert_int_equal(0, posix_memalign((void **)&memory, PAGE_4K, bytes));
	memory_bytes = bytes;
}

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
	new_memory(arena_bytes);
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

/* The lines beyond the chain keep the bytes that the measurement of the pace wrote. */
TEST(half_of_the_arena_is_written)
{
	const size_t far = FAKE_ARENA / 2;

	pace_in(FAKE_ARENA, 1);
	for (size_t at = 8; at < FAKE_ARENA; at += at % 64 == 63 ? 9 : 1)
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

/* Lines that are fetched together, on machines that fetch 1, 2, 4 or 8 lines, or the next one. */

#define MISS 300 /* ticks */
#define HIT  14

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

#define LINES        1024 /* of a trial, each in a block of its own, with its companion */
#define AT_ONCE      64
#define REGION_BLOCK (region / LINES)

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

		assert_true(offset % 64 == 0 && offset % REGION_BLOCK < 2048 &&
			offset < REGION_BLOCK * LINES);
		if (i / AT_ONCE % 2) {
			assert_int_equal(lines[i % AT_ONCE] ^ apart, at);
			continue;
		}
		lines[i % AT_ONCE] = at;
		assert_false(seen[offset / REGION_BLOCK]);
		seen[offset / REGION_BLOCK] = true;
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
	const struct options options = { .node = forced };
	struct bench b = { .room = &room, .opt = &options, .node_bytes_votes = 9 };

	fake_reset(&room);
	room.call = call;
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

/* Lines that were in a cache say nothing: no trial shows a pair. */
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

/*
 * The trial that shows if prefetchers can be turned off: its chases, and the conclusions from them.
 */

#define CALL_LOADS 65536 /* of a call */
#define TIMES      7     /* calls each way */

static struct options options;
static struct bench b;
static struct {
	bool off, asked; /* what the script was told last, and whether it was told anything */
	const char *refusal;
	unsigned timed;            /* timed sections under way */
	unsigned chases, slow;     /* calls so far; of each TIMES of them, so many take ten times */
	uint64_t on, off_ticks;    /* of a call with and without prefetchers */
	uint64_t start[2 * TIMES]; /* where each chase began */
} script;

static int give_arena(struct room *e, size_t page_bytes, struct arena *out)
{
	*out = (struct arena){ .base = memory, .bytes = memory_bytes, .page_bytes = page_bytes };
	return memory ? 0 : -1;
}

static int set_prefetch(struct room *e, bool on, const char **why)
{
	script.asked = true;
	script.off = !on;
	*why = script.refusal;
	return script.refusal ? -1 : 0;
}

static void begin_script(struct room *e, struct event_counts *q)
{
	fake_quiet(e, q);
	script.timed++;
}

static void end_script(struct room *e, struct event_counts *q)
{
	fake_quiet(e, q);
	script.timed--;
}

static struct timed chase(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct timed t = fake_call(e, loop, a);
	bool slow = script.chases % TIMES < script.slow;

	assert_ptr_equal(loop_chase, loop);
	assert_int_equal(CALL_LOADS / 16, a[1]);
	assert_int_equal(1, script.timed);
	assert_true(script.chases < 2 * TIMES);
	assert_int_equal(script.chases >= TIMES, script.off);
	script.start[script.chases++] = a[0];
	t.ticks = (script.off ? script.off_ticks : script.on) * (slow ? 10 : 1);
	return t;
}

BEFORE_EACH(reset)
{
	fake_reset(&room);
	new_memory(3 * MIB);
	memset(&script, 0, sizeof script);
	script.on = 10 * CALL_LOADS;
	script.off_ticks = 20 * CALL_LOADS;
	room.arena = give_arena;
	room.prefetch = set_prefetch;
	room.timed_begin = begin_script;
	room.timed_end = end_script;
	room.call = chase;
	options = (struct options){ .prefetch = PREFETCH_BOTH };
	b = (struct bench){ .room = &room, .opt = &options };
}

AFTER_EACH(release)
{
	free(memory);
	memory = NULL;
}

/* Each call goes on where the last one ended, from line to line, through `bytes` of the arena. */
static void expect_chased(uint64_t bytes)
{
	uint64_t line = *(uint64_t *)memory - (uint64_t)memory;

	assert_int_equal(64, line);
	assert_int_equal(2 * TIMES, script.chases);
	for (uint64_t i = 0; i < 2 * TIMES; i++)
		if (script.start[i] - (uint64_t)memory != i * CALL_LOADS * 64 % bytes)
			fail_msg("chase %llu began at %llu of %llu", (unsigned long long)i,
				(unsigned long long)(script.start[i] - (uint64_t)memory),
				(unsigned long long)bytes);
}

static void expect_works(double on_ns, double off_ns)
{
	assert_null(b.prefetch.why);
	if (b.prefetch.on_ns != on_ns || b.prefetch.off_ns != off_ns)
		fail_msg("expected %g and %g ns, came %g and %g", on_ns, off_ns, b.prefetch.on_ns,
			b.prefetch.off_ns);
}

static void expect_stay_on(const char *why)
{
	char said[160];

	prefetch_check(&b);
	assert_true(b.prefetch.checked);
	assert_string_equal(why, b.prefetch.why);
	snprintf(said, sizeof said, "prefetchers stay on: %s\n", why);
	if (strlen(fake_said) < strlen(said) ||
		strcmp(fake_said + strlen(fake_said) - strlen(said), said))
		fail_msg("expected '%s' last, came '%s'", said, fake_said);
	assert_false(script.off);
}

TEST(half_of_the_arena_is_chased)
{
	script.on = CALL_LOADS / 4;
	script.off_ticks = CALL_LOADS / 2;
	prefetch_check(&b);
	expect_chased(memory_bytes / 2);
	expect_works(0.25, 0.5);
	assert_true(b.prefetch.checked);
	assert_int_equal(2, b.arena_uses); /* it was mapped, and written to */
	assert_string_equal(fake_said,
		"prefetchers: a sequential load takes 0.25 ns with them, 0.50 ns without\n");
	assert_false(script.off); /* with `both` they are off for single rows */
}

TEST(of_a_large_arena_32_mib_are_chased)
{
	new_memory(LARGE);
	prefetch_check(&b);
	expect_chased(32 * MIB);
}

/* Three of seven calls may be disturbed; four are most of them. */
TEST(the_median_call_counts)
{
	script.slow = 3;
	prefetch_check(&b);
	expect_works(10, 20);
	reset();
	script.slow = 4;
	prefetch_check(&b);
	expect_works(100, 200);
}

TEST(a_tenth_more_is_an_effect)
{
	script.off_ticks = 11 * CALL_LOADS;
	prefetch_check(&b);
	expect_works(10, 11);
	reset();
	script.off_ticks = 11 * CALL_LOADS - CALL_LOADS / 16;
	expect_stay_on("turning them off shows no effect");
	assert_true(b.prefetch.off_ns > b.prefetch.on_ns);
}

TEST(a_machine_may_lack_what_is_needed)
{
	script.refusal = "no such MSR here";
	expect_stay_on("no such MSR here");
	assert_true(b.prefetch.on_ns == 10 && b.prefetch.off_ns == 0);
	assert_null(strstr(fake_said, "sequential"));
	reset();
	memory_bytes = 64; /* no node fits into half of it */
	expect_stay_on("no memory for an arena");
	reset();
	release();
	expect_stay_on("no memory for an arena");
	reset();
	room.prefetch = NULL;
	expect_stay_on("this room cannot turn prefetchers off");
}

TEST(nobody_asked)
{
	options.prefetch = PREFETCH_ON;
	prefetch_check(&b);
	assert_false(b.prefetch.checked || script.asked);
	assert_int_equal(0, script.chases);
	assert_string_equal("", fake_said);
}

/* Off between rows only where that was asked for and has an effect. */
TEST(between_rows_they_are_as_the_run_wants_them)
{
	static const struct {
		enum prefetch_choice mode;
		const char *why;
		bool off;
	} runs[] = { { PREFETCH_ON, NULL, false }, { PREFETCH_BOTH, NULL, false },
		{ PREFETCH_OFF, NULL, true }, { PREFETCH_OFF, "no effect", false },
		{ PREFETCH_BOTH, "no effect", false } };

	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		options.prefetch = runs[i].mode;
		b.prefetch.why = runs[i].why;
		script.off = !runs[i].off;
		prefetch_back(&b);
		if (script.off != runs[i].off)
			fail_msg("run %zu: expected %s", i, runs[i].off ? "off" : "on");
	}
}

TEST(a_row_has_them_off_or_a_reason)
{
	const char *why = "left over";

	assert_int_equal(0, prefetch_off(&b, &why));
	assert_null(why);
	assert_true(script.off);
	script.refusal = "the MSR is locked";
	assert_int_equal(-1, prefetch_off(&b, &why));
	assert_string_equal("the MSR is locked", why);
	script.asked = false;
	b.prefetch.why = "no effect";
	assert_int_equal(-1, prefetch_off(&b, &why));
	assert_string_equal("no effect", why);
	assert_false(script.asked);
}
