/* SPDX-License-Identifier: MIT */
/* Which versions of the format are read, and how. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/result_fixture.h"

static const double three[] = { 1.0, 1.5, 2.0 };

/* In anechoic/1 parameters stood in the row itself. */
static void test_first_schema(void **state)
{
	(void)state;
	struct results r;
	struct fixture f;

	fixture_open(&f);
	fixture_line(&f, "run", ",\"schema\":\"anechoic/1\",\"places\":[{\"id\":0}]");
	fixture_row(&f, "pointer",
		",\"place\":\"l1\",\"bytes\":1024,\"page_bytes\":4096,\"at_seconds\":1.5",
		"ns/load", three, 3);
	fixture_line(&f, "skip",
		",\"probe\":\"latency\",\"variant\":\"v\",\"bytes\":1,\"reason\":\"no time\"");
	fixture_end(&f);
	fixture_read(&f, &r, "x");
	assert_int_equal(r.problems.all, 0);
	assert_string_equal(r.runs[0].rows[0].identity,
		"latency/pointer/bytes=1024/page_bytes=4096 ns/load");
	assert_string_equal(r.runs[0].rows[0].level, "l1");
	assert_true(r.runs[0].rows[0].at_seconds == 1.5);
	assert_true(json_is_array(json_object_get(r.runs[0].head, "topology")));
	results_free(&r);
}

static void test_later_schema_is_refused(void **state)
{
	(void)state;
	struct results r;
	struct fixture f;

	fixture_open(&f);
	f.room = "bare";
	fixture_line(&f, "run", ",\"schema\":\"anechoic/3\"");
	fixture_row(&f, "pointer", "", "ns/load", three, 3);
	fixture_end(&f);
	fixture_run(&f, "hosted", "");
	fixture_row(&f, "pointer", "", "ns/load", three, 3);
	fixture_end(&f);
	fixture_read(&f, &r, "x");
	assert_int_equal(r.problems.all, 1);
	assert_int_equal(r.problems.kept[0].line, 1);
	assert_non_null(strstr(r.problems.kept[0].text,
		"its format is 'anechoic/3', and this program reads anechoic/1 and anechoic/2 "
		"only"));
	assert_int_equal(r.nruns, 1);
	assert_string_equal(r.runs[0].room, "hosted");
	results_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_schema),
		cmocka_unit_test(test_later_schema_is_refused),
	};
	return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
