/* SPDX-License-Identifier: MIT */
/* Banks of miss buffers, hashed sets, LRU, victims, four levels: against values by hand. */
#include "tests/kam/unit/insn_builder.h"
#include "tests/unit/test.h"

/* Cycles of a load in a chase through n lines `apart`, the third time round. */
static uint64_t chase(const struct cpu *c, uint64_t n, uint64_t apart)
{
	struct model m;
	uint64_t start, k, cycles;

	model_init(&m, c);
	for (k = 0; k < 2 * n; k++)
		load(&m, 1, 1, k % n * apart);
	start = drain(&m);
	for (k = 0; k < n; k++)
		load(&m, 1, 1, k * apart);
	cycles = m.ready[1] - start;
	model_free(&m);
	assert_int_equal(cycles % n, 0);
	return cycles / n;
}

/* Cycles of 100 rounds of 10 chains from memory, over lines of one parity or of both. */
static uint64_t ten_chains(uint64_t banks, bool both)
{
	struct cpu c = test_cpu();
	struct model m;
	uint64_t start, done = 0, round, k;

	c.window = 2048;
	c.banks = banks;
	model_init(&m, &c);
	for (k = 0; k < 4096; k++) /* translations */
		load(&m, 15, 14, k * 4096);
	start = drain(&m);
	for (round = 0; round < 100; round++)
		for (k = 0; k < 10; k++)
			done = load(&m, k, k,
				(1ull << 22) + (round * 16 + k) * 128 + (both ? k % 2 * 64 : 0));
	model_free(&m);
	return done - start;
}

/* 10 buffers: 10 misses at once, but 5 where all are of one of two banks. */
TEST(test_banks)
{
	assert_in_range(ten_chains(1, false), 100 * 200, 100 * 200 + 200);
	assert_in_range(ten_chains(2, false), 2 * 100 * 200, 2 * 100 * 200 + 200);
	assert_in_range(ten_chains(2, true), 100 * 200, 100 * 200 + 200);
}

/* Returns how many of n numbers `apart` a cache still holds after all were inserted. */
static uint64_t held(enum hash hash, uint64_t slices, uint64_t entries, uint64_t n, uint64_t apart)
{
	struct cache k;
	uint64_t i, victim, found = 0;
	bool dirty;

	cache_init(&k, entries, 1, POLICY_LRU, 1);
	cache_hash(&k, hash, slices);
	for (i = 0; i < n; i++)
		cache_insert(&k, i * apart, &victim, &dirty);
	for (i = 0; i < n; i++)
		found += cache_find(&k, i * apart) != CACHE_MISS;
	cache_free(&k);
	return found;
}

TEST(test_hashes)
{
	assert_int_equal(held(HASH_NONE, 1, 16, 16, 16), 1); /* all in one set */
	assert_int_equal(held(HASH_XOR, 1, 16, 16, 16), 16);
	assert_int_equal(held(HASH_XOR, 1, 16, 16, 1), 16);
	assert_int_equal(held(HASH_XOR, 1, 16, 16, 17), 1); /* bits 0-3 and 4-7 cancel out */
	/*
	 * Three slices: of three numbers that share the set within a slice, each goes to one of
	 * three by chance. A set is empty with (2/3)^3: 70.4 % of 3072 are held.
	 */
	assert_int_equal(held(HASH_NONE, 1, 3072, 3072, 1), 3072);
	assert_in_range(held(HASH_SLICES, 3, 3072, 3072, 1), 2162 - 60, 2162 + 60);
}

/* 256 KiB apart: one set of L2, of 8 ways, and one of L3, of 16. */
TEST(test_victims)
{
	const uint64_t apart = 256 << 10;
	struct cpu c = test_cpu();
	struct model m;
	uint64_t k;

	assert_int_equal(chase(&c, 16, apart), 42);
	assert_int_equal(chase(&c, 17, apart), 200);
	c.level[2].victim = 1;
	assert_int_equal(chase(&c, 24, apart), 42); /* 8 and 16 */
	assert_int_equal(chase(&c, 25, apart), 200);
	model_init(&m, &c);
	for (k = 0; k < 8; k++)
		load(&m, 1, 1, k * apart);
	assert_int_equal(cache_find(m.memory.level[2], 0), CACHE_MISS); /* passed it by */
	load(&m, 1, 1, 8 * apart);
	assert_int_not_equal(cache_find(m.memory.level[2], 0), CACHE_MISS); /* given up by L2 */
	load(&m, 1, 1, 0);
	assert_int_equal(cache_find(m.memory.level[2], 0), CACHE_MISS); /* moved back */
	model_free(&m);
}

TEST(test_written_victims_stay_written)
{
	const uint64_t apart = 256 << 10;
	struct cpu c = test_cpu();
	struct model m;
	uint64_t k, at;

	c.level[2].victim = 1;
	model_init(&m, &c);
	store(&m, 1, 0);
	for (k = 1; k < 9; k++) /* the set of L1: the line goes to L2 */
		load(&m, 1, 1, k * 4096);
	for (k = 1; k < 9; k++)
		load(&m, 1, 1, k * apart);
	at = cache_find(m.memory.level[2], 0);
	assert_true(m.memory.level[2]->lines[at].dirty);
	load(&m, 1, 1, 0);
	at = cache_find(m.memory.level[1], 0);
	assert_true(m.memory.level[1]->lines[at].dirty);
	model_free(&m);
}

TEST(test_four_levels)
{
	struct cpu c = test_cpu();

	assert_int_equal(cpu_levels(&c), 3);
	c.level[3] = (struct cpu_cache){ 16 << 20, 16, 80, POLICY_LRU, 0, 64, HASH_NONE, 1, 0 };
	assert_int_equal(cpu_levels(&c), 4);
	assert_int_equal(chase(&c, 8, 1 << 20), 4);
	assert_int_equal(chase(&c, 17, 256 << 10), 80); /* 16 ways of L3; 4 sets of L4 */
	assert_int_equal(chase(&c, 16, 1 << 20), 42);
	assert_int_equal(chase(&c, 17, 1 << 20), 200);
}

/* Two banks with rows of 8 KiB, each line for the first time; 1 is the walk of a page's first. */
TEST(test_rows)
{
	static const struct {
		uint64_t address, cycles;
	} loads[] = {
		{ 0, 1 + 200 }, { 64, 160 }, /* row 0 is open */
		{ 8192, 1 + 200 },           /* row 1, the other bank */
		{ 128, 160 },                /* and row 0 still is */
		{ 16384, 1 + 200 },          /* row 2 takes its bank */
		{ 192, 200 },                /* closed meanwhile */
		{ 8192 + 4096, 1 + 160 },    /* row 1 was left alone */
	};
	struct cpu c = test_cpu();
	struct model m;
	uint64_t k, start;

	c.row_bytes = 8192;
	c.row_hit = 40;
	model_init(&m, &c);
	for (k = 0; k < sizeof(loads) / sizeof(*loads); k++) {
		start = drain(&m);
		assert_int_equal(load(&m, 1, 1, loads[k].address) - start, loads[k].cycles);
	}
	model_free(&m);
}

/* A chain from memory: 200 cycles a load, but 50 of every 1000 cycles begin with a refresh. */
TEST(test_refresh)
{
	struct cpu c = test_cpu();
	struct model m;
	uint64_t k, start, wait;

	c.refresh_every = 1000;
	c.refresh = 50;
	model_init(&m, &c);
	load(&m, 1, 1, 0);
	for (k = 1; k < 20; k++) {
		start = drain(&m);
		wait = start % 1000 < 50 ? 50 - start % 1000 : 0;
		assert_int_equal(load(&m, 1, 1, k * 64) - start, wait + 200);
	}
	start = drain(&m);
	model_idle(&m, 1000 - start % 1000); /* drain ends 100 cycles later: at 0 of a thousand */
	start = m.barrier;
	model_idle(&m, 1000 - start % 1000);
	start = m.barrier;
	assert_int_equal(start % 1000, 0);
	assert_int_equal(load(&m, 1, 1, 30 * 64) - start, 50 + 200);
	model_free(&m);
}

/*
 * Twenty loads and ten buffers: the first ten wait for the end of a refresh, the others for a
 * buffer, and by then memory is there again.
 */
TEST(test_a_load_waits_for_the_refresh_once)
{
	struct cpu c = test_cpu();
	struct model m;
	uint64_t start, done = 0, k;

	c.refresh_every = 1000000;
	c.refresh = 50;
	model_init(&m, &c);
	for (k = 0; k < 20; k++) /* translations */
		load(&m, 15, 14, k * 4096);
	start = drain(&m);
	model_idle(&m, 1000000 - start % 1000000);
	start = m.barrier;
	assert_int_equal(start % 1000000, 0);
	for (k = 0; k < 20; k++)
		done = load(&m, 1, 14, k * 4096 + 128);
	model_free(&m);
	assert_in_range(done - start, 50 + 2 * 200, 50 + 2 * 200 + 20);
}

#define SETS 3
#define WAYS 11
#define MOST 100 /* numbers */

/* The same in plain words: of each set its numbers, the oldest first. */
struct plain {
	uint64_t number[SETS][WAYS];
	unsigned n[SETS];
};

static uint64_t plain_remove(struct plain *p, unsigned set, unsigned at)
{
	uint64_t number = p->number[set][at];

	for (p->n[set]--; at < p->n[set]; at++)
		p->number[set][at] = p->number[set][at + 1];
	return number;
}

/* A use; what was replaced, or CACHE_MISS. *there: the number was. */
static uint64_t plain_use(struct plain *p, uint64_t number, bool *there)
{
	unsigned set = number % SETS, at = 0;
	uint64_t victim = CACHE_MISS;

	while (at < p->n[set] && p->number[set][at] != number)
		at++;
	*there = at < p->n[set];
	if (*there)
		plain_remove(p, set, at);
	else if (p->n[set] == WAYS)
		victim = plain_remove(p, set, 0);
	p->number[set][p->n[set]++] = number;
	return victim;
}

/* Drops one of a set's numbers from both. */
static void drop_both(struct cache *k, struct plain *p, unsigned set, unsigned which)
{
	uint64_t number, at;

	if (!p->n[set])
		return;
	number = plain_remove(p, set, which % p->n[set]);
	at = cache_find(k, number);
	assert_int_not_equal(at, CACHE_MISS);
	cache_invalidate(k, at);
	assert_int_equal(cache_find(k, number), CACHE_MISS);
}

static void use_both(struct cache *k, struct plain *p, uint64_t number)
{
	uint64_t at = cache_find(k, number), victim = CACHE_MISS;
	bool there, dirty;

	if (at == CACHE_MISS)
		cache_insert(k, number, &victim, &dirty);
	else
		cache_touch(k, at);
	assert_int_equal(victim, plain_use(p, number, &there));
	assert_int_equal(there, at != CACHE_MISS);
}

/* Numbers at random, of which now and then one is dropped. */
TEST(test_lru_as_plain_lists)
{
	struct plain p = { .n = { 0 } };
	uint64_t i, x = 1, number;
	struct cache k;

	cache_init(&k, SETS * WAYS, WAYS, POLICY_LRU, 1);
	for (i = 0; i < 20000; i++) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		number = (x >> 33) % MOST;
		if (i % 8 == 0)
			drop_both(&k, &p, number % SETS, (unsigned)(x >> 50));
		else
			use_both(&k, &p, number);
	}
	cache_free(&k);
}
