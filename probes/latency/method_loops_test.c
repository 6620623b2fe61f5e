/* SPDX-License-Identifier: MIT */
/* The check in Groot Koerkamp's chase: no row has an index that is too large. */
#include "tests/unit/guard.h"
#include "tests/unit/loop_calls.h"

static uint64_t checked(const uint64_t *base, uint64_t start, uint64_t loads)
{
	return call_kernel("method_checked", loop_method_checked, (uintptr_t)base, start, loads, 5,
		0);
}

/* An index at or beyond the limit is not used: nothing beyond the buffer is loaded. */
TEST(the_check_checks)
{
	uint64_t *base = (uint64_t *)guarded_side(0, 5 * 8, 0);

	for (unsigned i = 0; i < 5; i++)
		base[i] = i + 1;
	assert_int_equal(4, checked(base, 0, 4));
	assert_int_equal(5, checked(base, 0, 5));
	assert_true(checked(base, 0, 6) == UINT64_MAX);
	assert_true(checked(base, 1ULL << 60, 1) == UINT64_MAX);
}
