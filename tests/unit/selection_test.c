/* SPDX-License-Identifier: MIT */
/* Which experiments a list of names chooses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/selection.h"

static void probes_by_name(void **state)
{
	(void)state;
	assert_true(probe_selected("", "latency"));
	assert_true(probe_selected("latency", "latency"));
	assert_true(probe_selected("mlp,latency", "latency"));
	assert_true(probe_selected("latency:pointer", "latency"));
	assert_false(probe_selected("latency:pointer", "late"));
	assert_false(probe_selected("late", "latency"));
	assert_false(probe_selected("mlp", "latency"));
}

static void rows_by_variant(void **state)
{
	(void)state;
	assert_true(variant_selected("", "latency", "pointer"));
	assert_true(variant_selected("latency", "latency", "pointer"));
	assert_true(variant_selected("mlp,latency:index,latency:pointer", "latency", "pointer"));
	assert_false(variant_selected("latency:pointer", "latency", "pointer-padded"));
	assert_false(variant_selected("latency:pointer-padded", "latency", "pointer"));
	assert_false(variant_selected("latency:", "latency", "pointer"));
	assert_false(variant_selected("mlp:pointer", "latency", "pointer"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes_by_name),
		cmocka_unit_test(rows_by_variant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
