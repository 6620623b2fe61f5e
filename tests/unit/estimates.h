/* SPDX-License-Identifier: MIT */
/* What a test says of an inferred value that is not as expected: the curve and the answer. */
#ifndef TESTS_UNIT_ESTIMATES_H
#define TESTS_UNIT_ESTIMATES_H

#include "infer/infer.h"
#include "tests/unit/test.h"

static inline void fail_with(const char *what, const struct point *p, unsigned n, struct estimate e)
{
	print_message("%u points:", n);
	for (unsigned i = 0; i < n; i++)
		print_message(" %g:%.4g", p[i].x, p[i].y);
	print_message("\nvalue %g (%g..%g), confidence %.2f, %s\n", e.value, e.low, e.high,
		e.confidence, e.reason ? e.reason : "");
	fail_msg("%s", what);
}

static inline void expect_refused(const struct point *p, unsigned n, struct estimate e)
{
	if (e.value == e.value || !e.reason)
		fail_with("it was resolved", p, n, e);
}

#endif
