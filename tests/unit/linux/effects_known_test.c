/* SPDX-License-Identifier: MIT */
/* Statistics of many rows: the correction for their number, and the errors of their means. */
#include "linux/report/compare/effects.h"
#include "tests/unit/compared.h"
#include "tests/unit/test.h"

AFTER_EACH(forget);

/*
 * The example of Benjamini and Hochberg, "Controlling the false discovery rate", 1995, section 3.2,
 * by another limit: of 15 the third is below 3/15 of 0.01, the fourth above 4/15 of it. Without a
 * correction four were different, by Bonferroni's two.
 */
TEST(test_of_many_only_those_that_pass_together)
{
	static const double p[] = { 0.0459, 0.0001, 0.3240, 0.0004, 0.0095, 0.0201, 0.0278, 0.0298,
		0.0344, 0.0019, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000 };
	struct comparison c = { .margin = MARGIN_DEFAULT };
	struct effect_group groups[15] = { 0 };

	for (size_t i = 0; i < 15; i++)
		groups[i] = (struct effect_group){
			.size = 0.03, .low = 0.001, .high = 0.06, .p = p[i]
		};
	groups_judge(&c, groups, 15);
	for (size_t i = 0; i < 15; i++)
		if (groups[i].verdict != (p[i] <= 0.0019 ? VERDICT_SLOWER : VERDICT_UNKNOWN))
			fail_msg("p %g: %s (linux/report/compare/effects.c)", p[i],
				verdict_names[groups[i].verdict]);
}

/* The smaller of two is a difference only below half of the limit: 0.005, by Bonferroni. */
TEST(test_of_two_the_smaller_one_alone)
{
	static const double p[] = { 0.008, 0.004 };

	for (unsigned i = 0; i < 2; i++) {
		struct comparison c = { .margin = MARGIN_DEFAULT };
		struct effect_group groups[2] = {
			{ .size = 0.03, .low = 0.001, .high = 0.06, .p = p[i] },
			{ .size = 0.03, .low = 0.001, .high = 0.06, .p = 0.9 },
		};

		groups_judge(&c, groups, 2);
		assert_int_equal(groups[0].verdict == VERDICT_SLOWER, i);
	}
}

/* A probe is one by its only row, too. */
TEST(test_each_probe_has_its_group)
{
	struct effect_group groups[3];

	for (int set = 0; set < 2; set++) {
		struct fixture *f = file(set ? "b" : "a", "hosted", "");
		for (char probe = 'p'; probe <= 'q'; probe++)
			fixture_line(f, "row",
				",\"probe\":\"%c\",\"variant\":\"v\",\"unit\":\"ns/load\","
				"\"samples\":16,\"median\":10,\"mad\":0.5",
				probe);
	}
	compare();
	assert_int_equal(groups_of_probes(&b.c, 1, groups, 3), 2);
	assert_string_equal(groups[0].kind, "p");
	assert_string_equal(groups[1].kind, "q");
}

/* The one group that the rows make. */
static struct effect_group group_of(void)
{
	struct effect_group groups[2];

	compare();
	assert_int_equal(groups_of_probes(&b.c, 1, groups, 2), 1);
	return groups[0];
}

#define ROWS 4

/*
 * Single runs: the rows of a run share what the run drew by chance, so the assumed part of the
 * error is that of one row; the errors of the medians are each their own, and a mean over n rows
 * has one that is smaller by sqrt(n).
 */
TEST(test_error_of_a_mean_over_rows)
{
	for (int set = 0; set < 2; set++) {
		struct fixture *f = file(set ? "b" : "a", "hosted", "");
		for (int i = 0; i < ROWS; i++)
			fixture_line(f, "row",
				",\"probe\":\"latency\",\"variant\":\"v%d\",\"unit\":\"ns/load\","
				"\"samples\":16,\"median\":%d,\"mad\":0.5",
				i, set ? 11 : 10);
	}
	struct effect_group g = group_of();
	double assumed = 0.03 / (1.96 * 1.4142), squares = 0;
	for (int set = 0; set < 2; set++) {
		double median = 1.2533 * 1.4826 * 0.5 / sqrt(16) / (set ? 11 : 10);
		squares += assumed * assumed + median * median / ROWS;
	}
	near("mean", log(1.1), g.size);
	near("the lower end", g.size - (g.high - g.size), g.low);
	/* the two sides are nearly alike: 7.97 degrees of freedom by Welch, of 8 */
	double t = (g.high - g.size) / sqrt(squares);
	if (t < 2.306 || t > 2.310)
		fail_msg("expected half of the interval %g times 2.307, came %g times",
			sqrt(squares), t);
}

/* Runs: Student's test of the means over the rows, one value a run. */
TEST(test_error_of_a_mean_over_runs)
{
	static const double away[] = { -0.01, 0, 0.01 };

	for (int i = 0; i < 6; i++) {
		struct fixture *f = file(six_runs[i], "hosted", "");
		double run = away[i % 3] + (i < 3 ? 0 : 0.05);
		row(f, "up", "", "ns/load", 10 * exp(run + 0.04)); /* their mean is the run's */
		row(f, "down", "", "ns/load", 10 * exp(run - 0.04));
	}
	struct effect_group g = group_of();
	near("mean", 0.05, g.size);
	near("half of the interval", 2.776445105198055 * sqrt(2 * 0.0001 / 3), g.high - g.size);
	double t = 0.05 / sqrt(2 * 0.0001 / 3), q = 1 + t * t / 4;
	near("p", 1 - 0.75 * t / sqrt(q) * (1 - t * t / q / 12), g.p); /* of 4 degrees of freedom */
}
