/* SPDX-License-Identifier: MIT */
/* The lines of a result, docs/format.md: built here, handed to room->write one by one. */
#ifndef ENGINE_EMIT_H
#define ENGINE_EMIT_H

#include "engine/probe_api.h"
#include "lib/jsonl_write.h"
#include "engine/bench.h"

#define EMIT_LINE (256 * 1024) /* noise's 4096 events with their times are the longest */

struct emit {
	struct jsonl line;
	unsigned seq;     /* lines written */
	uint32_t crc_all; /* over all of them, newlines included */
	char text[EMIT_LINE];
};

/* Says as text, too, which CPU controls were asked for and not set. */
void emit_run(struct bench *);
/* values[samples] in the order taken; flagged[i] marks disturbed ones. */
void emit_row(struct bench *, const struct result *, struct job *, const double *values,
	const bool *flagged);
/* row NULL: the whole probe. job NULL: the row was not tried. */
void emit_skip(struct bench *, const struct probe *, const struct row *, struct job *,
	const char *reason);
/* A summary line for every value found. */
void emit_found(struct bench *);
/* The same lines, which only this card reads: the run goes on. */
void emit_found_on(struct bench *, struct card *);
/* status: "complete", "interrupted", "empty", "faulted"; why NULL or a reason. */
void emit_end(struct bench *, const char *status, const char *why);

/* For the files of the writer: */

/* Begins a line of that kind. */
struct jsonl *emit_begin(struct bench *, const char *kind);
/* Closes the line and hands it to room->write. */
void emit_line(struct bench *);
/* Adds the member `counts` to the run line: what the room can count. */
void emit_counts_known(struct jsonl *, struct room *);
/*
 * Adds the object `speed` to the run line: the facts of speed_facts.inc that this processor has, by
 * room->read_msr. An MSR that faults stands in `absent`. Where none can be read, or where the room
 * answers for MSRs that no processor has, there is only the reason, `why`.
 */
void emit_speed(struct room *, struct jsonl *);

#endif
