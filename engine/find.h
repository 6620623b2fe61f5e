/* SPDX-License-Identifier: MIT */
/*
 * For a probe's `find` and `meaning`: curves made of its rows, and the numbers inferred from them.
 * Each curve is read once, in find; what was found there is what the summary lines, the card and
 * the console show.
 */
#ifndef ENGINE_FIND_H
#define ENGINE_FIND_H

#include "engine/probe_api.h"
#include "engine/infer/infer.h"
#include "lib/values.h"

/* All numbers inferred in a run. */
struct found_values {
	unsigned n;
	struct summary list[VALUES_KNOWN];
	const struct probe *by[VALUES_KNOWN]; /* whose find hook found it */
	uint64_t searched; /* a bit for each probe whose find hook has been called */
};

/* Of all measurements of one x: the lowest two, by READ_UPPER the highest two. */
struct outermost {
	double y[2];
	const struct result *from[2];
	unsigned times; /* measured */
};

/* A curve taken from the rows, with the row behind each point. */
struct curve {
	unsigned n;
	struct point point[INFER_POINTS];
	const struct result *from[INFER_POINTS];
	struct outermost outermost[INFER_POINTS];
	enum reading reading; /* of the points */
	double offset;        /* core cycles added to every y before it is judged; 0: none */
};

#define EDGE_ROWS_MOST 48

/* The rows at the ends of brackets: low ends by the upper reading, high ones by the others. */
struct edge_rows {
	unsigned n;
	const struct result *row[EDGE_ROWS_MOST];
};

/* Which of the current probe's rows make a curve. */
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

/*
 * Calls every find hook that has not been called, in the registry's order; then all of them again
 * by each other reading, on a copy of the bench. A hook reads rows by row_value and row_cycles, so
 * that it finds the same numbers in all ways; it changes nothing but b->found.
 */
void find_all(struct bench *);
/* A row's number in its unit, and its core cycles (0: not known), as b->reading says. */
typedef double row_number(const struct bench *, const struct result *);
row_number row_value, row_cycles;
/* Calls the find hook of one probe, unless it has been called: for a hook that needs its value. */
void run_find(struct bench *, const char *probe);

/*
 * The rows picked, in ascending order of x; where an x occurs twice, the one that enum reading
 * says. Returns the number of points.
 */
unsigned take_curve(const struct bench *, const struct pick *, struct curve *);
/* Of a curve of costs over that parameter: removes bad points, and the rows behind them. */
void curve_leave_usable(struct curve *, const char *x);
/* Appends to the points that are there. */
unsigned add_to_curve(const struct bench *, const struct pick *, struct curve *);

/* Whether a result is of the current probe's variant. */
bool is_variant(const struct bench *, const struct result *, const char *variant);
/* Whether it was measured at that canonical level. */
bool is_level(const struct result *, enum level);
/* common_page where a row of the variant has it, else the size that most have; 0: no rows. */
size_t main_page(const struct bench *, const char *variant);
/* Upper quartile of the core cycles of the points first..last; NAN if any is unknown. */
double upper_quartile_cycles(const struct curve *, unsigned first, unsigned last);

/* Adds a value; an estimate that is not resolved takes its reason along. claimed NAN: no claim. */
void found(struct bench *, enum value_id, struct estimate, double claimed, const char *rests_on);
/* The value found last rests on rows in pages of this size. */
void found_in_pages(struct bench *, size_t page_bytes);
/* Lowers the confidence of a value that has one; below the least it is not resolved. */
void lose_confidence(struct summary *, double loss);
/* The form of the loop that the value found last is of. */
void found_form(struct bench *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What was found as that value, or NULL. */
const struct summary *find_value(const struct bench *, enum value_id);

/* A value without a bracket. value NAN: MEASURED_NO_NUMBER. */
struct estimate plain_estimate(double value, double confidence);
/* Between 0.1 and 0.95: what rests on one row or one plateau is neither hopeless nor certain. */
double clamp_confidence(double confidence);
#define ROWS_DISAGREE "the rows that it rests on disagree"
/*
 * What a row takes from the confidence of a value that rests on it alone, 0 (nothing) to 1: by the
 * scatter of its samples, the share of them that was disturbed, and what these took from a time.
 * docs/method.md, "Confidence".
 */
double row_confidence_loss(const struct result *);
/*
 * The same of the points first..last of a curve: the median of their rows' losses, and what the
 * core clock differed by between these rows.
 */
double curve_confidence_loss(const struct curve *, unsigned first, unsigned last);
/*
 * The core clocks of the run's rows in Hz, 0 where none is known, and what their spread takes from
 * the confidence in one clock.
 */
struct run_clock {
	double low, median, high, loss;
};
struct run_clock run_clock(struct bench *);
/*
 * The confidence that a clock, or a time that scales with it, loses if its rows were measured at
 * `hz` and most rows of the run at another clock: 0 to 0.5; 0 where no clock is known.
 */
double other_clock_loss(struct bench *, double hz);
/*
 * A time that rests on the points first..last: less sure by curve_confidence_loss, and by what the
 * disturbances took, where most samples of most of these rows have one; for that alone it is not
 * below the least that is resolved.
 */
struct estimate time_on_curve(struct estimate, const struct curve *, unsigned first, unsigned last);
/* The estimate with its confidence times 1 - loss. */
struct estimate less_sure(struct estimate, double loss);
/*
 * An edge of the curve. Its confidence is lowered by the rows in its bracket and the two beside it.
 * These are measured again at the end of the run, and then they may widen the bracket.
 */
struct estimate edge_of(struct bench *, const struct curve *, struct estimate);
/* Of a row's median, measured at one moment: 1 - row_confidence_loss, ONCE_MOST at most. */
double row_confidence(const struct result *);
/*
 * The median of a number of the only row of a variant over its moments, as sure as it was the same
 * at each: where edges are bisected it is measured again at the end. Not a number: not known then.
 */
struct estimate row_estimate(struct bench *, const char *variant, row_number *);
/* The same of its core cycles. */
struct estimate row_cycles_estimate(struct bench *, const char *variant);

/*
 * Whether an edge is where it was: the rows on both sides of it are measured again at the end of
 * the run, with new data in a new order. docs/method.md, "Measured again".
 */

/*
 * Plans once more the rows that decide the edges of a probe, as its find hook reads the rows so
 * far: each row once where all its measurements agree, up to AGAIN_MOVED times where they do not.
 * Returns how many rows it planned.
 */
unsigned plan_remeasure(struct bench *, const struct probe *);

#endif
