/* SPDX-License-Identifier: MIT */
/* Texts of a run before, between and after its tables. */
#ifndef ENGINE_RUN_TEXT_H
#define ENGINE_RUN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/bench.h"
#include "lib/jsonl_write.h"

/* Seconds since the run began. */
double run_seconds(const struct bench *);

/* The room, the TSC, the core clock and the arena. */
void say_machine(struct bench *);
/*
 * How long the run still takes: ", at most 6 s left to measure", which never rises, as output and
 * memory are not in it; of several runs or rooms, and of a source, an estimate. "": not known yet,
 * because the rows whose length was asked for are not planned.
 */
#define TIME_LEFT 48
void time_left_text(const struct bench *, double left_ns, char out[TIME_LEFT]);
/*
 * "; stall is 40.0 % off, ...": each source of the TSC's rate, timed or claimed, that is more than
 * 1 % away from the one believed; "" where there is none.
 */
#define SOURCES_OFF_TEXT 256
void tsc_sources_off(const struct facts *, char out[SOURCES_OFF_TEXT]);
/* The canonical sizes and where they are from. */
void say_levels(struct bench *);
/* Returns true if a row of the probe was measured. */
bool probe_has_rows(const struct bench *, const struct probe *);
#define FOUND_TITLE "\nWhat the rows show (names as in the result):\n"
/* Prints this card: what was found so far, before the rest is measured. */
void say_first_card(struct bench *, const struct card *);
/*
 * The rows that were not measured, by the reason; of each probe the values found, by their names,
 * and its own words; what the card has unlike the first one (NULL: none), and the card of the
 * machine. no_time: rows that were left out, by answer.
 */
void say_outcome(struct bench *, const struct card *first, const unsigned no_time[ANSWERS]);

/*
 * The sentences in which the probes say what their rows show, kept for the end line of the result
 * (member `said`, docs/format.md), so that `anechoic show` prints them as the run did.
 */

#define SAID_BYTES  (16 * 1024) /* what is said beyond it is printed and not kept */
#define SAID_PROBES 32

struct remarks {
	const struct probe *now; /* who is speaking; NULL: nothing is kept */
	unsigned n;              /* probes that have spoken */
	struct {
		const struct probe *probe;
		size_t begin, end; /* of its text */
		bool cut;          /* the rest of it did not fit */
	} by[SAID_PROBES];
	size_t used;
	char text[SAID_BYTES];
};

/*
 * Adds the member `said`: of each probe that was asked its lines, without their newlines; in the
 * order in which they spoke. Where the rest did not fit, the last line is "  ...". Nothing if s is
 * NULL or nobody was asked.
 */
void remarks_put(const struct remarks *, struct jsonl *);

#endif
