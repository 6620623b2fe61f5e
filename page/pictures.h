/* SPDX-License-Identifier: MIT */
/*
 * The pictures of a result: for each what it shows of which rows. The drawing itself is in
 * picture/, which knows nothing of results.
 */
#ifndef PAGE_PICTURES_H
#define PAGE_PICTURES_H

#include "page/subjects.h"
#include "page/picture/chart.h"
#include "page/picture/dots.h"
#include "page/picture/matrix.h"

/*
 * A picture as numbers, before it is drawn: what is chosen of which rows ends here, and what draws
 * (page/picture/) begins. Who has another surface than SVG draws it instead.
 */
enum drawing_kind { DRAW_NOTHING, DRAW_CHART, DRAW_DOTS, DRAW_MATRIX };

struct drawing {
	enum drawing_kind kind;
	union {
		struct chart chart;
		struct dots dots;
		struct matrix matrix;
	};
};

/* Which of the rows. */
enum picture_only {
	ONLY_WIDEST = 1,        /* the widest accesses of each run */
	ONLY_LARGEST_PAGES = 2, /* the largest pages of each run */
	ONLY_MEMORY = 4,        /* level memory */
	ONLY_LEVELS = 8,        /* those at a level */
	ONLY_SWEEP = 16,        /* those at none */
};

/* With more sets than that a picture has one curve of each: of its first variant and split. */
#define PICTURE_SETS 4
/* With more runs neither marks nor title have their values, which would hide the curves. */
#define MARKS_SETS 3

struct picture;

/* Makes the drawing of what the runs have of it; leaves it alone where they have nothing. */
typedef void picture_fn(const struct picture *, const struct subjects *, struct drawing *);

struct picture {
	const char *name;             /* for `plot`: "latency", "latency-methods" */
	const char *probe, *variants; /* of the rows; a comma-separated list, "": any */
	const char *title, *about;
	picture_fn *make;
	bool each_run; /* one picture for each run */

	/* Of a curve: a parameter, "more.NAME" or a number of the row (lib/row_statistics.inc). */
	const char *x, *y;
	struct axis x_axis, y_axis; /* kind, name, per */
	const char *split; /* a series for each value of this parameter, or of "level"; NULL: one */
	const char *marks; /* summary values at x, with their tags: "L1 l1d_bytes|..."; or NULL */
	bool marks_at_y;
	unsigned only;
	double floor; /* smaller values of y are shown as this; 0: none */
	enum series_form form;
	bool band; /* minimum to p90 */
	/*
	 * What is seen in it, as its values say (page/page_probes.c): parts between "|", each
	 * left out where the result lacks one of its {values}, and after "&" where no part that
	 * it goes on from is there. NULL: only the title.
	 */
	const char *says;
};

extern const struct picture pictures[];
extern const size_t pictures_count;

/* What the runs have of the picture; its kind is DRAW_NOTHING if nothing. To be freed. */
struct drawing picture_drawing(const struct picture *, const struct subjects *);

/* The picture of that name, or the first of the probe of that name; NULL: there is none. */
const struct picture *picture_find(const char *name);

picture_fn picture_curve, picture_gaps, picture_clock;

/* Makes the axes of a chart cover the points and marks of another, or its own. */
void picture_cover(struct chart *, const struct chart *of);

/*
 * Of the rows of a probe that no picture shows, those of a unit, beside each other; the n-th unit.
 * false: there is no such unit.
 */
bool picture_others(const char *probe, size_t n, const struct subjects *, struct drawing *);

/* Which rows of a run a picture is about: found once, as it goes through all of them. */
struct picture_rows {
	const struct picture *picture;
	double widest, largest_pages; /* NOT_A_NUMBER where the picture takes all */
};

struct picture_rows picture_rows_of(const struct picture *, const struct shown_run *);
bool picture_takes(const struct picture_rows *, const struct result_row *);

/* As chart_draw (page/picture/chart.h): its height; 0 of DRAW_NOTHING. */
double drawing_svg(const struct drawing *, struct sink *, double y);
/* Gives back its points, labels and texts, all of which it owns. */
void drawing_free(struct drawing *);

#endif
