/* SPDX-License-Identifier: MIT */
/*
 * Tests the sizes found from rows of `backend`, and the reasons given where another structure fills
 * up first.
 */
#include "probes/backend/backend.c"
#include "tests/unit/summary_rows.h"

/* Rows of a kind whose misses overlap up to so many fillers; each then takes so many ns. */
static void fits(unsigned kind, unsigned fillers, double each)
{
	const struct fillers *k = &kinds[kind];

	for (unsigned n = 0; n <= FILLERS_MOST; n++)
		if (n % 16 == 0 || n + 1 - fillers < 3)
			add("backend", k->variant, "entries", n + k->own,
				fmax(n <= fillers ? 100 : 200, 2 * each * n) + each * n / 10,
				PAGE_2M);
}

static void expect(const char *name, double is)
{
	expect_range(name, is, is, is + 1);
	assert_string_equal("", find_value(&m.found, value_by_name(name))->form);
}

static void expect_at_least(const char *name, double is, const char *why)
{
	expect_least(name, is);
	assert_string_equal(why, find_value(&m.found, value_by_name(name))->form);
}

/* With what the misses themselves take. */
TEST(a_structure_that_ends_before_the_window)
{
	begin_of("backend");
	fits(WINDOW, 510, 0.05);
	fits(INTEGER, 241, 0.05);
	fits(VECTOR, 277, 0.05);
	fits(LOAD, 188, 0.1);
	fits(STORE, 111, 0.2);
	fits(BRANCH, 127, 0.1);
	fits(ADD_WAITING, 97, 0.05);
	fits(VECTOR_WAITING, 96, 0.1);
	fits(LOAD_WAITING, 69, 0.1);
	fits(STORE_WAITING, 38, 0.1);
	expect("integers_in_flight", 243);
	expect("vectors_in_flight", 277);
	expect("loads_in_flight", 190);
	expect("stores_in_flight", 111);
	expect("branches_in_flight", 127);
	expect("adds_waiting", 97);
	expect("vectors_waiting", 96);
	expect("loads_waiting", 70);
	expect("stores_waiting", 38);
	expect_open("masks_in_flight", NOT_MEASURED);
}

/* A structure that ends where the window does, within 2 % and one entry, has only a lower bound. */
TEST(the_window_ends_first)
{
	static const unsigned fillers[] = { 300, 299, 294 };

	for (unsigned i = 0; i < 3; i++) {
		begin_of("backend");
		fits(WINDOW, 300, 0.05);
		fits(STORE, fillers[i], 0.05);
		expect_at_least("stores_in_flight", fillers[i], "the window ends first");
	}
	begin_of("backend");
	fits(WINDOW, 300, 0.05);
	fits(STORE, 293, 0.05);
	expect("stores_in_flight", 293);
}

/* A load takes half a register of each kind; what waits takes what its kind takes, and leads do. */
TEST(another_structure_ends_first)
{
	begin_of("backend");
	fits(WINDOW, 500, 0.05);
	fits(INTEGER, 100, 0.05);
	fits(VECTOR, 150, 0.05);
	fits(LOAD, 198, 0.05);
	fits(STORE, 80, 0.05);
	fits(ADD_WAITING, 98, 0.05);
	fits(VECTOR_WAITING, 100, 0.05);
	fits(LOAD_WAITING, 90, 0.05);
	fits(STORE_WAITING, 76, 0.05);
	expect_at_least("loads_in_flight", 200, "the integer registers end first");
	expect_at_least("adds_waiting", 98, "the integer registers end first");
	expect("vectors_waiting", 100);
	expect("loads_waiting", 91);
	expect_at_least("stores_waiting", 76, "the queue of stores ends first");
}

TEST(without_the_window_nothing_is_known)
{
	begin_of("backend");
	fits(STORE, 111, 0.2);
	expect_open("stores_in_flight", "the window is not resolved");
}

/* Slow instructions take longer than both misses far before the last row. */
TEST(a_curve_that_bends_beyond_its_step)
{
	begin_of("backend");
	fits(WINDOW, 500, 0.05);
	fits(MASK, 135, 0.4);
	fits(BRANCH, 40, 0.6);
	expect("masks_in_flight", 135);
	expect("branches_in_flight", 40);
}
