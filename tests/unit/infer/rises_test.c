/* SPDX-License-Identifier: MIT */
/* Where a predictor begins to lose, how gradually, and how long it learns: known curves. */
#include <stdio.h>

#include "tests/unit/estimates.h"
#include "tests/unit/synthetic.h"
#include "tests/unit/test.h"

/* Up to the capacity all is predicted, if by a slower level; then more and more is lost. */
static unsigned two_levels(double fast, double all, double noise, struct random *r, struct point *p)
{
	unsigned n = 0;

	for (double x = 256; x <= 65536; x *= 1.41421356, n++) {
		double slow = x < fast ? 0 : 1.1 * (1 - fast / x);
		double lost = x < all * 1.01 ? 0 : 9 * (1 - all * all / (x * x));
		double part = (double)random_below(r, 2001) / 1000 - 1;

		p[n] = (struct point){ x, (2.4 + slow + lost) * (1 + noise * part) };
	}
	return n;
}

TEST(test_perfect_is_where_loss_begins)
{
	struct point p[INFER_POINTS];
	struct random r;

	random_seed(&r, 4);
	for (double all = 1000; all < 8000; all *= 1.3) {
		unsigned n = two_levels(150, all, 0.01, &r, p);
		struct estimate e = infer_perfect(p, n);

		if (!(e.low <= all * 1.05 && all < e.high * 1.42))
			fail_with("not where the loss begins", p, n, e);
		if (!(e.value <= infer_halfway(p, n).value))
			fail_with("more is perfect than half lost", p, n, e);
	}
}

TEST(test_perfect_wants_a_level)
{
	struct point p[12];

	for (unsigned i = 0; i < 12; i++)
		p[i] = (struct point){ 256 << i, i < 11 ? 2 + i : 12.5 };
	expect_refused(p, 12, infer_perfect(p, 12));
	expect_refused(p, 3, infer_perfect(p, 3));
}

TEST(test_learned)
{
	static const double gradual[] = { 13.6, 8.9, 7.7, 5.5, 4.6, 4.2, 3.9, 3.6, 3.5, 3.5, 3.5,
		3.5, 3.5, 3.5, 3.5 };
	struct point p[20];
	struct estimate e;

	for (unsigned needs = 1; needs < 10; needs++) {
		for (unsigned i = 0; i < 20; i++)
			p[i] = (struct point){ i + 1, i < needs ? 12 : 3 };
		e = infer_learned(p, 20);
		if (e.reason || e.value != needs || e.low != needs || e.high != needs + 1)
			fail_with("not the passes that it took", p, 20, e);
	}
	for (unsigned i = 0; i < 15; i++)
		p[i] = (struct point){ i + 1, gradual[i] };
	e = infer_learned(p, 15);
	if (e.value != 6 || !(e.confidence > 0 && e.confidence <= 1))
		fail_with("not the passes of a gradual fall", p, 15, e);
	p[0].x = 0.5;
	expect_refused(p, 15, infer_learned(p, 15)); /* not the first pass */
	for (unsigned i = 0; i < 20; i++)
		p[i] = (struct point){ i + 1, 12 - 0.02 * i };
	expect_refused(p, 20, infer_learned(p, 20)); /* never */
	for (unsigned i = 0; i < 20; i++)
		p[i] = (struct point){ i + 1, 22 - i };
	expect_refused(p, 20, infer_learned(p, 20)); /* not yet */
	expect_refused(p, 4, infer_learned(p, 4));
}

TEST(test_bad_points_are_refused)
{
	struct point p[20];

	for (unsigned i = 0; i < 20; i++)
		p[i] = (struct point){ i + 1, i < 10 ? 1 : 5 };
	p[4].y = NAN;
	expect_refused(p, 20, infer_perfect(p, 20));
	expect_refused(p, 20, infer_learned(p, 20));
}

/* A cost that rises over three octaves around 8192, or at once. */
TEST(test_soft_rise_is_said)
{
	struct point p[INFER_POINTS];
	unsigned n = 0;
	struct estimate e, soft;

	for (double x = 256; x <= 65536; x *= 2, n++)
		p[n] = (struct point){ x, 2 + 8 / (1 + 8192 / x * (8192 / x)) };
	e = infer_halfway(p, n);
	soft = infer_soft_rise(p, n, e);
	assert_true(soft.value == e.value && soft.confidence < e.confidence);
	assert_true(soft.rise_10 > 2400 && soft.rise_10 < 3300); /* 8192 / 3, nearly */
	assert_true(soft.rise_50 > 7800 && soft.rise_50 < 8600);
	assert_true(soft.rise_90 > 20000 && soft.rise_90 < 33000);
	assert_true(soft.low <= soft.rise_10 && soft.high >= soft.rise_90);
	p[2].y = 9; /* one disturbed point, of 1024, is no rise */
	e = infer_halfway(p, n);
	struct estimate disturbed = infer_soft_rise(p, n, e);
	assert_true(disturbed.rise_10 > 1024 && disturbed.rise_90 == soft.rise_90);
	for (unsigned i = 0; i < n; i++)
		p[i].y = p[i].x <= 4096 ? 2 : 10;
	e = infer_halfway(p, n);
	soft = infer_soft_rise(p, n, e);
	assert_true(soft.low == e.low && soft.high == e.high && !(soft.rise_10 > 0));
	assert_true(infer_soft_rise(p, 2, not_resolved("no")).reason);
}
