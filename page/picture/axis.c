/* SPDX-License-Identifier: MIT */
#include "page/picture/axis.h"

#include "lib/math.h"
#include "lib/text.h"
#include "page/picture/svg.h"

static bool logarithmic(const struct axis *axis)
{
	return axis->kind != AXIS_LINEAR;
}

static bool by_two(const struct axis *axis)
{
	return axis->kind == AXIS_BYTES || axis->kind == AXIS_COUNT;
}

/* The place of a value on a ruler of that kind. */
static double place(const struct axis *axis, double value)
{
	return logarithmic(axis) ? math_log2(value) : value;
}

static double power(double base, int exponent)
{
	double value = 1;

	for (; exponent > 0; exponent--)
		value *= base;
	for (; exponent < 0; exponent++)
		value /= base;
	return value;
}

struct axis axis_empty(enum axis_kind kind, const char *name)
{
	return (struct axis){ kind, name, NOT_A_NUMBER, NOT_A_NUMBER, 0, false };
}

/* The limits of any quantity; values beyond them lie at an axis' end. */
#define LARGEST  1e100
#define SMALLEST 1e-100
#define COUNTED  1e9 /* larger whole numbers are not shown as counts */

void axis_cover(struct axis *axis, double value)
{
	if (!math_finite(value) || math_abs(value) > LARGEST ||
		(logarithmic(axis) && !(value > SMALLEST)))
		return;
	if (math_abs(value) < SMALLEST)
		value = 0;
	axis->low = math_finite(axis->low) ? math_min(axis->low, value) : value;
	axis->high = math_finite(axis->high) ? math_max(axis->high, value) : value;
}

bool axis_ready(struct axis *axis)
{
	if (!math_finite(axis->low))
		return false;
	if (logarithmic(axis)) {
		double air = axis->high > 1.01 * axis->low ? 1.06 : 1.5;
		axis->low /= air;
		axis->high *= air;
		return true;
	}
	if (axis->whole && axis->low > -COUNTED && axis->high < COUNTED) {
		axis->low -= 0.5;
		axis->high += 0.5;
		return true;
	}
	double air = 0.05 * (axis->high - axis->low);

	if (!(air > 0))
		air = axis->high ? 0.1 * math_abs(axis->high) : 1;
	/* An axis of amounts begins at 0, unless that squeezes the curves. */
	if (axis->low >= 0 && axis->low < axis->high / 2)
		axis->low = 0;
	else
		axis->low -= air;
	axis->high += air;
	return true;
}

double axis_part(const struct axis *axis, double value)
{
	double low = place(axis, axis->low), high = place(axis, axis->high);

	if (logarithmic(axis) && !(value > 0))
		return 0;
	return math_clamp((place(axis, value) - low) / (high - low), 0, 1);
}

static void time_text(double ns, char out[TICK_TEXT])
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	unsigned unit = 0;

	while (ns >= 999.9 && unit < 3) {
		ns /= 1000;
		unit++;
	}
	text_format(out, TICK_TEXT, "%.3g %s", ns, units[unit]);
}

/* Write at most three digits: 0.05, 250, 12K, 3M. */
static void tick_number(double value, char out[TICK_TEXT])
{
	static const char units[] = { 0, 'K', 'M', 'G', 'T' };
	char sign[2] = { value < 0 ? '-' : 0, 0 }, unit[2] = { 0 };
	double size = math_abs(value);
	unsigned at = 0;

	while (size >= (at ? 999.9 : 9999.9) && at < 4) {
		size /= 1000;
		at++;
	}
	unit[0] = units[at];
	if (size < 1e-9)
		text_format(out, TICK_TEXT, "0");
	else
		text_format(out, TICK_TEXT, size >= 1000 ? "%s%.0f%s" : "%s%.3g%s", sign, size,
			unit);
}

/* Returns true for a multiple of 1024: 64K is shown so, 1027 is not. */
static bool is_round(double value)
{
	double parts = value / 1024;

	return parts >= 1 && parts < 1e12 && parts == (double)(int64_t)parts;
}

void axis_text(const struct axis *axis, double value, char out[TICK_TEXT])
{
	char size[SIZE_TEXT];

	if (axis->kind == AXIS_TIME) {
		time_text(value, out);
	} else if (axis->kind == AXIS_BYTES || (axis->kind == AXIS_COUNT && is_round(value))) {
		size_text(value, size);
		text_format(out, TICK_TEXT, "%s", size);
	} else {
		tick_number(value / (axis->per ? axis->per : 1), out);
	}
}

/* The least of 1, 2 or 5 times a power of ten that is not below `least`. */
static double round_step(double least)
{
	static const double steps[] = { 1, 2, 5, 10 };
	double ten = 1;

	while (ten > least)
		ten /= 10;
	while (ten * 10 < least)
		ten *= 10;
	for (unsigned i = 0; i < 4; i++)
		if (steps[i] * ten >= 0.9999 * least)
			return steps[i] * ten;
	return 10 * ten;
}

static double ceiling(double value)
{
	double whole = (double)(int64_t)value;

	return whole < value ? whole + 1 : whole;
}

/* Add a tick, if the axis includes that value, which is above 0. */
static size_t add_tick(const struct axis *axis, struct tick *out, size_t n, double value)
{
	if (n == AXIS_TICKS || value < axis->low * (1 - 1e-9) || value > axis->high * (1 + 1e-9))
		return n;
	out[n].value = value;
	axis_text(axis, value, out[n].text);
	return n + 1;
}

static size_t linear_ticks(const struct axis *axis, size_t most, struct tick *out)
{
	double per = axis->per ? axis->per : 1;
	double step = per * round_step((axis->high - axis->low) / per / (double)most);
	double first;
	size_t n = 0;

	if (axis->whole && step < 1)
		step = 1;
	first = ceiling(axis->low / step - 1e-9);
	while (n < AXIS_TICKS && (first + (double)n) * step <= axis->high + 1e-9 * step) {
		out[n].value = (first + (double)n) * step;
		axis_text(axis, out[n].value, out[n].text);
		n++;
	}
	return n;
}

/* Add ticks at every n-th power, so that there are at most `most`. */
static size_t power_ticks(const struct axis *axis, size_t most, double base, struct tick *out)
{
	double per = math_log2(base);
	int first = (int)ceiling(math_log2(axis->low) / per - 1e-9);
	int last = -(int)ceiling(-math_log2(axis->high) / per - 1e-9);
	int step = 1;
	size_t n = 0;

	while ((size_t)((last - first) / step + 1) > most)
		step++;
	for (int i = first; i <= last; i += step)
		n = add_tick(axis, out, n, power(base, i));
	return n;
}

/* Ticks for one or two decades, or less: 1, 2 and 5. */
static size_t fine_ticks(const struct axis *axis, struct tick *out)
{
	static const double of_ten[] = { 1, 2, 5 };
	int first = (int)ceiling(math_log2(axis->low) / math_log2(10)) - 1;
	size_t n = 0;

	for (int i = first; i < first + 4; i++)
		for (unsigned j = 0; j < 3; j++)
			n = add_tick(axis, out, n, of_ten[j] * power(10, i));
	return n;
}

size_t axis_ticks(const struct axis *axis, size_t most, struct tick out[AXIS_TICKS])
{
	size_t n;

	if (!logarithmic(axis))
		return linear_ticks(axis, most, out);
	if (by_two(axis))
		return power_ticks(axis, most, 2, out);
	if (axis->high / axis->low > 300)
		return power_ticks(axis, most, 10, out);
	n = fine_ticks(axis, out);
	if (n > most && axis->high / axis->low > 20)
		return power_ticks(axis, most, 10, out);
	return n > 1 ? n : linear_ticks(axis, most, out);
}

/* Returns true if two neighbouring numbers touch; they differ in width and in distance. */
static bool touch(const struct axis *axis, double width, const struct tick *ticks, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double apart =
			axis_part(axis, ticks[i].value) - axis_part(axis, ticks[i - 1].value);
		if (apart * width <
			6 + (svg_text_width(ticks[i].text) + svg_text_width(ticks[i - 1].text)) / 2)
			return true;
	}
	return false;
}

size_t axis_ticks_within(const struct axis *axis, double width, struct tick out[AXIS_TICKS])
{
	size_t most = 9, n = axis_ticks(axis, most, out);

	while (most > 2 && touch(axis, width, out, n))
		n = axis_ticks(axis, --most, out);
	return n;
}
