/* SPDX-License-Identifier: MIT */
/* Saturation, steps, bends, knees and half-way points against curves whose answer is known. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/estimates.h"
#include "tests/unit/synthetic.h"
#include "tests/unit/test.h"

static void expect_near(double value, double tolerance, const struct point *p, unsigned n,
	struct estimate e)
{
	if (!(fabs(e.value - value) <= tolerance)) {
		print_message("expected %g +- %g\n", value, tolerance);
		fail_with("another value came back", p, n, e);
	}
	assert_true(e.confidence > 0 && e.confidence <= 1);
}

/* Speed-up of k lanes over `buffers` miss buffers. */
static unsigned saturation(double buffers, unsigned lanes, double noise, struct random *r,
	struct point *p)
{
	for (unsigned k = 1; k <= lanes; k++)
		p[k - 1] = (struct point){ k, fmin(k, buffers) * (1 + noise * gauss(r)) };
	return lanes;
}

TEST(test_saturation_is_the_miss_buffers)
{
	struct point p[INFER_POINTS];
	struct random r;

	random_seed(&r, 3);
	for (unsigned buffers = 2; buffers <= 32; buffers++) {
		unsigned n = saturation(buffers, 40, 0, &r, p);

		expect_near(buffers, 1e-9, p, n, infer_saturation(p, n));
		for (unsigned seed = 0; seed < 30; seed++) {
			saturation(buffers, 40, 0.01, &r, p);
			expect_near(buffers, 0.02 * buffers, p, n, infer_saturation(p, n));
			if (buffers > 28) /* 40 lanes show too little plateau in that noise */
				continue;
			saturation(buffers, 40, 0.05, &r, p);
			expect_near(buffers, 0.08 * buffers, p, n, infer_saturation(p, n));
		}
	}
}

TEST(test_saturation_on_powers_of_two)
{
	struct point p[11];

	for (unsigned i = 0; i < 11; i++)
		p[i] = (struct point){ 1 << i, fmin(1 << i, 19.5) };
	expect_near(19.5, 1e-9, p, 11, infer_saturation(p, 11));
}

TEST(test_lanes_that_cost_do_not_hide_the_plateau)
{
	struct point p[128];

	for (unsigned k = 1; k <= 128; k++)
		p[k - 1] = (struct point){ k, k <= 12 ? k : 12 * (1 - 0.002 * (k - 12)) };
	expect_near(12, 0.9, p, 128, infer_saturation(p, 128));
}

TEST(test_a_speed_up_that_still_grows_is_refused)
{
	struct point p[INFER_POINTS];
	struct random r;

	random_seed(&r, 3);
	for (unsigned buffers = 36; buffers < 80; buffers++) {
		unsigned n = saturation(buffers, 40, 0, &r, p);

		expect_refused(p, n, infer_saturation(p, n));
	}
	for (unsigned k = 1; k <= 40; k++)
		p[k - 1].y = sqrt(k);
	expect_refused(p, 40, infer_saturation(p, 40));
	expect_refused(p, 3, infer_saturation(p, 3));
}

/* Two misses overlap while fewer than `window` instructions lie between them. */
static unsigned window(double size, double noise, struct random *r, struct point *p)
{
	unsigned n = 0;

	for (double x = 16; x <= 1024; x = floor(x * 1.09 + 1), n++) {
		double y = x < size ? fmax(200, x / 4) : 400 + (x - size) / 4;

		p[n] = (struct point){ x, y * (1 + noise * gauss(r)) };
	}
	return n;
}

static double step_below(const struct point *p, unsigned n, double x)
{
	double best = p[0].x;

	for (unsigned i = 0; i < n && p[i].x < x; i++)
		best = p[i].x;
	return best;
}

TEST(test_a_step_is_found_to_the_grid)
{
	struct point p[INFER_POINTS];
	struct random r;

	random_seed(&r, 3);
	for (unsigned size = 40; size <= 700; size += 12) {
		for (unsigned seed = 0; seed < 12; seed++) {
			unsigned n = window(size, seed ? 0.02 : 0, &r, p);
			struct estimate e = infer_step(p, n);

			expect_near(step_below(p, n, size), seed ? 0.1 * size : 1e-9, p, n, e);
		}
	}
}

/* From where instructions take longer than a miss the line is steeper, and nothing jumps. */
TEST(test_a_bend_is_no_step)
{
	struct point p[24];

	for (unsigned i = 0; i < 24; i++) {
		double x = i < 9 ? 3 + 8 * i : 67 + 64 * (i - 8.0);

		p[i] = (struct point){ x, fmax(414, 5.5 * x) };
	}
	expect_refused(p, 24, infer_step(p, 24));
}

TEST(test_slopes_flats_and_noise_are_no_steps)
{
	struct point p[64];
	struct random r;

	random_seed(&r, 3);
	for (unsigned seed = 0; seed < 2000; seed++) {
		for (unsigned i = 0; i < 64; i++)
			p[i] = (struct point){ i + 1,
				seed % 3 == 0           ? 200 * (1 + 0.03 * gauss(&r))
					: seed % 3 == 1 ? (200 + 4 * i) * (1 + 0.02 * gauss(&r))
							: 10 + 190 * uniform(&r) };
		expect_refused(p, 64, infer_step(p, 64));
	}
}

/* All calls of a lap together: `per_call` each, and a misprediction for each beyond the stack. */
static unsigned returns(double stack, double noise, struct random *r, struct point *p)
{
	for (unsigned d = 1; d <= 64; d++)
		p[d - 1] = (struct point){ d,
			(6 + 2 * d + 15 * fmax(0, d - stack)) * (1 + noise * gauss(r)) };
	return 64;
}

TEST(test_a_return_stack_is_found)
{
	struct point p[64];
	struct random r;

	random_seed(&r, 3);
	for (unsigned stack = 4; stack <= 48; stack++) {
		unsigned n = returns(stack, 0, &r, p);

		expect_near(stack, 1, p, n, infer_bend(p, n));
		returns(stack, 0.02, &r, p);
		expect_near(stack, 3, p, n, infer_bend(p, n));
	}
}

/* The last good depth lies on both lines: neither rounding nor little noise may move it. */
TEST(test_a_return_stack_is_exact)
{
	struct point p[64];
	struct random r;

	for (unsigned seed = 0; seed < 40; seed++) {
		random_seed(&r, seed);
		for (unsigned stack = 4; stack <= 48; stack++) {
			unsigned n = returns(stack, 0, &r, p);

			for (unsigned i = 0; i < n; i++)
				p[i].y *= 1 + 1e-4 * gauss(&r);
			struct estimate e = infer_bend(p, n);

			expect_near(stack, 0, p, n, e);
			assert_true(e.low == stack && e.high == stack + 1);
		}
	}
}

TEST(test_a_straight_line_has_no_bend)
{
	struct point p[64];
	struct random r;

	random_seed(&r, 3);
	for (unsigned seed = 0; seed < 200; seed++) {
		unsigned n = returns(1000, 0.02, &r, p);

		expect_refused(p, n, infer_bend(p, n));
		for (unsigned i = 0; i < n; i++)
			p[i].y = 10 + 190 * uniform(&r);
		expect_refused(p, n, infer_bend(p, n));
	}
}

/* Time per touched byte: each byte costs its share of a line, and the processor's own work. */
static unsigned strides(double line, double floor_y, double noise, struct random *r,
	struct point *p)
{
	unsigned n = 0;

	for (double octave = 16; octave <= 1024; octave *= 2)
		for (double x = octave - 1; x <= octave; x++, n++)
			p[n] = (struct point){ x,
				fmax(floor_y, 4 * fmin(x, line) / line) * (1 + noise * gauss(r)) };
	return n;
}

TEST(test_the_knee_is_the_line)
{
	struct point p[16];
	struct random r;

	random_seed(&r, 3);
	for (double line = 32; line <= 128; line *= 2) {
		for (unsigned seed = 0; seed < 100; seed++) {
			unsigned n = strides(line, 0.3, seed ? 0.02 : 0, &r, p);

			expect_near(line, 0, p, n, infer_knee(p, n));
		}
	}
}

TEST(test_no_knee_in_flat_steep_or_random)
{
	struct point p[16];
	struct random r;
	unsigned n, resolved = 0;

	random_seed(&r, 3);
	n = strides(4096, 0.001, 0, &r, p);
	expect_refused(p, n, infer_knee(p, n));
	n = strides(64, 5, 0, &r, p);
	expect_refused(p, n, infer_knee(p, n));
	for (unsigned seed = 0; seed < 1000; seed++) {
		for (unsigned i = 0; i < n; i++)
			p[i].y = exp(3 * uniform(&r));
		resolved += infer_knee(p, n).reason == NULL;
	}
	assert_in_range(resolved, 0, 2); /* chance: a random curve can look like this one */
}

/* Random branches of period n: those that fit are predicted. */
static unsigned predictor(double capacity, double width, struct random *r, double noise,
	struct point *p)
{
	unsigned n = 0;

	for (double x = 256; x <= 65536; x *= sqrt(2), n++) {
		double missed = 1 / (1 + pow(x / capacity, -width));

		p[n] = (struct point){ floor(x), (1 + 3 * missed) * (1 + noise * gauss(r)) };
	}
	return n;
}

TEST(test_halfway_is_the_capacity)
{
	struct point p[INFER_POINTS];
	struct random r;

	random_seed(&r, 3);
	for (double capacity = 600; capacity < 12000; capacity *= 1.3) {
		unsigned n = predictor(capacity, 6, &r, 0, p);
		struct estimate e = infer_halfway(p, n);

		if (!(e.low <= capacity && capacity < e.high * 1.001))
			fail_with("the bracket misses the capacity", p, n, e);
		predictor(capacity, 6, &r, 0.02, p);
		e = infer_halfway(p, n);
		if (!(e.low / 1.42 <= capacity && capacity < e.high * 1.42))
			fail_with("more than a grid step off", p, n, e);
	}
}

TEST(test_halfway_wants_an_end)
{
	struct point p[INFER_POINTS];
	struct random r;

	random_seed(&r, 3);
	unsigned n = predictor(60000, 6, &r, 0, p);
	expect_refused(p, n, infer_halfway(p, n));
	n = predictor(1e9, 6, &r, 0.02, p);
	expect_refused(p, n, infer_halfway(p, n));
}

TEST(test_bad_points_are_refused)
{
	struct point p[20];

	for (unsigned i = 0; i < 20; i++)
		p[i] = (struct point){ i + 1, i < 10 ? 1 : 5 };
	assert_null(infer_step(p, 20).reason);
	p[4].y = NAN;
	expect_refused(p, 20, infer_step(p, 20));
	expect_refused(p, 20, infer_bend(p, 20));
	expect_refused(p, 20, infer_knee(p, 20));
	expect_refused(p, 20, infer_halfway(p, 20));
	expect_refused(p, 20, infer_saturation(p, 20));
}

TEST(test_a_fall)
{
	static const double cliff[] = { 100, 108, 96, 1.5, 1.4, 1.6 };
	static const double soft[] = { 100, 100, 12, 1.5, 1.5, 1.5 };
	static const double again[] = { 100, 1.5, 100, 1.5, 1.5, 1.5 };
	struct point p[6];

	for (unsigned i = 0; i < 6; i++)
		p[i] = (struct point){ 8 << i, cliff[i] };
	expect_near(64, 0, p, 6, infer_fall(p, 6));
	expect_refused(p, 2, infer_fall(p, 2));
	expect_refused(p, 3, infer_fall(p, 3));
	for (unsigned i = 0; i < 6; i++)
		p[i].y = soft[i];
	expect_refused(p, 6, infer_fall(p, 6));
	p[2].y = 26;
	expect_refused(p, 6, infer_fall(p, 6));
	for (unsigned i = 0; i < 6; i++)
		p[i].y = again[i];
	expect_refused(p, 6, infer_fall(p, 6));
	p[2].y = NAN;
	expect_refused(p, 6, infer_fall(p, 6));
}
