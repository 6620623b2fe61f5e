/* SPDX-License-Identifier: MIT */
/* Curves made of the current probe's rows, each read by one statistic of its samples. */
#ifndef ENGINE_CURVE_H
#define ENGINE_CURVE_H

#include "engine/bench.h"
#include "engine/infer/infer.h"

/*
 * The statistic of a row that is read: the median, the floor (of the quietest tenth of its
 * samples), the lower or the upper quartile. A row that was measured several times has the median
 * of its first measurement, the lowest floor and lower quartile, and the highest upper quartile; of
 * many measurements, the second lowest and the second highest quartile.
 */
enum reading { READ_MEDIAN, READ_FLOOR, READ_LOWER, READ_UPPER };

enum { EDGE_ROWS_MOST = 96 };

/* The rows at the ends of brackets: low ends by the upper reading, high ones by the others. */
struct edge_rows {
	unsigned n;
	const struct result *row[EDGE_ROWS_MOST];
};

/* One reading of the rows: the statistic, and the rows that decide edges; NULL: not noted. */
struct reader {
	struct bench *bench;
	enum reading reading;
	struct edge_rows *edges;
};

/* Returns true if a row's median has all its samples in it and most of these were disturbed. */
bool row_mostly_disturbed(const struct result *);

/* The lowest two of all measurements of one x, by READ_UPPER the highest two. */
struct outermost {
	double y[2];
	const struct result *from[2];
	unsigned times; /* measured */
};

/* A curve taken from the rows, with the row behind each point. */
struct curve {
	unsigned n;
	struct curve_point point[INFER_POINTS];
	const struct result *from[INFER_POINTS];
	struct outermost outermost[INFER_POINTS];
	enum reading reading; /* of the points */
	double offset;        /* core cycles added to every y before it is judged; 0: none */
};

/* A selection of the current probe's rows that make a curve. */
struct pick {
	const char *variant;
	const char *x;     /* the parameter that is the abscissa */
	size_t page_bytes; /* page size obtained; 0: any */
	const char *only;  /* a parameter that must be only_value; NULL: any row */
	double only_value;
	const char *level; /* canonical level; NULL: any row, with or without one */
	bool no_level;     /* only rows of the sweep, at no canonical level */
	bool cycles;       /* y in core cycles, else in the row's unit */
};

/* A row's number in its unit, and its core cycles (0: not known). */
typedef double row_number(const struct result *, enum reading);
row_number row_value, row_cycles;

/*
 * Takes the rows picked, in ascending order of x; the reading says which counts where an x occurs
 * twice. Returns the number of points.
 */
unsigned take_curve(const struct reader *, const struct pick *, struct curve *);
/* Removes the bad points of a curve of costs over that parameter, and the rows behind them. */
void curve_leave_usable(struct curve *, const char *x);
/* Adds points by the curve's own reading. Returns the number of points. */
unsigned add_to_curve(const struct bench *, const struct pick *, struct curve *);

/* Returns true if the result is of the current probe's variant. */
bool is_variant(const struct bench *, const struct result *, const char *variant);
/* Returns true if it was measured at that canonical level. */
bool is_level(const struct result *, enum level);
/* common_page if a row of the variant has it, else the size that most have; 0: no rows. */
size_t main_page(const struct bench *, const char *variant);
/* Upper quartile of the core cycles of the points first..last; NAN if any is unknown. */
double upper_quartile_cycles(const struct curve *, unsigned first, unsigned last);

#endif
