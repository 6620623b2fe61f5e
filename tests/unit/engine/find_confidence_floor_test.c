/* SPDX-License-Identifier: MIT */
/* Which values of quiet moments are said beside those of the medians. */
#include "engine/find.h"
#include "lib/math.h"
#include "tests/unit/test.h"

/* Whether a floor is said beside a value of this unit. */
static bool is_said(const char *unit, double value, double floor)
{
	static struct found_values values, lower;
	static struct bench b;
	static const struct probe *none;

	values = (struct found_values){ .n = 1, .by = { none } };
	lower = values;
	values.list[0] = (struct summary){ .name = "x", .unit = unit, .value = value };
	lower.list[0] = (struct summary){ .name = "x", .unit = unit, .value = floor };
	keep_floors(&b, &values, &lower);
	if (values.list[0].has_floor)
		assert_true(values.list[0].floor == floor);
	return values.list[0].has_floor;
}

TEST(a_time_is_shorter_in_quiet_moments)
{
	assert_true(is_said("cycles", 25, 22));
	assert_true(is_said("ns", 120, 100));
	assert_false(is_said("cycles", 22, 25));
	assert_false(is_said("ns", 100, 120));
	assert_true(is_said("cycles", NOT_A_NUMBER, 25)); /* by medians there is none */
}

TEST(a_rate_or_size_is_larger_or_smaller)
{
	assert_true(is_said("bytes/cycle", 10, 12));
	assert_true(is_said("entries", 64, 96));
	assert_true(is_said("entries", 96, 64));
}

TEST(what_is_nearly_the_same_is_not_said)
{
	assert_false(is_said("cycles", 100, 98));
	assert_false(is_said("cycles", 100, NOT_A_NUMBER));
}
