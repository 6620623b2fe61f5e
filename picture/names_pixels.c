/* SPDX-License-Identifier: MIT */
/* The names beside the curves and above the marks of a chart of pixels, none over another. */
#include "picture/plot_pixels.h"

#include <string.h>

#include "lib/math.h"

struct name {
	const struct series *series;
	int y; /* of its middle */
};

static int end_of(const struct plot_pixels *plot, const struct series *s)
{
	const struct point *last = &s->points[0];

	for (size_t i = 0; i < s->n; i++)
		if (math_finite(s->points[i].y) && s->points[i].x >= last->x)
			last = &s->points[i];
	return (int)pixel_y(plot, last->y);
}

/* In the order of height; insertion keeps the order of equals. */
static size_t collect(const struct plot_pixels *plot, struct name names[CHART_LABELS])
{
	size_t n = 0;

	for (size_t i = 0; i < plot->chart->n && n < CHART_LABELS; i++) {
		const struct series *s = &plot->chart->series[i];
		size_t at = n;

		if (!*s->label || !s->n)
			continue;
		struct name name = { s, end_of(plot, s) };
		for (; at > 0 && names[at - 1].y > name.y; at--)
			names[at] = names[at - 1];
		names[at] = name;
		n++;
	}
	return n;
}

/* Down where they would touch, then up again from the bottom. */
static void spread(const struct plot_pixels *plot, struct name *names, size_t n)
{
	int line = (int)plot->place->line, limit = plot->bottom;

	for (size_t i = 1; i < n; i++)
		names[i].y = most_of(names[i].y, names[i - 1].y + line);
	for (size_t i = n; i-- > 0;) {
		if (names[i].y > limit)
			names[i].y = limit;
		limit = names[i].y - line;
	}
}

/* How much of a name fits into so many letters: whole words of it, if it has any. */
static size_t fitting(const char *name, size_t most)
{
	size_t n = strlen(name);

	if (n <= most)
		return n;
	for (n = most; n && name[n] != ' '; n--)
		;
	return n ? n : most;
}

void names_pixels(const struct plot_pixels *plot)
{
	const struct place *place = plot->place;
	const struct area *a = &place->area;
	int letter = (int)place->letters.advance, x = plot->right + letter / 2;
	int from = x + 5 * letter / 2, width = most_of(a->x + a->width - from, 0);
	struct name names[CHART_LABELS];
	size_t n = collect(plot, names);

	spread(plot, names, n);
	for (size_t i = 0; i < n; i++) {
		uint32_t colour = pixels_colour(names[i].series->colour);

		raster_fill(place->raster,
			(struct area){ x, names[i].y - (int)plot->thick / 2,
				names[i].series->dash ? letter : 2 * letter, (int)plot->thick + 1 },
			colour);
		pixels_text(place, from, names[i].y - (int)place->line / 2,
			pixels_width(place,
				fitting(names[i].series->label, (size_t)(width / letter))),
			names[i].series->label, colour);
	}
}

static void mark_line(const struct plot_pixels *plot, const struct mark *mark, uint32_t colour)
{
	int dash = (int)plot->thick * (mark->claimed ? 2 : 5), gap = (int)plot->thick * 4;
	bool y = mark->at_y;
	int at = (int)(y ? pixel_y(plot, mark->at) : pixel_x(plot, mark->at));

	for (int i = y ? plot->left : plot->top; i < (y ? plot->right : plot->bottom);
		i += dash + gap)
		raster_fill(plot->place->raster,
			y ? (struct area){ i, at, dash, (int)plot->thick }
			  : (struct area){ at, i, (int)plot->thick, dash },
			colour);
}

#define MARK_ROWS 2 /* of names above the plot */

/*
 * Its name is above the plot, in the lower row if there is room, right of free[row]; the mark stays
 * below its name. false: there is no room for it.
 */
static bool mark_name(const struct plot_pixels *plot, const struct mark *mark, int free[MARK_ROWS],
	uint32_t colour)
{
	const struct place *place = plot->place;
	int width = pixels_width(place, strlen(mark->label)), line = (int)place->line;
	int right = place->area.x + place->area.width, letter = (int)place->letters.advance;
	int at = (int)pixel_x(plot, mark->at), begin = at - width / 2;

	if (mark->at_y) {
		pixels_text(place, plot->left + letter, (int)pixel_y(plot, mark->at) - line, width,
			mark->label, colour);
		return true;
	}
	if (begin + width > right)
		begin = right - width;
	for (int row = 0; row < MARK_ROWS; row++) {
		int x = most_of(begin, free[row]);

		if (x > at || x + width > right)
			continue;
		pixels_text(place, x, plot->top - (row + 1) * line, width, mark->label, colour);
		free[row] = x + width + 2 * letter;
		return true;
	}
	return false;
}

/* A line that nothing names says nothing: it is left out where names are shown. */
static void mark_pixels(const struct plot_pixels *plot, const struct mark *mark,
	int free[MARK_ROWS])
{
	uint32_t colour = mark->colour < COLOURS ? pixels_colour(mark->colour) : INK_FAINT;

	if (plot->place->brief || !*mark->label || mark_name(plot, mark, free, colour))
		mark_line(plot, mark, colour);
}

void marks_pixels(const struct plot_pixels *plot)
{
	const struct chart *chart = plot->chart;
	int left = plot->place->area.x;
	/* the upper row begins with the name of the axis */
	int free[MARK_ROWS] = { left, left + pixels_width(plot->place, strlen(chart->y.name) + 2) };

	for (size_t i = 0; i < chart->nmarks && i < CHART_MARKS; i++)
		mark_pixels(plot, &chart->marks[i], free);
}
