/* SPDX-License-Identifier: MIT */
/*
 * For a probe's `find` and `meaning`: the numbers inferred from its rows. Each curve is read once,
 * in find; what was found there is what the summary lines, the card and the console show.
 */
#ifndef ENGINE_FIND_H
#define ENGINE_FIND_H

#include "engine/confidence.h"
#include "engine/curve.h"
#include "engine/probe_api.h"
#include "lib/values.h"

/* All numbers that one reading of a run's rows gives. */
struct found_values {
	struct reader reader;
	unsigned n;
	struct summary list[VALUES_KNOWN];
	const struct probe *by[VALUES_KNOWN]; /* whose find hook found it */
	uint64_t searched; /* a bit for each probe whose find hook has been called */
};

/*
 * Fills b->found anew: calls every find hook in the registry's order, with the rows' medians; then
 * all of them again by each other reading, whose values widen brackets and give floors. A hook
 * reads rows by the reading of the values that it adds to, and changes nothing else.
 */
void find_all(struct bench *);
/* Calls the find hook of one probe, unless it has been called: for a hook that needs its value. */
void run_find(struct bench *, struct found_values *, const char *probe);

/*
 * Adds a value and returns it, so that the caller can say more of it: what is claimed, pages, form.
 * An estimate that is not resolved takes its reason along.
 */
struct summary *found(struct found_values *, enum value_id, struct estimate, const char *rests_on);
/* Lowers the confidence of a value that has one; below the least it is not resolved. */
void lose_confidence(struct summary *, double loss);
/* Returns the value with this id, or NULL. */
const struct summary *find_value(const struct found_values *, enum value_id);

#define ROWS_DISAGREE "the rows that it rests on disagree"

/*
 * Plan the rows once more that decide the edges of a probe, as its find hook reads the rows so far:
 * each row once if all its measurements agree, up to AGAIN_MOVED times if they do not. The rows on
 * both sides of an edge are then measured at the end of the run, with new data in a new order.
 * Returns the number of rows planned. docs/method.md, "Measured again".
 */
unsigned plan_remeasure(struct bench *, const struct probe *);

#endif
