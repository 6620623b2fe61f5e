/* SPDX-License-Identifier: MIT */
/*
 * Section [expect] of a machine's .ini: which values it hides by design, each with the reason.
 *
 *     NAME = not resolved: REASON
 *     NAME = not resolved in layer b: REASON          only there
 *     NAME = not resolved in profile smoke: REASON    likewise
 *     NAME, NAME = not resolved: REASON               of each of them
 *     every_value = by the rules: REASON              of a machine that nobody has looked at
 */
#ifndef TESTS_KAM_JUDGE_STATED_H
#define TESTS_KAM_JUDGE_STATED_H

#include "tests/kam/judge/expected.h"
#include "tests/kam/judge/judged_run.h"

/*
 * Marks the values that a rule of a truth excuses and that the machine's file states for this run:
 * they must not be resolved. A statement that no rule supports is called wrong; one that says
 * something else, or names no expected value, ends the program.
 */
void mark_stated(const struct judged *, struct expected_list *);

#endif
