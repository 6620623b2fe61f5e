/* SPDX-License-Identifier: MIT */
/* Which experiments a list of names chooses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
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

static void names_of_no_probe_are_refused(void **state)
{
	char err[256];

	(void)state;
	assert_int_equal(0, selection_check("", err, sizeof err));
	assert_int_equal(0, selection_check("latency,clock:any,mlp:", err, sizeof err));
	assert_int_equal(-1, selection_check("clock,latenc:pointer", err, sizeof err));
	assert_memory_equal(err, "probes = 'latenc:pointer': no such probe; there are clock, ", 58);
	assert_int_equal(-1, selection_check("nosuch", err, 40));
	assert_int_equal(39, strlen(err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes_by_name),
		cmocka_unit_test(rows_by_variant),
		cmocka_unit_test(names_of_no_probe_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
