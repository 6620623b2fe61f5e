/* SPDX-License-Identifier: MIT */
/* Single steps of a staircase, on curves that are stated: which is halved, read and kept. */
#include <math.h>

#include "infer/infer.h"
#include "tests/unit/test.h"

#define KIB (1024.0)
#define MIB (1024.0 * 1024)

/* The only new size is in the long gap across which the cost rises. */
TEST(test_a_long_gap_with_a_rise_is_halved)
{
	const struct resolution to = { .grain = 64, .ratio = 1.03 };
	const struct point p[] = { { 4 * KIB, 5 }, { 8 * KIB, 5 }, { 16 * KIB, 5 }, { 32 * KIB, 5 },
		{ 64 * KIB, 16 }, { 128 * KIB, 16 }, { 256 * KIB, 16 }, { 512 * KIB, 16 } };
	double next[16];
	unsigned n = infer_bisect_staircase(p, sizeof p / sizeof *p, &cache_rules, &to, next, 16);

	if (n != 1 || next[0] != 48 * KIB)
		fail_msg("expected 48 KiB alone; came %u sizes, the first %g KiB", n,
			n ? next[0] / KIB : NAN);
}

/* From 10 to 40, the last tenth of it between the last two sizes, of which the second is flat. */
TEST(test_the_last_step_of_a_soft_rise_has_its_place)
{
	static const double rise[] = { 13, 18, 24, 30, 40 };
	const double step = 1.09;
	struct point p[INFER_POINTS];
	struct staircase s;
	unsigned n = 0;
	double x = MIB;

	for (double at = 64 * KIB; at <= MIB; at *= 2)
		p[n++] = (struct point){ at, 10 };
	for (unsigned i = 0; i < 5; i++)
		p[n++] = (struct point){ x *= step, rise[i] };
	for (unsigned i = 0; i < 4; i++)
		p[n++] = (struct point){ x *= 2, 40 };
	assert_int_equal(2, infer_staircase(p, n, &cache_rules, &s));
	const struct estimate *e = &s.level[0].edge;
	double expected = MIB * pow(step, 4 + (37 - 30) / 10.0);

	if (!(fabs(e->rise_90 / expected - 1) < 1e-3))
		fail_msg("expected 90 %% at %g KiB, came %g", expected / KIB, e->rise_90 / KIB);
}

/* Nine levels, each of four sizes and twice as slow as the one before: the first ones are kept. */
TEST(test_more_levels_than_are_kept)
{
	struct point p[INFER_POINTS];
	struct staircase s;
	unsigned n = 0;

	for (unsigned level = 0; level < INFER_STAIRS + 3; level++)
		for (unsigned i = 0; i < 4; i++, n++)
			p[n] = (struct point){ KIB * exp2(n / 2.0), 4 << level };
	infer_staircase(p, n, &cache_rules, &s);
	if (s.count != INFER_STAIRS)
		fail_msg("expected %u levels, came %u", INFER_STAIRS, s.count);
	assert_true(s.level[INFER_STAIRS - 1].y == 4 << (INFER_STAIRS - 1));
}
