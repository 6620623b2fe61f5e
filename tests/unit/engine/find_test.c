/* SPDX-License-Identifier: MIT */
/* Tests the values kept after a find, and their changes when the rows are read in other ways. */
#include "engine/find.c"
#include "engine/table.h"
#include "engine/infer/infer.h"
#include "tests/unit/summary_rows.h"

BEFORE_EACH(start)
{
	begin_of("stride");
}

TEST(what_is_found_is_kept_as_it_is)
{
	struct estimate edge = resolved(30, 20, 40, 0.5), open = resolved(30, NAN, NAN, 0.5);
	const struct summary *s;

	edge.edge = open.edge = true;
	found(&m.found, VALUE_l1d_bytes, edge, "rows")->claimed = 31;
	found(&m.found, VALUE_l2_bytes, open, "rows")->page_bytes = PAGE_2M;
	s = find_value(&m.found, VALUE_l1d_bytes);
	assert_true(s->edge && s->low == 20 && s->high == 40 && s->claimed == 31);
	assert_int_equal(0, s->page_bytes);
	s = find_value(&m.found, VALUE_l2_bytes);
	assert_true(!s->edge && s->low == 0 && s->high == 0);
	assert_int_equal(PAGE_2M, s->page_bytes);
	assert_true(isnan(s->claimed));
	edge.edge = false;
	found(&m.found, VALUE_l3_bytes, edge, "rows");
	assert_false(find_value(&m.found, VALUE_l3_bytes)->edge);
	m.found.n = VALUES_KNOWN - 1;
	found(&m.found, VALUE_l4_bytes, edge, "rows");
	expect_broken("f->n < VALUES_KNOWN", found(&m.found, VALUE_l1d_ways, edge, "rows"));
}

TEST(each_probe_is_searched_once)
{
	static struct found_values other;
	unsigned n;

	add_all();
	run_find(&m.b, &m.found, "latency");
	n = m.found.n;
	assert_true(n > 0);
	run_find(&m.b, &m.found, "latency");
	assert_int_equal(n, m.found.n);
	run_find(&m.b, &m.found, "branch");
	assert_true(m.found.n > n);
	assert_ptr_equal(probe("stride"), m.b.probe);
	n = m.found.n;
	assert_false(find_as(&m.b, READ_FLOOR, NULL, NULL, NULL));
	assert_true(find_as(&m.b, READ_FLOOR, probe("latency"), NULL, &other));
	assert_true(other.n > 0);
	assert_int_equal(n, m.found.n);
	assert_int_equal(READ_MEDIAN, m.found.reader.reading);
}

/* Edges whose rows were measured again: same place, another place, scatter across the edge. */

static struct plan plan;

/*
 * The lines of one set, of which so many cost no more than one; and pages that show no step.
 * Between from and to, only what fits was measured.
 */
static void machine_with_gap(double ways, double from, double to)
{
	begin();
	plan.n = 0;
	m.b.plan = &plan;
	for (double x = 1; x <= 32; x++)
		add("ways", "same-pages", "ways", x, 1.5, PAGE_2M);
	for (double x = 1; x <= 32; x++)
		if (x <= from || x >= to || x == ways)
			add("ways", "same-set", "ways", x, x <= ways ? 1.5 : 5, PAGE_2M);
	for (unsigned i = 0; i < m.b.nresults; i++)
		plan.rows[plan.n++] = *m.results[i].row;
}

static void machine(double ways)
{
	machine_with_gap(ways, 32, 0);
}

static void again(double ways, double ns)
{
	row_param(add("ways", "same-set", "ways", ways, ns, PAGE_2M), "again", 1);
}

static const struct summary *found_ways(void)
{
	find_all(&m.b);
	return find_value(&m.found, VALUE_l1d_ways);
}

static void expect(const struct summary *s, double value, double low, double high)
{
	if (s->value != value || s->low != low || s->high != high)
		fail_msg("expected %g in %g..%g, came %g in %g..%g", value, low, high, s->value,
			s->low, s->high);
}

static double alone(void)
{
	machine(12);
	return found_ways()->confidence;
}

TEST(the_same_again_changes_nothing)
{
	double sure = alone();

	machine(12);
	again(12, 1.5);
	again(13, 5);
	expect(found_ways(), 12, 12, 13);
	assert_true(found_ways()->confidence == sure);
}

TEST(the_bracket_holds_what_other_times_said)
{
	double sure = alone();

	machine(12);
	again(12, 5);
	expect(found_ways(), 12, 11, 13);
	assert_true(found_ways()->confidence <= 0.7 * sure);
	machine(12);
	again(13, 1.5);
	again(14, 1.5);
	expect(found_ways(), 12, 12, 15);
}

/* The second lowest of nine measurements counts, and the lowest of eight. */
TEST(one_of_many_times_says_nothing)
{
	static const struct {
		unsigned elsewhere, others;
		double high;
	} times[] = { { 1, 6, 15 }, { 1, 7, 13 }, { 2, 6, 15 } };

	for (unsigned i = 0; i < sizeof times / sizeof *times; i++) {
		machine(12);
		for (unsigned k = 0; k < times[i].others; k++)
			for (double x = 13; x <= 14; x++)
				again(x, k % 2 ? 5 : 5.01);
		for (unsigned k = 0; k < times[i].elsewhere; k++)
			for (double x = 13; x <= 14; x++)
				again(x, 1.5);
		expect(found_ways(), 12, 12, times[i].high);
	}
}

/* The same of the highest; that the other ones come after it changes nothing. */
TEST(one_high_time_of_many_says_nothing)
{
	for (unsigned high = 1; high <= 2; high++) {
		machine(12);
		for (unsigned k = 0; k < high; k++)
			again(12, 5 + k);
		for (unsigned k = high; k < 8; k++)
			again(12, 1.5);
		expect(found_ways(), 12, high > 1 ? 11 : 12, 13);
	}
}

TEST(the_bracket_holds_what_a_quarter_of_the_samples_said)
{
	machine(12);
	for (unsigned i = 0; i < m.b.nresults; i++) {
		struct result *r = &m.results[i];

		r->has_quartiles = true;
		r->quartile[0] = r->quartile[1] = r->median;
		if (strcmp(r->row->variant, "same-set") == 0 && r->row->params[0].value == 12)
			r->quartile[1] = 5;
	}
	expect(found_ways(), 12, 11, 13);
}

static void expect_given_up(struct summary came, const char *reason)
{
	if (!came.reason || strcmp(came.reason, reason))
		fail_msg("expected '%s', came %s", reason, came.reason ? came.reason : "a value");
	assert_true(isnan(came.value));
	assert_true(came.low == 0 && came.high == 0 && came.confidence == 0);
	assert_true(came.rise[0] == 0 && came.rise[1] == 0 && came.rise[2] == 0);
}

static void expect_elsewhere(const struct summary *s)
{
	expect_given_up(*s, "elsewhere at another time");
}

TEST(what_is_far_elsewhere_is_not_resolved)
{
	machine(12);
	for (double x = 5; x <= 12; x++)
		again(x, 5);
	expect_elsewhere(found_ways());
	machine(12);
	for (double x = 13; x <= 28; x++)
		again(x, 1.5);
	expect_elsewhere(found_ways());
}

/* At one time 12 fit, at another 6, and nobody knows of 7 to 24: 6 to 25 is no answer. */
TEST(a_bracket_wider_than_the_value_is_not_resolved)
{
	machine_with_gap(12, 6, 25);
	expect(found_ways(), 12, 12, 25);
	again(12, 5);
	expect_elsewhere(found_ways());
}

/* Adds results to what was planned, with these costs of the last line that fits. */
static unsigned measure(unsigned first, double ns)
{
	for (unsigned i = first; i < plan.n; i++) {
		double ways = row_get(&plan.rows[i], "ways", 0);

		assert_true(row_get(&plan.rows[i], "again", 0) >= 1);
		again(ways, ways == 12 ? ns : ways < 12 ? 1.5 : 5);
	}
	return plan.n;
}

TEST(both_sides_are_measured_once_more)
{
	unsigned first;

	machine(12);
	first = plan.n;
	assert_int_equal(plan_remeasure(&m.b, probe("ways")), 2);
	assert_int_equal(0, m.found.n); /* other values than the run's */
	assert_int_equal(0, m.b.work.used);
	assert_true(row_get(&plan.rows[first], "ways", 0) +
			row_get(&plan.rows[first + 1], "ways", 0) ==
		12 + 13);
	measure(first, 1.5);
	assert_int_equal(plan_remeasure(&m.b, probe("ways")), 0);
}

TEST(what_moved_is_measured_until_its_new_ends_are_known)
{
	unsigned first, turns = 0;
	bool eleven = false;

	machine(12);
	first = plan.n;
	while (plan_remeasure(&m.b, probe("ways")) && ++turns < 20)
		first = measure(first, 5);
	for (unsigned i = 0; i < plan.n; i++)
		eleven |= row_get(&plan.rows[i], "again", 0) == 8 &&
			row_get(&plan.rows[i], "ways", 0) == 11;
	assert_true(eleven && turns < 20);
}

/* Each curve by itself, in the order of x; of one x in the order of time. */
TEST(rows_are_printed_in_the_order_of_size)
{
	static const double x[] = { 12, 3, 12 }, ns[] = { 1.5, 2.5, 3.5 };
	const char *at;

	add("ways", "same-set", "ways", 1, 99, PAGE_2M);
	add("ways", "same-pages", "ways", 5, 7.5, PAGE_2M);
	for (unsigned i = 0; i < 3; i++)
		again(x[i], ns[i]);
	for (unsigned i = 0; i < m.b.nresults; i++)
		m.rows[i].unit = &unit_ns_load;
	say_points(&m.b, 1, "WHAT");
	at = strstr(m.said, "WHAT\n  same-pages, pages of 2M (ways, ns/load):\n");
	assert_non_null(at);
	assert_non_null(at = strstr(at, "  5 7.50"));
	assert_non_null(at = strstr(at, "same-set, pages of 2M (ways, ns/load):\n"));
	assert_non_null(at = strstr(at, "  3 2.50"));
	assert_non_null(at = strstr(at, " 12 1.50"));
	assert_non_null(strstr(at, " 12 3.50"));
	assert_null(strstr(m.said, "99"));
}

/* engine/find.c: what other times leave of an edge. */

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

static void expect_moved(struct summary came, double value, double low, double high,
	double confidence)
{
	near("value", value, came.value);
	near("low", low, came.low);
	near("high", high, came.high);
	near("confidence", confidence, came.confidence);
	assert_null(came.reason);
	assert_true(came.rise[0] > 0 && came.rise[2] > 0);
}

/* Brackets that overlap are one place: the confidence falls by a quarter for each octave. */
TEST(a_wider_bracket_is_less_sure)
{
	const struct summary s = edge(12, 12, 16), same = s, low = edge(10, 8, 13),
			     high = edge(13, 12.5, 32);

	expect_moved(widened(s, &same, &same), 12, 12, 16, 0.8);
	expect_moved(widened(s, &low, &same), 12, 8, 16, 0.8 / (1 + 0.25 * log2(1.5)));
	expect_moved(widened(s, &same, &high), 12, 12, 32, 0.8 / 1.25);
	expect_moved(widened(s, &low, &high), 12, 8, 32, 0.8 / (1 + 0.25 * log2(3)));
}

/* Brackets that only touch are two places, and so is an edge that another reading has not. */
TEST(a_moved_edge_loses_three_tenths)
{
	const struct summary s = edge(12, 12, 16), same = s, below = edge(11, 10, 12),
			     above = edge(17, 16, 20);
	struct summary none = same;

	none.edge = false;
	expect_moved(widened(s, &below, &same), 12, 10, 16, 0.7 * 0.8 / (1 + 0.25 * log2(1.2)));
	expect_moved(widened(s, &same, &above), 12, 12, 20, 0.7 * 0.8 / (1 + 0.25 * log2(1.25)));
	expect_moved(widened(s, &none, &same), 12, 12, 16, 0.7 * 0.8);
	expect_moved(widened(s, &same, &none), 12, 12, 16, 0.7 * 0.8);
	expect_moved(widened(s, NULL, NULL), 12, 12, 16, 0.7 * 0.8);
}

TEST(an_edge_that_is_anywhere_is_none)
{
	const struct summary s = edge(12, 12, 13), same = s, half = edge(6, 5.5, 12),
			     twice = edge(24, 13, 24), far = edge(24.5, 13, 24),
			     wide = edge(13, 13, 24.5);

	expect_moved(widened(s, &same, &twice), 12, 12, 24,
		0.7 * 0.8 / (1 + 0.25 * log2(24. / 12 / (13. / 12))));
	expect_given_up(widened(s, &same, &far), "elsewhere at another time");
	expect_given_up(widened(s, &far, &same), "elsewhere at another time");
	expect_given_up(widened(s, &same, &wide), "elsewhere at another time");
	expect_moved(widened(s, &half, &same), 12, 5.5, 13,
		0.7 * 0.8 / (1 + 0.25 * log2(13 / 5.5 / (13. / 12))));
	struct summary least = s;

	least.least = 11;
	least = widened(least, &same, &far);
	assert_true(!least.reason && least.value == 11 && least.low == 11 && isinf(least.high));
	assert_true(!least.edge && least.confidence == 0.9);
	struct summary doubtful = s;

	doubtful.confidence = 0.099;
	expect_given_up(widened(doubtful, &same, &same), ROWS_DISAGREE);
}

/* Returns true if a floor is kept beside a value of this unit. */
static bool is_said(const char *unit, double value, double floor)
{
	static struct found_values values, lower;
	static struct bench b;
	static const struct probe *none;

	values = (struct found_values){ .n = 1, .by = { none } };
	lower = values;
	values.list[0] = (struct summary){ .name = "x", .unit = unit, .value = value };
	lower.list[0] = (struct summary){ .name = "x", .unit = unit, .value = floor };
	keep_floors(&b, &values, &lower);
	if (values.list[0].has_floor)
		assert_true(values.list[0].floor == floor);
	return values.list[0].has_floor;
}

TEST(a_time_is_shorter_in_quiet_moments)
{
	assert_true(is_said("cycles", 25, 22));
	assert_true(is_said("ns", 120, 100));
	assert_false(is_said("cycles", 22, 25));
	assert_false(is_said("ns", 100, 120));
	assert_true(is_said("cycles", NOT_A_NUMBER, 25)); /* by medians there is none */
}

TEST(a_rate_or_size_is_larger_or_smaller)
{
	assert_true(is_said("bytes/cycle", 10, 12));
	assert_true(is_said("entries", 64, 96));
	assert_true(is_said("entries", 96, 64));
}

TEST(what_is_nearly_the_same_is_not_said)
{
	assert_false(is_said("cycles", 100, 98));
	assert_false(is_said("cycles", 100, NOT_A_NUMBER));
}

/*
 * An edge that moves with each measurement has no floor: its quiet place would be one more of many.
 */
TEST(an_edge_that_is_anywhere_has_no_floor)
{
	static struct found_values values, lower, upper;
	static struct bench b;
	const struct summary edge = { .name = "x",
		.unit = "branches",
		.value = 12,
		.low = 12,
		.high = 13,
		.confidence = 0.8,
		.edge = true };

	for (unsigned far = 0; far < 2; far++) {
		values = lower = upper = (struct found_values){ .n = 1, .list = { edge } };
		upper.list[0].low = 13;
		upper.list[0].value = upper.list[0].high = far ? 25 : 24;
		widen_edges(&values, &lower, &upper);
		lower.list[0].value = 30;
		keep_floors(&b, &values, &lower);
		assert_int_equal(values.list[0].reason != NULL, far);
		assert_int_equal(values.list[0].has_floor, !far);
	}
}
