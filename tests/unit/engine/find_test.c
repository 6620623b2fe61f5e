/* SPDX-License-Identifier: MIT */
/* The rows of a curve, the numbers read from them, and the values that are kept. */
#include "engine/find.c"
#include "engine/table.h"
#include "engine/infer/infer.h"
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
	assert_int_equal(6, take_curve(&m.b, &pick, &c));
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
	assert_int_equal(1, take_curve(&m.b, &l1, &c));
	near("at l1", 20, c.point[0].y);
	assert_int_equal(1, take_curve(&m.b, &only, &c));
	near("n is 2", 20, c.point[0].y);
}

TEST(a_floor_that_is_not_known_is_the_median)
{
	struct result *r = row("a", 1, 10);

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

TEST(the_upper_quartile_needs_all_clocks)
{
	const struct pick pick = { .variant = "a", .x = "n" };
	struct curve c;

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

TEST(what_is_found_is_kept_as_it_is)
{
	struct estimate edge = resolved(30, 20, 40, 0.5), open = resolved(30, NAN, NAN, 0.5);
	const struct summary *s;

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

TEST(each_probe_is_searched_once)
{
	static struct found_values other;
	unsigned n;

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
	assert_false(find_as(&m.b, READ_FLOOR, NULL, NULL, NULL));
	assert_true(find_as(&m.b, READ_FLOOR, probe("latency"), &other, NULL));
	assert_true(other.n > 0);
	assert_int_equal(n, m.found.n);
	assert_int_equal(READ_MEDIAN, m.b.reading);
	assert_ptr_equal(&m.found, m.b.found);
}

/* The rows that make a curve, and the samples of a row that each reading takes. */

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
		m.b.reading = readings[i].reading;
		double cycles = row_cycles(&m.b, r), ns = row_value(&m.b, r);

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

		m.b.reading = readings[i].reading;
		assert_int_equal(1, take_curve(&m.b, &pick, &c));
		if (c.from[0] != &m.results[readings[i].row])
			fail_msg("reading %d: expected row %u, came %u", readings[i].reading,
				readings[i].row, (unsigned)(c.from[0] - m.results));
	}
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
	run_find(&m.b, "clock");
	run_find(&m.b, "latency");
	const struct summary *s = find_value(&m.b, name);

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

/* engine/find.c: which rows decide an edge, and what other times leave of it. */

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
