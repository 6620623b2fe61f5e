/* SPDX-License-Identifier: MIT */
/* Which experiments a list of names chooses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probes/choice.h"

static void probes_by_name(void **state)
{
	(void)state;
	assert_true(choice_probe("", "latency"));
	assert_true(choice_probe("latency", "latency"));
	assert_true(choice_probe("mlp,latency", "latency"));
	assert_true(choice_probe("latency:pointer", "latency"));
	assert_false(choice_probe("latency:pointer", "late"));
	assert_false(choice_probe("late", "latency"));
	assert_false(choice_probe("mlp", "latency"));
}

static void rows_by_variant(void **state)
{
	(void)state;
	assert_true(choice_row("", "latency", "pointer"));
	assert_true(choice_row("latency", "latency", "pointer"));
	assert_true(choice_row("mlp,latency:index,latency:pointer", "latency", "pointer"));
	assert_false(choice_row("latency:pointer", "latency", "pointer-padded"));
	assert_false(choice_row("latency:pointer-padded", "latency", "pointer"));
	assert_false(choice_row("latency:", "latency", "pointer"));
	assert_false(choice_row("mlp:pointer", "latency", "pointer"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes_by_name),
		cmocka_unit_test(rows_by_variant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
