/* SPDX-License-Identifier: MIT */
/* Tests the choice of rows for a curve, and the values read from them. */
#include "engine/curve.c"
#include "tests/unit/summary_rows.h"

BEFORE_EACH(start)
{
	begin_of("stride");
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
	assert_int_equal(6, take_curve(&m.found.reader, &pick, &c));
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
	assert_int_equal(1, take_curve(&m.found.reader, &l1, &c));
	near("at l1", 20, c.point[0].y);
	assert_int_equal(1, take_curve(&m.found.reader, &only, &c));
	near("n is 2", 20, c.point[0].y);
}

TEST(a_floor_that_is_not_known_is_the_median)
{
	struct result *r = row("a", 1, 10);

	r->cycles = 30;
	near("no floor", 30, row_cycles(r, READ_FLOOR));
	near("nor of the time", 10, row_value(r, READ_FLOOR));
	r->floor_cycles = 0.5;
	r->floor = 0.25;
	near("its floor", 0.5, row_cycles(r, READ_FLOOR));
	near("of the time", 0.25, row_value(r, READ_FLOOR));
}

TEST(the_upper_quartile_needs_all_clocks)
{
	const struct pick pick = { .variant = "a", .x = "n" };
	struct curve c;

	for (unsigned i = 0; i < 6; i++)
		row("a", i + 1, 10)->cycles = 0.1 * (i + 1);
	take_curve(&m.found.reader, &pick, &c);
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

/*
 * The larger pages make the curve if page sizes have equally many rows and none has the common
 * size.
 */
TEST(the_larger_pages_make_the_curve)
{
	begin_of("latency");
	m.room.facts.pages = PAGE_4K;
	for (double x = KIB; x <= 4 * KIB; x *= 2) {
		add("latency", "pointer-padded", "bytes", x, 1, PAGE_1G);
		add("latency", "pointer-padded", "bytes", x, 1, PAGE_2M);
	}
	assert_int_equal(PAGE_1G, main_page(&m.b, "pointer-padded"));
	add("latency", "pointer-padded", "bytes", 8 * KIB, 1, PAGE_2M);
	assert_int_equal(PAGE_2M, main_page(&m.b, "pointer-padded"));
}

TEST(each_reading_has_its_part_of_the_samples)
{
	static const struct {
		enum reading reading;
		double cycles, ns;
	} readings[] = { { READ_MEDIAN, 6, 2 }, { READ_LOWER, 5, 1.7 }, { READ_UPPER, 8, 2.7 },
		{ READ_FLOOR, 3, 1 } };
	struct result *r;

	add("latency", "pointer-padded", "bytes", KIB, 2, PAGE_2M);
	r = &m.results[0];
	r->has_quartiles = true;
	r->quartile_cycles[0] = 5;
	r->quartile_cycles[1] = 8;
	r->quartile[0] = 1.7;
	r->quartile[1] = 2.7;
	r->floor_cycles = 3;
	r->floor = 1;
	for (unsigned i = 0; i < sizeof readings / sizeof *readings; i++) {
		double cycles = row_cycles(r, readings[i].reading);
		double ns = row_value(r, readings[i].reading);

		if (cycles != readings[i].cycles || ns != readings[i].ns)
			fail_msg("reading %d: expected %g cycles and %g ns, came %g and %g",
				readings[i].reading, readings[i].cycles, readings[i].ns, cycles,
				ns);
	}
}

/* The lowest and the highest of repeated rows are read; of equal ones, the first row. */
TEST(of_equal_rows_the_first_is_read)
{
	static const struct {
		enum reading reading;
		unsigned row;
	} readings[] = { { READ_MEDIAN, 0 }, { READ_LOWER, 2 }, { READ_UPPER, 1 } };
	const struct pick pick = { .variant = "pointer-padded", .x = "bytes" };

	begin_of("latency");
	add("latency", "pointer-padded", "bytes", KIB, 2, PAGE_2M);
	for (unsigned i = 0; i < 2; i++) {
		add("latency", "pointer-padded", "bytes", KIB, 3, PAGE_2M);
		add("latency", "pointer-padded", "bytes", KIB, 1, PAGE_2M);
	}
	for (unsigned i = 0; i < sizeof readings / sizeof *readings; i++) {
		static struct curve c;

		m.found.reader.reading = readings[i].reading;
		assert_int_equal(1, take_curve(&m.found.reader, &pick, &c));
		if (c.from[0] != &m.results[readings[i].row])
			fail_msg("reading %d: expected row %u, came %u", readings[i].reading,
				readings[i].row, (unsigned)(c.from[0] - m.results));
	}
}

TEST(no_more_points_than_there_is_place_for)
{
	static struct curve full;
	static struct result one;

	for (unsigned i = 0; i < INFER_POINTS; i++)
		insert(&full, (struct curve_point){ i + 1, 1 }, &one);
	insert(&full, (struct curve_point){ INFER_POINTS, 2 }, &one); /* once more */
	expect_broken("c->n < INFER_POINTS",
		insert(&full, (struct curve_point){ INFER_POINTS + 1, 1 }, &one));
	curve_confidence_loss(&full, 0, INFER_POINTS - 1);
	expect_broken("first <= last && last < c->n", curve_confidence_loss(&full, 1, 0));
	expect_broken("first <= last && last < c->n",
		curve_confidence_loss(&full, 0, INFER_POINTS));
}
