/* SPDX-License-Identifier: MIT */
/* Which rows a curve is made of, what is read of them, and what is kept of what was found. */
#include "infer/infer.h"
#include "tests/unit/near.h"
#include "tests/unit/summary_rows.h"
#include "tests/unit/test.h"

BEFORE_EACH(start)
{
	begin();
	m.b.probe = probe("stride");
}

static struct result *row(const char *variant, double x, double y)
{
	add("stride", variant, "n", x, y, PAGE_4K);
	return &m.results[m.b.nresults - 1];
}

/* Rows measured in any order; of those without n, without a number, or of another name, none. */
TEST(points_are_in_order_with_their_rows)
{
	static const double order[] = { 30, 10, 60, 20, 50, 40 };
	const struct pick pick = { .variant = "a", .x = "n" };
	struct curve c = { .offset = 7 };

	for (unsigned i = 0; i < 6; i++)
		row("a", order[i], 100 + order[i]);
	row("a", 70, NAN);
	row("b", 70, 1);
	row("a", 0, 1);
	add("stride", "a", "other", 70, 1, PAGE_4K);
	assert_int_equal(6, take_curve(&m.b, &pick, &c));
	near("offset", 0, c.offset);
	for (unsigned i = 0; i < 6; i++) {
		near("x", 10 * (i + 1), c.point[i].x);
		near("y", 100 + 10 * (i + 1), c.point[i].y);
		near("its row", c.point[i].y, c.from[i]->median);
	}
}

TEST(rows_are_picked_by_level_and_parameter)
{
	const struct pick l1 = { .variant = "a", .x = "n", .level = "l1" };
	const struct pick only = { .variant = "a", .x = "n", .only = "n", .only_value = 2 };
	struct curve c;

	row("a", 1, 10);
	row("a", 2, 20);
	row("a", 3, 30);
	m.rows[1].level = "l1";
	m.rows[2].level = "l2";
	assert_int_equal(1, take_curve(&m.b, &l1, &c));
	near("at l1", 20, c.point[0].y);
	assert_int_equal(1, take_curve(&m.b, &only, &c));
	near("n is 2", 20, c.point[0].y);
}

TEST(a_floor_that_is_not_known_is_the_median)
{
	struct result *r = row("a", 1, 10);

	r->cycles = 30;
	m.b.reading = READ_FLOOR;
	near("no floor", 30, row_cycles(&m.b, r));
	near("nor of the time", 10, row_value(&m.b, r));
	r->floor_cycles = 0.5;
	r->floor = 0.25;
	near("its floor", 0.5, row_cycles(&m.b, r));
	near("of the time", 0.25, row_value(&m.b, r));
}

/* Six points whose doubts are 0, 3, 6 ... percent: their median tells the first and the last. */
TEST(an_edge_is_doubted_as_the_points_around_it)
{
	static const struct {
		double low, high, middle;
	} cases[] = { { 20, 40, 2 }, { 25, 60, 3 }, { 5, 35, 1.5 }, { 55, 70, 4.5 },
		{ 100, 200, 5 }, { 1, 5, 0 }, { 20, 20, 1 }, { 10, 60, 2.5 } };
	const struct pick pick = { .variant = "a", .x = "n" };
	struct curve c;

	for (unsigned i = 0; i < 6; i++)
		row("a", 10 * (i + 1), 100)->mad = i;
	take_curve(&m.b, &pick, &c);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct estimate e =
			edge_of(&m.b, &c, resolved(cases[i].low, cases[i].low, cases[i].high, 1));
		char what[40];

		snprintf(what, sizeof what, "%g to %g", cases[i].low, cases[i].high);
		assert_true(e.edge);
		near(what, 1 - 0.03 * cases[i].middle, e.confidence);
	}
	struct estimate none = edge_of(&m.b, &c, not_resolved("none"));

	assert_false(none.edge);
}

TEST(the_upper_quartile_needs_all_clocks)
{
	const struct pick pick = { .variant = "a", .x = "n" };
	struct curve c;

	for (unsigned i = 0; i < 6; i++)
		row("a", i + 1, 10)->cycles = 0.1 * (i + 1);
	take_curve(&m.b, &pick, &c);
	near("of 2 to 6", 0.5, upper_quartile_cycles(&c, 1, 5));
	near("of 2 to 4", 0.4, upper_quartile_cycles(&c, 1, 3));
	near("of one", 0.3, upper_quartile_cycles(&c, 2, 2));
	m.results[5].cycles = 0;
	assert_true(isnan(upper_quartile_cycles(&c, 1, 5)));
	near("of 2 to 5", 0.4, upper_quartile_cycles(&c, 1, 4));
}

TEST(the_main_page_is_what_most_rows_have)
{
	add("stride", "a", "n", 1, 1, PAGE_4K);
	m.b.nresults = 0; /* of an earlier run */
	assert_int_equal(0, main_page(&m.b, "a"));
	add("stride", "a", "n", 1, 1, PAGE_4K);
	assert_int_equal(PAGE_4K, main_page(&m.b, "a"));
	add("stride", "a", "n", 1, 1, PAGE_1G);
	add("stride", "a", "n", 2, 1, PAGE_1G);
	assert_int_equal(PAGE_1G, main_page(&m.b, "a"));
	add("stride", "a", "n", 1, 1, PAGE_2M); /* the usual one */
	assert_int_equal(PAGE_2M, main_page(&m.b, "a"));
}

TEST(what_is_found_is_kept_as_it_is)
{
	struct estimate edge = resolved(30, 20, 40, 0.5), open = resolved(30, NAN, NAN, 0.5);
	const struct summary *s;

	found_in_pages(&m.b, PAGE_2M); /* of nothing */
	assert_int_equal(0, m.found.list[0].page_bytes);
	edge.edge = open.edge = true;
	found(&m.b, "first", "ns", edge, 31, "rows");
	found_in_pages(&m.b, PAGE_4K);
	found(&m.b, "second", "ns", open, NAN, "rows");
	found_in_pages(&m.b, PAGE_2M);
	s = find_value(&m.b, "first");
	assert_true(s->edge && s->low == 20 && s->high == 40 && s->claimed == 31);
	assert_int_equal(PAGE_4K, s->page_bytes);
	s = find_value(&m.b, "second");
	assert_true(!s->edge && s->low == 0 && s->high == 0);
	assert_int_equal(PAGE_2M, s->page_bytes);
	edge.edge = false;
	found(&m.b, "third", "ns", edge, NAN, "rows");
	assert_false(find_value(&m.b, "third")->edge);
	m.found.n = FOUND_MOST;
	found(&m.b, "beyond", "ns", edge, NAN, "rows");
	assert_int_equal(FOUND_MOST, m.found.n);
	assert_string_equal("internal error: no place for the value beyond\n", m.said);
}

TEST(each_probe_is_searched_once)
{
	static struct found_values other;
	unsigned n;

	add_all();
	run_find(&m.b, "latency");
	n = m.found.n;
	assert_true(n > 0);
	run_find(&m.b, "latency");
	assert_int_equal(n, m.found.n);
	run_find(&m.b, "branch");
	assert_true(m.found.n > n);
	assert_ptr_equal(probe("stride"), m.b.probe);
	n = m.found.n;
	assert_false(find_as(&m.b, READ_FLOOR, NULL, NULL, NULL));
	assert_true(find_as(&m.b, READ_FLOOR, probe("latency"), &other, NULL));
	assert_true(other.n > 0);
	assert_int_equal(n, m.found.n);
	assert_int_equal(READ_MEDIAN, m.b.reading);
	assert_ptr_equal(&m.found, m.b.found);
}
