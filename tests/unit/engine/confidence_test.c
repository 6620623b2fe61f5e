/* SPDX-License-Identifier: MIT */
/* Tests the confidence that values lose to the rows that they rest on. */
#include "engine/confidence.c"
#include "engine/find.h"
#include "lib/math.h"
#include "tests/unit/test.h"

static struct result measured(double median, double mad, double samples, double disturbed,
	double undisturbed)
{
	return (struct result){ .median = median,
		.mad = mad,
		.samples = samples,
		.disturbed = disturbed,
		.undisturbed = undisturbed,
		.core_hz = 3e9 };
}

TEST(doubt_grows_with_scatter_and_disturbance)
{
	struct result quiet = measured(100, 0, 256, 0, 0), wide = measured(100, 5, 256, 0, 0);
	struct result small = measured(0.25, 0.05, 256, 0, 0);
	struct result left_out = measured(100, 0, 256, 128, 128);
	struct result mixed = measured(100, 0, 256, 128, 0);
	struct result absurd = measured(0, 1, 256, 0, 0), drift = measured(100, 0, 256, 0, 0);

	near("quiet", 0, row_confidence_loss(&quiet));
	near("MAD of 5 %", 0.15, row_confidence_loss(&wide));
	wide.mad = 20;
	near("MAD of 20 %", 0.6, row_confidence_loss(&wide));
	near("the same of less than 1", 0.6, row_confidence_loss(&small));
	wide.mad = 50;
	near("MAD of 50 %: no more than all", 1, row_confidence_loss(&wide));
	near("half disturbed, left out", 0.05, row_confidence_loss(&left_out));
	near("half disturbed, in the median", 0.25, row_confidence_loss(&mixed));
	drift.unsteady = "drift";
	near("a drift", 0.3, row_confidence_loss(&drift));
	near("a median of 0", 1, row_confidence_loss(&absurd));
	absurd.mad = 0;
	near("nothing but 0", 0, row_confidence_loss(&absurd));
	absurd.mad = 1;
	near("sure of it, at one moment", 0.85, row_confidence(&quiet));
	near("and not", 0.1, row_confidence(&absurd));
}

TEST(doubt_grows_with_the_spread_of_the_clock)
{
	struct result rows[11];
	struct curve c = { .n = 11 };

	for (unsigned i = 0; i < 11; i++) {
		rows[i] = measured(100, 0, 256, 0, 0);
		c.from[i] = &rows[i];
	}
	near("one clock", 0, curve_confidence_loss(&c, 0, 10));
	for (unsigned i = 0; i < 11; i++)
		rows[i].core_hz = 2e9 + 1e8 * i; /* 2.1 to 2.9 GHz without the ends */
	near("2 to 3 GHz", 0.5, curve_confidence_loss(&c, 0, 10));
	for (unsigned i = 0; i < 11; i++)
		rows[i].core_hz = 2e9 + 1e7 * i;
	near("2.00 to 2.10 GHz", 2 * 0.08 / 2.05, curve_confidence_loss(&c, 0, 10));
	for (unsigned i = 0; i < 11; i++)
		rows[i].core_hz = 0;
	near("no clock known", 0, curve_confidence_loss(&c, 0, 10));
	rows[3].core_hz = 1;
	near("one is known", 0, curve_confidence_loss(&c, 0, 10));
	rows[4].core_hz = 0.9;
	near("two are", 2 * 0.08 / 0.95, curve_confidence_loss(&c, 0, 10));
	near("of others", 0, curve_confidence_loss(&c, 5, 10));
	rows[5].mad = rows[6].mad = 5;
	near("most of them scatter", 0.15, curve_confidence_loss(&c, 5, 7));
	near("most of more do not", 0, curve_confidence_loss(&c, 5, 9));
}

/* A single sample that was disturbed costs as much confidence as many do; no samples cost none. */
TEST(few_samples_are_doubted_as_many)
{
	struct result one = measured(100, 0, 1, 1, 0), none = measured(100, 0, 0, 0, 0);
	struct result but_one = measured(100, 0, 2, 1, 1);

	near("the only one", 1 - 0.5 * 0.25, row_confidence_loss(&one));
	near("none", 0, row_confidence_loss(&none));
	near("one of two is left", 0.05, row_confidence_loss(&but_one));
}

/*
 * All samples are equal and each was disturbed: the time that the disturbance took cannot be seen.
 */
TEST(a_time_has_in_it_what_was_taken_an_edge_does_not)
{
	struct result rows[3];
	struct curve c = { .n = 3 };
	struct estimate level = resolved(100, NOT_A_NUMBER, NOT_A_NUMBER, 0.9);

	for (unsigned i = 0; i < 3; i++) {
		rows[i] = measured(100, 0, 9, 9, 0);
		c.from[i] = &rows[i];
	}
	near("of a row", 1 - 0.5 * 0.25, row_confidence_loss(&rows[0]));
	near("of a time on a curve", 0.9 * 0.5 * 0.25, time_on_curve(level, &c, 0, 2).confidence);
	near("of an edge", 0.5, curve_confidence_loss(&c, 0, 2));
	level.confidence = 0.3;
	near("no less than is resolved", 0.1, time_on_curve(level, &c, 0, 2).confidence);
	level.confidence = 0.1;
	near("but for other reasons", 0.05, time_on_curve(level, &c, 0, 2).confidence);
	level.confidence = 0.9;
	rows[0] = rows[1] = measured(100, 0, 9, 4, 0);
	near("few have one, in most rows", 0.9 * (1 - 0.5 * 4 / 9.),
		time_on_curve(level, &c, 0, 2).confidence);
	rows[0] = rows[1] = measured(100, 0, 90, 60, 30);
	near("the median is over the others", 0.9 * (1 - 0.1 * 60 / 90.),
		time_on_curve(level, &c, 0, 2).confidence);
}

/* Each doubt is of what the others left. */
TEST(doubts_multiply)
{
	struct result r = measured(100, 5, 256, 128, 0);

	r.placement_spread = 0.2;
	r.unsteady = "drift";
	near("all four", 1 - (1 - 0.15) * (1 - 0.25) * (1 - 0.3) * (1 - 0.1),
		row_confidence_loss(&r));
	r = measured(100, 0, 256, 0, 0);
	r.placement_spread = 3;
	near("placements far apart: no more than half", 0.5, row_confidence_loss(&r));
}

/* 6 cycles of 3 GHz are 2 ns: the row judged with them scatters by 5 of 102. */
TEST(an_offset_is_part_of_what_scatters)
{
	struct result r = measured(100, 5, 256, 0, 0);
	struct curve c = { .n = 1, .from = { &r }, .offset = 6 };

	near("at 3 GHz", 3 * 5 / 102., curve_confidence_loss(&c, 0, 0));
	r.core_hz = 0;
	near("at no known clock", 0.15, curve_confidence_loss(&c, 0, 0));
	r.core_hz = 1;
	near("at 1 Hz", 3 * 5 / 6000000100., curve_confidence_loss(&c, 0, 0));
	r.core_hz = 3e9;
	c.offset = 0.6;
	near("less than a cycle", 3 * 5 / 100.2, curve_confidence_loss(&c, 0, 0));
	c.offset = 0;
	near("none", 0.15, curve_confidence_loss(&c, 0, 0));
}

TEST(confidence_has_bounds)
{
	near("hopeless", 0.1, clamp_confidence(0));
	near("certain", 0.95, clamp_confidence(1));
	near("between", 0.5, clamp_confidence(0.5));
	struct summary least = { .value = 1, .confidence = clamp_confidence(0) };

	lose_confidence(&least, 0);
	assert_null(least.reason);
	lose_confidence(&least, 0.001);
	assert_string_equal(ROWS_DISAGREE, least.reason);
}

/* Tests the confidence of a row that was measured at several moments. */

/* One moment is less sure than two that agree; two that disagree are less sure than one. */
TEST(a_row_is_as_sure_as_its_moments_agree)
{
	static struct row row = { .variant = "x" }, other = { .variant = "y" };
	static struct result results[4];
	struct bench b = { .results = results, .nresults = 1, .probe = row.probe };
	struct edge_rows edges = { 0 };
	struct reader reader = { .bench = &b, .reading = READ_MEDIAN, .edges = &edges };

	for (unsigned i = 0; i < 3; i++)
		results[i] = (struct result){ .row = &row, .median = 20, .samples = 15 };
	near("at one moment", 0.85, row_estimate(&reader, "x", row_value).confidence);
	assert_true(edges.n == 1 && edges.row[0] == &results[0]); /* to be measured again */
	b.nresults = 3;
	results[2].row = &other;
	results[2].median = 40;
	near("at two", 0.95, row_estimate(&reader, "x", row_value).confidence);
	results[1].median = 21;
	near("that differ by a twentieth", 0.95 * 0.9,
		row_estimate(&reader, "x", row_value).confidence);
	near("between which the value is", 20.5, row_estimate(&reader, "x", row_value).value);
	b.nresults = 4;
	results[3] = results[0];
	near("of three, the middle one", 20, row_estimate(&reader, "x", row_value).value);
	results[0].cycles = 60;
	results[1].cycles = results[3].cycles = 63;
	near("likewise in core cycles", 63, row_estimate(&reader, "x", row_cycles).value);
	results[0].unsteady = "drift";
	near("the first of which drifts", 0.95 * 0.9,
		row_estimate(&reader, "x", row_value).confidence);
	results[0].median = NOT_A_NUMBER;
	near("or has no number", 20.5, row_estimate(&reader, "x", row_value).value);
	results[0] = results[3];
	b.nresults = 3;
	results[1].median = 40;
	near("that have nothing in common", 0.1, row_estimate(&reader, "x", row_value).confidence);
}

/* Tests note_edge(): the rows that decide an edge. */

static struct curve curve;
static struct result results[INFER_POINTS];

/*
 * Returns the position (from 1) of the row that is noted for an edge in low..high on points 1, 2
 * ... n.
 */
static unsigned noted_of(unsigned n, double low, double high, enum reading reading)
{
	struct edge_rows edges = { 0 };
	struct reader reader = { .reading = reading, .edges = &edges };
	const struct estimate e = { .low = low, .high = high };

	curve.n = n;
	for (unsigned i = 0; i < INFER_POINTS; i++) {
		curve.point[i].x = i + 1;
		curve.from[i] = &results[i];
	}
	note_edge(&reader, &curve, &e);
	assert_int_equal(1, edges.n);
	return (unsigned)(edges.row[0] - results) + 1;
}

TEST(the_rows_at_both_ends_are_noted)
{
	assert_int_equal(3, noted_of(9, 3, 5, READ_UPPER));
	assert_int_equal(5, noted_of(9, 3, 5, READ_LOWER));
	assert_int_equal(3, noted_of(9, 3.5, 5.5, READ_UPPER));
	assert_int_equal(6, noted_of(9, 3.5, 5.5, READ_MEDIAN));
	assert_int_equal(1, noted_of(9, 0, 0.5, READ_UPPER));
	assert_int_equal(1, noted_of(9, 0, 0.5, READ_LOWER));
	assert_int_equal(9, noted_of(9, 9, 10, READ_UPPER));
	assert_int_equal(9, noted_of(9, 9, 10, READ_LOWER));
	assert_int_equal(8, noted_of(9, 8, 9, READ_UPPER));
	assert_int_equal(1, noted_of(1, 1, 2, READ_UPPER));
	assert_int_equal(1, noted_of(1, 1, 2, READ_LOWER));
}

/* Many values rest on one row: a run of 31 probes came to its end without its conclusion. */
TEST(a_row_is_noted_once_and_no_more_than_there_is_place_for)
{
	static struct result many[EDGE_ROWS_MOST + 1];
	static struct edge_rows edges;
	struct reader full = { .edges = &edges };
	const struct estimate e = { .low = 3, .high = 5 };

	noted_of(9, 3, 5, READ_LOWER);
	for (unsigned i = 0; i < 2 * EDGE_ROWS_MOST; i++)
		note_edge(&full, &curve, &e);
	assert_int_equal(1, edges.n);
	for (unsigned i = 0; i < EDGE_ROWS_MOST + 1; i++) {
		curve.from[4] = &many[i];
		note_edge(&full, &curve, &e);
	}
	assert_int_equal(EDGE_ROWS_MOST, edges.n);
	assert_ptr_equal(&many[0], edges.row[1]);
}
