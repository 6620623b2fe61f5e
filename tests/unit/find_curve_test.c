/* SPDX-License-Identifier: MIT */
/* Which rows a curve is made of, what is read of them, and what is kept of what was found. */
#include "infer/infer.h"
#include "tests/unit/near.h"
#include "tests/unit/summary_rows.h"

static int start(void **state)
{
	(void)state;
	begin();
	m.b.probe = probe("stride");
	return 0;
}

static struct result *row(const char *variant, double x, double y)
{
	add("stride", variant, "n", x, y, PAGE_4K);
	return &m.results[m.b.nresults - 1];
}

/* Rows measured in any order; of those without n, without a number, or of another name, none. */
static void points_are_in_order_with_their_rows(void **state)
{
	static const double order[] = { 30, 10, 60, 20, 50, 40 };
	const struct pick pick = { .variant = "a", .x = "n" };
	struct curve c = { .offset = 7 };

	(void)state;
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

static void rows_are_picked_by_level_and_parameter(void **state)
{
	const struct pick l1 = { .variant = "a", .x = "n", .level = "l1" };
	const struct pick only = { .variant = "a", .x = "n", .only = "n", .only_value = 2 };
	struct curve c;

	(void)state;
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

static void a_floor_that_is_not_known_is_the_median(void **state)
{
	struct result *r = row("a", 1, 10);

	(void)state;
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
static void an_edge_is_doubted_as_the_points_around_it(void **state)
{
	static const struct {
		double low, high, middle;
	} cases[] = { { 20, 40, 2 }, { 25, 60, 3 }, { 5, 35, 1.5 }, { 55, 70, 4.5 },
		{ 100, 200, 5 }, { 1, 5, 0 }, { 20, 20, 1 }, { 10, 60, 2.5 } };
	const struct pick pick = { .variant = "a", .x = "n" };
	struct curve c;

	(void)state;
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

static void the_upper_quartile_needs_all_clocks(void **state)
{
	const struct pick pick = { .variant = "a", .x = "n" };
	struct curve c;

	(void)state;
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

static void the_main_page_is_what_most_rows_have(void **state)
{
	(void)state;
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

static void what_is_found_is_kept_as_it_is(void **state)
{
	struct estimate edge = resolved(30, 20, 40, 0.5), open = resolved(30, NAN, NAN, 0.5);
	const struct summary *s;

	(void)state;
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

static void each_probe_is_searched_once(void **state)
{
	static struct found_values other;
	unsigned n;

	(void)state;
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
	assert_false(find_as(&m.b, READ_FLOOR, NULL, NULL));
	assert_true(find_as(&m.b, READ_FLOOR, probe("latency"), &other));
	assert_true(other.n > 0);
	assert_int_equal(n, m.found.n);
	assert_int_equal(READ_MEDIAN, m.b.reading);
	assert_ptr_equal(&m.found, m.b.found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(points_are_in_order_with_their_rows, start),
		cmocka_unit_test_setup(rows_are_picked_by_level_and_parameter, start),
		cmocka_unit_test_setup(a_floor_that_is_not_known_is_the_median, start),
		cmocka_unit_test_setup(an_edge_is_doubted_as_the_points_around_it, start),
		cmocka_unit_test_setup(the_upper_quartile_needs_all_clocks, start),
		cmocka_unit_test_setup(the_main_page_is_what_most_rows_have, start),
		cmocka_unit_test_setup(what_is_found_is_kept_as_it_is, start),
		cmocka_unit_test_setup(each_probe_is_searched_once, start),
	};

	return cmocka_run_group_tests_name("find_curve", tests, NULL, NULL);
}
