/* SPDX-License-Identifier: MIT */
/* What a run says to people before, between and after its tables. */
#ifndef ENGINE_RUN_TEXT_H
#define ENGINE_RUN_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "engine/bench.h"
#include "lib/jsonl_write.h"

/* "EMULATED", "VIRTUAL" or "": stands in every title. */
const char *run_mark(const struct bench *);
/* The room, the TSC, the core clock and the arena. */
void say_machine(struct bench *);
/* The canonical sizes and where they are from. */
void say_levels(struct bench *);
/* The head of a probe's tables. */
void say_title(struct bench *, const struct probe *);
#define FOUND_TITLE "\nWhat the rows show (names as in the result):\n"
/*
 * What the rows of each probe show: the values found, by their names, then the probe's own words.
 */
void say_found(struct bench *);
/* The rows that were not measured, by the reason. */
void say_skipped(struct bench *);
/* The card of the machine. */
void say_card(struct bench *);

/* The rows that a run did not measure, by the reason; the run and `anechoic show` print it. */

#define SKIP_REASONS 32 /* others are counted together */
#define SKIP_KINDS   256
#define SKIP_REASON  96

struct skipped {
	struct skip_reason {
		char text[SKIP_REASON];
		unsigned rows;
	} reasons[SKIP_REASONS];
	struct skip_kind {
		const char *probe, *variant;
		unsigned reason, rows;
	} kinds[SKIP_KINDS];
	unsigned nreasons, nkinds;
	unsigned more; /* rows for which there was no place above */
};

/* probe and variant ("": all of it) are not copied. */
void skipped_add(struct skipped *, const char *probe, const char *variant, const char *reason);

/* Lines of at most 79 columns through say(to, text, n); nothing where no row was skipped. */
void skipped_print(const struct skipped *, void (*say)(void *to, const char *text, size_t n),
	void *to);

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
 * From here to remarks_end all that is said is this probe's. s, all 0 before the first, may be
 * NULL: nothing is kept.
 */
void remarks_begin(struct remarks *, const struct probe *);
void remarks_add(struct remarks *, const char *text, size_t n);
void remarks_end(struct remarks *);

/*
 * Adds the member `said`: of each probe that was asked its lines, without their newlines; in the
 * order in which they spoke. Where the rest did not fit, the last line is "  ...". Nothing if s is
 * NULL or nobody was asked.
 */
void remarks_put(const struct remarks *, struct jsonl *);

#endif
