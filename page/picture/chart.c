/* SPDX-License-Identifier: MIT */
/* A chart as SVG: its curves (bands, lines, steps, points and their texts), names, marks, axes. */
#include <string.h>

#include "lib/math.h"
#include "lib/text.h"
#include "page/picture/chart.h"

/* The plot of a chart, and its place. */
struct plot {
	const struct chart *chart;
	struct tick x_ticks[AXIS_TICKS], y_ticks[AXIS_TICKS];
	size_t nx, ny;
	unsigned mark_row[CHART_MARKS];
	double left, right, top, bottom; /* of the plot, in units of the picture */
	double height;                   /* of the picture */
};

static inline double plot_x(const struct plot *plot, double value)
{
	return plot->left + (plot->right - plot->left) * axis_part(&plot->chart->x, value);
}

static inline double plot_y(const struct plot *plot, double value)
{
	return plot->bottom - (plot->bottom - plot->top) * axis_part(&plot->chart->y, value);
}

static bool drawable(const struct plot *plot, const struct chart_point *p)
{
	const struct chart *chart = plot->chart;

	return math_finite(p->x) && math_finite(p->y) && (chart->x.kind == AXIS_LINEAR || p->x > 0);
}

static bool has_band(const struct plot *plot, const struct chart_point *p)
{
	return drawable(plot, p) && math_finite(p->low) && math_finite(p->high);
}

/* Draw the band: along the upper ends, back along the lower ends. */
static void draw_band(struct sink *svg, const struct plot *plot, const struct chart_series *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += has_band(plot, &s->points[i]);
	if (n < 2)
		return;
	sink_put(svg, "<path class=\"b\" d=\"");
	n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (has_band(plot, &s->points[i]))
			sink_put(svg, "%c%.1f %.1f", n++ ? 'L' : 'M', plot_x(plot, s->points[i].x),
				plot_y(plot, s->points[i].high));
	for (size_t i = s->n; i-- > 0;)
		if (has_band(plot, &s->points[i]))
			sink_put(svg, "L%.1f %.1f", plot_x(plot, s->points[i].x),
				plot_y(plot, s->points[i].low));
	sink_put(svg, "z\"/>");
}

/* Draw a line from end to end of each point, for points that no line joins. */
static void draw_ranges(struct sink *svg, const struct plot *plot, const struct chart_series *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (has_band(plot, &s->points[i]))
			sink_put(svg, "%sM%.1f %.1fV%.1f", n++ ? "" : "<path class=\"w\" d=\"",
				plot_x(plot, s->points[i].x), plot_y(plot, s->points[i].low),
				plot_y(plot, s->points[i].high));
	sink_put(svg, n ? "\"/>" : "");
}

static bool is_points(const struct chart_series *s)
{
	return s->form >= FORM_POINTS || s->n < LINE_LEAST;
}

#define CROSS "m-3.5 0h7m-3.5-3.5v7" /* around the point */

static void draw_path(struct sink *svg, const struct plot *plot, const struct chart_series *s)
{
	bool points = is_points(s);
	size_t n = 0;

	sink_put(svg, " d=\"");
	for (size_t i = 0; i < s->n; i++) {
		const struct chart_point *p = &s->points[i];
		if (!drawable(plot, p))
			continue;
		if (n && s->form == FORM_STEPS && !points)
			sink_put(svg, "V%.1f", plot_y(plot, p->y));
		sink_put(svg, "%c%.1f %.1f%s", n && !points ? 'L' : 'M', plot_x(plot, p->x),
			plot_y(plot, p->y),
			s->form == FORM_CROSSES ? CROSS
				: points        ? "h0"
						: "");
		n++;
	}
	sink_put(svg, "\"/>");
}

/* Write the answers of the points, in the order of the path. */
static void draw_answers(struct sink *svg, const struct plot *plot, const struct chart_series *s)
{
	bool texts = s->n && s->points[0].text;
	size_t n = 0;

	sink_put(svg, texts ? " data-t=\"" : " data-run=\"%u\" data-r=\"", s->run);
	for (size_t i = 0; i < s->n; i++) {
		const struct chart_point *p = &s->points[i];
		if (!drawable(plot, p))
			continue;
		sink_put(svg, n++ ? (texts ? "|" : " ") : "");
		if (texts)
			svg_text(svg, p->text ? p->text : "");
		else
			sink_put(svg, "%ld", p->row);
	}
	sink_put(svg, "\"");
}

static void series_draw(struct sink *svg, const struct plot *plot, const struct chart_series *s)
{
	static const char *const classes[] = { "l", "l", "p", "p P", "x" };

	if (!s->n)
		return;
	sink_put(svg, "<g class=\"c%u d%u\">", s->colour % COLOURS, s->dash % DASHES);
	if (!is_points(s))
		draw_band(svg, plot, s);
	else
		draw_ranges(svg, plot, s);
	sink_put(svg, "<path class=\"%s\"",
		is_points(s) && s->form < FORM_POINTS ? "p" : classes[s->form]);
	draw_answers(svg, plot, s);
	draw_path(svg, plot, s);
	sink_put(svg, "</g>");
}

/* Names beside a chart's curves and above its marks; none covers another. */

#define KEY       14.0 /* width of the piece of line before a name */
#define LEAD      12.0 /* from the plot to the name */
#define MARK_ROWS 8u   /* most rows of names above the plot */

static bool named(const struct chart_series *s)
{
	return *s->label && s->n;
}

/* The width that the names of the series need beside the plot. */
static double names_width(const struct chart *chart)
{
	double width = 0;

	for (size_t i = 0; i < chart->n; i++)
		if (named(&chart->series[i]))
			width = math_max(width, svg_text_width(chart->series[i].label));
	return width > 0 ? width + LEAD + KEY + 5 : 0;
}

static double names_height(const struct chart *chart)
{
	size_t n = 0;

	for (size_t i = 0; i < chart->n && n < CHART_LABELS; i++)
		n += named(&chart->series[i]);
	return SVG_LINE * (double)n;
}

struct series_name {
	const struct chart_series *series;
	double x, end, y; /* the end of its series; the place of the name */
};

static void end_of(const struct plot *plot, const struct chart_series *s, struct series_name *name)
{
	const struct chart_point *last = &s->points[0];

	for (size_t i = 0; i < s->n; i++)
		if (math_finite(s->points[i].y) && s->points[i].x >= last->x)
			last = &s->points[i];
	*name = (struct series_name){ s, plot_x(plot, last->x), plot_y(plot, last->y), 0 };
	name->y = name->end;
}

/* Collect the names in the order of height; insertion keeps the order of equals. */
static size_t collect(const struct plot *plot, struct series_name names[CHART_LABELS])
{
	size_t n = 0;

	for (size_t i = 0; i < plot->chart->n && n < CHART_LABELS; i++) {
		struct series_name name;
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

/* Move names down where they would touch, then up again from the bottom. */
static void spread(const struct plot *plot, struct series_name *names, size_t n)
{
	double limit = plot->bottom;

	for (size_t i = 1; i < n; i++)
		names[i].y = math_max(names[i].y, names[i - 1].y + SVG_LINE);
	for (size_t i = n; i-- > 0;) {
		names[i].y = math_min(names[i].y, limit);
		limit = names[i].y - SVG_LINE;
	}
}

#define LEADER 40.0 /* a longer line from a curve to its name would look like a part of the curve */

/* Draw each name at the height where its series ends, or as near as the others leave it. */
static void names_draw(struct sink *svg, const struct plot *plot)
{
	struct series_name names[CHART_LABELS];
	size_t n = collect(plot, names);

	spread(plot, names, n);
	for (size_t i = 0; i < n; i++) {
		const struct chart_series *s = names[i].series;
		double key = plot->right + LEAD;

		sink_put(svg, "<g class=\"c%u d%u\">", s->colour % COLOURS, s->dash % DASHES);
		if (key - names[i].x < LEADER)
			sink_put(svg, "<path class=\"i\" d=\"M%.1f %.1fL%.1f %.1f\"/>", names[i].x,
				names[i].end, key, names[i].y);
		if (s->form == FORM_CROSSES)
			sink_put(svg, "<path class=\"x\" d=\"M%.1f %.1f" CROSS "\"/></g>",
				key + KEY / 2, names[i].y);
		else
			sink_put(svg, "<path class=\"%s\" d=\"M%.1f %.1fh%.1f\"/></g>",
				is_points(s) ? "p" : "l", is_points(s) ? key + KEY / 2 : key,
				names[i].y, is_points(s) ? 0.0 : KEY);
		svg_label(svg, key + KEY + 4, names[i].y + 4, "n", "", s->label);
	}
}

/* The left end of the name of a mark along x: centred at its line, within the picture. */
static double mark_start(const struct plot *plot, const struct mark *mark)
{
	double width = svg_text_width(mark->label);

	return math_clamp(plot_x(plot, mark->at) - width / 2, 0, PICTURE_WIDTH - width);
}

/* Returns true if the names of two marks would touch in one row. */
static bool touch(const struct plot *plot, const struct mark *a, const struct mark *b)
{
	double from = mark_start(plot, a), start = mark_start(plot, b);

	return start < from + svg_text_width(a->label) + 4 &&
		from < start + svg_text_width(b->label) + 4;
}

/* The first row in which the name touches no earlier name; MARK_ROWS: it fits in none. */
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

/* Find a row above the plot for the name of each mark along x; returns the number of rows used. */
static unsigned marks_place(struct plot *plot)
{
	unsigned rows = 0;

	for (size_t i = 0; i < plot->chart->nmarks && i < CHART_MARKS; i++) {
		plot->mark_row[i] = plot->chart->marks[i].at_y ? MARK_ROWS : row_of(plot, i);
		if (plot->mark_row[i] < MARK_ROWS && plot->mark_row[i] >= rows)
			rows = plot->mark_row[i] + 1;
	}
	return rows;
}

static void draw_mark_line(struct sink *svg, const struct plot *plot, size_t at)
{
	const struct mark *mark = &plot->chart->marks[at];
	const char *class = mark->claimed ? "k claimed" : "k";

	if (mark->at_y)
		sink_put(svg, "<path class=\"%s\" d=\"M%.1f %.1fH%.1f\"/>", class, plot->left,
			plot_y(plot, mark->at), plot->right);
	else if (plot->mark_row[at] < MARK_ROWS)
		sink_put(svg, "<path class=\"%s\" d=\"M%.1f %.1fV%.1f\"/>", class,
			plot_x(plot, mark->at), plot->top - 1 - SVG_LINE * plot->mark_row[at],
			plot->bottom);
}

static void draw_mark_name(struct sink *svg, const struct plot *plot, size_t at)
{
	const struct mark *marks = plot->chart->marks, *mark = &marks[at];
	double x = plot->left + 4, y = plot_y(plot, mark->at);

	for (size_t i = 0; i < at; i++) /* beside the names of lines that are as high */
		if (marks[i].at_y && math_abs(plot_y(plot, marks[i].at) - y) < SVG_LINE)
			x += svg_text_width(marks[i].label) + 8;
	if (mark->at_y)
		svg_label(svg, x, y - 3, "halo", "", mark->label);
	else if (plot->mark_row[at] < MARK_ROWS)
		svg_label(svg, mark_start(plot, mark),
			plot->top - 3 - SVG_LINE * plot->mark_row[at], "halo", "", mark->label);
}

/* Draw all lines before the names: a line passes the names below its own. */
static void marks_draw(struct sink *svg, const struct plot *plot)
{
	size_t n = plot->chart->nmarks < CHART_MARKS ? plot->chart->nmarks : CHART_MARKS;

	for (size_t i = 0; i < n; i++) {
		unsigned colour = plot->chart->marks[i].colour;

		if (colour < COLOURS)
			sink_put(svg, "<g class=\"c%u\">", colour);
		draw_mark_line(svg, plot, i);
		if (colour < COLOURS)
			sink_put(svg, "</g>");
	}
	for (size_t i = 0; i < n; i++)
		draw_mark_name(svg, plot, i);
}

#define PLOT_HEIGHT 190.0
#define PLOT_NARROW 170.0 /* least width that names must leave */
#define BELOW       31.0  /* height below the plot: its numbers and the name of its axis */
#define MARGIN      4.0

void picture_begin(struct sink *svg, double y, double height, const char *title)
{
	sink_put(svg, "<svg class=\"pic\" xmlns=\"http://www.w3.org/2000/svg\" ");
	if (y > 0)
		sink_put(svg, "y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" ", y, PICTURE_WIDTH,
			height);
	sink_put(svg, "viewBox=\"0 0 %.0f %.0f\" role=\"img\" tabindex=\"0\"><title>",
		PICTURE_WIDTH, height);
	svg_text(svg, title);
	sink_put(svg, "</title>");
}

double picture_note(struct sink *svg, double y, const char *note)
{
	char squeeze[64] = "";

	if (svg_text_width(note) > PICTURE_WIDTH) /* it must not be cut */
		text_format(squeeze, sizeof squeeze,
			" textLength=\"%.0f\" lengthAdjust=\"spacingAndGlyphs\"", PICTURE_WIDTH);
	if (svg && *note)
		svg_label(svg, 0, y + 9, "f", squeeze, note);
	return *note ? SVG_LINE : 0;
}

/* The width of the widest number. */
static double ticks_width(const struct tick *ticks, size_t n)
{
	double width = 0;

	for (size_t i = 0; i < n; i++)
		width = math_max(width, svg_text_width(ticks[i].text));
	return width;
}

static void lay_out(struct plot *plot, const struct chart *chart)
{
	double names = math_min(names_width(chart), PICTURE_WIDTH - PLOT_NARROW);

	plot->chart = chart;
	plot->ny = axis_ticks(&chart->y, 6, plot->y_ticks);
	plot->left = math_max(ticks_width(plot->y_ticks, plot->ny) + 8, 24);
	plot->right = PICTURE_WIDTH - math_max(names, 20);
	plot->nx = axis_ticks_within(&chart->x, plot->right - plot->left, plot->x_ticks);
	plot->top = SVG_LINE + MARGIN + SVG_LINE * marks_place(plot);
	plot->bottom = plot->top + math_max(PLOT_HEIGHT, names_height(chart));
	plot->height = plot->bottom + BELOW + picture_note(NULL, 0, chart->note);
}

static void draw_grid(struct sink *svg, const struct plot *plot)
{
	sink_put(svg, "<path class=\"g\" d=\"");
	for (size_t i = 0; i < plot->ny; i++)
		sink_put(svg, "M%.1f %.1fH%.1f", plot->left, plot_y(plot, plot->y_ticks[i].value),
			plot->right);
	for (size_t i = 0; i < plot->nx; i++)
		sink_put(svg, "M%.1f %.1fv4", plot_x(plot, plot->x_ticks[i].value), plot->bottom);
	sink_put(svg, "M%.1f %.1fH%.1f\"/>", plot->left, plot->bottom, plot->right);
}

static void draw_numbers(struct sink *svg, const struct plot *plot)
{
	for (size_t i = 0; i < plot->ny; i++)
		svg_label(svg, plot->left - 5, plot_y(plot, plot->y_ticks[i].value) + 4, "f e", "",
			plot->y_ticks[i].text);
	for (size_t i = 0; i < plot->nx; i++)
		svg_label(svg, plot_x(plot, plot->x_ticks[i].value), plot->bottom + 15, "f m", "",
			plot->x_ticks[i].text);
}

static void draw_axis_names(struct sink *svg, const struct plot *plot)
{
	svg_label(svg, 0, SVG_LINE - 2, "f", "", plot->chart->y.name);
	svg_label(svg, plot->right, plot->bottom + 27, "f e", "", plot->chart->x.name);
}

double chart_draw(struct sink *svg, const struct chart *chart, double y)
{
	struct plot plot;

	lay_out(&plot, chart);
	picture_begin(svg, y, plot.height, chart->title);
	picture_note(svg, plot.bottom + BELOW, chart->note);
	draw_grid(svg, &plot);
	draw_numbers(svg, &plot);
	draw_axis_names(svg, &plot);
	marks_draw(svg, &plot);
	for (size_t i = 0; i < chart->n; i++)
		series_draw(svg, &plot, &chart->series[i]);
	names_draw(svg, &plot);
	sink_put(svg, "</svg>\n");
	return plot.height;
}
