/* SPDX-License-Identifier: MIT */
/* The curves of a chart as pixels. */
#include "picture/plot_pixels.h"

#include "lib/math.h"

#define BAND_PART 0.25 /* of the curve's colour */

static bool drawable(const struct plot_pixels *plot, const struct point *p)
{
	return math_finite(p->x) && math_finite(p->y) &&
		(plot->chart->x.kind == AXIS_LINEAR || p->x > 0);
}

static bool has_band(const struct plot_pixels *plot, const struct point *p)
{
	return drawable(plot, p) && math_finite(p->low) && math_finite(p->high);
}

static bool joined(const struct series *s)
{
	return s->form < FORM_POINTS && s->n > 1;
}

/* The band between two points that have one, a column of pixels at a time. */
static void band_piece(const struct plot_pixels *plot, const struct point *a, const struct point *b,
	uint32_t colour)
{
	double x0 = pixel_x(plot, a->x), x1 = pixel_x(plot, b->x);
	double high = pixel_y(plot, a->high), low = pixel_y(plot, a->low);
	double to_high = pixel_y(plot, b->high) - high, to_low = pixel_y(plot, b->low) - low;

	for (int x = (int)x0; x <= (int)x1; x++) {
		double part = x1 > x0 ? math_clamp((x - x0) / (x1 - x0), 0, 1) : 0;
		int top = (int)(high + to_high * part), bottom = (int)(low + to_low * part);

		raster_fill(plot->place->raster, (struct area){ x, top, 1, bottom - top + 1 },
			colour);
	}
}

void band_pixels(const struct plot_pixels *plot, const struct series *s)
{
	uint32_t colour = pixels_mix(pixels_colour(s->colour), PAPER, BAND_PART);
	const struct point *last = NULL;

	for (size_t i = 0; i < s->n; i++) {
		if (!has_band(plot, &s->points[i]))
			continue;
		if (!joined(s))
			last = &s->points[i];
		if (last)
			band_piece(plot, last, &s->points[i], colour);
		last = &s->points[i];
	}
}

static void draw_dot(const struct plot_pixels *plot, const struct series *s, const struct point *p)
{
	int side = (int)plot->thick * (s->form == FORM_LARGE_POINTS || s->n == 1 ? 5 : 3);

	raster_fill(plot->place->raster,
		(struct area){ (int)pixel_x(plot, p->x) - side / 2,
			(int)pixel_y(plot, p->y) - side / 2, side, side },
		pixels_colour(s->colour));
}

/* A line, of dashes if it has them: `gone` is how much of the curve is behind it, in pixels. */
static double draw_piece(const struct plot_pixels *plot, const struct series *s, double x0,
	double y0, double x1, double y1, double gone)
{
	double length = math_max(math_max(math_abs(x1 - x0), math_abs(y1 - y0)), 1);
	double dash = 5.0 * plot->thick, to;

	for (double from = 0; from < length; gone += to - from, from = to) {
		double rest = math_max(dash - (gone - dash * (double)(long)(gone / dash)), 0.5);
		double x = (x1 - x0) / length, y = (y1 - y0) / length;

		to = s->dash ? math_min(from + rest, length) : length;
		if (!s->dash || (long)(gone / dash) % 2 == 0)
			raster_line(plot->place->raster, x0 + x * from, y0 + y * from, x0 + x * to,
				y0 + y * to, plot->thick, pixels_colour(s->colour));
	}
	return gone;
}

void series_pixels(const struct plot_pixels *plot, const struct series *s)
{
	const struct point *last = NULL;
	double gone = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct point *p = &s->points[i];

		if (!drawable(plot, p))
			continue;
		if (!joined(s)) {
			draw_dot(plot, s, p);
		} else if (last) {
			double x = pixel_x(plot, last->x), y = pixel_y(plot, last->y);
			double to_x = pixel_x(plot, p->x), to_y = pixel_y(plot, p->y);

			if (s->form == FORM_STEPS)
				gone = draw_piece(plot, s, x, y, x, to_y, gone);
			gone = draw_piece(plot, s, x, s->form == FORM_STEPS ? to_y : y, to_x, to_y,
				gone);
		}
		last = p;
	}
}
