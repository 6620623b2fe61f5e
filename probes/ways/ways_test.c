/* SPDX-License-Identifier: MIT */
/*
 * Tests the ways of L1 from rows of `ways`: the end of a set, and the spacing that it is read from.
 */
#include "tests/unit/summary_rows.h"

#define FLAT 99 /* ways: no step */

/* Add rows of a spacing that cost `more` beyond `ways` lines. */
static void lines_of(const char *variant, unsigned ways, double more)
{
	for (unsigned x = 1; x <= 32; x++)
		add("ways", variant, "ways", x, x <= ways ? 1.5 : 1.5 + more, PAGE_2M);
}

static void expect(const char *what, double ways, const char *rests_on)
{
	const struct summary *s = value("l1d_ways");

	if (isnan(ways) ? !s->reason : !(s->value == ways))
		fail_value(s, what);
	if (strcmp(s->rests_on, rests_on))
		fail_msg("%s: expected it to rest on '%s', came '%s'", what, rests_on, s->rests_on);
}

/* The last number of lines that cost no more, and the next one. */
TEST(a_set_ends_between_two_numbers)
{
	for (unsigned ways = 2; ways <= 30; ways++) {
		begin_of("ways");
		lines_of("same-set", ways, 3.5);
		lines_of("same-pages", FLAT, 0);
		expect_range("l1d_ways", ways, ways, ways + 1);
	}
}

/* Eight ways replaced at random: each line more misses more often, and twelve rise most. */
TEST(a_set_ends_where_the_rise_begins)
{
	begin_of("ways");
	for (unsigned x = 1; x <= 32; x++)
		add("ways", "same-set", "ways", x,
			x <= 8           ? 1.5
				: x < 12 ? 1.5 + 0.1 * (x - 8)
					 : 5,
			PAGE_2M);
	expect_range("l1d_ways", 8, 8, 9);
	assert_true(find_value(&m.found, VALUE_l1d_ways)->claimed == 12);
}

/* One number alone that cost more, or less, is no end. */
TEST(a_single_row_is_not_believed)
{
	begin_of("ways");
	lines_of("same-set", 8, 3.5);
	m.results[4].median = m.results[4].min = 4; /* 5 lines */
	m.results[19].median = m.results[19].min = 1.5;
	expect("5 lines cost more, 20 less", 8, "ways same-set, same-pages");
}

/*
 * The number comes from a spacing that the page size allows and whose step only the set can cause.
 */
TEST(which_spacing_says_it)
{
	static const struct {
		const char *what;
		unsigned set, pages, index; /* 0: not measured */
		double ways;
		const char *rests_on;
	} cases[] = {
		{ "all", 12, FLAT, 8, 12, "ways same-set, same-pages" },
		{ "no small pages' rows", 12, FLAT, 0, 12, "ways same-set, same-pages" },
		{ "a step of the pages", 12, 12, 8, 8, "ways same-index" },
		{ "a step of the pages alone", FLAT, 12, 8, 8, "ways same-index" },
		{ "a step of the pages, nothing else", 12, 12, 0, 12, "ways same-set, same-pages" },
		{ "no step of the set", FLAT, FLAT, 8, 8, "ways same-index" },
		{ "no large pages", 0, 0, 8, 8, "ways same-index" },
		{ "no step at all", FLAT, FLAT, FLAT, NAN, "ways same-index" },
		{ "nothing", 0, 0, 0, NAN, "ways same-set, same-pages" },
	};

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin_of("ways");
		if (cases[i].set)
			lines_of("same-set", cases[i].set, 3.5);
		if (cases[i].pages)
			lines_of("same-pages", cases[i].pages, 3.5);
		if (cases[i].index)
			lines_of("same-index", cases[i].index, 3.5);
		expect(cases[i].what, cases[i].ways, cases[i].rests_on);
	}
}

/* Whatever is in the way of the number has its reason. */
TEST(without_a_step_there_is_a_reason)
{
	begin_of("ways");
	expect_open("l1d_ways", NOT_MEASURED);
	begin_of("ways");
	lines_of("same-set", FLAT, 0);
	expect_open("l1d_ways", "the curve is flat");
}
