/* SPDX-License-Identifier: MIT */
/* engine/find.c: which rows decide an edge, and what other times leave of it. */
#include "engine/find.h"
#include "tests/unit/near.h"
#include "tests/unit/test.h"

static struct curve curve;
static struct result results[INFER_POINTS];
static struct edge_rows noted;

/* Points at 1, 2, 3 ... n; the place of the row that is noted of an edge in low..high. */
static unsigned noted_of(unsigned n, double low, double high, enum reading reading)
{
	struct bench b = { .reading = reading, .edges = &noted };
	const struct estimate e = { .low = low, .high = high };

	curve.n = n;
	for (unsigned i = 0; i < INFER_POINTS; i++) {
		curve.point[i].x = i + 1;
		curve.from[i] = &results[i];
	}
	noted.n = 0;
	note_edge(&b, &curve, &e);
	assert_int_equal(1, noted.n);
	b.edges = NULL;
	note_edge(&b, &curve, &e); /* nobody asks */
	assert_int_equal(1, noted.n);
	return (unsigned)(noted.row[0] - results) + 1;
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

TEST(no_more_rows_than_there_is_place_for)
{
	static struct {
		struct edge_rows rows;
		const struct result *behind;
	} full;
	struct bench b = { .edges = &full.rows };
	const struct estimate e = { .low = 3, .high = 5 };

	noted_of(9, 3, 5, READ_UPPER);
	for (unsigned i = 0; i <= EDGE_ROWS_MOST; i++)
		note_edge(&b, &curve, &e);
	assert_int_equal(EDGE_ROWS_MOST, full.rows.n);
	assert_null(full.behind);
}

static struct summary edge(double value, double low, double high)
{
	return (struct summary){ .name = "edge",
		.value = value,
		.low = low,
		.high = high,
		.rise = { low, value, high },
		.confidence = 0.8,
		.edge = true };
}

/* `s`, widened by what the other readings say; the values beside it stay what they are. */
static struct summary widened(struct summary s, const struct summary *lower,
	const struct summary *upper)
{
	static struct found_values values, lowers, uppers;
	struct summary other = edge(1, 1, 2);

	other.name = "other";
	other.edge = false;
	values = (struct found_values){ .n = 2, .list = { s, other, s } };
	lowers = (struct found_values){ .n = lower ? 2 : 1, .list = { other } };
	uppers = (struct found_values){ .n = upper ? 2 : 1, .list = { other } };
	if (lower)
		lowers.list[1] = *lower;
	if (upper)
		uppers.list[1] = *upper;
	widen_edges(&values, &lowers, &uppers);
	assert_true(values.list[1].confidence == 0.8 && values.list[1].high == 2);
	assert_true(values.list[2].confidence == s.confidence); /* beyond those that there are */
	return values.list[0];
}

static void expect(struct summary came, double value, double low, double high, double confidence)
{
	near("value", value, came.value);
	near("low", low, came.low);
	near("high", high, came.high);
	near("confidence", confidence, came.confidence);
	assert_null(came.reason);
	assert_true(came.rise[0] > 0 && came.rise[2] > 0);
}

static void expect_given_up(struct summary came, const char *reason)
{
	assert_true(isnan(came.value));
	assert_true(came.low == 0 && came.high == 0 && came.confidence == 0);
	assert_true(came.rise[0] == 0 && came.rise[1] == 0 && came.rise[2] == 0);
	assert_string_equal(reason, came.reason);
}

/* Brackets that overlap are one place: the confidence falls by a quarter for each octave. */
TEST(a_wider_bracket_is_less_sure)
{
	const struct summary s = edge(12, 12, 16), same = s, low = edge(10, 8, 13),
			     high = edge(13, 12.5, 32);

	expect(widened(s, &same, &same), 12, 12, 16, 0.8);
	expect(widened(s, &low, &same), 12, 8, 16, 0.8 / (1 + 0.25 * log2(1.5)));
	expect(widened(s, &same, &high), 12, 12, 32, 0.8 / 1.25);
	expect(widened(s, &low, &high), 12, 8, 32, 0.8 / (1 + 0.25 * log2(3)));
}

/* Brackets that only touch are two places, and so is an edge that another reading has not. */
TEST(a_moved_edge_loses_three_tenths)
{
	const struct summary s = edge(12, 12, 16), same = s, below = edge(11, 10, 12),
			     above = edge(17, 16, 20);
	struct summary none = same;

	none.edge = false;
	expect(widened(s, &below, &same), 12, 10, 16, 0.7 * 0.8 / (1 + 0.25 * log2(1.2)));
	expect(widened(s, &same, &above), 12, 12, 20, 0.7 * 0.8 / (1 + 0.25 * log2(1.25)));
	expect(widened(s, &none, &same), 12, 12, 16, 0.7 * 0.8);
	expect(widened(s, &same, &none), 12, 12, 16, 0.7 * 0.8);
	expect(widened(s, NULL, NULL), 12, 12, 16, 0.7 * 0.8);
}

TEST(an_edge_that_is_anywhere_is_none)
{
	const struct summary s = edge(12, 12, 13), same = s, half = edge(6, 5.5, 12),
			     twice = edge(24, 13, 24), far = edge(24.5, 13, 24),
			     wide = edge(13, 13, 24.5);

	expect(widened(s, &same, &twice), 12, 12, 24,
		0.7 * 0.8 / (1 + 0.25 * log2(24. / 12 / (13. / 12))));
	expect_given_up(widened(s, &same, &far), "elsewhere at another time");
	expect_given_up(widened(s, &far, &same), "elsewhere at another time");
	expect_given_up(widened(s, &same, &wide), "elsewhere at another time");
	expect(widened(s, &half, &same), 12, 5.5, 13,
		0.7 * 0.8 / (1 + 0.25 * log2(13 / 5.5 / (13. / 12))));
	struct summary doubtful = s;

	doubtful.confidence = 0.099;
	expect_given_up(widened(doubtful, &same, &same), ROWS_DISAGREE);
}
