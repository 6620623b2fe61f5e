/* SPDX-License-Identifier: MIT */
/*
 * Tests the confidence that an edge loses to the rows around it, and a clock or time to the clocks
 * of the run.
 */
#include "engine/confidence.h"
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
	take_curve(&m.found.reader, &pick, &c);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct estimate e = edge_of(&m.found.reader, &c,
			resolved(cases[i].low, cases[i].low, cases[i].high, 1));
		char what[40];

		snprintf(what, sizeof what, "%g to %g", cases[i].low, cases[i].high);
		assert_true(e.edge);
		near(what, 1 - 0.03 * cases[i].middle, e.confidence);
	}
	struct estimate none = edge_of(&m.found.reader, &c, not_resolved("none"));

	assert_false(none.edge);
}

/* The core clocks of a run's rows: what they take from the confidence of a clock, and of times. */

#define L1_BYTES (48 * KIB)

/* The curve of `latency`, at the usual clock, and the row of the clock at `hz`. */
static void run_with_clock_row(double hz)
{
	begin();
	add_latency();
	add("clock", "core-clock", "x", 1, hz / 1e9, 0)->nparams = 0;
	m.results[m.b.nresults - 1].core_hz = hz;
}

static double confidence(const char *name)
{
	run_find(&m.b, &m.found, "clock");
	run_find(&m.b, &m.found, "latency");
	const struct summary *s = find_value(&m.found, value_by_name(name));

	if (!s || s->reason)
		fail_msg("%s: expected a value, came %s", name, s ? s->reason : "nothing");
	return s->confidence;
}

TEST(the_clock_of_a_run_is_that_of_its_rows)
{
	for (unsigned i = 0; i < 501; i++) {
		add("latency", "pointer-padded", "bytes", KIB, 1, PAGE_2M);
		m.results[i].core_hz = 2e9 + 1e6 * ((i + 250) % 501);
	}
	add("latency", "pointer-padded", "bytes", KIB, 1, PAGE_2M);
	m.results[501].core_hz = 0;   /* not known */
	m.results[502].core_hz = 9e9; /* of an earlier run */
	m.b.work.bytes = 502 * sizeof(double);
	struct run_clock c = run_clock(&m.b);

	assert_true(c.low == 2e9 && c.median == 2.25e9 && c.high == 2.5e9);
	assert_true(fabs(c.loss - 2 * 0.4e9 / 2.25e9) < 1e-9);
	assert_int_equal(0, m.b.work.used);
	m.b.work.bytes--;
	assert_true(run_clock(&m.b).high == 0); /* there is no memory for it */
}

TEST(no_clock_takes_nothing)
{
	assert_true(run_clock(&m.b).high == 0);
	assert_true(other_clock_loss(&m.b, 3e9) == 0);
	add("latency", "pointer-padded", "bytes", KIB, 1, PAGE_2M);
	assert_true(other_clock_loss(&m.b, 0) == 0);
	m.results[0].core_hz = 1;
	assert_true(run_clock(&m.b).high == 1);
	assert_true(fabs(other_clock_loss(&m.b, 0.9) - 0.2) < 1e-9);
	m.results[0].core_hz = 0;
	assert_true(other_clock_loss(&m.b, 3e9) == 0);
}

/* A tenth beside the clock of most rows takes a fifth; never more than half. */
TEST(a_clock_beside_that_of_the_run_is_doubted)
{
	run_with_clock_row(HZ);
	double sure = confidence("core_clock_hz");

	run_with_clock_row(0.9 * HZ);
	assert_true(fabs(confidence("core_clock_hz") / sure - 0.8) < 0.001);
	assert_true(fabs(confidence("core_tsc_ratio") / sure - 0.8) < 0.001);
	run_with_clock_row(1.1 * HZ);
	assert_true(fabs(confidence("core_clock_hz") / sure - 0.8) < 0.001);
	run_with_clock_row(0.4 * HZ);
	assert_true(fabs(confidence("core_clock_hz") / sure - 0.5) < 0.001);
}

/*
 * On a guest one moment read 2.53 GHz, gaps and all, the other 3.61: the middle of the two was no
 * clock of that machine. The higher one is the less disturbed; the other is in the bracket.
 */
TEST(of_two_moments_the_higher_clock_counts)
{
	for (unsigned first = 0; first < 2; first++) {
		const double ghz[2] = { first ? 3.61 : 2.53, first ? 2.53 : 3.61 };

		run_with_clock_row(ghz[0] * 1e9);
		add("clock", "core-clock", "again", 1, ghz[1], 0);
		m.results[m.b.nresults - 1].core_hz = ghz[1] * 1e9;
		confidence("core_clock_hz");
		const struct summary *hz = find_value(&m.found, VALUE_core_clock_hz);
		const struct summary *ratio = find_value(&m.found, VALUE_core_tsc_ratio);

		near("Hz", 3.61e9, hz->value);
		assert_true(hz->low <= 2.53e9 && hz->high >= 3.61e9);
		near("ratio", 3.61e9 / m.room.facts.tsc_hz, ratio->value);
	}
}

/* L1 was measured while the clock still rose: its cycles are right, its time is not. */
TEST(a_time_at_another_clock_is_doubted)
{
	run_with_clock_row(HZ);
	double ns = confidence("l1d_latency_ns"), cycles = confidence("l1d_latency_cycles");
	double memory = confidence("memory_latency_ns");

	run_with_clock_row(HZ);
	for (unsigned i = 0; i < m.b.nresults; i++)
		if (row_get(&m.rows[i], "bytes", GIB) <= L1_BYTES)
			m.results[i].core_hz = 0.9 * HZ;
	assert_true(fabs(confidence("l1d_latency_ns") / ns - 0.8) < 0.001);
	assert_true(confidence("l1d_latency_cycles") == cycles);
	assert_true(confidence("memory_latency_ns") == memory);
}
