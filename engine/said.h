/* SPDX-License-Identifier: MIT */
/*
 * The sentences in which the probes say what their rows show, kept for the end line of the result
 * (member `said`, docs/format.md), so that `anechoic show` prints them as the run did.
 */
#ifndef ENGINE_SAID_H
#define ENGINE_SAID_H

#include "engine/bench.h"
#include "lib/jsonl_write.h"

#define SAID_BYTES  (16 * 1024) /* what is said beyond it is printed and not kept */
#define SAID_PROBES 32

struct said {
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
 * From here to said_end all that is said is this probe's. s, all 0 before the first, may be NULL:
 * nothing is kept.
 */
void said_begin(struct said *, const struct probe *);
void said_add(struct said *, const char *text, size_t n);
void said_end(struct said *);

/*
 * Adds the member `said`: of each probe that was asked its lines, without their newlines; in the
 * order in which they spoke. Where the rest did not fit, the last line is "  ...". Nothing if s is
 * NULL or nobody was asked.
 */
void said_put(const struct said *, struct jsonl *);

#endif
