/* SPDX-License-Identifier: MIT */
/* The cuts that divide a rise into plateaus. */
#include "engine/infer/staircase.c"
#include "tests/unit/test.h"

/* The longer plateau begins with a point that the shorter one before it could end with. */
TEST(no_point_is_of_two_plateaus)
{
	static const double rises[] = { 0, 0, 0, 0.4, 0.7, 0, 0, 0, 0, 0, 0 }; /* tolerances */
	enum { POINTS = sizeof rises / sizeof *rises + 1 };
	struct fitted w = { .n = POINTS };
	struct stretch found[POINTS];

	for (unsigned i = 1; i < POINTS; i++) {
		w.x[i] = i / 4.0;
		w.fit[i] = w.raw[i] = w.fit[i - 1] + rises[i - 1] * PLATEAU_RISE;
	}
	assert_int_equal(plateaus(&w, 0, POINTS - 1, PLATEAU_LENGTH, found, POINTS), 2);
	assert_int_equal(found[0].first, 0);
	assert_int_equal(found[0].last, 3);
	assert_int_equal(found[1].first, 4);
	assert_int_equal(found[1].last, POINTS - 1);
}
