/* SPDX-License-Identifier: MIT */
/* Edges whose rows were measured again: same place, another place, scatter across the edge. */
#include "tests/unit/summary_rows.h"
#include "tests/unit/test.h"

#include "engine/find.h"
#include "engine/plan.h"
#include "engine/table.h"

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
	return find_value(&m.b, "l1d_ways");
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

/* Of nine measurements the lowest is nothing, the second lowest counts; of eight the lowest. */
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

TEST(what_is_far_elsewhere_is_not_resolved)
{
	machine(12);
	for (double x = 5; x <= 12; x++)
		again(x, 5);
	const struct summary *s = found_ways();

	assert_true(isnan(s->value));
	assert_string_equal(s->reason, "elsewhere at another time");
	assert_true(s->confidence == 0 && s->high == 0);
	machine(12);
	for (double x = 13; x <= 28; x++)
		again(x, 1.5);
	s = found_ways();
	assert_non_null(s->reason);
	assert_string_equal(s->reason, "elsewhere at another time");
}

/* At one time 12 fit, at another 6, and nobody knows of 7 to 24: 6 to 25 is no answer. */
TEST(a_bracket_wider_than_the_value_is_not_resolved)
{
	machine_with_gap(12, 6, 25);
	expect(found_ways(), 12, 12, 25);
	again(12, 5);
	const struct summary *s = found_ways();

	assert_non_null(s->reason);
	assert_string_equal(s->reason, "elsewhere at another time");
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
	assert_null(m.b.edges); /* the hooks of a copy of it note them */
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

	begin();
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
