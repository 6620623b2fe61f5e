/* SPDX-License-Identifier: MIT */
/* Judges if a set is worse than the first one by more than a limit, for a program that asks. */
#ifndef REPORT_COMPARE_GATE_H
#define REPORT_COMPARE_GATE_H

#include "linux/report/compare/compare.h"

enum gate {
	GATE_NONE_SLOWER,
	GATE_SLOWER,
	GATE_CANNOT_JUDGE,
};

/*
 * Judge the rows of set s that are times or rates. `limit`: a part, 0.05 for 5 %. *why: the
 * sentence, which the caller frees; NULL with GATE_NONE_SLOWER.
 * - slower: a row's verdict is slower, and it is slower by more than the limit;
 * - cannot judge: one of the two is EMULATED, or both have a run in common; a row seems slower by
 *   more than the limit, and its verdict is unknown; or more than GATE_UNJUDGED of the rows of the
 *   first set are undecided, or missing in the other set.
 */
enum gate gate_judge(const struct comparison *, size_t s, double limit, char **why);

#define GATE_UNJUDGED 0.1 /* part of the rows that may stay undecided: the noisiest always are */

#endif
