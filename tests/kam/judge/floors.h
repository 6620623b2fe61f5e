/* SPDX-License-Identifier: MIT */
/*
 * Floors: if the quietest tenth of the time gives a different value than the medians do, a summary
 * line has both (docs/format.md, `floor`). The machine without its disturbances is the truth.
 */
#ifndef TESTS_KAM_JUDGE_FLOORS_H
#define TESTS_KAM_JUDGE_FLOORS_H

#include <jansson.h>
#include <stdbool.h>

#include "tests/kam/judge/expected.h"
#include "tests/kam/judge/judged_run.h"

/*
 * Returns what is wrong with a line's floor, or NULL. A floor belongs to a disturbed machine, lies
 * away from the value, in its own bracket, and within the tolerance of the truth (NULL: not known);
 * its disturbed share is that of the rows.
 */
const char *floor_fault(const struct judged *, json_t *line, const struct expected *truth);
/*
 * Returns true if the line is right by its floor: every median may contain the disturbances of such
 * a machine, since nothing counts them.
 */
bool right_by_floor(const struct judged *, json_t *line, const struct expected *truth);

#endif
