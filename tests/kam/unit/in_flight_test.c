/* SPDX-License-Identifier: MIT */
/* Resources that must be free before an instruction enters; the sum stands beside each number. */
#include "tests/kam/unit/insn_builder.h"
#include "tests/unit/test.h"

#define MISS 200 /* cycles, of the machine of these tests */

/* Two misses with n instructions between them; `waits`: for the first one. */
static uint64_t two_misses(struct model *m, struct insn i, unsigned n)
{
	uint64_t start;

	simple(m, INSN_FLUSH, 0);
	simple(m, INSN_FLUSH, 1 << 20);
	start = drain(m);
	load(m, 0, 14, 0);
	while (n--)
		run(m, i, 2 << 20);
	return load(m, 1, 14, 1 << 20) - start;
}

/* Expect that `fits` instructions fit, and one more does not. */
static void expect_fits(const struct cpu *c, struct insn i, unsigned fits)
{
	struct model m;
	unsigned n;

	model_init(&m, c);
	load(&m, 15, 14, 0);
	load(&m, 15, 14, 1 << 20);
	load(&m, 15, 14, 2 << 20);
	drain(&m);
	for (n = fits - 5; n <= fits + 5; n++) {
		uint64_t took = two_misses(&m, i, n);

		if (n <= fits ? took > MISS + n : took < 2 * MISS)
			fail_msg("%u of %u fit: took %lu", n, fits, took);
		drain(&m);
	}
	model_free(&m);
}

static const struct insn add_1 = { .cost = COST_ONE, .bytes = 3, .results = REG_BIT(2) },
			 paddd = { .cost = COST_VECTOR, .bytes = 4, .results = REG_VECTOR(3) },
			 branch = { .kind = INSN_BRANCH, .cost = COST_BRANCH, .bytes = 2 },
			 load_8 = { .bytes = 3, .load_bytes = 8, .results = REG_BIT(2) };

/* Registers and queues: until it retires. The loads that miss write a register, and are loads. */
TEST(what_retires_is_free)
{
	struct cpu c = test_cpu();

	expect_fits(&c, add_1, 222); /* the window: 224 - 2 */
	c.backend.integers = 57;
	expect_fits(&c, add_1, 55); /* 57 - 2 */
	expect_fits(&c, paddd, 222);
	c.backend.vectors = 43;
	expect_fits(&c, paddd, 43);
	c.backend.branches = 31;
	expect_fits(&c, branch, 31);
	c.backend.integers = 0;
	expect_fits(&c, load_8, 222);
	c.backend.loads = 37;
	expect_fits(&c, load_8, 35);
}

static struct insn waiting(struct insn i)
{
	if (i.load_bytes || i.store_bytes)
		i.address_sources = REG_BIT(0);
	else
		i.sources = REG_BIT(0);
	return i;
}

/* Schedulers: until it starts, which an instruction that waits for nothing does at once. */
TEST(what_starts_is_free)
{
	struct insn store_8 = { .bytes = 3, .store_bytes = 8 };
	struct cpu c = test_cpu();

	c.store_buffer = 100;
	c.backend.wait_adds = 29;
	c.backend.wait_vectors = 23;
	c.backend.wait_loads = 19;
	c.backend.wait_stores = 13;
	expect_fits(&c, add_1, 222);
	expect_fits(&c, waiting(add_1), 29);
	expect_fits(&c, waiting(paddd), 23);
	expect_fits(&c, waiting(load_8), 18); /* the second miss must have a place to start from */
	expect_fits(&c, waiting(store_8), 13);
}

/* They start in another order than they entered: those first whose sources are ready first. */
TEST(whoever_starts_first_leaves_first)
{
	struct insn first = add_1, second = add_1;
	struct cpu c = test_cpu();
	struct model m;

	c.backend.wait_adds = 2;
	first.sources = REG_BIT(0);  /* the miss: at 200 */
	second.sources = REG_BIT(1); /* the multiplication: at 3 */
	first.results = second.results = REG_BIT(3);
	model_init(&m, &c);
	load(&m, 0, 14, 0);
	run(&m, (struct insn){ .cost = COST_MULTIPLY, .bytes = 4, .results = REG_BIT(1) }, 0);
	run(&m, first, 0);
	run(&m, second, 0);
	run(&m, add_1, 0); /* enters when the second one has started */
	assert_in_range(m.enter, 3, 20);
	run(&m, first, 0);
	run(&m, first, 0); /* enters when the first one has */
	assert_true(m.enter >= MISS);
	model_free(&m);
}
