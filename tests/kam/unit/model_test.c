/* SPDX-License-Identifier: MIT */
/* The timing model against cycles computed by hand; the sum stands beside each number. */
#include "tests/kam/unit/insn_builder.h"
#include "tests/unit/test.h"

TEST(test_add_chain)
{
	struct cpu c = test_cpu();
	struct model m;
	unsigned n;

	model_init(&m, &c);
	for (n = 1; n <= 1000; n++)
		assert_int_equal(add(&m, 0, 0), n); /* the first completes after 1 cycle */
	model_free(&m);
}

/* Adds of constants and copies in a chain: a cycle each, or done where they enter, 4 a cycle. */
TEST(test_done_at_rename)
{
	struct insn i = { .cost = COST_ONE, .bytes = 3, .sources = 1, .results = 1 };
	struct cpu c = test_cpu();
	struct model m;
	unsigned n, k;

	for (k = 0; k < 8; k++) {
		i.small = k & 1;
		i.copies = !i.small;
		c.fold = k >> 1 & 1;
		c.moves = k >> 2;
		model_init(&m, &c);
		for (n = 0; n < 400; n++)
			run(&m, i, 0);
		assert_int_equal(m.ready[0],
			(i.small && c.fold) || (i.copies && c.moves) ? 99 : 400);
		model_free(&m);
	}
}

/* Returns the cycles of two misses with n adds between them. */
static uint64_t two_misses(struct model *m, uint64_t n)
{
	uint64_t start, k;

	simple(m, INSN_FLUSH, 0);
	simple(m, INSN_FLUSH, 1 << 20);
	start = drain(m);
	load(m, 0, 14, 0);
	for (k = 0; k < n; k++)
		add(m, 1 + k % 8, 1 + k % 8);
	return load(m, 0, 14, 1 << 20) - start;
}

/* Together while n + 2 <= window, one after the other beyond. */
static void expect_window(struct model *m, uint64_t window)
{
	uint64_t n, took;

	for (n = window - 24; n < window + 16; n++) {
		took = two_misses(m, n);
		if (n + 2 <= window)
			assert_int_equal(took, 200 + (n + 1) / 4);
		else
			assert_true(took >= 400);
	}
}

/* Divided while the other thread of the core executes. */
TEST(test_window)
{
	struct cpu c = test_cpu();
	struct model m;

	model_init(&m, &c);
	load(&m, 15, 14, 0);
	load(&m, 15, 14, 1 << 20);
	expect_window(&m, 224);
	drain(&m);
	model_divide(&m, &c, true);
	expect_window(&m, 112);
	drain(&m);
	model_divide(&m, &c, false);
	expect_window(&m, 224);
	model_free(&m);
}

TEST(test_ports)
{
	struct cpu c = test_cpu();
	struct model m;
	uint64_t start, done = 0, n;

	model_init(&m, &c);
	load(&m, 0, 15, 0);
	start = drain(&m);
	for (n = 0; n < 1000; n++)
		done = load(&m, n % 8, 15, 0);
	assert_int_equal(done - start, 499 + 4); /* two a cycle, the last starts in cycle 499 */
	model_free(&m);
}

/* Cycles for n instructions of a kind that wait for nothing, of 16 bytes or 8 where they access. */
static uint64_t many(struct model *m, struct insn i, uint64_t n)
{
	uint64_t start = drain(m);

	i.bytes = 3;
	for (uint64_t k = 0; k < n; k++)
		run(m, i, 64);
	return drain(m) - start - 100;
}

static const struct insn vector = { .cost = COST_VECTOR }, narrow_load = { .load_bytes = 8 },
			 wide_load = { .load_bytes = 16 }, narrow_store = { .store_bytes = 8 },
			 wide_store = { .store_bytes = 16 };

/* Two of their own beside two: 100 adds of two a cycle, 100 vectors of two, in the same 50. */
TEST(test_ports_of_their_own)
{
	struct cpu c = test_cpu();
	struct model m;
	uint64_t start;

	c.alus = 2;
	c.limits.vectors = 2;
	model_init(&m, &c);
	assert_int_equal(many(&m, vector, 300), 150);
	start = drain(&m);
	for (unsigned n = 0; n < 100; n++) {
		run(&m, vector, 0);
		add(&m, n % 8, 8);
	}
	assert_int_equal(drain(&m) - start - 100, 50);
	model_free(&m);
}

/* Loads of 4 cycles: three narrow ones, two wide ones, and loads and stores together three. */
TEST(test_accesses)
{
	struct cpu c = test_cpu();
	struct model m;
	uint64_t start;

	c.loads = 3;
	c.stores = 2;
	c.limits.wide_loads = 2;
	c.limits.accesses = 3;
	model_init(&m, &c);
	many(&m, narrow_load, 1); /* into L1 */
	assert_int_equal(many(&m, narrow_load, 300), 99 + 4);
	assert_int_equal(many(&m, wide_load, 300), 149 + 4);
	start = drain(&m);
	for (unsigned n = 0; n < 12; n++) { /* as few as the store buffer holds */
		run(&m, narrow_load, 64);
		run(&m, narrow_load, 64);
		run(&m, narrow_store, 72);
	}
	assert_in_range(m.completed - start, 11 + 4, 12 + 4);
	model_free(&m);
}

/* Two written a cycle where two may start, of 16 bytes one; a store is written after it retired. */
TEST(test_stores_written)
{
	struct cpu c = test_cpu();
	struct model m;

	for (unsigned commits = 1; commits < 3; commits++) {
		c.stores = 2;
		c.limits.commits = commits;
		c.limits.wide_stores = 1;
		model_init(&m, &c);
		many(&m, narrow_store, 1); /* into L1 */
		assert_in_range(many(&m, narrow_store, 300), 300 / commits, 300 / commits + 4);
		assert_in_range(many(&m, wide_store, 300), 300, 304);
		model_free(&m);
	}
}

/* A load that is ready goes before an older one that is not. */
TEST(test_out_of_order)
{
	struct cpu c = test_cpu();
	struct model m;
	uint64_t start;

	c.loads = 1;
	model_init(&m, &c);
	load(&m, 0, 15, 0);
	load(&m, 0, 15, 1 << 20);
	simple(&m, INSN_FLUSH, 1 << 20);
	start = drain(&m);
	load(&m, 0, 15, 1 << 20); /* ready at 200 */
	load(&m, 1, 0, 0);        /* waits for it */
	load(&m, 2, 15, 0);       /* does not */
	assert_int_equal(m.ready[0] - start, 200);
	assert_int_equal(m.ready[1] - start, 204);
	assert_int_equal(m.ready[2] - start, 1 + 4); /* the one port was taken in cycle 0 */
	model_free(&m);
}

static uint64_t branch(struct model *m, bool taken)
{
	struct insn i = {
		.kind = INSN_BRANCH,
		.cost = COST_ONE,
		.bytes = 2,
		.address = 0x100,
		.sources = REG_FLAGS,
	};
	struct insn_run r = { 0, 0, taken ? 0x200 : 0x102 };

	model_step(m, &i, &r);
	return m->completed;
}

TEST(test_misprediction)
{
	struct cpu c = test_cpu();
	struct model m;
	uint64_t done;
	unsigned n;

	c.predictor = PREDICTOR_BIMODAL;
	model_init(&m, &c);
	for (n = 0; n < 8; n++)
		branch(&m, false);
	drain(&m);
	assert_int_equal(m.mispredicts, 0);
	done = branch(&m, true);
	assert_int_equal(m.mispredicts, 1);
	assert_int_equal(add(&m, 0, 0), done + 15 + 1); /* resolved, refilled, executed */
	model_free(&m);
}

static void pass(struct model *m, const uint8_t *bits, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		branch(m, bits[i]);
}

/* Mispredicted of a hundred in a pass over a random pattern of n that was walked 30 times. */
static unsigned forgotten(const struct cpu *c, unsigned n)
{
	static uint8_t bits[8192];
	uint64_t x = 88172645463325252ull, before;
	struct model m;
	unsigned i;

	for (i = 0; i < n; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		bits[i] = x >> 40 & 1;
	}
	model_init(&m, c);
	for (i = 0; i < 30; i++)
		pass(&m, bits, n);
	before = m.mispredicts;
	pass(&m, bits, n);
	before = m.mispredicts - before;
	model_free(&m);
	return (unsigned)(100 * before / n);
}

/* A random pattern that fits is known; one that does not fit is never known. */
TEST(test_history_capacity)
{
	struct cpu c = test_cpu();

	assert_int_equal(forgotten(&c, 512), 0);
	assert_true(forgotten(&c, 2048) > 33);
}

/* Tables with tags know what is short, guess what is long, and lose it gradually in between. */
TEST(test_tagged_tables)
{
	struct cpu c = test_cpu();

	c.predictor = PREDICTOR_TAGGED;
	c.capacity = 1200;
	assert_true(forgotten(&c, 64) <= 3);
	assert_true(forgotten(&c, 8192) >= 40);
	assert_in_range(forgotten(&c, 512), 4, 25);
	assert_in_range(forgotten(&c, 1024), 15, 40);
	c.predictor = PREDICTOR_HISTORY;
	assert_int_equal(forgotten(&c, 1024), 0);
}

/* Cycles of one more lap of n jumps, each to the next but one: known, late, or not known. */
static uint64_t lap_of_jumps(const struct cpu *c, unsigned n)
{
	struct insn jump = { .kind = INSN_JUMP, .bytes = 5 };
	struct model m;
	uint64_t before = 0;
	unsigned lap, i;

	model_init(&m, c);
	for (lap = 0; lap < 3; lap++) {
		before = m.enter;
		for (i = 0; i < n; i++) {
			struct insn_run to = { 0, 0, 0x10000 + 32 * ((i + 1) % n) };

			jump.address = 0x10000 + 32 * i;
			model_step(&m, &jump, &to);
		}
	}
	before = m.enter - before;
	model_free(&m);
	return before;
}

/* All of so many targets are found in the first level, in the second, in neither, or nearby. */
TEST(test_two_levels_of_targets)
{
	struct cpu c = test_cpu();

	c.targets = 100;
	c.targets_2 = 50;
	c.target_2 = 3;
	assert_int_equal(lap_of_jumps(&c, 100), 100);
	assert_int_equal(lap_of_jumps(&c, 101), 101 * (1 + 3));
	assert_int_equal(lap_of_jumps(&c, 150), 150 * (1 + 3));
	assert_int_equal(lap_of_jumps(&c, 151), 151 * (1 + 8));
	c.target_near = 32;
	assert_int_equal(lap_of_jumps(&c, 150), 150 * (1 + 3));
	assert_int_equal(lap_of_jumps(&c, 151), 150 + 9); /* all but the one back */
	c.targets_2 = c.target_near = 0;
	assert_int_equal(lap_of_jumps(&c, 101), 101 * (1 + 8));
}

/* A store buffer full of misses stops the next store: 16 fit, the 17th waits for the first. */
TEST(test_store_buffer)
{
	struct cpu c = test_cpu();
	struct model m;
	uint64_t start, n;

	model_init(&m, &c);
	load(&m, 0, 15, 0x3000);
	start = drain(&m);
	for (n = 0; n < 16; n++)
		store(&m, 14, 64 * (n + 1));
	assert_true(m.enter - start < 10);
	store(&m, 14, 64 * 17);
	assert_true(m.enter - start >= 200);
	model_free(&m);
}

/* LOCK ADD r[from] to what lies there. */
static uint64_t lock_add(struct model *m, unsigned from, uint64_t address)
{
	struct insn i = { .kind = INSN_LOCKED,
		.cost = COST_LOCK_ADD,
		.load_bytes = 8,
		.store_bytes = 8,
		.bytes = 4,
		.sources = REG_BIT(from),
		.results = REG_FLAGS };

	return run(m, i, address);
}

/* Within a line, across its end, with a load behind it, which waits, and an ADD, which does not. */
TEST(test_locked)
{
	struct cpu c = test_cpu();
	struct model m;
	uint64_t done;

	c.atomics.lock_add = 23;
	c.atomics.split = 617;
	model_init(&m, &c);
	load(&m, 0, 1, 0x1000);
	load(&m, 0, 1, 0x1040);
	done = drain(&m);
	assert_int_equal(lock_add(&m, 0, 0x1000) - done, 23);
	assert_int_equal(lock_add(&m, 0, 0x1008) - done, 2 * 23);
	add(&m, 2, 3);
	assert_in_range(m.ready[2] - done, 1, 3);
	load(&m, 4, 5, 0x1020);
	assert_int_equal(m.ready[4] - done, 2 * 23 + 4);
	done = drain(&m);
	assert_int_equal(lock_add(&m, 0, 0x103c) - done, 617);
	done = drain(&m);
	store(&m, 0, 0x1000);
	assert_true(lock_add(&m, 0, 0x1000) - done > 23); /* the store goes to L1 first */
	model_free(&m);
}
