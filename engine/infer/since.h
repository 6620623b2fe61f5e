/* SPDX-License-Identifier: MIT */
/*
 * Changes since an earlier result of the same machine and room: the values that people tune by, now
 * and before, and differences of the machine's settings. The end screen shows it below the card,
 * and `anechoic show --since` prints it.
 */
#ifndef INFER_SINCE_H
#define INFER_SINCE_H

#include "engine/infer/card.h"

struct since {
	struct line run;         /* the result's run line */
	const struct card *card; /* of its lines */
};

/*
 * Copies what since_print needs of a result: its run line and the summary lines of these values.
 * Returns the bytes; 0: they do not fit, or there is no run line.
 */
size_t since_keep(const char *text, size_t n, char *out, size_t bytes);

#define SINCE_LINES 11 /* at most */

/*
 * Prints through say, a line of at most 79 columns at a time: the file of the earlier result; the
 * values that at least one of the two resolved, with the difference in per cent of the earlier one,
 * and a star where it is more than the doubt of both (docs/boot.md, "Since the last run"); what
 * differs among lib/circumstances.inc. No star in an emulator.
 */
void since_print(const struct since *now, const struct since *before, const char *file,
	card_say *say, void *to);

#endif
