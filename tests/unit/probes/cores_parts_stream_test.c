/* SPDX-License-Identifier: MIT */
/* What a CPU's stream walks: its whole part, in turn, however short it works at a time. */
#include "probes/cores/cores_parts.h"
#include "tests/unit/fake_room.h"
#include "tests/unit/test.h"

#define CHUNK (256 * KIB)
#define PART  (8 * CHUNK)
#define CALLS 64

/* The calls, and what ends them: the word is set by the last of so many. */
static struct {
	uint64_t args[CALLS][LOOP_ARGS];
	loop_fn *loop;
	unsigned n, last;
	uint64_t end;
} seen;

static struct timed remember(struct room *room, loop_fn *loop, const uint64_t args[LOOP_ARGS])
{
	assert_true(seen.n < CALLS);
	memcpy(seen.args[seen.n++], args, sizeof seen.args[0]);
	seen.loop = loop;
	seen.end = seen.n == seen.last;
	room->now(room);
	return (struct timed){ .ticks = 1 };
}

static uint64_t ticks; /* a look at the clock takes one */

static uint64_t tick(struct room *room)
{
	(void)room;
	return ticks++;
}

static struct cpuid no_cpuid(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	(void)room;
	(void)leaf;
	(void)subleaf;
	return (struct cpuid){ 0 };
}

static struct room room;
static struct options opt;
static struct bench b;

static struct streamer begin(unsigned op)
{
	fake_reset(&room);
	room.call = remember;
	room.now = tick;
	room.cpuid = no_cpuid;
	opt = (struct options){ .profile = PROFILE_SMOKE };
	b = (struct bench){ .room = &room, .opt = &opt, .node_bytes = LINE_PAIR };
	memset(&seen, 0, sizeof seen);
	return streamer_of(&b, op, NULL, PART, &seen.end);
}

/* Works `turns` times, so long that each asks for `each` chunks. */
static void work(unsigned op, unsigned turns, unsigned each)
{
	struct streamer s = begin(op);
	struct cpu_task task = { .b = &b, .arg = &s };

	s.turn_ticks = 3 * each - 1; /* the call looks at the clock, the pause and the loop do */
	for (unsigned i = 0; i < turns; i++)
		streamer_work(&task);
}

static void expect_in_turn(unsigned turns, unsigned each, unsigned chunks)
{
	assert_int_equal(turns * each, seen.n);
	for (unsigned i = 0; i < seen.n; i++)
		if (seen.args[i][0] != i % chunks * CHUNK)
			fail_msg("call %u: expected chunk %u, came byte %u", i, i % chunks,
				(unsigned)seen.args[i][0]);
}

/* Where each turn began anew, a cache would have kept what all turns walk. */
TEST(a_turn_goes_on_where_the_last_one_ended)
{
	work(OP_READ, 5, 3);
	expect_in_turn(5, 3, 8);
}

/* Of a copy, half of the part is read: what is written goes round in the other half. */
TEST(a_copy_goes_round_in_half_of_its_part)
{
	work(OP_COPY, 3, 3);
	expect_in_turn(3, 3, 4);
}

#define PATTERN 0x0101010101010101ULL

/* Each kind of stream in the second of its chunks. */
TEST(each_kind_has_its_loop)
{
	static const struct {
		loop_fn *loop;
		uint64_t args[LOOP_ARGS];
		unsigned moved; /* chunks, of a chunk written */
	} kinds[OPS] = {
		[OP_READ] = { loop_read_128, { CHUNK, CHUNK, 1, PATTERN }, 1 },
		[OP_COPY] = { loop_copy_128, { CHUNK, PART / 2 + CHUNK, CHUNK, 1 }, 2 },
		[OP_WRITE] = { loop_write_128, { CHUNK, CHUNK, 1, PATTERN }, 1 },
		[OP_MIX] = { loop_mix_3_1_128,
			{ CHUNK, PART / 4 + 3 * CHUNK, CHUNK / 64, 1, PATTERN }, 4 },
		[OP_MIX + 1] = { loop_mix_2_1_128,
			{ CHUNK, PART / 3 / 64 * 64 + 2 * CHUNK, CHUNK / 64, 1, PATTERN }, 3 },
		[OP_MIX + 2] = { loop_mix_1_1_128,
			{ CHUNK, PART / 2 + CHUNK, CHUNK / 64, 1, PATTERN }, 2 },
	};

	for (unsigned op = 0; op < OPS; op++) {
		struct streamer s = begin(op);
		struct cpu_task task = { .b = &b, .arg = &s };

		s.turn_ticks = 3;
		streamer_work(&task);
		assert_int_equal(2, seen.n);
		assert_ptr_equal(kinds[op].loop, seen.loop);
		for (unsigned i = 0; i < LOOP_ARGS; i++)
			if (seen.args[1][i] != kinds[op].args[i])
				fail_msg("%s, argument %u: expected %#llx, came %#llx",
					op_names[op], i, (unsigned long long)kinds[op].args[i],
					(unsigned long long)seen.args[1][i]);
		assert_true(s.moved == 2. * kinds[op].moved * CHUNK);
		assert_true(s.ticks == 6);
	}
}

/* The turn is over, or what all wait for has come; a pause lasts as long as it should. */
TEST(a_stream_ends_in_time)
{
	struct streamer s = begin(OP_READ);
	struct cpu_task task = { .b = &b, .arg = &s };

	assert_int_equal(5000000, s.turn_ticks); /* 5 ms at 1 GHz */
	opt.profile = PROFILE_DEFAULT;
	room.facts.tsc_hz = 2e9;
	s = streamer_of(&b, OP_READ, NULL, PART, &seen.end);
	assert_int_equal(40000000, s.turn_ticks); /* 20 ms at 2 GHz */
	s.turn_ticks = 0;
	seen.last = 7;
	streamer_work(&task);
	assert_int_equal(7, seen.n);
	assert_true(s.moved == 7. * CHUNK);
	streamer_work(&task);
	assert_int_equal(7, seen.n);
	assert_true(s.moved == 0);
	assert_true(s.ticks == 0);
	assert_true(streamers_gbs(&b, &s, 1) == 0);
	room.facts.tsc_hz = 2; /* after 5 s nobody is waited for: 10 ticks */
	seen.end = seen.n = seen.last = 0;
	streamer_work(&task);
	assert_int_equal(4, seen.n);
	s.idle_ticks = 10;
	s.turn_ticks = 25;
	seen.n = 0;
	streamer_work(&task);
	assert_int_equal(2, seen.n);
	assert_true(s.ticks == 2 * 13);
}

TEST(rates_are_added)
{
	struct streamer s[3] = { { .moved = 3000, .ticks = 2000 }, { .moved = 100, .ticks = 0 },
		{ .moved = 500, .ticks = 1000 } };

	begin(OP_READ);
	room.facts.tsc_hz = 2e9;
	assert_true(streamers_gbs(&b, s, 1) == 3);
	assert_true(streamers_gbs(&b, s, 2) == 3);
	assert_true(streamers_gbs(&b, s, 3) == 4);
}

#define CHASED (3 * MIB / 2) /* so many nodes that a chase does not end where it began */

static void build(struct chaser *c, struct arena *memory, uint64_t bytes)
{
	struct job job = { .arena = *memory };

	memory->bytes = chaser_bytes(&b, bytes);
	if (chaser_build(&b, &job, memory, bytes, c))
		fail_msg("expected a chain in %zu bytes, came: %s", memory->bytes, job.skip);
	memory->bytes = bytes;
	assert_int_equal(-1, chaser_build(&b, &job, memory, bytes, &(struct chaser){ 0 }));
}

/* Through all nodes, in no order that a prefetcher knows, each time on from where it was. */
TEST(a_chase_goes_through_all)
{
	struct arena memory;
	static bool visited[CHASED / LINE_PAIR];
	struct chaser c;
	uint64_t end = 0, near = 0;
	struct cpu_task task = { .b = &b, .arg = &c };

	begin(OP_READ);
	room.call = fake_call;
	random_seed(&b.random, 1);
	b.empty_ticks = FAKE_CALL;
	assert_int_equal(0, fake_arena(&room, PAGE_2M, &memory));
	memset(&c, 0xff, sizeof c); /* as found */
	build(&c, &memory, CHASED);
	assert_int_equal(0, chaser_bytes(&b, CHASED) % PAGE_4K);
	assert_in_range(chaser_bytes(&b, CHASED), CHASED + 4 * c.chain.nodes,
		CHASED + 4 * c.chain.nodes + PAGE_4K - 1);
	assert_int_equal(CHASED / LINE_PAIR, c.chain.nodes);
	for (uint64_t i = 0; i < c.chain.nodes; i++) {
		uint64_t at = chain_at(&c.chain, CHAIN_POINTER, i);

		uint64_t node = (at - (uint64_t)memory.base) / LINE_PAIR;

		assert_true(node < c.chain.nodes && !visited[node]);
		visited[node] = true;
		near += chain_at(&c.chain, CHAIN_POINTER, i + 1) == at + LINE_PAIR;
		assert_ptr_equal((void *)chain_at(&c.chain, CHAIN_POINTER, i + 1), *(void **)at);
	}
	assert_true(near < c.chain.nodes / 100);
	c.chain.position = 5;
	chaser_work(&task); /* nobody is told of its end */
	assert_false(c.wrong);
	assert_true(c.ns == 4);
	assert_int_equal((5 + CHASE_LOADS) % c.chain.nodes, c.chain.position);
	c.end = &end;
	c.wait_ticks = 100;
	room.now = tick;
	ticks = 0;
	chaser_work(&task);
	assert_int_equal(1, end);
	assert_int_equal(101, ticks);
	assert_false(c.wrong);
	fake_wrong = true;
	chaser_work(&task);
	assert_true(c.wrong);
}
