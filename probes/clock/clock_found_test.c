/* SPDX-License-Identifier: MIT */
/* The core's clock and its bracket, of several moments and of what other rows saw. */
#include "tests/unit/summary_rows.h"

/* The clock at a moment, GHz, and how far its samples scatter, as a part. */
static void moment(double ghz, double scatter)
{
	struct result *r = &m.results[m.b.nresults];

	add("clock", "core-clock", NULL, 0, ghz, 0);
	r->core_hz = ghz * 1e9;
	r->mad = scatter * ghz;
}

/* Rows that ran at that clock. */
static void others(double ghz)
{
	for (unsigned i = 0; i < 8; i++) {
		struct result *r = &m.results[m.b.nresults];

		add("latency", "pointer-padded", "bytes", 1024 << i, 1, PAGE_4K);
		r->core_hz = ghz * 1e9;
	}
}

static const struct summary *clock_of(double first, double second, double of_others)
{
	begin_of("clock");
	m.room.facts.tsc_hz = 2e9;
	moment(first, 0.001);
	if (second > 0)
		moment(second, 0.001);
	others(of_others);
	return value("core_clock_hz");
}

static void expect_clock(const struct summary *s, double is, double low, double high)
{
	near("value", is * 1e9, s->value);
	near("low", low * 1e9, s->low);
	near("high", high * 1e9, s->high);
}

TEST(the_higher_of_two_moments)
{
	expect_clock(clock_of(2.5, 3, 3), 3, 2.5, 3);
	expect_clock(clock_of(3, 2.5, 3), 3, 2.5, 3);
	near("of the TSC's", 1.5, value("core_tsc_ratio")->value);
	near("of the TSC's, low", 1.25, value("core_tsc_ratio")->low);
	near("of the TSC's, high", 1.5, value("core_tsc_ratio")->high);
}

/* What only other rows saw is in the bracket, on either side of what the row itself saw. */
TEST(the_bracket_has_what_other_rows_saw)
{
	expect_clock(clock_of(3, 0, 3.3), 3, 3, 3.3);
	expect_clock(clock_of(3, 0, 2.4), 3, 2.4, 3);
	m.results[0].floor = 3.2; /* of the row's own samples the quickest */
	expect_clock(value("core_clock_hz"), 3, 2.4, 3.2);
}

/* A moment whose samples scatter takes away less than it would alone. */
TEST(as_sure_as_the_surest_moment)
{
	for (unsigned first = 0; first < 2; first++) {
		begin_of("clock");
		m.room.facts.tsc_hz = 2e9;
		moment(3, first ? 0.2 : 0.001);
		moment(2.99, first ? 0.001 : 0.2);
		others(3);
		assert_true(value("core_clock_hz")->confidence > (first ? 0.6 : 0.8));
	}
}
