/* SPDX-License-Identifier: MIT */
/* Charts and matrices as pixels: curves, names, marks, axes, cells. */
#include <string.h>

#include "lib/math.h"
#include "lib/text.h"
#include "page/picture/pixels.h"

/* The plot of a chart, and its place. */
struct plot_pixels {
	const struct text_place *place;
	const struct chart *chart;
	struct tick x_ticks[AXIS_TICKS], y_ticks[AXIS_TICKS];
	size_t nx, ny;
	unsigned thick;               /* of a curve, pixels */
	int left, right, top, bottom; /* of the plot */
};

static inline int most_of(int a, int b)
{
	return a > b ? a : b;
}

static inline double pixel_x(const struct plot_pixels *plot, double value)
{
	return plot->left + (plot->right - plot->left) * axis_part(&plot->chart->x, value);
}

static inline double pixel_y(const struct plot_pixels *plot, double value)
{
	return plot->bottom - (plot->bottom - plot->top) * axis_part(&plot->chart->y, value);
}

/* A colour for curves: Okabe and Ito's, as on the dark page (page/files/picture.css). */
static uint32_t pixels_colour(unsigned colour)
{
	static const uint32_t colours[COLOURS] = { 0x56b4e9, 0xd55e00, 0x009e73, 0xcc79a7, 0xdddddd,
		0xe69f00, 0x3d8fc0, 0xf0e442 };

	return colours[colour % COLOURS];
}

/* Mix two colours; part: share of the first, 0 to 1. */
static uint32_t pixels_mix(uint32_t over, uint32_t under, double part)
{
	uint32_t mixed = 0;

	for (unsigned shift = 0; shift < 24; shift += 8) {
		double a = over >> shift & 255, b = under >> shift & 255;

		mixed |= (uint32_t)(a * part + b * (1 - part)) << shift;
	}
	return mixed;
}

/* The width of n letters in pixels. */
static int pixels_width(const struct text_place *place, size_t n)
{
	return (int)(n * place->letters.advance);
}

void pixels_text(const struct text_place *place, int x, int y, int width, const char *text,
	uint32_t ink)
{
	size_t n = strlen(text), most = width > 0 ? (size_t)width / place->letters.advance : 0;

	raster_text(place->raster, &place->letters, (struct area){ x, y, width, (int)place->line },
		text, n < most ? n : most, ink, PAPER);
}

/* Curves of a chart as pixels. */

#define BAND_PART 0.25 /* share of the curve's colour */
#define DASH_PART 0.5  /* the same for points of a series whose line would have dashes */

static bool drawable(const struct plot_pixels *plot, const struct chart_point *p)
{
	return math_finite(p->x) && math_finite(p->y) &&
		(plot->chart->x.kind == AXIS_LINEAR || p->x > 0);
}

static bool has_band(const struct plot_pixels *plot, const struct chart_point *p)
{
	return drawable(plot, p) && math_finite(p->low) && math_finite(p->high);
}

static bool joined(const struct chart_series *s)
{
	return s->form < FORM_POINTS && s->n >= LINE_LEAST;
}

/* Draw the band between two points that have one, a column of pixels at a time. */
static void band_piece(const struct plot_pixels *plot, const struct chart_point *a,
	const struct chart_point *b, uint32_t colour)
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

static void band_pixels(const struct plot_pixels *plot, const struct chart_series *s)
{
	uint32_t colour = pixels_mix(pixels_colour(s->colour), PAPER, BAND_PART);
	const struct chart_point *last = NULL;

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

static void draw_dot(const struct plot_pixels *plot, const struct chart_series *s,
	const struct chart_point *p)
{
	int side = (int)plot->thick * (s->form == FORM_LARGE_POINTS || s->n < LINE_LEAST ? 5 : 3);

	raster_fill(plot->place->raster,
		(struct area){ (int)pixel_x(plot, p->x) - side / 2,
			(int)pixel_y(plot, p->y) - side / 2, side, side },
		pixels_mix(pixels_colour(s->colour), PAPER, s->dash ? DASH_PART : 1));
}

/*
 * Draw a line, with dashes if its series has them. gone: length of the curve before it, in pixels.
 * Returns the length after it.
 */
static double draw_piece(const struct plot_pixels *plot, const struct chart_series *s, double x0,
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

/* Draw a series: bands between the ends of the points, lines, dots. */
static void series_pixels(const struct plot_pixels *plot, const struct chart_series *s)
{
	const struct chart_point *last = NULL;
	double gone = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct chart_point *p = &s->points[i];

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

/* The names beside the curves and above the marks of a chart of pixels; none covers another. */

struct pixel_name {
	const struct chart_series *series;
	int y; /* of its middle */
};

static int end_of(const struct plot_pixels *plot, const struct chart_series *s)
{
	const struct chart_point *last = &s->points[0];

	for (size_t i = 0; i < s->n; i++)
		if (math_finite(s->points[i].y) && s->points[i].x >= last->x)
			last = &s->points[i];
	return (int)pixel_y(plot, last->y);
}

/* Collect the names in the order of height; insertion keeps the order of equals. */
static size_t collect(const struct plot_pixels *plot, struct pixel_name names[CHART_LABELS])
{
	size_t n = 0;

	for (size_t i = 0; i < plot->chart->n && n < CHART_LABELS; i++) {
		const struct chart_series *s = &plot->chart->series[i];
		size_t at = n;

		if (!*s->label || !s->n)
			continue;
		struct pixel_name name = { s, end_of(plot, s) };
		for (; at > 0 && names[at - 1].y > name.y; at--)
			names[at] = names[at - 1];
		names[at] = name;
		n++;
	}
	return n;
}

/* Move names down where they would touch, then up again from the bottom. */
static void spread(const struct plot_pixels *plot, struct pixel_name *names, size_t n)
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

/* The number of letters of a name that fit into `most`: whole words, if it has several. */
static size_t fitting(const char *name, size_t most)
{
	size_t n = strlen(name);

	if (n <= most)
		return n;
	for (n = most; n && name[n] != ' '; n--)
		;
	return n ? n : most;
}

/* Draw the names, each at the height where its series ends, or as near as the others leave it. */
static void names_pixels(const struct plot_pixels *plot)
{
	const struct text_place *place = plot->place;
	const struct area *a = &place->area;
	int letter = (int)place->letters.advance, x = plot->right + letter / 2;
	int from = x + 5 * letter / 2, width = most_of(a->x + a->width - from, 0);
	struct pixel_name names[CHART_LABELS];
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

#define MARK_ROWS 2 /* rows of names above the plot */

/*
 * Draw a mark's name above the plot, in the lower row if it fits there, right of free[row]; a mark
 * at y has it at its line. Returns false if it does not fit.
 */
static bool mark_name(const struct plot_pixels *plot, const struct mark *mark, int free[MARK_ROWS],
	uint32_t colour)
{
	const struct text_place *place = plot->place;
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

/* Draw a mark. A line without a name says nothing: it is left out if names are shown. */
static void mark_pixels(const struct plot_pixels *plot, const struct mark *mark,
	int free[MARK_ROWS])
{
	uint32_t colour = mark->colour < COLOURS ? pixels_colour(mark->colour) : INK_FAINT;

	if (plot->place->brief || !*mark->label || mark_name(plot, mark, free, colour))
		mark_line(plot, mark, colour);
}

/* Draw the marks, with their names in the rows above the plot, if they fit there. */
static void marks_pixels(const struct plot_pixels *plot)
{
	const struct chart *chart = plot->chart;
	int left = plot->place->area.x;
	/* The upper row begins with the name of the axis. */
	int free[MARK_ROWS] = { left, left + pixels_width(plot->place, strlen(chart->y.name) + 2) };

	for (size_t i = 0; i < chart->nmarks && i < CHART_MARKS; i++)
		mark_pixels(plot, &chart->marks[i], free);
}

/* A chart as pixels: the place of its plot, and the text around it. */

/* axis_ticks_within counts in units of SVG text, whose digits are at least this wide. */
#define UNITS_A_LETTER 6.0
#define NAMES_PART     2 /* names get at most 1/NAMES_PART of the width */
#define LEAST          4 /* lines and columns of letters that a plot must have */

static int name_width(const struct text_place *place, const struct chart *chart)
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

/* Divide the area. Returns false if it is too small for the chart. */
static bool lay_out(struct plot_pixels *plot, const struct text_place *place,
	const struct chart *chart)
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
	const struct text_place *place = plot->place;
	int line = (int)place->line;

	for (size_t i = 0; i < plot->ny; i++) {
		int width = pixels_width(place, strlen(plot->y_ticks[i].text));

		pixels_text(place, plot->left - width - (int)place->letters.advance / 2,
			(int)pixel_y(plot, plot->y_ticks[i].value) - line / 2, width,
			plot->y_ticks[i].text, INK_FAINT);
	}
	for (size_t i = 0; i < plot->nx; i++) {
		int width = pixels_width(place, strlen(plot->x_ticks[i].text));
		int last = place->area.x + place->area.width - width;
		int middle = (int)pixel_x(plot, plot->x_ticks[i].value) - width / 2;

		pixels_text(place, middle < last ? middle : last, plot->bottom + line / 4, width,
			plot->x_ticks[i].text, INK_FAINT);
	}
}

static void draw_axis_names(const struct plot_pixels *plot)
{
	const struct text_place *place = plot->place;
	const struct area *a = &place->area;
	const char *x = plot->chart->x.name, *y = plot->chart->y.name;
	int width = pixels_width(place, strlen(x)), line = (int)place->line;

	pixels_text(place, a->x, a->y + line, a->width, y, INK_FAINT);
	pixels_text(place, most_of(a->x, plot->right - width), a->y + a->height - line, a->width, x,
		INK_FAINT);
}

void chart_pixels(const struct text_place *place, const struct chart *chart)
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

/* A matrix as pixels: a light cell has a large value. */

#define SHADES 10
#define DARK   0.15 /* least share of the colour in a cell */
#define LIGHT  0.6  /* from this share on letters in a cell are dark */

struct pixel_layout {
	int cell, left, top;
	bool values;    /* every cell is wide enough for its value */
	unsigned every; /* rows from one number beside them to the next */
};

static bool cells_lay_out(struct pixel_layout *l, const struct text_place *place,
	const struct matrix *m)
{
	const struct area *a = &place->area;
	int letter = (int)place->letters.advance, line = (int)place->line;
	int width, height;

	l->left = a->x + 4 * letter;
	l->top = a->y + 3 * line;
	width = (a->x + a->width - l->left) / (int)(m->m ? m->m : 1);
	height = (a->y + a->height - line - line / 4 - l->top) / (int)(m->n ? m->n : 1);
	l->cell = width < height ? width : height;
	for (l->every = 1; l->cell > 0 && (int)l->every * l->cell < 3 * letter; l->every *= 2)
		;
	return l->cell > 0;
}

static bool values_fit(const struct text_place *place, const struct pixel_layout *l,
	const struct matrix *m)
{
	char text[TICK_TEXT];

	if ((int)place->line >= l->cell)
		return false;
	for (size_t i = 0; i < m->ncells; i++) {
		axis_text(&m->shade, m->cells[i].value, text);
		if (pixels_width(place, strlen(text)) + 2 >= l->cell)
			return false;
	}
	return true;
}

static double part_of(const struct matrix *m, double value)
{
	unsigned shade = (unsigned)(axis_part(&m->shade, value) * SHADES);

	return DARK + (1 - DARK) * (shade < SHADES ? shade : SHADES - 1) / (SHADES - 1);
}

static void draw_cell(const struct text_place *place, const struct pixel_layout *l,
	const struct matrix *m, const struct matrix_cell *cell)
{
	double part = part_of(m, cell->value);
	uint32_t colour = pixels_mix(pixels_colour(m->colour), PAPER, part);
	int gap = l->cell > 6, x = l->left + l->cell * (int)cell->column;
	int y = l->top + l->cell * (int)cell->row, width;
	char text[TICK_TEXT];

	raster_fill(place->raster, (struct area){ x, y, l->cell - gap, l->cell - gap }, colour);
	axis_text(&m->shade, cell->value, text);
	width = pixels_width(place, strlen(text));
	if (l->values)
		raster_text(place->raster, &place->letters,
			(struct area){ x + (l->cell - width) / 2,
				y + (l->cell - (int)place->line) / 2, width, (int)place->line },
			text, strlen(text), part > LIGHT ? PAPER : INK_STRONG, colour);
}

static void draw_heads(const struct text_place *place, const struct pixel_layout *l,
	const struct matrix *m)
{
	int line = (int)place->line, letter = (int)place->letters.advance;
	char text[64];

	text_format(text, sizeof text, "%s down, %s across", m->rows, m->columns);
	pixels_text(place, place->area.x, place->area.y + line, place->area.width, text, INK_FAINT);
	for (unsigned i = 0; i < m->n; i += l->every) {
		int n = text_format(text, sizeof text, "%u", matrix_number(m, i));

		pixels_text(place, l->left - letter * n - letter / 2,
			l->top + l->cell * (int)i + (l->cell - line) / 2, letter * n, text,
			INK_FAINT);
	}
	for (unsigned i = 0; i < m->m; i += l->every) {
		int n = text_format(text, sizeof text, "%u", matrix_number(m, i));

		pixels_text(place, l->left + l->cell * (int)i + (l->cell - letter * n) / 2,
			l->top - line, letter * n, text, INK_FAINT);
	}
}

static void draw_key(const struct text_place *place, const struct pixel_layout *l,
	const struct matrix *m)
{
	char low[TICK_TEXT], high[MATRIX_END], text[TICK_TEXT + MATRIX_END];

	matrix_ends(m, low, high);
	text_format(text, sizeof text, "%s%s%s", low, *low ? " (dark) to " : "", high);
	pixels_text(place, place->area.x, l->top + l->cell * (int)m->n + (int)place->line / 4,
		place->area.width, text, INK_FAINT);
}

void matrix_pixels(const struct text_place *place, const struct matrix *m)
{
	const struct area *a = &place->area;
	struct pixel_layout l;

	raster_fill(place->raster, *a, PAPER);
	pixels_text(place, a->x, a->y, a->width, m->title, INK_STRONG);
	if (!cells_lay_out(&l, place, m))
		return;
	l.values = !place->brief && values_fit(place, &l, m);
	if (!place->brief) {
		draw_heads(place, &l, m);
		draw_key(place, &l, m);
	}
	for (size_t i = 0; i < m->ncells; i++)
		draw_cell(place, &l, m, &m->cells[i]);
}
