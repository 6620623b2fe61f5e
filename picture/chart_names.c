/* SPDX-License-Identifier: MIT */
/* The names beside a chart's curves and above its marks, none over another. */
#include "picture/chart_parts.h"

#include "lib/math.h"

#define KEY       14.0 /* width of the piece of line before a name */
#define LEAD      12.0 /* from the plot to it */
#define MARK_ROWS 8u   /* of names above the plot, at most */

static bool named(const struct series *s)
{
	return *s->label && s->n;
}

double names_width(const struct chart *chart)
{
	double width = 0;

	for (size_t i = 0; i < chart->n; i++)
		if (named(&chart->series[i]))
			width = math_max(width, svg_text_width(chart->series[i].label));
	return width > 0 ? width + LEAD + KEY + 5 : 0;
}

double names_height(const struct chart *chart)
{
	size_t n = 0;

	for (size_t i = 0; i < chart->n && n < CHART_LABELS; i++)
		n += named(&chart->series[i]);
	return SVG_LINE * (double)n;
}

struct name {
	const struct series *series;
	double x, end, y; /* where its series ends; where the name stands */
};

static void end_of(const struct plot *plot, const struct series *s, struct name *name)
{
	const struct point *last = &s->points[0];

	for (size_t i = 0; i < s->n; i++)
		if (math_finite(s->points[i].y) && s->points[i].x >= last->x)
			last = &s->points[i];
	*name = (struct name){ s, plot_x(plot, last->x), plot_y(plot, last->y), 0 };
	name->y = name->end;
}

/* In the order of height; insertion keeps the order of equals. */
static size_t collect(const struct plot *plot, struct name names[CHART_LABELS])
{
	size_t n = 0;

	for (size_t i = 0; i < plot->chart->n && n < CHART_LABELS; i++) {
		struct name name;
		size_t at = n;

		if (!named(&plot->chart->series[i]))
			continue;
		end_of(plot, &plot->chart->series[i], &name);
		for (; at > 0 && names[at - 1].end > name.end; at--)
			names[at] = names[at - 1];
		names[at] = name;
		n++;
	}
	return n;
}

/* Down where they would touch, then up again from the bottom. */
static void spread(const struct plot *plot, struct name *names, size_t n)
{
	double limit = plot->bottom;

	for (size_t i = 1; i < n; i++)
		names[i].y = math_max(names[i].y, names[i - 1].y + SVG_LINE);
	for (size_t i = n; i-- > 0;) {
		names[i].y = math_min(names[i].y, limit);
		limit = names[i].y - SVG_LINE;
	}
}

void names_draw(struct svg *svg, const struct plot *plot)
{
	struct name names[CHART_LABELS];
	size_t n = collect(plot, names);

	spread(plot, names, n);
	for (size_t i = 0; i < n; i++) {
		const struct series *s = names[i].series;
		double key = plot->right + LEAD;

		svg_put(svg, "<g class=\"c%u d%u\"><path class=\"i\" d=\"M%.1f %.1fL%.1f %.1f\"/>",
			s->colour % COLOURS, s->dash % DASHES, names[i].x, names[i].end, key,
			names[i].y);
		svg_put(svg, "<path class=\"%s\" d=\"M%.1f %.1fh%.1f\"/></g>",
			s->form >= FORM_POINTS ? "p" : "l", key, names[i].y,
			s->form >= FORM_POINTS ? 0.0 : KEY);
		svg_label(svg, key + KEY + 4, names[i].y + 4, "n", "", s->label);
	}
}

/* Where the name of a mark along x begins: it stands around its line, within the picture. */
static double mark_start(const struct plot *plot, const struct mark *mark)
{
	double width = svg_text_width(mark->label);

	return math_clamp(plot_x(plot, mark->at) - width / 2, 0, PICTURE_WIDTH - width);
}

/* Whether the names of two marks would touch in one row. */
static bool touch(const struct plot *plot, const struct mark *a, const struct mark *b)
{
	double from = mark_start(plot, a), start = mark_start(plot, b);

	return start < from + svg_text_width(a->label) + 4 &&
		from < start + svg_text_width(b->label) + 4;
}

/* The first row in which it touches no name that came before; MARK_ROWS: none has room. */
static unsigned row_of(const struct plot *plot, size_t mark)
{
	const struct mark *marks = plot->chart->marks;

	for (unsigned row = 0; row < MARK_ROWS; row++) {
		size_t i = 0;

		while (i < mark &&
			(plot->mark_row[i] != row || !touch(plot, &marks[i], &marks[mark])))
			i++;
		if (i == mark)
			return row;
	}
	return MARK_ROWS;
}

unsigned marks_place(struct plot *plot)
{
	unsigned rows = 0;

	for (size_t i = 0; i < plot->chart->nmarks && i < CHART_MARKS; i++) {
		plot->mark_row[i] = plot->chart->marks[i].at_y ? MARK_ROWS : row_of(plot, i);
		if (plot->mark_row[i] < MARK_ROWS && plot->mark_row[i] >= rows)
			rows = plot->mark_row[i] + 1;
	}
	return rows;
}

static void draw_mark_line(struct svg *svg, const struct plot *plot, size_t at)
{
	const struct mark *mark = &plot->chart->marks[at];
	const char *class = mark->claimed ? "k claimed" : "k";

	if (mark->at_y)
		svg_put(svg, "<path class=\"%s\" d=\"M%.1f %.1fH%.1f\"/>", class, plot->left,
			plot_y(plot, mark->at), plot->right);
	else if (plot->mark_row[at] < MARK_ROWS)
		svg_put(svg, "<path class=\"%s\" d=\"M%.1f %.1fV%.1f\"/>", class,
			plot_x(plot, mark->at), plot->top - 1 - SVG_LINE * plot->mark_row[at],
			plot->bottom);
}

static void draw_mark_name(struct svg *svg, const struct plot *plot, size_t at)
{
	const struct mark *mark = &plot->chart->marks[at];

	if (mark->at_y)
		svg_label(svg, plot->left + 4, plot_y(plot, mark->at) - 3, "halo", "", mark->label);
	else if (plot->mark_row[at] < MARK_ROWS)
		svg_label(svg, mark_start(plot, mark),
			plot->top - 3 - SVG_LINE * plot->mark_row[at], "halo", "", mark->label);
}

/* Names over all lines: a line passes the names below its own. */
void marks_draw(struct svg *svg, const struct plot *plot)
{
	size_t n = plot->chart->nmarks < CHART_MARKS ? plot->chart->nmarks : CHART_MARKS;

	for (size_t i = 0; i < n; i++) {
		unsigned colour = plot->chart->marks[i].colour;

		if (colour < COLOURS)
			svg_put(svg, "<g class=\"c%u\">", colour);
		draw_mark_line(svg, plot, i);
		if (colour < COLOURS)
			svg_put(svg, "</g>");
	}
	for (size_t i = 0; i < n; i++)
		draw_mark_name(svg, plot, i);
}
