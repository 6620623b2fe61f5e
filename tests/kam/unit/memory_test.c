/* SPDX-License-Identifier: MIT */
/* Caches, memory and clock of the model against values computed by hand. */
#include "tests/kam/unit/insn_builder.h"
#include "tests/unit/test.h"

/* 100 rounds of chains' misses take so long: `buffers` of them are under way at once. */
static void expect_buffers(const struct cpu *c, bool halved, uint64_t buffers)
{
	uint64_t start, done = 0, round, k, chains;
	struct model m;

	for (chains = 1; chains <= 16; chains++) {
		model_init(&m, c);
		for (k = 0; k < 4096; k++) /* translations */
			load(&m, 15, 14, k * 4096);
		start = drain(&m);
		model_divide(&m, c, halved);
		for (round = 0; round < 100; round++)
			for (k = 0; k < chains; k++)
				done = load(&m, k, k,
					(1ull << 22) + (round * 16 + k) * 64 + (k % 8) * 65536);
		if (chains <= buffers)
			assert_in_range(done - start, 100 * 200, 100 * 200 + 64);
		else
			assert_in_range(done - start, 100 * 200 * chains / buffers,
				100 * 200 * chains / buffers + 2 * 200);
		model_free(&m);
	}
}

TEST(test_parallel_misses)
{
	struct cpu c = test_cpu();

	c.window = 2048;
	expect_buffers(&c, false, 10);
	expect_buffers(&c, true, 5);
}

TEST(test_fill_bandwidth)
{
	struct cpu c = test_cpu();
	struct model m;
	uint64_t start, done = 0, n, lines = 1024;

	c.level[1].fill_bytes = 16; /* 4 cycles a line */
	model_init(&m, &c);
	for (n = 0; n < 2 * lines; n++)
		load(&m, 0, 15, n % lines * 64); /* 64 KiB: in L2, not in L1 */
	start = drain(&m);
	for (n = 0; n < lines; n++)
		done = load(&m, n % 8, 15, n * 64);
	assert_int_equal(done - start, (lines - 1) * 4 + 14);
	model_free(&m);
}

/* Returns the share of loads that miss, of a cycle through so many lines, after many rounds. */
static double missing(const struct cpu *c, uint64_t lines)
{
	const uint64_t rounds = 40;
	uint64_t n, start;
	struct model m;

	model_init(&m, c);
	memory_map_pages(&m.memory, 0, 1ull << 40, 2 << 20);
	for (n = 0; n < 10 * lines; n++)
		load(&m, 1, 1, n % lines * 64);
	start = drain(&m);
	for (n = 0; n < rounds * lines; n++)
		load(&m, 1, 1, n % lines * 64);
	double each = (double)(m.ready[1] - start) / (double)(rounds * lines);

	model_free(&m);
	return (each - (double)c->level[2].latency) /
		(double)(c->memory_latency - c->level[2].latency);
}

/*
 * 512 sets of 16 ways. Without others the edge is a cliff at 16 lines a set. With a line of theirs
 * for each access, of 8 lines a set half miss: between two uses come 7 of ours and Poisson(8) of
 * theirs, and 9 or more are too many (41 %); of 6 lines 11 or more of Poisson(6) are (4 %).
 */
TEST(test_others_have_a_share_of_the_last_cache)
{
	struct cpu c = test_cpu();

	c.level[0] = (struct cpu_cache){ 512, 8, 4, POLICY_LRU, 10, 0, 0, 1, 0 };
	c.level[1] = (struct cpu_cache){ 1024, 8, 14, POLICY_LRU, 0, 0, 0, 1, 0 };
	c.level[2] = (struct cpu_cache){ 512 * 16 * 64, 16, 42, POLICY_LRU, 0, 0, 0, 1, 0 };
	assert_float_equal(missing(&c, 512 * 16), 0, 0.001);
	assert_float_equal(missing(&c, 512 * 17), 1, 0.001);
	c.others = 100;
	assert_float_equal(missing(&c, 512 * 6), 0.04, 0.02);
	assert_float_equal(missing(&c, 512 * 8), 0.41, 0.05);
	assert_float_equal(missing(&c, 512 * 12), 0.99, 0.02);
	c.others = 50; /* of 8 lines a set, 9 or more of Poisson(4) */
	assert_float_equal(missing(&c, 512 * 8), 0.02, 0.02);
}

TEST(test_clock)
{
	struct cpu c = test_cpu();
	struct clock k;
	uint64_t begin, ticks;

	c.hz = 3000000000;
	c.tsc_hz = 2000000000;
	c.tsc_step = 20;
	tsc_init(&k, &c);
	begin = k.ticks;
	assert_int_equal(begin, 40 * c.tsc_hz); /* a machine that is not on since now */
	assert_int_equal(tsc_read(&k, 3000) - begin, 2000);
	assert_int_equal(tsc_read(&k, 3029) - begin, 2000); /* 2019.3 */
	assert_int_equal(tsc_read(&k, 3030) - begin, 2020);
	c.tsc_step = 1;
	c.spike_every = 1000000;
	c.spike_ticks = 5000;
	tsc_init(&k, &c);
	begin = k.ticks;
	ticks = tsc_read(&k, 30000000) - begin;
	assert_int_equal(ticks, 20000000 + 5000 * k.spike.count);
	assert_in_range(k.spike.count, 20, 60); /* 500000..1500000 cycles apart */
	c.spike_every = 0;
	c.unseen_every = 300000;
	c.unseen_ticks = 7000;
	tsc_init(&k, &c);
	assert_int_equal(tsc_read(&k, 299999) - begin, 199999);
	assert_int_equal(tsc_read(&k, 300000) - begin, 200000 + 7000);
	assert_int_equal(tsc_read(&k, 900000) - begin, 600000 + 3 * 7000);
	assert_int_equal(tsc_smis(&k), 0);
}

/* 1 GHz for 500 us, 2 GHz for 500 us, then 3 GHz; the counter at 1 GHz throughout. */
TEST(test_clock_that_rises)
{
	struct cpu c = test_cpu();
	struct clock k;
	uint64_t begin;

	c.hz = 3000000000;
	c.hz_start = 1000000000;
	c.ramp_us = 1000;
	c.ramp_steps = 2;
	c.idle_us = 100;
	tsc_init(&k, &c);
	begin = k.ticks;
	assert_int_equal(tsc_read(&k, 400000) - begin, 400000);
	assert_int_equal(tsc_read(&k, 500000) - begin, 500000);
	assert_int_equal(tsc_read(&k, 1500000) - begin, 1000000);
	assert_int_equal(tsc_read(&k, 4500000) - begin, 2000000);
	tsc_idle(&k, 299999, 4799999); /* not long enough */
	assert_int_equal(tsc_read(&k, 4800000) - begin, 2100000);
	tsc_idle(&k, 300000, 5100000);
	assert_int_equal(tsc_read(&k, 5100000) - begin, 2200000);
	assert_int_equal(tsc_read(&k, 5200000) - begin, 2300000); /* 1 GHz again */
}

TEST(test_policies)
{
	struct cache k;
	uint64_t victim, n;
	bool dirty;

	cache_init(&k, 4, 4, POLICY_LRU, 1);
	for (n = 0; n < 4; n++)
		cache_insert(&k, n, &victim, &dirty);
	cache_touch(&k, cache_find(&k, 0));
	cache_insert(&k, 9, &victim, &dirty);
	assert_int_equal(victim, 1); /* the least recently used */
	cache_free(&k);
	cache_init(&k, 4, 4, POLICY_PLRU, 1);
	for (n = 0; n < 4; n++)
		cache_insert(&k, n, &victim, &dirty); /* bits: only 3 is recent now */
	cache_touch(&k, cache_find(&k, 0));
	cache_insert(&k, 9, &victim, &dirty);
	assert_int_equal(victim, 1); /* the first that is not recent */
	cache_free(&k);
	cache_init(&k, 4, 4, POLICY_TREE, 1);
	for (n = 0; n < 4; n++)
		cache_insert(&k, n, &victim, &dirty);
	cache_touch(&k, cache_find(&k, 1));
	cache_insert(&k, 9, &victim, &dirty);
	assert_int_equal(victim, 2); /* of the other half, the one that is not recent */
	cache_insert(&k, 10, &victim, &dirty);
	assert_int_equal(victim, 0); /* and of the first half */
	cache_free(&k);
	cache_init(&k, 3 * 11, 11, POLICY_LRU, 1); /* 3 sets: not a power of two */
	for (n = 0; n < 33; n++)
		cache_insert(&k, n, &victim, &dirty);
	assert_true(victim == CACHE_MISS);
	cache_insert(&k, 33, &victim, &dirty);
	assert_int_equal(victim, 0);
	cache_free(&k);
}

/* Far ahead of now, the table grows, and keeps what is reserved. */
TEST(test_reservations_grow)
{
	struct reservations k;
	uint64_t now = 5, ring;

	reservations_init(&k, 2, &now);
	ring = k.mask + 1;
	reservations_add(&k, 10, 4);
	reservations_add(&k, 12, 2);
	assert_int_equal(reserve(&k, 10 * ring, 3), 10 * ring);
	assert_true(k.mask + 1 > 9 * ring);
	assert_int_equal(reservations_find(&k, 10, 4), 14); /* 12 and 13 are full */
	assert_int_equal(reserve(&k, 10, 2), 10);
	assert_int_equal(reserve_cycle(&k, 10), 14);
	assert_int_equal(reservations_find(&k, 9 * ring, 10 * ring), 9 * ring);
	assert_int_equal(reserve(&k, 10 * ring, 3), 10 * ring); /* the second unit */
	assert_int_equal(reservations_find(&k, 9 * ring, 10 * ring), 10 * ring + 3);
	reservations_free(&k);
}
