/* SPDX-License-Identifier: MIT */
#include "picture/chart_parts.h"

#include <string.h>

#include "lib/math.h"
#include "lib/text.h"

#define PLOT_HEIGHT 190.0
#define PLOT_NARROW 170.0 /* the least width that names may leave */
#define BELOW       31.0  /* of the plot: its numbers and the name of its axis */
#define BANNER      16.0  /* of a line */
#define BOLD        1.15  /* its letters are so much wider */
#define MARGIN      4.0

void picture_begin(struct svg *svg, double y, double height, const char *title)
{
	svg_put(svg, "<svg class=\"pic\" xmlns=\"http://www.w3.org/2000/svg\" ");
	if (y > 0)
		svg_put(svg, "y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" ", y, PICTURE_WIDTH,
			height);
	svg_put(svg, "viewBox=\"0 0 %.0f %.0f\" role=\"img\" tabindex=\"0\"><title>", PICTURE_WIDTH,
		height);
	svg_text(svg, title);
	svg_put(svg, "</title>");
}

/* A line of it, squeezed where it is too long: it may not be cut. */
static void draw_banner_line(struct svg *svg, double y, const char *line, size_t n)
{
	char text[160], squeeze[64] = "";

	text_format(text, sizeof text, "%.*s", (int)n, line);
	if (svg_text_width(text) * BOLD > PICTURE_WIDTH - 8)
		text_format(squeeze, sizeof squeeze,
			" textLength=\"%.0f\" lengthAdjust=\"spacingAndGlyphs\"",
			PICTURE_WIDTH - 8);
	svg_label(svg, PICTURE_WIDTH / 2, y + 12, "warn m", squeeze, text);
}

double picture_banner(struct svg *svg, const char *text)
{
	double height = 0;

	for (const char *line = text; *line; line += *line == '\n') {
		const char *end = strchr(line, '\n');
		size_t n = end ? (size_t)(end - line) : strlen(line);

		if (svg) {
			svg_put(svg,
				"<rect class=\"warn\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/>",
				height, PICTURE_WIDTH, BANNER);
			draw_banner_line(svg, height, line, n);
		}
		height += BANNER;
		line += n;
	}
	return height > 0 ? height + MARGIN : 0;
}

static void lay_out(struct plot *plot, const struct chart *chart)
{
	double names = math_min(names_width(chart), PICTURE_WIDTH - PLOT_NARROW);

	plot->chart = chart;
	plot->ny = axis_ticks(&chart->y, 6, plot->y_ticks);
	plot->left = math_max(ticks_width(plot->y_ticks, plot->ny) + 8, 24);
	plot->right = PICTURE_WIDTH - math_max(names, 20);
	plot->nx = axis_ticks_within(&chart->x, plot->right - plot->left, plot->x_ticks);
	plot->top = picture_banner(NULL, chart->banner) + SVG_LINE + MARGIN +
		SVG_LINE * marks_place(plot);
	plot->bottom = plot->top + math_max(PLOT_HEIGHT, names_height(chart));
	plot->height = plot->bottom + BELOW;
}

static void draw_grid(struct svg *svg, const struct plot *plot)
{
	svg_put(svg, "<path class=\"g\" d=\"");
	for (size_t i = 0; i < plot->ny; i++)
		svg_put(svg, "M%.1f %.1fH%.1f", plot->left, plot_y(plot, plot->y_ticks[i].value),
			plot->right);
	for (size_t i = 0; i < plot->nx; i++)
		svg_put(svg, "M%.1f %.1fv4", plot_x(plot, plot->x_ticks[i].value), plot->bottom);
	svg_put(svg, "M%.1f %.1fH%.1f\"/>", plot->left, plot->bottom, plot->right);
}

static void draw_numbers(struct svg *svg, const struct plot *plot)
{
	for (size_t i = 0; i < plot->ny; i++)
		svg_label(svg, plot->left - 5, plot_y(plot, plot->y_ticks[i].value) + 4, "f e", "",
			plot->y_ticks[i].text);
	for (size_t i = 0; i < plot->nx; i++)
		svg_label(svg, plot_x(plot, plot->x_ticks[i].value), plot->bottom + 15, "f m", "",
			plot->x_ticks[i].text);
}

static void draw_axis_names(struct svg *svg, const struct plot *plot)
{
	double top = picture_banner(NULL, plot->chart->banner);

	svg_label(svg, 0, top + SVG_LINE - 2, "f", "", plot->chart->y.name);
	svg_label(svg, plot->right, plot->bottom + 27, "f e", "", plot->chart->x.name);
}

double chart_draw(struct svg *svg, const struct chart *chart, double y)
{
	struct plot plot;

	lay_out(&plot, chart);
	picture_begin(svg, y, plot.height, chart->title);
	picture_banner(svg, chart->banner);
	draw_grid(svg, &plot);
	draw_numbers(svg, &plot);
	draw_axis_names(svg, &plot);
	marks_draw(svg, &plot);
	for (size_t i = 0; i < chart->n; i++)
		series_draw(svg, &plot, &chart->series[i]);
	names_draw(svg, &plot);
	svg_put(svg, "</svg>\n");
	return plot.height;
}
