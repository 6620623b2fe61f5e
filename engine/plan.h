/* SPDX-License-Identifier: MIT */
/* The rows to be measured. */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/probe_api.h"
#include "engine/bench.h"

#define PLAN_ROWS 6144

struct plan {
	struct row rows[PLAN_ROWS];
	bool left_out[PLAN_ROWS], done[PLAN_ROWS];
	unsigned n;
	unsigned waiting; /* answers from this one on wait until the first card is out; 0: none */
	struct pace_of_rows {
		double estimated_ns, took_ns; /* of rows measured, until they had what they need */
	} learned[ANSWERS + 1];   /* of an answer's; last: of all that one CPU measured alone */
	bool tried;               /* only to see what there would be */
	unsigned beyond[ANSWERS]; /* rows that belong to a larger profile, by answer */
};

/* The parameter of a row that is measured once more: how often it was measured before. */
#define PARAM_AGAIN "again"

/*
 * Plans a row once more. false: it has been measured more than `most` times already, or the table
 * is full. A repeat that was left out does not count as a measurement.
 */
bool plan_repeat(struct bench *, const struct row *, unsigned most);

#endif
