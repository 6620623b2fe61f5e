/* SPDX-License-Identifier: MIT */
/*
 * The pictures of a result: for each, its rows and its axes. The drawing itself is in picture/,
 * which knows nothing of results.
 */
#ifndef PAGE_PICTURES_H
#define PAGE_PICTURES_H

#include "page/subjects.h"
#include "page/picture/chart.h"
#include "page/picture/dots.h"
#include "page/picture/matrix.h"

/*
 * A picture as numbers, before it is drawn. The choice of rows ends here, and the drawing
 * (page/picture/) begins: a caller with another surface than SVG draws this instead.
 */
enum drawing_kind { DRAW_NOTHING, DRAW_CHART, DRAW_DOTS, DRAW_MATRIX };

struct drawing {
	enum drawing_kind kind;
	union {
		struct chart chart;
		struct dots dots;
		struct matrix matrix;
	};
	size_t left_out; /* rows of the picture for which it has no room */
	size_t noise;    /* rows that are left out because of row_is_noise */
};

/* The selection of rows. */
enum picture_only {
	ONLY_WIDEST = 1,        /* the widest accesses of each run */
	ONLY_LARGEST_PAGES = 2, /* the largest pages of each run */
	ONLY_MEMORY = 4,        /* level memory */
	ONLY_LEVELS = 8,        /* rows with a level */
	ONLY_SWEEP = 16,        /* rows without one */
};

/* With more sets, a picture has one curve of each: of its first variant and split. */
#define PICTURE_SETS 4
/* With more runs, marks and title leave out their values, which would hide the curves. */
#define MARKS_SETS 3

/*
 * A title claims no value of less confidence: it is left out. Its line in the picture has a "?".
 */
#define CLAIM_LEAST 0.495 /* shown as 50 % */

struct picture;

/* Make the drawing from the rows that the runs have for it; leave it alone if they have none. */
typedef void picture_fn(const struct picture *, const struct subjects *, struct drawing *);

struct picture {
	const char *name;             /* name for `plot`: "latency", "latency-methods" */
	const char *probe, *variants; /* of the rows; variants: a comma-separated list, "": any */
	const char *title, *about;
	picture_fn *make;
	bool each_run; /* one picture for each run */

	/* For a curve: a parameter, "more.NAME" or a number of the row (lib/row_statistics.inc). */
	const char *x, *y;
	struct axis x_axis, y_axis; /* kind, name, per */
	const char *split; /* a series for each value of this parameter, or of "level"; NULL: one */
	const char *marks; /* summary values at x, with their tags: "L1 l1d_bytes|..."; or NULL */
	bool marks_at_y;
	unsigned only;
	double floor; /* smaller values of y are drawn at this one; 0: none */
	enum series_form form;
	bool band; /* from minimum to p90 */
	/*
	 * The finding that its values show (page/page_probes.c): parts between "|". A part is left
	 * out if the result lacks one of its {values}, and a part after "&" also if no earlier part
	 * without "&" is there. NULL: only the title.
	 */
	const char *says;
};

extern const struct picture pictures[];
extern const size_t pictures_count;

/*
 * Make the drawing from the rows of the runs; its kind is DRAW_NOTHING if there are none. The
 * caller frees it.
 */
struct drawing picture_drawing(const struct picture *, const struct subjects *);

/* The picture of that name, or the first of the probe of that name; NULL: there is none. */
const struct picture *picture_find(const char *name);

picture_fn picture_curve, picture_gaps, picture_clock;

/* Add the summary values that the picture names, as marks at its axis of x or y. */
void picture_marks(const struct picture *, const struct subjects *, struct chart *);
/* Make the chart the drawing, if its axes have a range; else free the chart. */
void picture_finish(struct drawing *, struct chart *);
/* Extend the axes of a chart to cover the points and marks of another chart, or its own. */
void picture_cover(struct chart *, const struct chart *of);

/*
 * Draw the rows of a probe that no picture shows, side by side: the rows of the n-th unit. Returns
 * false if there is no such unit.
 */
bool picture_others(const char *probe, size_t n, const struct subjects *, struct drawing *);

/* The rows of a run that a picture uses: computed once, as that needs all rows. */
struct picture_rows {
	const struct picture *picture;
	double widest, largest_pages; /* NOT_A_NUMBER if the picture takes all */
};

/*
 * Returns true for a row that is no more than noise (lib/stats.h), or a time below 0. Pictures
 * leave it out, unless they have a floor.
 */
bool row_is_noise(const struct result_row *);

struct picture_rows picture_rows_of(const struct picture *, const struct shown_run *);
bool picture_takes(const struct picture_rows *, const struct result_row *);

/* Draw it as chart_draw does (page/picture/chart.h). Returns its height; 0 for DRAW_NOTHING. */
double drawing_svg(const struct drawing *, struct sink *, double y);
/* Free its points, labels and texts, all of which it owns. */
void drawing_free(struct drawing *);

#endif
