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
