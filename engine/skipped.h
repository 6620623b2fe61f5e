/* SPDX-License-Identifier: MIT */
/* The rows that a run did not measure, by the reason; the run and `anechoic show` print it. */
#ifndef ENGINE_SKIPPED_H
#define ENGINE_SKIPPED_H

#include <stddef.h>

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

#endif
