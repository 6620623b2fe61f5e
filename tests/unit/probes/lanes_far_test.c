/* SPDX-License-Identifier: MIT */
/*
 * The warm-up of a long chase, against simulated caches that replace in three ways: the loads after
 * it take what they take after many laps, also where the cache is not as large as it is said to be.
 */
#include <cpuid.h>

#include "probes/lanes.h"
#include "tests/unit/test.h"

#define WAYS  16
#define SETS  1024
#define CACHE (SETS * WAYS * 64) /* bytes */
#define HIT   10                 /* ticks */
#define MISS  100

enum replacement { LRU, PLRU, RANDOM, REPLACEMENTS };

static struct {
	enum replacement by;
	uint64_t line[SETS][WAYS], used[SETS][WAYS], now;
	uint32_t tree[SETS]; /* bit n: the less recent half of node n is the right one */
	struct random random;
	unsigned walkers; /* calls of loops with several chases */
} cache;

/* Towards a way, from the root; each node then points away from it. */
static void touch_tree(uint32_t *tree, unsigned way)
{
	for (unsigned node = 1, half = WAYS / 2; half; half /= 2) {
		bool right = way & half;

		*tree = right ? *tree & ~(1U << node) : *tree | 1U << node;
		node = 2 * node + right;
	}
}

static unsigned victim(unsigned set)
{
	unsigned way = 0, node = 1;

	if (cache.by == RANDOM)
		return (unsigned)random_below(&cache.random, WAYS);
	if (cache.by == PLRU) {
		for (; node < WAYS; node = 2 * node + (cache.tree[set] >> node & 1))
			;
		return node - WAYS;
	}
	for (unsigned i = 1; i < WAYS; i++)
		way = cache.used[set][i] < cache.used[set][way] ? i : way;
	return way;
}

static unsigned load(uint64_t at)
{
	uint64_t line = at / 64;
	unsigned set = line % SETS, way = 0, ticks = HIT;

	while (way < WAYS && cache.line[set][way] != line)
		way++;
	if (way == WAYS) {
		way = victim(set);
		cache.line[set][way] = line;
		ticks = MISS;
	}
	cache.used[set][way] = ++cache.now;
	touch_tree(&cache.tree[set], way);
	return ticks;
}

static uint64_t step(uint64_t *at, uint64_t *ticks)
{
	*ticks += load(*at);
	return *at = *(uint64_t *)(uintptr_t)*at;
}

static void flush(uint64_t at)
{
	for (unsigned way = 0; way < WAYS; way++)
		if (cache.line[at / 64 % SETS][way] == at / 64)
			cache.line[at / 64 % SETS][way] = 0;
}

static struct timed simulated(struct room *room, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	uint64_t *list = (uint64_t *)(uintptr_t)a[0], lanes[LANES_REGISTERS], at = a[0];
	struct timed t = { 0 };

	if (loop == loop_chase) {
		for (uint64_t i = 0; i < 16 * a[1]; i++)
			t.value = step(&at, &t.ticks);
	} else if (loop == loop_lanes_12) {
		cache.walkers++;
		memcpy(lanes, list, sizeof lanes);
		for (uint64_t i = 0; i < 8 * a[1]; i++)
			for (unsigned k = 0; k < LANES_REGISTERS; k++)
				step(&lanes[k], &t.ticks);
		for (unsigned k = 0; k < LANES_REGISTERS; k++)
			t.value += lanes[k];
	} else {
		assert_ptr_equal(loop_flush, loop);
		for (uint64_t i = 0; i < a[1]; i++, t.value += list[i - 1])
			flush(list[i]);
	}
	return t;
}

static struct cpuid real_cpuid(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	struct cpuid c;

	__cpuid_count(leaf, subleaf, c.eax, c.ebx, c.ecx, c.edx);
	return c;
}

static unsigned char *memory, scratch[64 * KIB];
static struct room room = { .call = simulated, .cpuid = real_cpuid };
static struct bench b = { .room = &room };
static struct chain chain;

/* Ticks per load of so many loads from the chain's position on. */
static double walk(uint64_t loads)
{
	uint64_t ticks = 0, at = chain_at(&chain, CHAIN_POINTER, chain.position);

	for (uint64_t i = 0; i < loads; i++)
		step(&at, &ticks);
	chain.position = (chain.position + loads) % chain.nodes;
	return (double)ticks / (double)loads;
}

/* A cold cache, and a chain through so many bytes in memory that CPUID says nothing of. */
static void begin(enum replacement by, uint64_t bytes, uint64_t said)
{
	struct arena arena = { .base = memory, .bytes = bytes };

	memset(&cache, 0, sizeof cache);
	cache.by = by;
	random_seed(&b.random, bytes + said);
	random_seed(&cache.random, said);
	b.work.base = scratch;
	b.work.bytes = sizeof scratch;
	b.work.used = 0;
	for (unsigned level = 0; level < LEVEL_MEMORY; level++)
		b.caches.bytes[level] = said;
	assert_int_equal(0, chain_layout(&chain, &arena, bytes / 64, 64));
	chain_order_random(&chain, &b.random);
	assert_int_equal(0, chain_link(&chain, CHAIN_POINTER, NULL));
}

/* Warm up as `latency` does; returns true if a part of the cycle was enough. */
static bool warm_up(uint64_t bytes)
{
	uint64_t loads = lanes_far_loads(&b, bytes);
	struct job job = { .ops = 1 };
	int gone = loads ? lanes_walk_far(&b, &job, &chain, loads) : 0;

	assert_true(gone >= 0);
	if (!gone)
		walk(chain.nodes);
	return gone;
}

#define NEAR_BY 0.08
#define FAR_BY  0.01

/*
 * Whatever is said of the cache: a quarter, a half, the truth, or twice as much. One lap of memory
 * near its size is not steady yet where lines are replaced at random: rows go on until two calls
 * agree.
 */
TEST(as_after_many_laps)
{
	static const uint64_t said[] = { CACHE / 4, CACHE / 2, CACHE, 2 * CACHE };
	static const double times[] = { 0.5, 2, 4, 6, 16 };

	for (enum replacement by = 0; by < REPLACEMENTS; by++)
		for (unsigned n = 0; n < sizeof times / sizeof *times; n++) {
			uint64_t bytes = (uint64_t)(times[n] * CACHE);

			begin(by, bytes, CACHE);
			for (unsigned lap = 0; lap < 3; lap++)
				walk(chain.nodes);
			double steady = walk(chain.nodes);

			for (unsigned i = 0; i < sizeof said / sizeof *said; i++) {
				begin(by, bytes, said[i]);
				bool far = warm_up(bytes);
				double is = walk(SETS * WAYS / 2);

				if (!far && by == RANDOM)
					continue;
				if (fabs(is - steady) > (far ? FAR_BY : NEAR_BY) * steady)
					fail_msg("replacement %u, %.1f times the cache, said to "
						 "have %.3f of it: %.1f ticks, in steady state "
						 "%.1f",
						by, times[n], (double)said[i] / CACHE, is, steady);
			}
		}
}

/* Where the cache is as it is said to be, from six times on; and never where lines survive. */
TEST(far_is_six_times_the_cache)
{
	for (enum replacement by = 0; by < REPLACEMENTS; by++) {
		begin(by, 16 * CACHE, CACHE);
		assert_true(warm_up(16 * CACHE));
		assert_int_equal(1, cache.walkers);
		begin(by, 6 * CACHE, CACHE);
		assert_true(warm_up(6 * CACHE));
		begin(by, 6 * CACHE - 64, CACHE);
		assert_false(warm_up(6 * CACHE - 64));
		assert_int_equal(0, cache.walkers);
		begin(by, 16 * CACHE, CACHE / 4); /* three quarters of it are walked */
		if (warm_up(16 * CACHE))
			fail_msg("replacement %u: lines survive, and it is not noticed", by);
		assert_int_equal(1, cache.walkers);
	}
}

/* A loop that ends elsewhere than plain C says is no warm-up. */
TEST(each_walk_is_proved)
{
	struct job job = { .ops = 1 };

	begin(LRU, 16 * CACHE, CACHE);
	*(uint64_t *)(uintptr_t)chain_at(&chain, CHAIN_POINTER, 77) =
		chain_at(&chain, CHAIN_POINTER, 79);
	assert_int_equal(-1, lanes_walk_far(&b, &job, &chain, 3 * CACHE / 64));
	assert_true(job.disproved);
}

BEFORE_ALL(make_memory)
{
	memory = aligned_alloc(4096, 16 * CACHE);
	assert_non_null(memory);
}

AFTER_ALL(free_memory)
{
	free(memory);
}
