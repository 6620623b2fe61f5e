/* SPDX-License-Identifier: MIT */
/* Count the instructions and operands that a rule of probes/loops/loops.inc names. */
#ifndef TESTS_KAM_LOOPS_LOOP_COUNT_H
#define TESTS_KAM_LOOPS_LOOP_COUNT_H

#include "tests/kam/loops/loop_code.h"

/*
 * Returns the count for one "what=how many" of a rule. A word that is not understood ends the
 * program.
 */
long count_in_loop(const struct decoded_code *, struct code_stretch timed, struct code_stretch body,
	const char *token);
long count_wanted(const char *token);

#endif
