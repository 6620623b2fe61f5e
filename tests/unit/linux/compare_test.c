/* SPDX-License-Identifier: MIT */
/* The findings of compare between results whose differences the test made. */
#include "linux/report/compare/sets.c"
#include "linux/report/reading/results.h"
#include "tests/unit/compared.h"
#include "tests/unit/test.h"

AFTER_EACH(forget);

/* A head wider than all that stands below it makes its column as wide. */
TEST(test_columns_are_as_wide_as_their_heads)
{
	for (unsigned i = 0; i < 2; i++)
		row(file(i ? "b" : "a", "bare", ""), "slow", ",\"params\":{\"a_long_parameter\":7}",
			"ns/load", 10);
	compare();
	says("  variant a_long_parameter        A ");
	says("  slow                   7 ");
}

TEST(test_same_and_different)
{
	struct fixture *f = file("a.ndjson", "hosted", "");
	row(f, "same", "", "ns/load", 10);
	row(f, "slow", "", "ns/load", 10);
	row(f, "fast", "", "ns/load", 10);
	row(f, "rate-down", "", "GB/s", 10);
	row(f, "rate-up", "", "GB/s", 10);
	row(f, "count", "", "misses", 10);
	f = file("b.ndjson", "bare", "");
	row(f, "same", "", "ns/load", 10.1);
	row(f, "slow", "", "ns/load", 11);
	row(f, "fast", "", "ns/load", 9);
	row(f, "rate-down", "", "GB/s", 5);
	row(f, "rate-up", "", "GB/s", 20);
	row(f, "count", "", "misses", 20);
	compare();
	expect_verdict(0, VERDICT_UNKNOWN); /* single runs: 1 % may be chance */
	expect_verdict(1, VERDICT_SLOWER);
	assert_true(fabs(cell(1, 1)->slower - 1.1) < 1e-9);
	assert_true(cell(1, 1)->low < 1.07 && cell(1, 1)->high > 1.13);
	expect_verdict(2, VERDICT_FASTER);
	assert_true(fabs(cell(3, 1)->slower - 2) < 1e-9 && fabs(cell(3, 1)->ratio - 0.5) < 1e-9);
	assert_true(fabs(cell(4, 1)->slower - 0.5) < 1e-9);
	assert_true(isnan(cell(5, 1)->slower));
	expect_verdict(5, VERDICT_MORE);
	const struct set_cost *cost = &b.c.costs[1];
	assert_int_equal(cost->rows, 5);
	assert_int_equal(cost->verdicts[VERDICT_UNKNOWN], 1);
	assert_int_equal(cost->verdicts[VERDICT_SLOWER], 2);
	assert_int_equal(cost->verdicts[VERDICT_FASTER], 2);
	assert_true(fabs(cost->median_effect - 1.01) < 1e-9);
	assert_true(fabs(cost->worst - 2) < 1e-9);
	assert_true(fabs(cost->tail_effect - 1) < 1e-9);
	says("? (");
	says("5 rows: 0 same (0 %), 2 slower, 2 faster, 1 cannot tell");
	assert_true(strstr(b.text, "    latency rate-down") < strstr(b.text, "    latency slow"));
}

TEST(test_environment)
{
	row(file("a", "hosted",
		    ",\"core_hz\":3.0e9,\"time_utc\":\"x\",\"os\":{\"thp\":\"always\"}"),
		"v", "", "ns/load", 1);
	row(file("b", "bare", ",\"core_hz\":3.01e9,\"time_utc\":\"y\",\"seed\":5"), "v", "",
		"ns/load", 1);
	compare();
	assert_int_equal(b.c.environment.n, 2);
	assert_string_equal(b.c.environment.differences[0].key, "os.thp");
	assert_string_equal(b.c.environment.differences[0].values[0], "always");
	assert_string_equal(b.c.environment.differences[0].values[1], "-");
	assert_string_equal(b.c.environment.differences[1].key, "seed");
	assert_int_equal(b.c.environment.nwarnings, 0);
}

TEST(test_other_cpu_and_emulated_are_loud)
{
	struct fixture *f = &b.files[b.n];

	row(file("linux", "hosted", ",\"x\":1"), "v", "", "ns/load", 1);
	f = &b.files[b.n];
	b.names[b.n++] = "qemu";
	fixture_open(f);
	f->room = "bare";
	fixture_line(f, "run",
		",\"schema\":\"anechoic/2\",\"build\":\"v1\",\"cpu\":{\"vendor\":\"X\","
		"\"brand\":\"QEMU\",\"family\":6,\"model\":6,\"stepping\":3,\"microcode\":16777317}"
		",\"cpus\":2,"
		"\"emulated\":true,\"hypervisor\":\"TCGTCGTCGTCG\",\"tsc_hz\":2500000000,\"x\":1");
	row(f, "v", "", "ns/load", 30);
	compare();
	says("WARNING: THE PROCESSORS DIFFER (brand)");
	says("  cpu.microcode\n    A  -\n    B  0x1000065\n");
	says("WARNING: qemu/bare is EMULATED: its timings mean nothing");
	assert_true(strstr(b.text, "EMULATED") < strstr(b.text, "Verdict"));
	assert_string_equal(b.c.environment.differences[0].key, "cpu.brand");
}

TEST(test_levels_and_pages)
{
	struct fixture *f = file("a", "hosted", "");
	row(f, "v", PARAMS("\"bytes\":4096,\"page_bytes\":4096"), "ns/load", 1);
	row(f, "v", PARAMS("\"bytes\":4096,\"page_bytes\":2097152"), "ns/load", 1);
	row(f, "v", ",\"level\":\"l3\"" PARAMS("\"bytes\":8000,\"page_bytes\":4096"), "ns/load", 1);
	row(f, "only-a", "", "ns/load", 1);
	f = file("b", "bare", "");
	row(f, "v", PARAMS("\"page_bytes\":4096,\"bytes\":4096"), "ns/load", 1);
	row(f, "v", PARAMS("\"bytes\":4096,\"page_bytes\":1073741824"), "ns/load", 1);
	row(f, "v", ",\"level\":\"l3\"" PARAMS("\"bytes\":9000,\"page_bytes\":4096"), "ns/load", 2);
	row(f, "only-b", "", "ns/load", 1);
	compare();
	assert_true(cell(0, 1)->exact); /* the order of members does not matter */
	assert_true(cell(1, 1)->row && !cell(1, 1)->exact);
	assert_true(cell(2, 1)->row && !cell(2, 1)->exact);
	assert_null(cell(3, 1)->row);
	assert_int_equal(b.c.costs[1].rows, 1);
	assert_int_equal(b.c.costs[1].loose, 2);
	assert_int_equal(b.c.costs[1].alone, 2);
	says("(other size)");
}

/*
 * In a run with prefetch=both the rows with prefetchers are comparable with those of any other run.
 */
TEST(test_rows_without_prefetchers_are_apart)
{
	struct fixture *f = file("both", "bare", "");

	row(f, "v", PARAMS("\"prefetch\":1"), "ns/load", 10);
	row(f, "v", PARAMS("\"prefetch\":0"), "ns/load", 30);
	row(file("plain", "hosted", ""), "v", "", "ns/load", 10);
	compare();
	assert_true(cell(0, 1)->exact);
	assert_null(cell(1, 1)->row);
	assert_int_equal(b.c.costs[1].rows, 1);
	assert_int_equal(b.c.costs[1].alone, 1);
}

/* Events are no speeds: nothing can be said of what they cost, but they are there. */
TEST(test_only_events)
{
	const char *members =
		",\"probe\":\"noise\",\"variant\":\"gaps\",\"unit\":\"gaps/s\",\"median\":%d";

	fixture_line(file("a", "bare", ""), "row", members, 10);
	fixture_line(file("b", "hosted", ""), "row", members, 1000);
	compare();
	assert_int_equal(b.c.costs[1].rows, 0);
	assert_int_equal(b.c.costs[1].events, 1);
	says("no time or rate was measured in both");
	says_not("no row is");
}

/* The offset of a clock is no duration. */
TEST(test_only_places)
{
	row(file("a", "bare", ""), "v", "", "ns ahead", 10);
	row(file("b", "hosted", ""), "v", "", "ns ahead", 1000);
	compare();
	assert_int_equal(b.c.costs[1].rows, 0);
	assert_int_equal(b.c.costs[1].events, 1);
	says("no time or rate was measured in both");
}

TEST(test_repeated_runs_are_one_set)
{
	row(file("d/quiet-1.ndjson", "hosted", ""), "v", "", "ns/load", 10);
	row(file("d/quiet-2.ndjson", "hosted", ""), "v", "", "ns/load", 12);
	row(file("d/busy-1.ndjson", "hosted", ""), "v", "", "ns/load", 11.5);
	compare();
	assert_int_equal(b.c.sets.n, 2);
	assert_int_equal(b.c.sets.set[0].nruns, 2);
	assert_int_equal(b.c.rows[0].cells[0].row->nruns, 2);
	assert_true(fabs(b.c.rows[0].cells[0].row->median - sqrt(120)) < 1e-9);
	expect_verdict(0, VERDICT_UNKNOWN); /* the quiet runs differ more from each other */
}

/* A row that was measured again in the same run is not another run. */
TEST(test_rows_measured_twice_are_one)
{
	struct fixture *f = file("a", "hosted", "");

	row(f, "v", "", "ns/load", 10);
	row(f, "v", "", "ns/load", 12);
	row(file("b", "hosted", ""), "v", "", "ns/load", 11);
	compare();
	assert_int_equal(b.c.nrows, 1);
	assert_int_equal(b.c.rows[0].cells[0].row->nruns, 1);
	assert_true(fabs(cell(0, 1)->ratio - 1) < 1e-9);
}

TEST(test_group_names)
{
	static const char *const names[][2] = { { "a/quiet-2.ndjson", "a/quiet" }, { "x", "x" },
		{ "run2.ndjson", "run2" }, { "v1.2.ndjson", "v1" }, { "12", "12" }, { "-1", "-1" },
		{ "a_07.json", "a" }, { "d\xc3\xa9-1.n", "d??" }, { "dir/", "dir/" },
		{ ".hidden", ".hidden" }, { "a.b/-1", "a.b/-1" }, { "a-1/b", "a-1/b" } };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *group = file_group(names[i][0]);
		assert_string_equal(group, names[i][1]);
		free(group);
	}
}

TEST(test_more_than_two)
{
	json_error_t error;

	row(file("a", "bare", ""), "v", "", "ns/load", 10);
	row(file("b", "firmware", ""), "v", "", "ns/load", 10.1);
	row(file("c", "hosted", ""), "v", "", "ns/load", 15);
	compare();
	says("       B    B/A          C    C/A   ns/load");
	says(" 1.010?");
	says(" 1.500 ");
	says("what b/firmware (B) costs against a/bare (A)");
	says("what c/hosted (C) costs against a/bare (A)");
	json_t *json = json_loads(b.json, 0, &error);
	if (!json)
		fail_msg("--json is no JSON: line %d: %s", error.line, error.text);
	assert_int_equal(json_array_size(json_object_get(json, "sets")), 3);
	assert_int_equal(json_array_size(json_object_get(json, "verdicts")), 2);
	json_t *cells = json_object_get(json_array_get(json_object_get(json, "rows"), 0), "sets");
	assert_true(fabs(number_of(json_array_get(cells, 2), "ratio") - 1.5) < 1e-9);
	assert_string_equal(text_of(json_array_get(cells, 2), "verdict"), "slower");
	assert_string_equal(text_of(json_array_get(cells, 1), "verdict"), "unknown");
	json_decref(json);
	says_not("nan");
}

/* Values that may be 0 or less are compared as a difference. */
TEST(test_differences)
{
	const double none[] = { 0, 0, 0 };

	for (int set = 0; set < 2; set++) {
		struct fixture *f = file(set ? "b" : "a", "hosted", "");
		const char *members =
			",\"probe\":\"tlb\",\"variant\":\"%s\",\"unit\":\"ns/load\","
			"\"samples\":3,\"median\":%g,\"mad\":0,\"values\":[%g,%g,%g]" PARAMS(
				"\"pages\":8");

		fixture_row(f, "zero", "", "ns/op", none, 3);
		row(f, "negative", "", "ns/op", set ? 1 : -1);
		for (int i = 0; i < 2; i++) {
			double v = i ? 10 : (set ? 0.001 : 0.0001); /* cost, spread */
			fixture_line(f, "row", members, i ? "spread" : "cost", v, v, v, v);
		}
	}
	compare();
	for (size_t i = 0; i < 3; i++)
		assert_true(cell(i, 1)->difference && isnan(cell(i, 1)->ratio));
	assert_true(fabs(cell(1, 1)->change - 2) < 1e-9);
	assert_true(fabs(cell(2, 1)->change - 0.0009) < 1e-9);
	assert_true(fabs(cell(2, 1)->slower - 1.00009) < 1e-9); /* of the 10 ns of spread */
	says_not("nan");
}
