/* SPDX-License-Identifier: MIT */
/* Loads behind stores that are not in L1 yet; the sum stands beside each number. */
#include "tests/kam/cpu/stores.h"
#include "tests/kam/unit/insn_builder.h"
#include "tests/unit/test.h"

#define T      20 /* a load starts, */
#define LOADED 24 /* and has its data from L1 */

static struct cpu machine(uint64_t partial, uint64_t alias)
{
	struct cpu c = test_cpu();

	c.partial = partial;
	c.alias = alias;
	return c;
}

static struct memory_use of(uint64_t address, uint64_t bytes)
{
	return (struct memory_use){ address, bytes, 0 };
}

/* One store at 64..71 whose data are known at 10 and which is in L1 at 50. */
static struct stores one_store(const struct cpu *c)
{
	static struct stores s;

	memset(&s, 0, sizeof(s));
	stores_record(&s, c, of(64, 8), 10, 50);
	s.committed = 50;
	return s;
}

TEST(test_whole)
{
	struct cpu c = machine(12, 5);
	struct stores s = one_store(&c);

	assert_int_equal(stores_load(&s, &c, of(64, 8), T, LOADED), 20 + 5);
	assert_int_equal(stores_load(&s, &c, of(66, 2), T, LOADED), 20 + 5);
	assert_int_equal(stores_load(&s, &c, of(64, 8), 5, 9), 10 + 5); /* the data are later */
	assert_int_equal(stores_load(&s, &c, of(64, 8), 50, 54), 54);   /* it is in L1 */
	assert_int_equal(stores_load(&s, &c, of(72, 8), T, LOADED), LOADED);
}

TEST(test_partial)
{
	struct cpu c = machine(12, 0), forgiving = machine(0, 0);
	struct stores s = one_store(&c);

	assert_int_equal(stores_load(&s, &c, of(64, 16), T, LOADED), 50 + 12); /* wider */
	assert_int_equal(stores_load(&s, &c, of(60, 8), T, LOADED), 50 + 12); /* before and in it */
	assert_int_equal(stores_load(&s, &forgiving, of(64, 16), T, LOADED), 20 + 5);
	stores_record(&s, &c, of(80, 1), 11, 55);
	assert_int_equal(stores_load(&s, &c, of(81, 1), T, LOADED),
		LOADED); /* beside it in the word */
	stores_record(&s, &c, of(68, 4), 11, 60);
	assert_int_equal(stores_load(&s, &c, of(64, 8), T, LOADED), 60 + 12); /* of two stores */
	assert_int_equal(stores_load(&s, &c, of(68, 4), T, LOADED), 20 + 5);
}

TEST(test_alias)
{
	struct cpu c = machine(0, 5), exact = machine(0, 0);
	struct stores s = one_store(&c);

	assert_true(stores_alike(&s, &c, of(64 + 4096, 8), T));
	assert_true(stores_alike(&s, &c, of(64 + 12288, 4), T));
	assert_true(stores_alike(&s, &c, of(56 + 4096, 16), T)); /* its second word */
	assert_false(stores_alike(&s, &c, of(64, 8), T));        /* the store itself */
	assert_false(stores_alike(&s, &c, of(64 + 4096 + 8, 8), T));
	assert_false(stores_alike(&s, &c, of(64 + 2048, 8), T));
	assert_false(stores_alike(&s, &c, of(64 + 4096, 8), 50)); /* it is in L1 */
	stores_record(&s, &c, of(80, 4), 10, 50);
	assert_true(stores_alike(&s, &c, of(80 + 4096, 4), T));
	assert_false(stores_alike(&s, &c, of(84 + 4096, 4), T)); /* other bytes of the word */
	assert_false(stores_alike(&s, &exact, of(64 + 4096, 8), T));
}

/* Behind a store to the same place of another page: the load starts 5 cycles later, by the port. */
TEST(test_started_again)
{
	struct cpu c = machine(0, 5);
	struct model m;
	uint64_t start;

	model_init(&m, &c);
	load(&m, 0, 15, 64);
	load(&m, 0, 15, 64 + 4096);
	load(&m, 0, 15, 128 + 4096);
	start = drain(&m);
	store(&m, 14, 64);
	assert_int_equal(load(&m, 2, 15, 64 + 4096) - start, 5 + 4);
	load(&m, 3, 15, 128 + 4096);
	assert_int_equal(m.ready[3] - start, 4);
	model_free(&m);
}

/* A machine whose figures are in tenths, and nothing else of it is as it is by default. */
static struct cpu tenths(void)
{
	struct cpu c = machine(0, 0);

	c.forwarding.whole = 53;
	c.forwarding.part = 11;
	c.forwarding.wide = 17;
	c.forwarding.line = 74;
	c.forwarding.page = 263;
	c.forwarding.renamed = 4;
	c.forwarding.failed = 127;
	return c;
}

/* Cycles of ten loads behind the store, which is in L1 at 50, from its data at 20. */
static uint64_t of_ten(const struct cpu *c, struct memory_use store, struct memory_use load)
{
	static struct stores s;
	uint64_t all = 0;

	memset(&s, 0, sizeof(s));
	stores_record(&s, c, store, T, 50);
	s.committed = 50;
	for (unsigned i = 0; i < 10; i++)
		all += stores_load(&s, c, load, T, LOADED) - T;
	return all;
}

TEST(test_tenths)
{
	struct cpu c = tenths();

	assert_int_equal(of_ten(&c, of(64, 8), of(64, 8)), 53);
	assert_int_equal(of_ten(&c, of(64, 8), of(64, 4)), 53);
	assert_int_equal(of_ten(&c, of(64, 8), of(68, 4)), 53 + 11);
	assert_int_equal(of_ten(&c, of(64, 16), of(64, 16)), 53 + 17);
	assert_int_equal(of_ten(&c, of(64, 16), of(72, 8)), 53 + 11 + 17);
	assert_int_equal(of_ten(&c, of(124, 8), of(124, 8)), 53 + 74);
	assert_int_equal(of_ten(&c, of(4092, 8), of(4092, 8)), 53 + 263);
	assert_int_equal(of_ten(&c, of(124, 8), of(124, 4)), 53); /* the load is in one line */
	assert_int_equal(of_ten(&c, of(64, 4), of(64, 8)),
		300 + 127); /* from 50, when it is in L1 */
	c.forwarding.whole = 0;
	assert_int_equal(of_ten(&c, of(64, 8), of(64, 8)), 50);
}

/* By the same register and displacement; not by another place, size or kind of address. */
TEST(test_renamed)
{
	struct cpu c = tenths();
	const struct memory_use store = { 64, 8, 7 };

	assert_int_equal(of_ten(&c, store, store), 53);
	c.forwarding.renames = 1;
	assert_int_equal(of_ten(&c, store, store), 4);
	assert_int_equal(of_ten(&c, store, (struct memory_use){ 64, 8, 9 }), 53);
	assert_int_equal(of_ten(&c, store, (struct memory_use){ 64, 4, 7 }), 53);
	assert_int_equal(of_ten(&c, of(64, 8), of(64, 8)), 53);
}

TEST(test_split)
{
	struct cpu c = machine(0, 0);

	assert_int_equal(split_cycles(&c, of(120, 8), 7, 19), 0);
	assert_int_equal(split_cycles(&c, of(121, 8), 7, 19), 7);
	assert_int_equal(split_cycles(&c, of(64, 64), 7, 19), 0);
	assert_int_equal(split_cycles(&c, of(4095, 2), 7, 19), 19);
	c.line = 128;
	assert_int_equal(split_cycles(&c, of(60, 8), 7, 19), 0);
	assert_int_equal(split_cycles(&c, of(124, 8), 7, 19), 7);
}

/* A load across a line has its data 7 cycles later; stores there go to L1 one in 4 cycles. */
TEST(test_split_accesses)
{
	struct cpu c = machine(0, 0);
	struct model m;
	uint64_t start;

	c.split.load_line = 7;
	c.split.store_line = 3;
	model_init(&m, &c);
	load(&m, 0, 15, 60);
	start = drain(&m);
	assert_int_equal(load(&m, 2, 15, 60) - start, 4 + 7);
	start = drain(&m);
	for (unsigned i = 0; i < 10; i++)
		store(&m, 14, 60);
	assert_in_range(m.stores.committed - start, 40, 45);
	model_free(&m);
}
