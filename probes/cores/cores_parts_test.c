/* SPDX-License-Identifier: MIT */
/* Memory for the CPUs of a row, on machines of several nodes and last caches. */
#include <pthread.h>

#include "probes/cores/cores_parts.c"
#include "tests/unit/fake_room.h"

#define L3 (32 * MIB)

static unsigned char arena_memory[1], other_memory[1]; /* places only: nothing is written there */
static struct arena arena, other;
static struct room room;
static struct options options;
static struct bench bench;
static unsigned char work[4096];

static int arena_on(struct room *e, uint32_t node, size_t page_bytes, struct arena *out)
{
	*out = other;
	return node == other.node ? 0 : -1;
}

/* Two nodes of two last caches of two CPUs. */
static const struct cpu_location eight[8] = {
	{ .core = 0, .node = 0, .l3 = 0 },
	{ .core = 1, .node = 0, .l3 = 0 },
	{ .core = 2, .node = 0, .l3 = 1 },
	{ .core = 3, .node = 0, .l3 = 1 },
	{ .core = 4, .node = 1, .l3 = 2 },
	{ .core = 5, .node = 1, .l3 = 2 },
	{ .core = 6, .node = 1, .l3 = 3 },
	{ .core = 7, .node = 1, .l3 = 3 },
};

static struct arena arena_at(unsigned char *base, uint32_t node)
{
	return (struct arena){
		.base = base,
		.bytes = GIB,
		.page_bytes = PAGE_2M,
		.write_back = true,
		.node = node,
	};
}

BEFORE_EACH(reset)
{
	arena = arena_at(arena_memory, 0);
	other = arena_at(other_memory, 1);
	options = (struct options){ .profile = PROFILE_DEFAULT };
	room = (struct room){ .facts = { .cpus = 8, .topology = eight }, .arena_on = arena_on };
	bench = (struct bench){ .room = &room, .opt = &options };
	bench.caches.bytes[LEVEL_L1] = 32 * KIB;
	bench.caches.bytes[LEVEL_L2] = MIB;
	bench.caches.bytes[LEVEL_L3] = L3;
	bench.caches.count = 3;
	bench.caches.memory_ns = 80;
	bench.levels[LEVEL_MEMORY].bytes = 8 * L3;
	bench.arena = arena;
	bench.work.base = work;
	bench.work.bytes = sizeof work;
}

static int take(unsigned n, struct cpu_part *parts, struct arena *apart, struct job *job)
{
	*job = (struct job){ .arena = arena };
	bench.work.used = 0;
	return parts_take(&bench, job, n, parts, apart);
}

/* The bytes that a last cache's CPUs work on together. */
static uint64_t of_cache(const struct cpu_part *parts, unsigned n, uint32_t l3)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += eight[parts[i].cpu].l3 == l3 ? parts[i].bytes : 0;
	return sum;
}

TEST(each_cache_is_too_small)
{
	struct cpu_part parts[8];
	struct job job;

	for (unsigned n = 1; n <= 8; n++) {
		assert_int_equal(0, take(n, parts, NULL, &job));
		for (unsigned i = 0; i < n; i++)
			assert_true(of_cache(parts, n, eight[parts[i].cpu].l3) >= 4 * L3);
	}
	assert_int_equal(4 * 4 * L3, parts_bytes(&bench, 8));
	assert_int_equal(4 * L3, parts_bytes(&bench, 1));
	options.profile = PROFILE_SMOKE;
	bench.caches.bytes[LEVEL_L3] = 4 * MIB;
	assert_int_equal(32 * MIB, parts_bytes(&bench, 1));
	options.profile = PROFILE_DEFAULT;
	assert_int_equal(128 * MIB, parts_bytes(&bench, 1));
}

TEST(parts_lie_on_their_nodes_side_by_side)
{
	struct cpu_part parts[8];
	struct arena apart = { .bytes = 8 * MIB };
	struct job job;
	unsigned char *at[2] = { arena_memory + 8 * MIB, other_memory };

	assert_int_equal(0, take(8, parts, &apart, &job));
	assert_ptr_equal(arena_memory, apart.base);
	assert_int_equal(8 * MIB, apart.bytes);
	for (unsigned i = 0; i < 8; i++) {
		unsigned node = eight[parts[i].cpu].node;

		assert_ptr_equal(at[node], parts[i].base);
		at[node] += parts[i].bytes;
	}
}

TEST(too_little_memory_is_a_reason)
{
	struct cpu_part parts[8];
	struct job job;

	other.bytes = 2 * 4 * L3 - PAGE_2M;
	assert_int_equal(-1, take(8, parts, NULL, &job));
	assert_string_equal("needs 256 MiB of node 1, which has 254", job.skip);
	job = (struct job){ .arena = arena };
	assert_int_equal(-1, parts_take_of_node(&bench, &job, 0, 1, 4, parts));
	assert_string_equal("needs 256 MiB of node 1, which has 254", job.skip);
	other.page_bytes = PAGE_1G;
	assert_int_equal(-1, take(8, parts, NULL, &job));
	assert_non_null(strstr(job.skip, "pages"));
	other.node = 7;
	assert_int_equal(-1, take(8, parts, NULL, &job));
	assert_string_equal("the room has no memory of node 1", job.skip);
	room.arena_on = NULL; /* the eight cannot place memory */
	assert_int_equal(-1, take(8, parts, NULL, &job));
	assert_string_equal("the room has no memory of node 1", job.skip);
	assert_int_equal(0, take(4, parts, NULL, &job));
	arena.bytes = 4 * L3;
	assert_int_equal(-1, take(4, parts, NULL, &job));
	assert_string_equal("needs 257 MiB, the arena has 128", job.skip);
}

/* The arena is too small for its own node's CPUs, and there is more of that node. */
TEST(more_of_the_same_node)
{
	struct cpu_part parts[8];
	struct job job;

	arena.bytes = bench.arena.bytes = 4 * L3;
	other.node = 0;
	assert_int_equal(0, take(4, parts, NULL, &job));
	assert_ptr_equal(other_memory, parts[0].base);
}

/* If the arena has it, and not all of that is ready, it is asked for: no other memory is taken. */
TEST(more_of_the_arena)
{
	struct cpu_part parts[8];
	struct job job;

	arena.bytes = 4 * L3;
	other.node = 0;
	assert_int_equal(-1, take(4, parts, NULL, &job));
	assert_in_range(job.asked, 4 * L3 + 1, bench.arena.bytes);
}

TEST(unknown_places)
{
	static const struct cpu_location nowhere[2] = {
		{ .package = UINT32_MAX, .die = UINT32_MAX, .node = UINT32_MAX, .l3 = UINT32_MAX },
		{ .package = UINT32_MAX, .die = UINT32_MAX, .node = UINT32_MAX, .l3 = UINT32_MAX }
	};
	struct cpu_part parts[2];
	struct job job;

	room.facts.cpus = 2;
	room.facts.topology = nowhere;
	assert_int_equal(0, take(2, parts, NULL, &job));
	assert_int_equal(2 * L3, parts[0].bytes); /* one cache is assumed */
	assert_ptr_equal(arena_memory + 2 * L3, parts[1].base);
}

/* The order of all CPUs is kept in scratch memory: there must be so much of it. */
TEST(many_cpus_need_scratch_memory)
{
	enum { MANY = 64 };
	unsigned cpus;
	static const struct cpu_location many[MANY];
	struct cpu_part part;
	struct job job;

	room.facts.cpus = MANY;
	room.facts.topology = many;
	bench.work.bytes = MANY * sizeof(unsigned);
	memset(work, 0x5a, sizeof work);
	assert_int_equal(0, take(1, &part, NULL, &job));
	for (size_t i = bench.work.bytes; i < sizeof work; i++)
		if (work[i] != 0x5a)
			fail_msg("byte %zu, beyond the scratch memory, was written", i);
	bench.work.bytes--;
	assert_int_equal(-1, take(1, &part, NULL, &job));
	assert_string_equal("no scratch memory", job.skip);
	job.skip[0] = 0;
	assert_int_equal(-1, parts_take_of_node(&bench, &job, 0, 0, 1, &part));
	assert_string_equal("no scratch memory", job.skip);
	assert_int_equal(0, parts_bytes_of_node(&bench, 0, &cpus));
	assert_int_equal(0, cpus);
}

/* A CPU's stream walks through its whole part in order, however short each turn is. */

#define CHUNK (256 * KIB)
#define PART  (8 * CHUNK)
#define CALLS 64

/* The calls so far. Call number `last` sets `end`, which stops the stream. */
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
	return ticks++;
}

static struct cpuid no_cpuid(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	return (struct cpuid){ 0 };
}

static struct streamer begin(unsigned op)
{
	fake_reset(&room);
	room.call = remember;
	room.now = tick;
	room.cpuid = no_cpuid;
	options = (struct options){ .profile = PROFILE_SMOKE };
	bench = (struct bench){ .room = &room, .opt = &options, .node_bytes = LINE_PAIR };
	memset(&seen, 0, sizeof seen);
	return streamer_of(&bench, op, NULL, PART, &seen.end);
}

/* Works `turns` times, so long that each asks for `each` chunks. */
static void work_stream(unsigned op, unsigned turns, unsigned each)
{
	struct streamer s = begin(op);
	struct cpu_task task = { .b = &bench, .arg = &s };

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

/* If each turn began anew, a cache would hold the chunks that all turns walk. */
TEST(a_turn_goes_on_where_the_last_one_ended)
{
	work_stream(OP_READ, 5, 3);
	expect_in_turn(5, 3, 8);
}

/* A copy reads half of its part, and writes to the other half in the same order. */
TEST(a_copy_goes_round_in_half_of_its_part)
{
	work_stream(OP_COPY, 3, 3);
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
		struct cpu_task task = { .b = &bench, .arg = &s };

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
	struct cpu_task task = { .b = &bench, .arg = &s };

	assert_int_equal(5000000, s.turn_ticks); /* 5 ms at 1 GHz */
	options.profile = PROFILE_DEFAULT;
	room.facts.tsc_hz = 2e9;
	s = streamer_of(&bench, OP_READ, NULL, PART, &seen.end);
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
	assert_true(streamers_gbs(&bench, &s, 1) == 0);
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
	assert_true(streamers_gbs(&bench, s, 1) == 3);
	assert_true(streamers_gbs(&bench, s, 2) == 3);
	assert_true(streamers_gbs(&bench, s, 3) == 4);
}

#define CHASED (3 * MIB / 2) /* so many nodes that a chase does not end where it began */

static void build(struct chaser *c, struct arena *memory, uint64_t bytes)
{
	struct job job = { .arena = *memory };

	memory->bytes = chaser_bytes(&bench, bytes);
	if (chaser_build(&bench, &job, memory, bytes, c))
		fail_msg("expected a chain in %zu bytes, came: %s", memory->bytes, job.skip);
	memory->bytes = bytes - 1;
	assert_int_equal(-1, chaser_build(&bench, &job, memory, bytes, &(struct chaser){ 0 }));
}

/* Through all nodes, in no order that a prefetcher knows, each time on from where it was. */
TEST(a_chase_goes_through_all)
{
	struct arena memory;
	static bool visited[CHASED / LINE_PAIR];
	struct chaser c;
	uint64_t end = 0, near = 0;
	struct cpu_task task = { .b = &bench, .arg = &c };

	begin(OP_READ);
	room.call = fake_call;
	random_seed(&bench.random, 1);
	bench.empty_ticks = FAKE_CALL;
	assert_int_equal(0, fake_arena(&room, PAGE_2M, &memory));
	memset(&c, 0xff, sizeof c); /* as found */
	build(&c, &memory, CHASED);
	assert_int_equal(0, chaser_bytes(&bench, CHASED) % PAGE_4K);
	assert_in_range(chaser_bytes(&bench, CHASED), CHASED, CHASED + PAGE_4K - 1);
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

/* The order of CPUs, and the line that two threads hand each other. */

static void expect_order(const struct cpu_location *places, unsigned n, const unsigned *expected)
{
	const struct facts facts = { .cpus = n, .topology = places };
	unsigned *order = test_malloc(n * sizeof *order);

	cores_order(&facts, order);
	for (unsigned i = 0; i < n; i++)
		if (order[i] != expected[i])
			fail_msg("place %u: expected CPU %u, came %u", i, expected[i], order[i]);
	test_free(order);
}

/* Two packages of two cores of two threads. */
static const struct cpu_location places[] = { { .core = 0 }, { .core = 0, .thread = 1 },
	{ .core = 1 }, { .core = 1, .thread = 1 }, { .package = 1, .core = 0 },
	{ .package = 1, .core = 0, .thread = 1 }, { .package = 1, .core = 1 },
	{ .package = 1, .core = 1, .thread = 1 } };

TEST(places_have_words)
{
	const struct facts facts = { .cpus = 8, .topology = places }, unknown = { .cpus = 8 };

	assert_string_equal(cores_between(&facts, 0, 1), ", siblings of one core");
	assert_string_equal(cores_between(&facts, 0, 3), ", one die");
	assert_string_equal(cores_between(&facts, 1, 5), ", two packages");
	assert_string_equal(cores_between(&unknown, 0, 1), "");
}

TEST(dies_and_packages_are_counted)
{
	static const struct cpu_location dies[] = { { .die = 0, .core = 0, .l3 = 0 },
		{ .die = 0, .core = 1, .l3 = 1 }, { .die = 1, .core = 0, .l3 = 2 },
		{ .die = 1, .core = 0, .l3 = UINT32_MAX }, { .package = 1, .core = 0, .l3 = 1 },
		{ .package = 1, .core = UINT32_MAX, .l3 = UINT32_MAX },
		{ .package = UINT32_MAX, .core = UINT32_MAX, .l3 = UINT32_MAX } };
	/* one last cache, or, where that is not known of both, one die of one package */
	static const bool shared[][7] = { { 1, 0, 0, 0, 0, 0, 0 }, { 0, 1, 0, 0, 1, 0, 0 },
		{ 0, 0, 1, 1, 0, 0, 0 }, { 0, 0, 1, 1, 0, 0, 0 }, { 0, 1, 0, 0, 1, 1, 0 },
		{ 0, 0, 0, 0, 1, 1, 0 }, { 0, 0, 0, 0, 0, 0, 1 } };
	const struct facts facts = { .cpus = 7, .topology = dies }, unknown = { .cpus = 7 };
	unsigned packages, cores;

	assert_string_equal(cores_between(&facts, 0, 2), ", two dies");
	assert_string_equal(cores_between(&facts, 2, 3), ", siblings of one core");
	assert_string_equal(cores_between(&facts, 0, 6), "");
	assert_string_equal(cores_between(&facts, 6, 0), "");
	cores_count(&facts, &packages, &cores);
	assert_int_equal(3, packages); /* one of them nowhere */
	assert_int_equal(6, cores);    /* each that is nowhere by itself */
	for (unsigned i = 0; i < 7; i++)
		for (unsigned k = 0; k < 7; k++) {
			if (cores_share_cache(&facts, i, k) != shared[i][k])
				fail_msg("CPUs %u and %u: expected %d", i, k, shared[i][k]);
			assert_true(cores_share_cache(&unknown, i, k));
		}
}

TEST(siblings_come_last)
{
	static const unsigned expected[] = { 0, 2, 4, 6, 1, 3, 5, 7 };

	expect_order(places, 8, expected);
}

TEST(unknown_places_keep_their_order)
{
	static const struct cpu_location nowhere[] = { { .core = UINT32_MAX },
		{ .core = UINT32_MAX }, { .core = UINT32_MAX } };
	static const unsigned expected[] = { 0, 1, 2 };

	expect_order(nowhere, 3, expected);
	expect_order(NULL, 3, expected);
}

static void expect_counts(unsigned all, const unsigned *expected)
{
	for (unsigned n = 1; n <= all; n = cores_next_count(n, all), expected++)
		if (n != *expected)
			fail_msg("of %u CPUs: expected %u at work, came %u", all, *expected, n);
	assert_int_equal(0, *expected);
}

TEST(counts_double_up_to_all)
{
	static const unsigned one[] = { 1, 0 }, six[] = { 1, 2, 4, 6, 0 },
			      eight[] = { 1, 2, 4, 8, 0 };

	expect_counts(1, one);
	expect_counts(6, six);
	expect_counts(8, eight);
}

#define ROUNDS 1000

static _Alignas(128) volatile uint64_t line[16];

static void *second(void *arg)
{
	struct timed *t = arg;

	*t = loop_bounce((uint64_t)(uintptr_t)line, 1, ROUNDS, 1ULL << 32, 0, 0);
	return NULL;
}

TEST(line_goes_to_and_fro)
{
	struct timed other;
	pthread_t thread;

	line[0] = 0;
	assert_int_equal(0, pthread_create(&thread, NULL, second, &other));
	struct timed t = loop_bounce((uint64_t)(uintptr_t)line, 0, ROUNDS, 1ULL << 32, 0, 0);

	pthread_join(thread, NULL);
	assert_int_equal(2 * ROUNDS, t.value);
	assert_int_equal(2 * ROUNDS + 1, other.value);
	assert_int_equal(2 * ROUNDS, line[0]);
	assert_int_equal(0, line[1]);
}

TEST(nobody_answers)
{
	line[0] = 0;
	struct timed t = loop_bounce((uint64_t)(uintptr_t)line, 0, ROUNDS, 1000, 0, 0);

	assert_int_equal(2, t.value);
}
