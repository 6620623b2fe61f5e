/* SPDX-License-Identifier: MIT */
/* The window where other programs disturbed a row beside its edge. */
#include "tests/unit/summary_rows.h"

BEFORE_EACH(start)
{
	begin_of("window");
}

/*
 * A guest of a core with 448 entries, under load: six of seven samples at 387 instructions were
 * disturbed, and their median is as far up as the rows beyond the window; the least is below.
 */
static const struct {
	unsigned instructions;
	double median, min;
	unsigned samples, disturbed, undisturbed;
} guest[] = {
	{ 3, 154.8, 153.4, 7, 1, 0 },
	{ 11, 154.8, 151.4, 7, 3, 0 },
	{ 19, 211.4, 152.5, 17, 11, 0 },
	{ 27, 155.1, 153.9, 7, 0, 0 },
	{ 35, 153.9, 151.4, 15, 2, 13 },
	{ 43, 155.7, 153.1, 26, 3, 23 },
	{ 51, 156.9, 154.8, 16, 3, 13 },
	{ 59, 154.4, 153.2, 15, 2, 13 },
	{ 67, 156.6, 154.1, 7, 2, 0 },
	{ 131, 154.3, 150.4, 26, 2, 24 },
	{ 195, 155.2, 153.8, 22, 2, 20 },
	{ 259, 161.4, 159.6, 15, 2, 13 },
	{ 323, 166.3, 161.8, 49, 3, 46 },
	{ 387, 322.9, 167.4, 7, 6, 0 },
	{ 451, 310.0, 305.1, 15, 0, 0 },
	{ 515, 333.3, 314.3, 7, 3, 0 },
	{ 579, 316.9, 315.4, 15, 5, 10 },
	{ 643, 323.9, 315.6, 22, 2, 20 },
	{ 707, 331.4, 319.4, 36, 1, 35 },
	{ 771, 342.5, 331.5, 7, 2, 0 },
	{ 835, 336.3, 328.0, 44, 3, 41 },
	{ 899, 341.5, 336.9, 15, 1, 14 },
	{ 963, 348.9, 340.1, 28, 3, 25 },
	{ 1027, 355.3, 348.3, 36, 16, 20 },
};

static struct result *add_guest_row(unsigned i)
{
	struct result *r;

	add("window", "two-misses", "instructions", guest[i].instructions, guest[i].median,
		PAGE_2M);
	r = &m.results[m.b.nresults - 1];
	r->min = guest[i].min;
	r->samples = guest[i].samples;
	r->disturbed = guest[i].disturbed;
	r->undisturbed = guest[i].undisturbed;
	return r;
}

static struct result *add_guest(unsigned instructions)
{
	struct result *wanted = NULL;

	for (unsigned i = 0; i < sizeof guest / sizeof *guest; i++) {
		struct result *r = add_guest_row(i);

		if (guest[i].instructions == instructions)
			wanted = r;
	}
	return wanted;
}

/* Disturbances alone may have put the row at 387 beyond the edge: the edge is before 451. */
TEST(an_edge_does_not_rest_on_a_disturbed_row)
{
	add_guest(0);
	expect_range("window_instructions", 323, 323, 451);
}

/* Without a sample below the edge, or with enough undisturbed ones, the row is believed. */
TEST(a_disturbed_row_that_is_beyond_is_believed)
{
	struct result *r = add_guest(387);

	r->min = 305;
	expect_range("window_instructions", 323, 323, 387);
	r->min = 167.4;
	r->disturbed = 3;
	expect_range("window_instructions", 323, 323, 387);
	r->disturbed = 6;
	r->undisturbed = 8;
	expect_range("window_instructions", 323, 323, 387);
}

/* The second measurement was not disturbed: it decides, whatever the first one says. */
TEST(a_disturbed_row_is_replaced_by_a_later_one)
{
	add_guest(0);
	row_param(add("window", "two-misses", "instructions", 387, 168, PAGE_2M), "again", 1);
	expect_range("window_instructions", 387, 387, 451);
}

/* No row beyond the edge can be believed. */
TEST(an_edge_of_disturbed_rows_is_not_resolved)
{
	add_guest(0);
	for (unsigned i = 0; i < m.b.nresults; i++)
		if (row_get(m.results[i].row, "instructions", 0) > 387) {
			m.results[i].min = 168;
			m.results[i].disturbed = m.results[i].samples;
			m.results[i].undisturbed = 0;
		}
	expect_open("window_instructions", "the rows beyond it were disturbed");
}
