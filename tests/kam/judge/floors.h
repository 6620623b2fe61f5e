/* SPDX-License-Identifier: MIT */
/*
 * Floors: where the quietest tenth of the time tells another machine than the medians do, a summary
 * line has both (docs/format.md, `floor`). The machine without its disturbances is the truth.
 */
#ifndef TESTS_KAM_JUDGE_FLOORS_H
#define TESTS_KAM_JUDGE_FLOORS_H

#include <jansson.h>
#include <stdbool.h>

#include "tests/kam/judge/expected.h"
#include "tests/kam/judge/judged_run.h"

/*
 * What is wrong with a line's floor, or NULL. A floor belongs to a disturbed machine, lies away
 * from the value, in its own bracket, and within the tolerance of the truth (NULL: not known); the
 * share that was disturbed is that of the rows.
 */
const char *floor_fault(const struct judged *, json_t *line, const struct expected *truth);
/*
 * Whether the line is right by its floor: what slows a disturbed machine down may be in every
 * median, since nothing counts it.
 */
bool right_by_floor(const struct judged *, json_t *line, const struct expected *truth);

#endif
