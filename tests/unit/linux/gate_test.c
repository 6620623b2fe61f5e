/* SPDX-License-Identifier: MIT */
/* The gate's numbers: what a row sees, how many runs it wants, which rows stay open. */
#include "linux/report/compare/gate.c"
#include "tests/unit/test.h"

#define ROWS_MOST 24
#define SLOWER    0.02 /* a logarithm: an effect that may be more than 5 % */

/* A comparison of two sets under construction. */
static struct {
	struct comparison c;
	struct set sets[2];
	struct set_cost costs[2];
	struct compared rows[ROWS_MOST];
	struct cell cells[ROWS_MOST][2];
	struct pooled pooled[ROWS_MOST][2];
	struct row_data data;
	struct run_data run[4];
	const struct run_data *runs[2][4];
	char *why;
} g;

static void begin(size_t runs_a, size_t runs_b)
{
	memset(&g, 0, sizeof g);
	for (size_t s = 0; s < 2; s++) {
		g.sets[s] = (struct set){ .group = s ? (char *)"b" : (char *)"a",
			.room = "hosted",
			.runs = g.runs[s],
			.nruns = s ? runs_b : runs_a };
		for (size_t i = 0; i < g.sets[s].nruns; i++)
			g.runs[s][i % 4] = &g.run[i % 4];
	}
	g.costs[1].rows = 1;
	g.c = (struct comparison){
		.sets = { g.sets, 2 }, .margin = MARGIN_DEFAULT, .rows = g.rows, .costs = g.costs
	};
}

/* A row of as many runs as its set has; size and error of the effect are logarithms. */
static struct cell *put(const char *label, double size, double error, double df,
	enum verdict verdict)
{
	size_t at = g.c.nrows++;
	struct cell *cell = g.cells[at];

	for (size_t s = 0; s < 2; s++) {
		g.pooled[at][s] =
			(struct pooled){ .row = &g.data, .nruns = g.sets[s].nruns, .median = 10 };
		cell[s] = (struct cell){ .row = &g.pooled[at][s], .exact = true, .slower = 1 };
	}
	cell[1].slower = exp(size);
	cell[1].effect = (struct effect){ size, error, df, 0.5 };
	cell[1].verdict = verdict;
	g.rows[at] = (struct compared){ (char *)label, "latency", "ns", cell };
	return &cell[1];
}

static void judged(enum gate want, double limit, const char *words)
{
	assert_int_equal(want, judge_rows(&g.c, 1, limit, &g.why));
	if (words ? !g.why || !strstr(g.why, words) : g.why != NULL)
		fail_msg("expected '%s', came '%s'", words ? words : "", g.why ? g.why : "");
	free(g.why);
	g.why = NULL;
}

/* Quantiles of 97.5 % as every table of Student's distribution has them. */
static double table_t(int df)
{
	static const double t[] = { [4] = 2.7764,
		[6] = 2.4469,
		[8] = 2.3060,
		[10] = 2.2281,
		[12] = 2.1788,
		[14] = 2.1448,
		[16] = 2.1199,
		[18] = 2.1009,
		[20] = 2.0860 };

	assert_true(df >= 4 && df <= 20);
	return t[df];
}

/* Runs a side from which on the interval is so narrow, by the table; a run's deviation is given. */
static int by_table(double deviation, double limit)
{
	int n = 3;

	while (2 * table_t(2 * n - 2) * deviation * sqrt(2. / n) > log1p(limit))
		n++;
	return n;
}

/*
 * Two sets of runs that each lie `deviation` apart: the mean of 3 has an error of deviation
 * / sqrt(3), the difference of two such means sqrt(2) of that.
 */
TEST(what_is_seen_is_twice_the_half_of_the_interval)
{
	char words[64];

	begin(3, 3);
	put("r", SLOWER, 0.02 * sqrt(2. / 3), 4, VERDICT_UNKNOWN); /* half: 2.7764 * 0.01633 */
	assert_float_equal(exp(2 * 0.045338) - 1, seen_with(effect_half(&g.cells[0][1].effect)),
		1e-5);
	judged(GATE_CANNOT_JUDGE, 0.05, "with 3 runs a side it sees a slowdown of 9.5 % and more");
	assert_int_equal(7, by_table(0.02, 0.05));
	snprintf(words, sizeof words, "; %d a side would see 5 %%", by_table(0.02, 0.05));
	judged(GATE_CANNOT_JUDGE, 0.05, words);
}

TEST(runs_wanted_are_those_of_the_table)
{
	struct effect *e;

	for (double deviation = 0.01; deviation < 0.0275; deviation += 0.001) {
		begin(3, 3);
		e = &put("r", 0, deviation * sqrt(2. / 3), 4, VERDICT_UNKNOWN)->effect;
		double runs = runs_for(&g.rows[0], &g.cells[0][1], 0.05);
		assert_true(e->error > 0);
		assert_int_equal(by_table(deviation, 0.05), (int)runs);
	}
}

/* Of sets of unequal size the error is by both, and the smaller one is named. */
TEST(sets_of_unequal_size)
{
	static const size_t runs[][2] = { { 2, 8 }, { 8, 2 }, { 1, 4 }, { 4, 1 } };

	for (unsigned i = 0; i < 4; i++) {
		char words[64];
		size_t a = runs[i][0], b = runs[i][1], least = i < 2 ? 2 : 1;
		double one = 0.02, error = one * sqrt(1. / (double)a + 1. / (double)b);

		begin(a, b);
		put("r", SLOWER, error, 8, VERDICT_UNKNOWN);
		snprintf(words, sizeof words, "with %zu run%s a side it sees", least,
			least == 1 ? "" : "s");
		judged(GATE_CANNOT_JUDGE, 0.05, words);
		judged(GATE_CANNOT_JUDGE, 0.05, "; 7 a side would see 5 %");
	}
}

TEST(more_runs_than_anybody_makes)
{
	begin(3, 3);
	put("r", SLOWER, 0.2, 4, VERDICT_UNKNOWN);
	judged(GATE_CANNOT_JUDGE, 0.05, "; not even 50 a side would see 5 %");
	begin(3, 3);
	put("r", SLOWER, 0.0612 * sqrt(2. / 3), 4,
		VERDICT_UNKNOWN); /* 1.9845 with 50, 1.985 with 49 */
	judged(GATE_CANNOT_JUDGE, 0.05, "; 50 a side would see 5 %");
	begin(3, 3);
	put("r", SLOWER, 0.5, 4, VERDICT_UNKNOWN); /* e^2.78 = 16 */
	judged(GATE_CANNOT_JUDGE, 0.05, "of more than ten times only");
}

/* Where few degrees of freedom make the interval wide, more runs than there are would. */
TEST(at_least_one_run_more)
{
	begin(9, 9);
	put("r", SLOWER, 0.01, 2, VERDICT_UNKNOWN); /* t = 4.30; by the runs' deviation, 9 do */
	assert_true(runs_for(&g.rows[0], &g.cells[0][1], 0.05) < 10);
	judged(GATE_CANNOT_JUDGE, 0.05, "; 10 a side would see 5 %");
}

/* The tenth of the rows that is noisiest decides neither what is seen nor the runs. */
TEST(nine_of_ten_rows)
{
	begin(3, 3);
	put("noisy", SLOWER, 0.2, 4, VERDICT_UNKNOWN);
	for (unsigned i = 0; i < 6; i++)
		put("r", SLOWER, 0.02 * sqrt(2. / 3), 4, VERDICT_UNKNOWN);
	for (unsigned i = 0; i < 4; i++)
		put("quiet", 0, 0.001, 4, VERDICT_SAME);
	judged(GATE_CANNOT_JUDGE, 0.05, "a slowdown of 9.5 % and more; 7 a side");
	judged(GATE_CANNOT_JUDGE, 0.05, "; 7 of 11 rows stay open");
}

/* The interval's end decides whether a row may be slower by more, not its middle. */
TEST(open_is_what_may_be_slower_by_more)
{
	struct cell *cell;

	begin(3, 3);
	put("inside", log(1.03), 0.003, 4, VERDICT_UNKNOWN); /* to 3.9 % */
	judged(GATE_NONE_SLOWER, 0.05, NULL);
	put("beyond", log(1.03), 0.01, 4, VERDICT_UNKNOWN); /* to 5.9 % */
	judged(GATE_CANNOT_JUDGE, 0.05, "; 1 of 2 rows stay open");
	put("known", log(1.03), 0.01, 4, VERDICT_SAME);
	judged(GATE_CANNOT_JUDGE, 0.05, "; 1 of 3 rows stay open");
	for (unsigned i = 0; i < 3; i++) {
		cell = put("moved", log(1.04), 0.01, 4, VERDICT_UNKNOWN);
		cell->because = i < 2 ? BECAUSE_CLOCK : BECAUSE_EDGE;
	}
	judged(GATE_CANNOT_JUDGE, 0.05,
		"; 4 of 6 rows stay open, 2 by the core clock, 1 by an edge that moved");
}

/* One row that seems slower by more is enough; the slowest such row is named. */
TEST(the_slowest_that_seems_so_is_named)
{
	struct cell *cell;

	begin(3, 3);
	for (unsigned i = 0; i < 19; i++)
		put("r", 0, 0.001, 4, VERDICT_SAME);
	put("at the limit", log(1.05), 0.03, 4, VERDICT_UNKNOWN);
	judged(GATE_NONE_SLOWER, 0.0501, NULL); /* 1 of 20 is open, and it does not seem so */
	put("some", log(1.07), 0.03, 4, VERDICT_UNKNOWN);
	put("most", log(1.09), 0.03, 4, VERDICT_UNKNOWN);
	put("less", log(1.08), 0.03, 4, VERDICT_UNKNOWN);
	judged(GATE_CANNOT_JUDGE, 0.0501, "; 'most' seems slower by 9.0 %");
	cell = put("about zero", log(2), 0.03, 4, VERDICT_UNKNOWN);
	cell->difference = true; /* of values that have no ratio */
	judged(GATE_CANNOT_JUDGE, 0.0501, "; 'most' seems slower by 9.0 %");
	cell->verdict = VERDICT_SAME;
	g.c.nrows = 21; /* of these, less than a tenth is open; and nearly all rows would show it */
	judged(GATE_NONE_SLOWER, 0.08, NULL);
	judged(GATE_CANNOT_JUDGE, 0.0501, " and more; 2 of 21 rows stay open; 'some' seems slower");
}

/* Rows that the other set lacks, or has with another size, count; events and counts do not. */
TEST(rows_that_are_missing)
{
	begin(3, 3);
	for (unsigned i = 0; i < 20; i++)
		put("r", 0, 0.001, 4, VERDICT_SAME);
	g.cells[3][1].row = NULL;
	g.cells[4][1].exact = false;
	judged(GATE_NONE_SLOWER, 0.05, NULL); /* a tenth */
	g.cells[5][1].slower = NAN;
	judged(GATE_CANNOT_JUDGE, 0.05, ", and it lacks 3 of 20");
	g.rows[3].probe = "noise";
	g.rows[4].unit = "entries";
	judged(GATE_NONE_SLOWER, 0.05, NULL);
	put("open", log(1.03), 0.01, 4,
		VERDICT_UNKNOWN); /* with the one that is missing, over a tenth */
	judged(GATE_CANNOT_JUDGE, 0.05, "; 1 of 19 rows stay open, and it lacks 1 of 19");
}

TEST(any_run_in_common_is_found)
{
	begin(2, 3);
	json_t *end[5];

	for (int i = 0; i < 5; i++) {
		end[i] = json_pack("{si}", "crc_all", i);
		g.run[i % 4] = (struct run_data){ 0 };
	}
	struct run_data runs[5] = { { .end = end[0] }, { .end = end[1] }, { .end = end[2] },
		{ .end = end[3] }, { .end = end[4] } };
	for (unsigned i = 0; i < 5; i++)
		g.runs[i >= 2][i >= 2 ? i - 2 : i] = &runs[i];
	assert_false(share_a_run(&g.sets[0], &g.sets[1]));
	g.runs[1][2] = &runs[1];
	assert_true(share_a_run(&g.sets[0], &g.sets[1]));
	for (int i = 0; i < 5; i++)
		json_decref(end[i]);
}

/* The slowest row is named, with both medians and the interval. */
TEST(the_slowest_of_the_rows_that_are_slower)
{
	begin(3, 3);
	put("some", log(1.2), 0.01, 4, VERDICT_SLOWER);
	struct cell *cell = put("most", log(1.5), 0.01, 4, VERDICT_SLOWER);

	put("unsure", log(1.9), 0.3, 4, VERDICT_UNKNOWN);
	g.pooled[1][1].median = 15;
	cell->low = 1.45;
	cell->high = 1.55;
	assert_null(slower_row(&g.c, 1, 0.5));
	g.why = slower_row(&g.c, 1, 0.4);
	assert_string_equal("b/hosted: 'most' is slower by 50.0 %, more than 40 %: 15 after 10 ns, "
			    "ratio 1.45..1.55 with 95 % confidence",
		g.why);
	free(g.why);
}
