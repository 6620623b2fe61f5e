/* SPDX-License-Identifier: MIT */
/* Which rows make a curve, and what of a row's samples each reading of them takes. */
#include "tests/unit/summary_rows.h"
#include "tests/unit/test.h"

/* Of page sizes with as many rows, where none has the size that all rows are measured with. */
TEST(the_larger_pages_make_the_curve)
{
	begin();
	m.b.probe = probe("latency");
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

	begin();
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
		m.b.reading = readings[i].reading;
		double cycles = row_cycles(&m.b, r), ns = row_value(&m.b, r);

		if (cycles != readings[i].cycles || ns != readings[i].ns)
			fail_msg("reading %d: expected %g cycles and %g ns, came %g and %g",
				readings[i].reading, readings[i].cycles, readings[i].ns, cycles,
				ns);
	}
}

/* Of what was measured again the lowest and the highest are read; of equals, the first row. */
TEST(of_equal_rows_the_first_is_read)
{
	static const struct {
		enum reading reading;
		unsigned row;
	} readings[] = { { READ_MEDIAN, 0 }, { READ_LOWER, 2 }, { READ_UPPER, 1 } };
	const struct pick pick = { .variant = "pointer-padded", .x = "bytes" };

	begin();
	m.b.probe = probe("latency");
	add("latency", "pointer-padded", "bytes", KIB, 2, PAGE_2M);
	for (unsigned i = 0; i < 2; i++) {
		add("latency", "pointer-padded", "bytes", KIB, 3, PAGE_2M);
		add("latency", "pointer-padded", "bytes", KIB, 1, PAGE_2M);
	}
	for (unsigned i = 0; i < sizeof readings / sizeof *readings; i++) {
		static struct curve c;

		m.b.reading = readings[i].reading;
		assert_int_equal(1, take_curve(&m.b, &pick, &c));
		if (c.from[0] != &m.results[readings[i].row])
			fail_msg("reading %d: expected row %u, came %u", readings[i].reading,
				readings[i].row, (unsigned)(c.from[0] - m.results));
	}
}
