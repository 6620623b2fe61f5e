/* SPDX-License-Identifier: MIT */
/*
 * The pictures of a result: for each what it shows of which rows. The drawing itself is in
 * picture/, which knows nothing of results.
 */
#ifndef REPORT_PICTURES_H
#define REPORT_PICTURES_H

#include "picture/chart.h"
#include "report/subjects.h"

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

struct picture;

/*
 * Draws what the runs have of it, as chart_draw does: returns its height, or 0 where they have
 * nothing of it, and then nothing was written.
 */
typedef double picture_fn(const struct picture *, const struct subjects *, struct svg *, double y);

struct picture {
	const char *name;             /* for `plot`: "latency", "latency-methods" */
	const char *probe, *variants; /* of the rows; a comma-separated list, "": any */
	const char *title, *about;
	picture_fn *draw;
	bool each_run; /* one picture for each run */

	/* Of a curve: a parameter, "more.NAME" or a number of the row (lib/row_statistics.inc). */
	const char *x, *y;
	struct axis x_axis, y_axis; /* kind, name, per */
	const char *split; /* a series for each value of this parameter, or of "level"; NULL: one */
	const char *marks; /* summary values at x; comma-separated, or NULL */
	bool marks_at_y;
	unsigned only;
	double floor; /* smaller values of y are shown as this; 0: none */
	enum series_form form;
	bool band; /* minimum to p90 */
};

extern const struct picture pictures[];
extern const size_t pictures_count;

/* The picture of that name, or the first of the probe of that name; NULL: there is none. */
const struct picture *picture_find(const char *name);
/* Whether a picture of its own shows rows of that variant of the runs. */
bool picture_shows(const struct subjects *, const char *probe, const char *variant);

/* The number of a row: a parameter, "more.NAME" or a statistic; NAN: it has none. */
double row_number(const struct row_data *, const char *name);
/* Whether the picture is about that row of the run. */
bool picture_takes(const struct picture *, const struct run_data *, const struct row_data *);

picture_fn picture_curve, picture_gaps, picture_clock, picture_matrix;

/*
 * Of the rows of a probe that no picture shows, those of a unit, beside each other; the n-th unit.
 * Height as above; 0: there is no such unit.
 */
double picture_others(const char *probe, size_t n, const struct subjects *, struct svg *, double y);

#endif
