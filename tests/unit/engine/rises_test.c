/* SPDX-License-Identifier: MIT */
/*
 * Known curves of a predictor: the size at which it begins to lose, how gradually, and how long it
 * learns.
 */
#include "tests/unit/synthetic.h"
#include "tests/unit/test.h"

/* Fail with the curve and the inferred value. */

static inline void fail_with(const char *what, const struct curve_point *p, unsigned n,
	struct estimate e)
{
	print_message("%u points:", n);
	for (unsigned i = 0; i < n; i++)
		print_message(" %g:%.4g", p[i].x, p[i].y);
	print_message("\nvalue %g (%g..%g), confidence %.2f, %s\n", e.value, e.low, e.high,
		e.confidence, e.reason ? e.reason : "");
	fail_msg("%s", what);
}

static inline void expect_refused(const struct curve_point *p, unsigned n, struct estimate e)
{
	if (e.value == e.value || !e.reason)
		fail_with("it was resolved", p, n, e);
}

/* Up to the capacity all is predicted, if by a slower level; then more and more is lost. */
static unsigned two_levels(double fast, double all, double noise, struct random *r,
	struct curve_point *p)
{
	unsigned n = 0;

	for (double x = 256; x <= 65536; x *= 1.41421356, n++) {
		double slow = x < fast ? 0 : 1.1 * (1 - fast / x);
		double lost = x < all * 1.01 ? 0 : 9 * (1 - all * all / (x * x));
		double part = (double)random_below(r, 2001) / 1000 - 1;

		p[n] = (struct curve_point){ x, (2.4 + slow + lost) * (1 + noise * part) };
	}
	return n;
}

TEST(test_perfect_is_where_loss_begins)
{
	struct curve_point p[INFER_POINTS];
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
	struct curve_point p[12];

	for (unsigned i = 0; i < 12; i++)
		p[i] = (struct curve_point){ 256 << i, i < 11 ? 2 + i : 12.5 };
	expect_refused(p, 12, infer_perfect(p, 12));
	expect_refused(p, 3, infer_perfect(p, 3));
}

TEST(test_learned)
{
	static const double gradual[] = { 13.6, 8.9, 7.7, 5.5, 4.6, 4.2, 3.9, 3.6, 3.5, 3.5, 3.5,
		3.5, 3.5, 3.5, 3.5 };
	struct curve_point p[20];
	struct estimate e;

	for (unsigned needs = 1; needs < 10; needs++) {
		for (unsigned i = 0; i < 20; i++)
			p[i] = (struct curve_point){ i + 1, i < needs ? 12 : 3 };
		e = infer_learned(p, 20);
		if (e.reason || e.value != needs || e.low != needs || e.high != needs + 1)
			fail_with("not the passes that it took", p, 20, e);
	}
	for (unsigned i = 0; i < 15; i++)
		p[i] = (struct curve_point){ i + 1, gradual[i] };
	e = infer_learned(p, 15);
	if (e.value != 6 || !(e.confidence > 0 && e.confidence <= 1))
		fail_with("not the passes of a gradual fall", p, 15, e);
	p[0].x = 0.5;
	expect_refused(p, 15, infer_learned(p, 15)); /* not the first pass */
	for (unsigned i = 0; i < 20; i++)
		p[i] = (struct curve_point){ i + 1, 12 - 0.02 * i };
	expect_refused(p, 20, infer_learned(p, 20)); /* never */
	for (unsigned i = 0; i < 20; i++)
		p[i] = (struct curve_point){ i + 1, 22 - i };
	expect_refused(p, 20, infer_learned(p, 20)); /* not yet */
	expect_refused(p, 4, infer_learned(p, 4));
}

TEST(test_bad_points_are_refused)
{
	struct curve_point p[20];

	for (unsigned i = 0; i < 20; i++)
		p[i] = (struct curve_point){ i + 1, i < 10 ? 1 : 5 };
	p[4].y = NAN;
	expect_refused(p, 20, infer_perfect(p, 20));
	expect_refused(p, 20, infer_learned(p, 20));
}

/* A cost that rises over three octaves around 8192, or at once. */
TEST(test_soft_rise_is_said)
{
	struct curve_point p[INFER_POINTS];
	unsigned n = 0;
	struct estimate e, soft;

	for (double x = 256; x <= 65536; x *= 2, n++)
		p[n] = (struct curve_point){ x, 2 + 8 / (1 + 8192 / x * (8192 / x)) };
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

/* The bounds of the rules for a speed-up that saturates and a rise that is soft. */

static struct curve_point p[16];

static unsigned points(unsigned n, const double *x, const double *y)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (struct curve_point){ x ? x[i] : i + 1, y[i] };
	return n;
}

#define COUNT(...)   (sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))
#define LANES(...)   points(COUNT(__VA_ARGS__), NULL, (const double[]){ __VA_ARGS__ })
#define HEIGHTS(...) points(COUNT(__VA_ARGS__), x, (const double[]){ __VA_ARGS__ })

static void expect_saturation(unsigned n, double value, double low, double high)
{
	struct estimate e = infer_saturation(p, n);

	if (e.reason || e.value != value || e.low != low || e.high != high)
		fail_with("expected another speed-up", p, n, e);
	near("confidence", 1 / (1 + (high - low) / value), e.confidence);
}

static void expect_none(unsigned n, const char *reason)
{
	struct estimate e = infer_saturation(p, n);

	if (!e.reason || strcmp(e.reason, reason)) {
		print_message("expected '%s'\n", reason);
		fail_with("it was not refused for this reason", p, n, e);
	}
}

static const char grows[] = "grows up to the most lanes tried";

TEST(a_plateau_of_speed_ups)
{
	expect_saturation(LANES(1, 2, 2, 2), 2, 2, 2);
	expect_saturation(LANES(1, 2, 2.1, 1.96, 2.04), (2 + 2.04) / 2, 1.96, 2.1);
	expect_none(LANES(1, 2, 2), "too few points");
	expect_none(LANES(0, 2, 2, 2), "points that are no speed-ups");
	expect_none(LANES(1, 2, 2, -2), "points that are no speed-ups");
	expect_none(LANES(1, 2, NAN, 2), "points that are no numbers");
	expect_none(LANES(1, 2, 4, 8, 16), "the speed-up has no plateau");
	expect_saturation(LANES(1, 2, 2, 2, 2.99, 2, 2), 2, 2, 2.99);
	expect_none(LANES(1, 2, 2, 2, 3.01, 2, 2), "scatters too much");
	expect_saturation(LANES(1, 2, 2, 2, 2, 1.85, 1.85), 2, 2, 2); /* falls at the end */
	expect_saturation(LANES(1, 2, 2, 2, 2, 1.87, 1.87), 2, 1.87, 2);
}

/* Two high points are the height of a short curve, and nothing to one of twelve points. */
TEST(the_height_of_short_and_long_curves)
{
	expect_none(LANES(1, 2, 2, 2, 2, 3, 3, 2, 2, 2, 2), "the speed-up has no plateau");
	/* 6 and 7 chains, then no more: the bracket allows for a limit that is approached. */
	struct estimate e = infer_saturation(p, LANES(1, 2, 2, 2, 2, 3, 3, 2, 2, 2, 2, 2));

	near("value", 2, e.value);
	near("low", 2, e.low);
	near("high", 1.1 * 3, e.high);
}

/* Lanes 15 % above the value, and 20 % above the plateau's first; an elasticity of a quarter. */
TEST(what_still_grows)
{
	static const double few[] = { 1, 2, 3.3, 3.6, 4 }, short_one[] = { 1, 2, 3.4, 3.7, 4 };
	static const double wide[] = { 2, 4, 8, 10, 12 };
	const double *x = few;

	expect_saturation(HEIGHTS(1, 2, 3.47, 3.47, 3.47), 3.47, 3.47, 3.47);
	expect_none(HEIGHTS(1, 2, 3.48, 3.48, 3.48), grows);
	expect_saturation(HEIGHTS(1, 2, 3, 3, 3), 3, 3, 3);
	x = short_one;
	expect_none(HEIGHTS(1, 2, 3, 3, 3), grows);
	x = wide;
	for (unsigned i = 0; i < 2; i++) {
		double power = i ? 0.26 : 0.24;
		double first = 5 * pow(0.8, power), last = 5 * pow(1.2, power);
		unsigned n = HEIGHTS(2, 4, first, 5, last);

		if (i)
			expect_none(n, grows);
		else
			expect_saturation(n, 5, first, last);
	}
	x = (const double[]){ 0.5, 1.5, 1.9, 2.1, 2.3 };
	expect_saturation(HEIGHTS(0.5, 1.5, 2, 2, 2), 2, 2, 2); /* 15 % more are enough */
	x = wide;
	/* a scatter that allows for a quarter: 0.3 less two standard errors */
	expect_saturation(HEIGHTS(2, 4, 4.7, 4.9, 5.3), 4.9, 4.7, 5.3);
}

/* Four points of a plateau, the middle ones below a line of logarithms and the others above. */
static void expect_slope(double slope, bool is_growth)
{
	static const double away[] = { 0.01, -0.01, -0.01, 0.01 };

	points(2, (const double[]){ 2, 4 }, (const double[]){ 2, 4 });
	for (unsigned i = 0; i < 4; i++)
		p[2 + i] = (struct curve_point){ 8 * exp(0.075 * i),
			4.8 * exp(slope * 0.075 * i + away[i]) };
	struct estimate e = infer_saturation(p, 6);

	if (is_growth)
		expect_none(6, grows);
	else if (e.reason)
		fail_with("expected a speed-up", p, 6, e);
}

/* Two standard errors: 0.169 here. */
TEST(scatter_is_no_growth)
{
	expect_slope(0.41, false);
	expect_slope(0.43, true);
}

TEST(the_ends_of_a_plateau)
{
	expect_saturation(LANES(1, 1.86, 2, 2, 2), 2, 1.86, 2); /* 93 % are enough */
	expect_saturation(LANES(1, 2, 2, 2, 1.86, 1.86), 2, 1.86, 2);
	expect_saturation(LANES(1.9, 2, 2, 2), 2, 1.9, 2);
	expect_saturation(LANES(0.1, 0.2, 0.2, 0.2), 0.2, 0.2, 0.2);
	expect_none(LANES(2.2, 2.2, 2, 2, 2), "the speed-up has no plateau");
	expect_saturation(LANES(1, 2.3, 1.2, 2.1, 2.1, 2.2), 2.1, 1.2, 2.2); /* 2.3 is not on it */
}

static void expect_soft(unsigned n, struct estimate e, const double rise[3], double low,
	double high)
{
	struct estimate came = infer_soft_rise(p, n, e);

	near("value", e.value, came.value);
	near("10 %", rise[0], came.rise_10);
	near("50 %", rise[1], came.rise_50);
	near("90 %", rise[2], came.rise_90);
	near("low", low, came.low);
	near("high", high, came.high);
	near("confidence",
		e.confidence * (1 + 0.25 * log2(e.high / e.low)) / (1 + 0.25 * log2(high / low)),
		came.confidence);
}

static void expect_as_it_was(unsigned n, struct estimate e)
{
	struct estimate came = infer_soft_rise(p, n, e);

	assert_memory_equal(&e, &came, sizeof e);
}

/* The places lie between two points, in proportion on a logarithmic scale. */
TEST(a_soft_rise_has_its_range)
{
	static const double x[] = { 8, 16, 24, 32, 40, 48, 56, 64 };
	const double rise[] = { 16 * sqrt(24 / 16.), 32 * sqrt(40 / 32.), 48 * sqrt(56 / 48.) };
	struct estimate e = resolved(32, 32, 40, 0.8), wide = resolved(32, 8, 64, 0.8), none;
	unsigned n = HEIGHTS(0, 0, 2, 4, 6, 8, 10, 10);

	expect_soft(n, e, rise, 16, 56);
	expect_soft(n, wide, rise, 8, 64);
	none = not_resolved("a reason");
	none.low = 32;
	none.high = 40;
	expect_as_it_was(n, none);
	expect_as_it_was(4, e);
	n = HEIGHTS(0, 9, 0, 2, 4, 6, 8, 10); /* one point that is no cost */
	expect_soft(n, e,
		(double[]){ 16 * sqrt(24 / 16.), 40 * sqrt(48 / 40.), 56 * sqrt(64 / 56.) }, 16,
		64);
	n = HEIGHTS(3, 3, 3.2, 3.4, 3.6, 3.8, 4,
		4); /* the same above another level, a tenth as high */
	expect_soft(n, e, rise, 16, 56);
	p[4].y = NAN;
	expect_as_it_was(8, e);
}

/* Two points within the rise, more than a factor of 1.3 apart. */
TEST(a_short_rise_is_no_range)
{
	static const double apart[] = { 10, 20, 26.1, 40, 80 }, near_by[] = { 10, 20, 26, 40, 80 };
	const double *x = apart;
	struct estimate e = resolved(20, 20, 30, 0.8);

	expect_soft(HEIGHTS(0, 3, 7, 10, 10), e,
		(double[]){
			10 * exp2(1 / 3.), 20 * sqrt(26.1 / 20), 26.1 * pow(40 / 26.1, 2 / 3.) },
		10, 40);
	expect_as_it_was(HEIGHTS(0, 0, 5, 10, 10), e);
	expect_as_it_was(HEIGHTS(0, 0, 5, 9.5, 10), e);
	x = near_by;
	expect_as_it_was(HEIGHTS(0, 3, 7, 10, 10), e);
}

/* Saturation, steps, bends, knees and half-way points against curves whose answer is known. */

static void expect_near(double value, double tolerance, const struct curve_point *p, unsigned n,
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
	struct curve_point *p)
{
	for (unsigned k = 1; k <= lanes; k++)
		p[k - 1] = (struct curve_point){ k, fmin(k, buffers) * (1 + noise * gauss(r)) };
	return lanes;
}

TEST(test_saturation_is_the_miss_buffers)
{
	struct curve_point p[INFER_POINTS];
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

/* Two banks of 12, as on the known-answer machine from 28 chains on, also with some scatter. */
TEST(test_banks_approach_their_buffers)
{
	static const double chains[] = { 1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56,
		60, 64 };
	struct curve_point p[18];
	struct random r;

	random_seed(&r, 4);
	for (unsigned noise = 0; noise < 3; noise++) {
		for (unsigned i = 0; i < 18; i++) {
			double k = chains[i], y = k <= 12 ? k : fmin(24 - 29 / k, 0.98 * k);

			p[i] = (struct curve_point){ k, y * (1 + 0.002 * noise * gauss(&r)) };
		}
		struct estimate e = infer_saturation(p, 18);

		if (noise == 0)
			expect_near(24, 0.3, p, 18, e);
		if (!(e.low < 24 && e.high > 24))
			fail_with("the buffers are outside the bracket", p, 18, e);
	}
}

TEST(test_saturation_on_powers_of_two)
{
	struct curve_point p[11];

	for (unsigned i = 0; i < 11; i++)
		p[i] = (struct curve_point){ 1 << i, fmin(1 << i, 19.5) };
	expect_near(19.5, 1e-9, p, 11, infer_saturation(p, 11));
}

TEST(test_lanes_that_cost_do_not_hide_the_plateau)
{
	struct curve_point p[128];

	for (unsigned k = 1; k <= 128; k++)
		p[k - 1] = (struct curve_point){ k, k <= 12 ? k : 12 * (1 - 0.002 * (k - 12)) };
	expect_near(12, 0.9, p, 128, infer_saturation(p, 128));
}

TEST(test_a_speed_up_that_still_grows_is_refused)
{
	struct curve_point p[INFER_POINTS];
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
static unsigned window(double size, double noise, struct random *r, struct curve_point *p)
{
	unsigned n = 0;

	for (double x = 16; x <= 1024; x = floor(x * 1.09 + 1), n++) {
		double y = x < size ? fmax(200, x / 4) : 400 + (x - size) / 4;

		p[n] = (struct curve_point){ x, y * (1 + noise * gauss(r)) };
	}
	return n;
}

static double step_below(const struct curve_point *p, unsigned n, double x)
{
	double best = p[0].x;

	for (unsigned i = 0; i < n && p[i].x < x; i++)
		best = p[i].x;
	return best;
}

TEST(test_a_step_is_found_to_the_grid)
{
	struct curve_point p[INFER_POINTS];
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
	struct curve_point p[24];

	for (unsigned i = 0; i < 24; i++) {
		double x = i < 9 ? 3 + 8 * i : 67 + 64 * (i - 8.0);

		p[i] = (struct curve_point){ x, fmax(414, 5.5 * x) };
	}
	expect_refused(p, 24, infer_step(p, 24));
}

TEST(test_slopes_flats_and_noise_are_no_steps)
{
	struct curve_point p[64];
	struct random r;

	random_seed(&r, 3);
	for (unsigned seed = 0; seed < 2000; seed++) {
		for (unsigned i = 0; i < 64; i++)
			p[i] = (struct curve_point){ i + 1,
				seed % 3 == 0           ? 200 * (1 + 0.03 * gauss(&r))
					: seed % 3 == 1 ? (200 + 4 * i) * (1 + 0.02 * gauss(&r))
							: 10 + 190 * uniform(&r) };
		expect_refused(p, 64, infer_step(p, 64));
	}
}

/* All calls of a lap together: `per_call` each, and a misprediction for each beyond the stack. */
static unsigned returns(double stack, double noise, struct random *r, struct curve_point *p)
{
	for (unsigned d = 1; d <= 64; d++)
		p[d - 1] = (struct curve_point){ d,
			(6 + 2 * d + 15 * fmax(0, d - stack)) * (1 + noise * gauss(r)) };
	return 64;
}

TEST(test_a_return_stack_is_found)
{
	struct curve_point p[64];
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
	struct curve_point p[64];
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
	struct curve_point p[64];
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
	struct curve_point *p)
{
	unsigned n = 0;

	for (double octave = 16; octave <= 1024; octave *= 2)
		for (double x = octave - 1; x <= octave; x++, n++)
			p[n] = (struct curve_point){ x,
				fmax(floor_y, 4 * fmin(x, line) / line) * (1 + noise * gauss(r)) };
	return n;
}

TEST(test_the_knee_is_the_line)
{
	struct curve_point p[16];
	struct random r;

	random_seed(&r, 3);
	for (double line = 32; line <= 128; line *= 2) {
		for (unsigned seed = 0; seed < 100; seed++) {
			unsigned n = strides(line, 0.3, seed ? 0.02 : 0, &r, p);

			expect_near(line, 0, p, n, infer_knee(p, n));
		}
	}
}

/* From the last stride in proportion to the first one beyond it. */
TEST(test_the_knee_lies_between_two_strides)
{
	struct curve_point p[16];
	struct random r;

	random_seed(&r, 3);
	for (double line = 32; line <= 128; line *= 2) {
		unsigned n = strides(line, 0.3, 0, &r, p);
		struct estimate e = infer_knee(p, n);

		if (e.value != line || e.low != line || e.high != 2 * line - 1)
			fail_with("expected the line, and the next stride above it", p, n, e);
	}
}

TEST(test_no_knee_in_flat_steep_or_random)
{
	struct curve_point p[16];
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
	struct curve_point *p)
{
	unsigned n = 0;

	for (double x = 256; x <= 65536; x *= sqrt(2), n++) {
		double missed = 1 / (1 + pow(x / capacity, -width));

		p[n] = (struct curve_point){ floor(x), (1 + 3 * missed) * (1 + noise * gauss(r)) };
	}
	return n;
}

TEST(test_halfway_is_the_capacity)
{
	struct curve_point p[INFER_POINTS];
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
	struct curve_point p[INFER_POINTS];
	struct random r;

	random_seed(&r, 3);
	unsigned n = predictor(60000, 6, &r, 0, p);
	expect_refused(p, n, infer_halfway(p, n));
	n = predictor(1e9, 6, &r, 0.02, p);
	expect_refused(p, n, infer_halfway(p, n));
}

TEST(test_bad_points_have_no_shape)
{
	struct curve_point p[20];

	for (unsigned i = 0; i < 20; i++)
		p[i] = (struct curve_point){ i + 1, i < 10 ? 1 : 5 };
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
	struct curve_point p[6];

	for (unsigned i = 0; i < 6; i++)
		p[i] = (struct curve_point){ 8 << i, cliff[i] };
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
