/* SPDX-License-Identifier: MIT */
#include "page/picture/dots.h"

#include <string.h>

#include "lib/math.h"
#include "lib/text.h"

#define LINE_HEIGHT 16.0
#define TEXT_MOST   190.0 /* width of a line's text; the rest of a longer text is left out */
#define LINE_BYTES  96
#define VALUES      46.0
#define TOP         4.0
#define BELOW       31.0

struct dots_layout {
	double left, right, bottom, height;
	struct tick ticks[AXIS_TICKS];
	size_t nticks;
};

/* Write as much of the text as fits; returns its width. */
static double shown(const char *line, char out[LINE_BYTES])
{
	size_t n = strlen(line) < LINE_BYTES - 3 ? strlen(line) : LINE_BYTES - 3;

	text_format(out, LINE_BYTES, "%.*s%s", (int)n, line, line[n] ? ".." : "");
	while (n > 2 && svg_text_width(out) > TEXT_MOST)
		text_format(out, LINE_BYTES, "%.*s..", (int)--n, line);
	return svg_text_width(out);
}

static void lay_out(struct dots_layout *l, const struct dots *dots)
{
	char text[LINE_BYTES];

	l->left = 40;
	for (size_t i = 0; i < dots->nlines; i++)
		l->left = math_max(l->left, shown(dots->lines[i], text) + 8);
	l->right = PICTURE_WIDTH - (dots->values ? VALUES : 20);
	l->bottom = TOP + LINE_HEIGHT * (double)dots->nlines;
	l->height = l->bottom + BELOW + picture_note(NULL, 0, dots->note);
	l->nticks = axis_ticks_within(&dots->axis, l->right - l->left, l->ticks);
}

static double place(const struct dots_layout *l, const struct dots *dots, double value)
{
	return l->left + (l->right - l->left) * axis_part(&dots->axis, value);
}

static void draw_axis(struct sink *svg, const struct dots_layout *l, const struct dots *dots)
{
	double bottom = l->bottom;

	sink_put(svg, "<path class=\"g\" d=\"");
	for (size_t i = 0; i < l->nticks; i++)
		sink_put(svg, "M%.1f %.1fV%.1f", place(l, dots, l->ticks[i].value), TOP, bottom);
	sink_put(svg, "\"/>");
	for (size_t i = 0; i < l->nticks; i++)
		svg_label(svg, place(l, dots, l->ticks[i].value), bottom + 13, "f m", "",
			l->ticks[i].text);
	svg_label(svg, PICTURE_WIDTH, bottom + 27, "f e", "", dots->axis.name);
}

static void draw_lines(struct sink *svg, const struct dots_layout *l, const struct dots *dots)
{
	char text[LINE_BYTES];

	for (size_t i = 0; i < dots->nlines; i++) {
		shown(dots->lines[i], text);
		svg_label(svg, l->left - 6, TOP + LINE_HEIGHT * (double)i + 12, "n e", "", text);
	}
}

/* The height of a dot: several runs in a line are each a little lower than the one before. */
static double height_of(const struct dots_layout *l, const struct dots *dots, size_t at)
{
	unsigned line = dots->dots[at].line;
	size_t before = 0, all = 0;

	for (size_t i = 0; i < dots->n; i++)
		if (dots->dots[i].line == line) {
			before += i < at;
			all++;
		}
	return TOP + LINE_HEIGHT * (line + ((double)before + 1) / ((double)all + 1));
}

/* Draw the dots from `at` to `end`, which are one run's: the ranges, then the dots. */
static void draw_run(struct sink *svg, const struct dots_layout *l, const struct dots *dots,
	size_t at, size_t end)
{
	sink_put(svg, "<g class=\"c%u\">", dots->dots[at].colour % COLOURS);
	for (size_t i = at; dots->bars && i < end; i++)
		sink_put(svg, "<path class=\"a\" d=\"M%.1f %.1fH%.1f\"/>", l->left,
			height_of(l, dots, i), place(l, dots, dots->dots[i].at.x));
	sink_put(svg, "<path class=\"w\" d=\"");
	for (size_t i = at; i < end; i++) {
		const struct chart_point *p = &dots->dots[i].at;
		if (math_finite(p->low) && math_finite(p->high))
			sink_put(svg, "M%.1f %.1fH%.1f", place(l, dots, p->low),
				height_of(l, dots, i), place(l, dots, p->high));
	}
	sink_put(svg, "\"/><path class=\"p P\" data-run=\"%u\" data-r=\"", dots->dots[at].run);
	for (size_t i = at; i < end; i++)
		sink_put(svg, i > at ? " %ld" : "%ld", dots->dots[i].at.row);
	sink_put(svg, "\" d=\"");
	for (size_t i = at; i < end; i++)
		sink_put(svg, "M%.1f %.1fh0", place(l, dots, dots->dots[i].at.x),
			height_of(l, dots, i));
	sink_put(svg, "\"/></g>");
}

static void draw_runs(struct sink *svg, const struct dots_layout *l, const struct dots *dots)
{
	for (size_t at = 0, end; at < dots->n; at = end) {
		for (end = at; end < dots->n && dots->dots[end].run == dots->dots[at].run; end++)
			;
		draw_run(svg, l, dots, at, end);
	}
}

static void draw_value(struct sink *svg, const struct dots_layout *l, const struct dots *dots,
	size_t at)
{
	char text[TICK_TEXT];

	for (size_t i = 0; i < at; i++)
		if (dots->dots[i].line == dots->dots[at].line)
			return;
	text_format(text, sizeof text, math_abs(dots->dots[at].at.x) < 1000 ? "%.4g" : "%.0f",
		dots->dots[at].at.x);
	svg_label(svg, PICTURE_WIDTH, TOP + LINE_HEIGHT * dots->dots[at].line + 12, "n e", "",
		text);
}

double dots_draw(struct sink *svg, const struct dots *dots, double y)
{
	struct dots_layout l;

	lay_out(&l, dots);
	picture_begin(svg, y, l.height, dots->title);
	picture_note(svg, l.bottom + BELOW, dots->note);
	draw_axis(svg, &l, dots);
	draw_lines(svg, &l, dots);
	draw_runs(svg, &l, dots);
	for (size_t i = 0; dots->values && i < dots->n; i++)
		draw_value(svg, &l, dots, i);
	sink_put(svg, "</svg>\n");
	return l.height;
}
