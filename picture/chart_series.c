/* SPDX-License-Identifier: MIT */
/* The curves of a chart: bands, lines, steps, points, and what each point says. */
#include "picture/chart_parts.h"

#include "lib/math.h"

static bool drawable(const struct plot *plot, const struct point *p)
{
	const struct chart *chart = plot->chart;

	return math_finite(p->x) && math_finite(p->y) && (chart->x.kind == AXIS_LINEAR || p->x > 0);
}

static bool has_band(const struct plot *plot, const struct point *p)
{
	return drawable(plot, p) && math_finite(p->low) && math_finite(p->high);
}

/* Along the upper ends, back along the lower ones. */
static void draw_band(struct svg *svg, const struct plot *plot, const struct series *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += has_band(plot, &s->points[i]);
	if (n < 2)
		return;
	svg_put(svg, "<path class=\"b\" d=\"");
	n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (has_band(plot, &s->points[i]))
			svg_put(svg, "%c%.1f %.1f", n++ ? 'L' : 'M', plot_x(plot, s->points[i].x),
				plot_y(plot, s->points[i].high));
	for (size_t i = s->n; i-- > 0;)
		if (has_band(plot, &s->points[i]))
			svg_put(svg, "L%.1f %.1f", plot_x(plot, s->points[i].x),
				plot_y(plot, s->points[i].low));
	svg_put(svg, "z\"/>");
}

/* Of points that no line joins, a line from end to end of each. */
static void draw_ranges(struct svg *svg, const struct plot *plot, const struct series *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (has_band(plot, &s->points[i]))
			svg_put(svg, "%sM%.1f %.1fV%.1f", n++ ? "" : "<path class=\"w\" d=\"",
				plot_x(plot, s->points[i].x), plot_y(plot, s->points[i].low),
				plot_y(plot, s->points[i].high));
	svg_put(svg, n ? "\"/>" : "");
}

static void draw_path(struct svg *svg, const struct plot *plot, const struct series *s)
{
	bool points = s->form == FORM_POINTS || s->form == FORM_LARGE_POINTS || s->n == 1;
	size_t n = 0;

	svg_put(svg, " d=\"");
	for (size_t i = 0; i < s->n; i++) {
		const struct point *p = &s->points[i];
		if (!drawable(plot, p))
			continue;
		if (n && s->form == FORM_STEPS)
			svg_put(svg, "V%.1f", plot_y(plot, p->y));
		svg_put(svg, "%c%.1f %.1f%s", n && !points ? 'L' : 'M', plot_x(plot, p->x),
			plot_y(plot, p->y), points ? "h0" : "");
		n++;
	}
	svg_put(svg, "\"/>");
}

/* What the points say, in the order of the path. */
static void draw_answers(struct svg *svg, const struct plot *plot, const struct series *s)
{
	bool texts = s->n && s->points[0].text;
	size_t n = 0;

	svg_put(svg, texts ? " data-t=\"" : " data-run=\"%u\" data-r=\"", s->run);
	for (size_t i = 0; i < s->n; i++) {
		const struct point *p = &s->points[i];
		if (!drawable(plot, p))
			continue;
		svg_put(svg, n++ ? (texts ? "|" : " ") : "");
		if (texts)
			svg_text(svg, p->text ? p->text : "");
		else
			svg_put(svg, "%ld", p->row);
	}
	svg_put(svg, "\"");
}

void series_draw(struct svg *svg, const struct plot *plot, const struct series *s)
{
	static const char *const classes[] = { "l", "l", "p", "p P" };

	if (!s->n)
		return;
	svg_put(svg, "<g class=\"c%u d%u\">", s->colour % COLOURS, s->dash % DASHES);
	if (s->form < FORM_POINTS)
		draw_band(svg, plot, s);
	else
		draw_ranges(svg, plot, s);
	svg_put(svg, "<path class=\"%s\"", s->n == 1 ? "p" : classes[s->form]);
	draw_answers(svg, plot, s);
	draw_path(svg, plot, s);
	svg_put(svg, "</g>");
}
