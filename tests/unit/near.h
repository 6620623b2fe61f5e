/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_NEAR_H
#define TESTS_UNIT_NEAR_H

#include "tests/unit/test.h"

/* The same number, but for what calculating it in another order changes. */
static void near(const char *what, double expected, double came)
{
	if (!(fabs(came - expected) <= 1e-9 * fabs(expected) + 1e-12))
		fail_msg("%s: expected %.12g, came %.12g", what, expected, came);
}

#endif
