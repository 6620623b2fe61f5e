/* SPDX-License-Identifier: MIT */
/* A condition that holds is computed once; a broken one ends the program and names its place. */
#include "linux/abort.c"
#include "tests/unit/test.h"

TEST(a_condition_is_computed_once)
{
	int n = 1;

	ensure(n++ == 1);
	assert_int_equal(2, n);
}

TEST(a_broken_condition_ends_the_program)
{
	expect_broken("1 + 1 == 3", ensure(1 + 1 == 3));
	expect_broken("n < MOST", ensure_failed("n < MOST", "engine/find.c", 459));
}
