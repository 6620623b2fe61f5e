/* SPDX-License-Identifier: MIT */
/* A run under way, and the rows of its plan being measured. */
#ifndef ENGINE_RUN_ROWS_H
#define ENGINE_RUN_ROWS_H

#include "engine/emit.h"
#include "engine/plan.h"
#include "engine/row_samples.h"
#include "engine/table.h"

/* All that a run needs, at the start of room->work; scratch memory for rows follows. */
struct session {
	uint64_t magic; /* RUNNING while a run is under way */
	struct bench bench;
	struct plan plan;
	struct emit emit;
	struct samples samples;
	struct result results[PLAN_ROWS];
	/* The table that is being printed: of which probe, and the first row that is not in it. */
	struct table table;
	const struct probe *heading;
	unsigned table_end;
	bool compact; /* rows complete curves: they are printed together, when all are there */
};

/* How long the profile is, in ns. */
double profile_ns(const struct bench *);
/* Whether the room wants the run to end. */
bool stopped(struct bench *);
/*
 * Measures the rows from `first` on, those first that are kept, until so many ns of the run are
 * over. None takes more than most_ns beyond its own estimate.
 */
void run_rows(struct session *, unsigned first, double until_ns, double most_ns);
/*
 * From now on rows are kept for say_kept, which prints those since result `from` together; returns
 * `from`.
 */
unsigned keep_rows(struct session *);
void say_kept(struct session *, unsigned from, const char *what);

#endif
