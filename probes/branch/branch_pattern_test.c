/* SPDX-License-Identifier: MIT */
/*
 * Tests the values found from rows of branches, the rows measured next, and the printed sentences.
 */
#include "tests/unit/summary_rows.h"

static struct plan plan;

BEFORE_EACH(reset)
{
	begin_of("branch");
	plan.n = 0;
	m.b.plan = &plan;
}

/* Check the rows that are measured next: n of a variant, with these values. */
static void expect_next(const char *variant, const char *param, double spacing, unsigned n,
	const double *values)
{
	unsigned at = 0;

	plan.n = 0;
	m.b.probe->hooks->plan_edges(&m.b, &m.found.reader);
	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];

		if (strcmp(row->variant, variant) || row_get(row, "stride_bytes", 0) != spacing)
			continue;
		if (at == n || row_get(row, param, 0) != values[at])
			fail_msg("%s %g: expected another %s than %g", variant, spacing, param,
				row_get(row, param, 0));
		at++;
	}
	if (at != n)
		fail_msg("%s %g: expected %u more, came %u", variant, spacing, n, at);
}

/* An octave more where the rise has not ended at 64 Ki or more, or not begun, up to 512 Ki. */
TEST(longer_periods_where_the_rise_has_not_ended)
{
	static const struct {
		double capacity, longest, next;
	} cases[] = { { 12000, 65536, 0 }, { 48000, 65536, 131072 }, { 1e9, 65536, 131072 },
		{ 48000, 131072, 0 }, { 1e9, 131072, 262144 }, { 1e9, 262144, 524288 },
		{ 1e9, 524288, 0 }, { 1e9, 32768, 0 } };

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		double came = 0;

		reset();
		for (double x = 256; x <= cases[i].longest; x *= 2)
			add("branch", "period", "elements", x, x <= cases[i].capacity ? 1 : 8, 0);
		plan.n = 0;
		m.b.probe->hooks->plan_edges(&m.b, &m.found.reader);
		for (unsigned k = 0; k < plan.n; k++)
			if (!strcmp(plan.rows[k].variant, "period"))
				came = fmax(came, row_get(&plan.rows[k], "elements", 0));
		if (cases[i].next ? came != cases[i].next : came > cases[i].longest)
			fail_msg("%g branches, tried to %g: expected %g next, came %g",
				cases[i].capacity, cases[i].longest, cases[i].next, came);
	}
}

TEST(what_was_not_measured)
{
	static const char *const names[] = { "predictor_branches", "predictor_perfect",
		"learning_passes", "states_elements", "branch_targets", "return_stack",
		"mispredict_cycles" };

	for (unsigned i = 0; i < 7; i++)
		expect_open(names[i], NOT_MEASURED);
	expect_next("period", "elements", 0, 0, NULL);
	expect_next("targets", "targets", 16, 0, NULL);
	expect_next("return-stack", "depth", 0, 0, NULL);
	m.b.probe->hooks->meaning(&m.b);
	assert_string_equal("", m.said);
	add("branch", "penalty", "n", 0, 1.99, 0);
	expect_open("mispredict_cycles", "random branches cost no more than constant ones");
	m.results[0].median = 2;
	assert_true(value("mispredict_cycles")->value == 2);
}

/* Periods from 256 on, two an octave; each costs what is said, the last cost from there on. */
static void add_periods(unsigned n, const double *costs)
{
	m.b.nresults = 0;
	for (unsigned i = 0; i < 17; i++)
		add("branch", "period", "elements", floor(256 * exp2(i / 2.)),
			costs[i < n ? i : n - 1], 0);
}

TEST(a_predictor_that_ends_at_once)
{
	static const double cliff[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 6 };

	add_periods(10, cliff);
	expect_range("predictor_branches", 4096, 4096, 5792);
	expect_range("predictor_perfect", 4096, 4096, 5792);
	assert_true(value("predictor_branches")->edge);
	assert_true(value("predictor_perfect")->edge);
	expect_next("period", "elements", 0, 1, (const double[]){ 5120 });
	assert_int_equal(ANSWER_PATTERNS, plan.rows[0].answer);
	add("branch", "period", "elements", 4300, 6, 0); /* within 5 % */
	expect_range("predictor_branches", 4096, 4096, 4300);
	expect_next("period", "elements", 0, 0, NULL);
}

TEST(the_last_count_is_found)
{
	static const double elements[] = { 5, 10, 20, 22, 40, 80 };

	for (unsigned i = 0; i < 6; i++)
		add("branch", "period", "elements", elements[i], i < 3 ? 1 : 6, 0);
	expect_range("predictor_branches", 20, 20, 22);
	expect_next("period", "elements", 0, 1, (const double[]){ 21 });
}

/* Half is lost between 2896 and 4096; the range is that of 10 to 90 %. */
TEST(a_predictor_that_ends_gradually)
{
	static const double soft[] = { 1, 1, 1, 1, 1, 1.5, 2, 3, 4, 5, 6 };
	static const double rising[] = { 1, 1.7, 1.7, 1.7, 1.7, 1.7, 1.7, 1.7, 1.7, 3, 4, 5, 6 };

	add_periods(11, soft);
	expect_range("predictor_branches", 2896, 1024, 8192);
	expect_range("predictor_perfect", 1024, 1024, 1448);
	expect_next("period", "elements", 0, 2, (const double[]){ 3584, 1280 });
	add_periods(13, rising);
	expect_open("predictor_perfect", "more is lost with every branch");
}

/* The samples of a row scatter by as much as they are. */
static void scatter(unsigned row)
{
	m.results[row].mad = m.results[row].median;
}

TEST(passes_until_all_is_learned)
{
	for (unsigned pass = 1; pass <= 20; pass++)
		for (unsigned of = 1; of <= 2; of++)
			row_param(add("branch", "learn", "pass", pass,
					  pass < 2 + 2 * of ? 8 - pass : 1, 0),
				"elements", 1000 * of);
	expect_range("learning_passes", 5, 5, 6);
	double sure = value("learning_passes")->confidence;

	for (unsigned i = 0; i < 10; i++)
		scatter(2 * (i < 5 ? i : i + 10) + 1); /* half of the passes over 2000 */
	assert_true(value("learning_passes")->confidence < sure);
}

/*
 * Add rows of 16 to 128 Ki jumps, two counts an octave: the first n cost 0.5, the next `more`
 * cost 1, the others 4.
 */
static void add_jumps(double spacing, unsigned n, unsigned more)
{
	static const double few[] = { 1, 2, 4, 8 };

	for (unsigned i = 0; i < 4; i++)
		row_param(add("branch", "targets", "targets", few[i], 9, 0), "stride_bytes",
			spacing);
	for (unsigned i = 0; i <= 26; i++)
		row_param(add("branch", "targets", "targets", floor(16 * exp2(i / 2.)),
				  i < n                  ? 0.5
					  : i < n + more ? 1
							 : 4,
				  0),
			"stride_bytes", spacing);
}

/* Add jumps at spacings of 16 and 32 bytes: the first `near` and `far` counts cost little. */
static void jump_rows(unsigned near, unsigned far)
{
	m.b.nresults = 0;
	add_jumps(16, near, 0);
	add_jumps(32, far, 0);
}

/* The loop itself has two more jumps. A step counts if both spacings have it at the same count. */
TEST(targets_at_either_spacing)
{
	for (unsigned far = 16; far <= 18; far++) {
		jump_rows(17, far);
		expect_range("branch_targets", 4098, 4098, 5794);
		assert_null(find_value(&m.found, VALUE_branch_targets_first));
	}
	jump_rows(17, 15);
	expect_open("branch_targets", "moves with the jumps' spacing");
	jump_rows(17, 19);
	expect_open("branch_targets", "moves with the jumps' spacing");
	jump_rows(26, 26); /* at the end of the curve */
	expect_range("branch_targets", 92683, 92683, 131074);
	assert_true(value("branch_targets")->edge);
	double sure = value("branch_targets")->confidence;

	scatter(18); /* rows of few jumps do not bear on this edge */
	scatter(19);
	assert_true(value("branch_targets")->confidence == sure);
	scatter(4 + 25);
	scatter(4 + 26);
	assert_true(value("branch_targets")->confidence < sure);
	jump_rows(17, 27);
	expect_open("branch_targets", "the curve is flat");
	jump_rows(27, 17);
	expect_open("branch_targets", "the curve is flat");
	jump_rows(1, 17);
	expect_open("branch_targets", "no step stands out");
	m.b.nresults = 0;
	add_jumps(16, 17, 0);
	expect_open("branch_targets", NOT_MEASURED);
}

/* The last step is that of all levels, the one before it that of those before the last. */
TEST(two_levels_of_targets)
{
	m.b.nresults = 0;
	add_jumps(16, 15, 6);
	add_jumps(32, 15, 6);
	expect_range("branch_targets_first", 2050, 2050, 2898);
	expect_range("branch_targets", 16386, 16386, 23172);
	m.b.nresults = 0;
	add_jumps(16, 15, 6); /* a cache that ends moves with the spacing: one level is left */
	add_jumps(32, 13, 8);
	expect_range("branch_targets", 16386, 16386, 23172);
	assert_null(find_value(&m.found, VALUE_branch_targets_first));
}

/* At 16 bytes to 1 %, at 32 to 5 %. */
TEST(targets_are_looked_for_more_closely)
{
	jump_rows(17, 17);
	expect_next("targets", "targets", 16, 1, (const double[]){ 5120 });
	expect_next("targets", "targets", 32, 1, (const double[]){ 5120 });
	for (unsigned spacing = 16; spacing <= 32; spacing *= 2)
		row_param(add("branch", "targets", "targets", 4224, 4, 0), "stride_bytes", spacing);
	expect_next("targets", "targets", 16, 1, (const double[]){ 4160 });
	expect_next("targets", "targets", 32, 0, NULL);
	m.b.nresults = 0;
	for (double x = 16; x <= 1024; x += x == 64 ? 2 : x == 66 ? 62 : x)
		row_param(add("branch", "targets", "targets", x, x <= 64 ? 0.5 : 2, 0),
			"stride_bytes", 16);
	expect_next("targets", "targets", 16, 1, (const double[]){ 65 });
}

static void add_depths(unsigned step)
{
	m.b.nresults = 0;
	for (unsigned depth = step; depth <= 64; depth += step)
		add("branch", "return-stack", "depth", depth,
			(depth + 9 * fmax(0, depth - 24.)) / depth, 0);
}

TEST(returns_are_known_to_the_call)
{
	add_depths(1);
	expect_range("return_stack", 24, 24, 25);
	expect_next("return-stack", "depth", 0, 0, NULL);
	add_depths(4);
	expect_range("return_stack", 24, 24, 28);
	assert_true(value("return_stack")->edge);
	expect_next("return-stack", "depth", 0, 1, (const double[]){ 26 });
	add_depths(2);
	expect_next("return-stack", "depth", 0, 1, (const double[]){ 25 });
}

static void expect_all_said(const char *text)
{
	*m.said = 0;
	m.b.probe->hooks->meaning(&m.b);
	if (strcmp(m.said, text))
		fail_msg("expected:\n%s\nwas said:\n%s", text, m.said);
}

/* Costs of 17 random machines of 16 elements and more, and of sorted ones; medians say nothing. */
static void add_states(unsigned n, const double *costs, double sorted_last)
{
	m.b.nresults = 0;
	for (unsigned sorted = 0; sorted < 2; sorted++)
		for (unsigned i = 0; i < 17; i++) {
			add("branch", sorted ? "states-sorted" : "states-random", "elements",
				16 << i, i == 3 ? 40 : 1, 0);
			m.results[m.b.nresults - 1].min = sorted
				? i > 2 && i < 15 ? 0.25 : sorted_last
				: costs[i < n ? i : n - 1];
		}
}

/* By the minima; sizes at which memory slows the sorted machine, too, are left out. */
TEST(states_in_words)
{
	static const double costs[] = { 0.3, 0.3, 0.25, 0.3, 0.3, 0.3, 0.3, 0.3, 0.35, 0.75 };
	static const double memory[] = { 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.8, 0.8, 0.8,
		0.8, 0.8, 0.8, 4, 4 };

	add_states(10, costs, 0.25);
	expect_range("states_elements", 4096, 4096, 8192);
	expect_all_said("  The state machine's cliff is between 4096 and 8192 elements.\n");
	add_states(17, memory, 0.312);
	expect_range("states_elements", 262144, 262144, 524288);
	add_states(17, memory, 0.313);
	expect_range("states_elements", 4096, 4096, 8192);
	m.b.nresults = 0;
	expect_open("states_elements", NOT_MEASURED);
	expect_all_said("");
}

TEST(moved_code_in_words)
{
	for (unsigned i = 0; i < 4; i++)
		add("branch", i % 2 ? "states-stack" : "states-code", "moved_bytes", i * 8, 0.5 + i,
			0);
	expect_all_said(
		"  With its code moved, the same machine takes 0.50 to 2.50 ns an element.\n"
		"  With its stack moved, the same machine takes 1.50 to 3.50 ns an element.\n");
}

TEST(copies_in_words)
{
	add("branch", "copy-odd-random", "elements", 10000, 2, 0);
	expect_all_said("");
	add("branch", "copy-odd-odd", "elements", 10000, 0.5, 0);
	expect_all_said("  Unpredictable branches make the same loop 4.0 times as slow.\n");
	m.results[1].median = 0;
	add("branch", "nobranch-random", "elements", 10000, 0.25, 0);
	expect_all_said("  Without the branch it is 8.0 times as fast on random data.\n");
	m.results[2].median = 0;
	add("branch", "word-odd-odd", "elements", 10000, 0.5, 0);
	expect_all_said("");
	add("branch", "word-free-odd", "elements", 10000, 1, 0);
	expect_all_said(
		"  Of words, on odd data, it takes 2.0 times as long without the branch.\n");
	m.results[3].median = 0;
	add("branch", "word-odd-random", "elements", 10000, 3, 0);
	expect_all_said("");
	add("branch", "printed-odd-random", "elements", 10000, 0.25, 0);
	expect_all_said("  Random words that come again cost 0.25 ns each, new ones 3.00 ns.\n");
	m.results[6].median = 0;
	expect_all_said("");
}

TEST(learning_in_words)
{
	row_param(add("branch", "learn", "elements", 2000, 0.25, 0), "pass", 20);
	row_param(add("branch", "learn", "elements", 1000, 9.5, 0), "pass", 1);
	expect_all_said("");
	row_param(add("branch", "learn", "elements", 2000, 0.75, 0), "pass", 1);
	expect_all_said("  2000 random branches: 0.75 ns each when new, 0.25 ns in pass 20.\n");
}

static bool counted;

static void end_timed(struct room *room, struct event_counts *q)
{
	q->known = EVENT_SWITCHES | (counted ? EVENT_MISPREDICTS : 0);
}

TEST(mispredictions_in_words)
{
	m.room.timed_end = end_timed;
	for (unsigned i = 0; i < 2; i++) {
		counted = i;
		plan.n = 0;
		m.b.probe->hooks->plan(&m.b);
		m.b.nresults = 1;
		for (unsigned k = 0; k < plan.n; k++)
			if (!strcmp(plan.rows[k].variant, "penalty"))
				m.results[0] =
					(struct result){ .row = &plan.rows[k], .median = 17 };
		assert_int_equal(i, row_get(m.results[0].row, "mispredicts_counted", -1));
		expect_all_said(i ? "  Mispredictions were counted by the processor.\n"
				  : "  Mispredictions were taken to be half of the random bits.\n");
	}
}
