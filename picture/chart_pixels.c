/* SPDX-License-Identifier: MIT */
/* A chart as pixels: where its plot lies, and what stands around it. */
#include "picture/plot_pixels.h"

#include <string.h>

#include "lib/math.h"

/* axis_ticks_within counts in units of SVG text, whose figures are at least so wide. */
#define UNITS_A_LETTER 6.0
#define NAMES_PART     2 /* at most one of so many parts of the width is for names */
#define LEAST          4 /* lines and columns of letters that a plot must have */

static int name_width(const struct place *place, const struct chart *chart)
{
	size_t n = 0;

	for (size_t i = 0; i < chart->n; i++)
		if (chart->series[i].n && strlen(chart->series[i].label) > n)
			n = strlen(chart->series[i].label);
	return n ? pixels_width(place, n + 3) : pixels_width(place, 1);
}

static int ticks_letters(const struct tick *ticks, size_t n)
{
	size_t most = 0;

	for (size_t i = 0; i < n; i++)
		if (strlen(ticks[i].text) > most)
			most = strlen(ticks[i].text);
	return (int)most;
}

/* false: there is no room for it. */
static bool lay_out(struct plot_pixels *plot, const struct place *place, const struct chart *chart)
{
	const struct area *a = &place->area;
	int line = (int)place->line, letter = (int)place->letters.advance;
	int names = place->brief ? letter : name_width(place, chart);

	*plot = (struct plot_pixels){ .place = place, .chart = chart };
	plot->thick = place->letters.wide + (place->letters.wide + 1) / 2;
	if (names > a->width / NAMES_PART)
		names = a->width / NAMES_PART;
	plot->top = a->y + line + (place->brief ? 0 : 2 * line);
	plot->bottom = a->y + a->height - (place->brief ? line / 2 : 2 * line + line / 4);
	plot->ny = axis_ticks(&chart->y,
		(size_t)math_clamp((plot->bottom - plot->top) / (2 * line), 2, 8), plot->y_ticks);
	plot->left = a->x +
		(place->brief ? letter / 2 : letter * (ticks_letters(plot->y_ticks, plot->ny) + 1));
	plot->right = a->x + a->width - names;
	if (plot->right - plot->left < LEAST * letter || plot->bottom - plot->top < line)
		return false;
	plot->nx = axis_ticks_within(&chart->x,
		(plot->right - plot->left) * UNITS_A_LETTER / letter, plot->x_ticks);
	return true;
}

static void draw_grid(const struct plot_pixels *plot)
{
	const struct raster *raster = plot->place->raster;
	int width = plot->right - plot->left, tick = (int)plot->place->line / 4;

	for (size_t i = 0; i < plot->ny; i++)
		raster_fill(raster,
			(struct area){
				plot->left, (int)pixel_y(plot, plot->y_ticks[i].value), width, 1 },
			GRID);
	for (size_t i = 0; i < plot->nx; i++)
		raster_fill(raster,
			(struct area){
				(int)pixel_x(plot, plot->x_ticks[i].value), plot->bottom, 1, tick },
			INK_FAINT);
	raster_fill(raster, (struct area){ plot->left, plot->bottom, width, 1 }, INK_FAINT);
}

static void draw_numbers(const struct plot_pixels *plot)
{
	const struct place *place = plot->place;
	int line = (int)place->line;

	for (size_t i = 0; i < plot->ny; i++) {
		int width = pixels_width(place, strlen(plot->y_ticks[i].text));

		pixels_text(place, plot->left - width - (int)place->letters.advance / 2,
			(int)pixel_y(plot, plot->y_ticks[i].value) - line / 2, width,
			plot->y_ticks[i].text, INK_FAINT);
	}
	for (size_t i = 0; i < plot->nx; i++) {
		int width = pixels_width(place, strlen(plot->x_ticks[i].text));

		pixels_text(place, (int)pixel_x(plot, plot->x_ticks[i].value) - width / 2,
			plot->bottom + line / 4, width, plot->x_ticks[i].text, INK_FAINT);
	}
}

static void draw_axis_names(const struct plot_pixels *plot)
{
	const struct place *place = plot->place;
	const struct area *a = &place->area;
	const char *x = plot->chart->x.name, *y = plot->chart->y.name;
	int width = pixels_width(place, strlen(x)), line = (int)place->line;

	pixels_text(place, a->x, a->y + line, a->width, y, INK_FAINT);
	pixels_text(place, most_of(a->x, plot->right - width), a->y + a->height - line, a->width, x,
		INK_FAINT);
}

void chart_pixels(const struct place *place, const struct chart *chart)
{
	const struct area *a = &place->area;
	struct plot_pixels plot;

	raster_fill(place->raster, *a, PAPER);
	pixels_text(place, a->x, a->y, a->width, chart->title, INK_STRONG);
	if (!lay_out(&plot, place, chart))
		return;
	if (!place->brief) {
		draw_numbers(&plot);
		draw_axis_names(&plot);
	}
	for (size_t i = 0; i < chart->n; i++)
		band_pixels(&plot, &chart->series[i]);
	draw_grid(&plot);
	marks_pixels(&plot);
	for (size_t i = 0; i < chart->n; i++)
		series_pixels(&plot, &chart->series[i]);
	if (!place->brief)
		names_pixels(&plot);
}
