/* SPDX-License-Identifier: MIT */
/* What compare finds between results whose differences we made. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/compare.h"
#include "report/identity.h"
#include "report/noise.h"
#include "tests/unit/result_fixture.h"

#define MOST 4

/* Results under construction, and what became of them. */
struct bench_of {
	struct fixture files[MOST];
	struct results results[MOST];
	const char *names[MOST];
	unsigned n;
	struct comparison c;
	char *text, *json;
	size_t text_n, json_n;
};

static struct fixture *file(struct bench_of *b, const char *name, const char *room, const char *more)
{
	struct fixture *f = &b->files[b->n];

	b->names[b->n++] = name;
	fixture_open(f);
	fixture_run(f, room, more);
	return f;
}

static void compare(struct bench_of *b)
{
	struct sets sets = { 0 };

	for (unsigned i = 0; i < b->n; i++) {
		fixture_end(&b->files[i]);
		fixture_read(&b->files[i], &b->results[i], b->names[i]);
		assert_int_equal(b->results[i].problems.all, 0);
		sets_add(&sets, &b->results[i]);
	}
	sets_pool(&sets);
	compare_sets(&b->c, sets);
	FILE *out = open_memstream(&b->text, &b->text_n);
	comparison_print(&b->c, out);
	fclose(out);
	out = open_memstream(&b->json, &b->json_n);
	comparison_print_json(&b->c, out);
	fclose(out);
}

static void forget(struct bench_of *b)
{
	comparison_free(&b->c);
	for (unsigned i = 0; i < b->n; i++)
		results_free(&b->results[i]);
	free(b->text);
	free(b->json);
}

static void says(const struct bench_of *b, const char *text)
{
	if (!strstr(b->text, text))
		fail_msg("expected '%s' in:\n%s", text, b->text);
}

static void says_not(const struct bench_of *b, const char *text)
{
	if (strstr(b->text, text))
		fail_msg("did not expect '%s' in:\n%s", text, b->text);
}

/* Seven samples around a value: -1, 0 and +1 per mille. */
static void row(struct fixture *f, const char *variant, const char *params, const char *unit,
	double value)
{
	static const double around[] = { 0.999, 0.9995, 1, 1, 1, 1.0005, 1.001 };
	double values[7];

	for (int i = 0; i < 7; i++)
		values[i] = value * around[i];
	fixture_row(f, variant, params, unit, values, 7);
}

static const struct cell *cell(const struct bench_of *b, size_t at, size_t set)
{
	assert_true(at < b->c.nrows && set < b->c.sets.n);
	return &b->c.rows[at].cells[set];
}

static void test_same_and_different(void **state)
{
	(void)state;
	struct bench_of b = { 0 };
	struct fixture *f = file(&b, "a.ndjson", "hosted", "");
	row(f, "same", "", "ns/load", 10);
	row(f, "slow", "", "ns/load", 10);
	row(f, "fast", "", "ns/load", 10);
	row(f, "rate-down", "", "GB/s", 10);
	row(f, "rate-up", "", "GB/s", 10);
	row(f, "count", "", "misses", 10);
	f = file(&b, "b.ndjson", "bare", "");
	row(f, "same", "", "ns/load", 10.1);
	row(f, "slow", "", "ns/load", 11);
	row(f, "fast", "", "ns/load", 9);
	row(f, "rate-down", "", "GB/s", 5);
	row(f, "rate-up", "", "GB/s", 20);
	row(f, "count", "", "misses", 20);
	compare(&b);
	assert_true(cell(&b, 0, 1)->same && !cell(&b, 0, 1)->clock);
	assert_true(!cell(&b, 1, 1)->same && fabs(cell(&b, 1, 1)->slower - 1.1) < 1e-9);
	assert_true(cell(&b, 1, 1)->low <= 1.1 && cell(&b, 1, 1)->high >= 1.1 - 1e-9);
	assert_true(!cell(&b, 2, 1)->same && cell(&b, 2, 1)->slower < 1);
	assert_true(fabs(cell(&b, 3, 1)->slower - 2) < 1e-9 && fabs(cell(&b, 3, 1)->ratio - 0.5) < 1e-9);
	assert_true(fabs(cell(&b, 4, 1)->slower - 0.5) < 1e-9);
	assert_true(isnan(cell(&b, 5, 1)->slower));
	const struct cost *cost = &b.c.costs[1];
	assert_int_equal(cost->rows, 5);
	assert_int_equal(cost->same, 1);
	assert_int_equal(cost->slower, 2);
	assert_int_equal(cost->faster, 2);
	assert_true(fabs(cost->median_effect - 1.01) < 1e-9);
	assert_true(fabs(cost->worst - 2) < 1e-9);
	assert_true(fabs(cost->tail_effect - 1) < 1e-9);
	says(&b, "same within noise");
	says(&b, "5 rows: 1 same within noise (20 %), 2 slower, 2 faster");
	assert_true(strstr(b.text, "    latency rate-down") < strstr(b.text, "    latency slow"));
	forget(&b);
}

static void test_environment(void **state)
{
	(void)state;
	struct bench_of b = { 0 };

	row(file(&b, "a", "hosted", ",\"core_hz\":3.0e9,\"time_utc\":\"x\",\"os\":{\"thp\":\"always\"}"),
		"v", "", "ns/load", 1);
	row(file(&b, "b", "bare", ",\"core_hz\":3.01e9,\"time_utc\":\"y\",\"seed\":5"), "v", "",
		"ns/load", 1);
	compare(&b);
	assert_int_equal(b.c.environment.n, 2);
	assert_string_equal(b.c.environment.differences[0].key, "os.thp");
	assert_string_equal(b.c.environment.differences[0].values[0], "always");
	assert_string_equal(b.c.environment.differences[0].values[1], "-");
	assert_string_equal(b.c.environment.differences[1].key, "seed");
	assert_int_equal(b.c.environment.nwarnings, 0);
	forget(&b);
}

static void test_other_cpu_and_emulated_are_loud(void **state)
{
	(void)state;
	struct bench_of b = { 0 };
	struct fixture *f = &b.files[b.n];

	row(file(&b, "linux", "hosted", ",\"x\":1"), "v", "", "ns/load", 1);
	f = &b.files[b.n];
	b.names[b.n++] = "qemu";
	fixture_open(f);
	f->room = "bare";
	fixture_line(f, "run", ",\"schema\":\"anechoic/1\",\"build\":\"v1\",\"cpu\":{\"vendor\":\"X\","
		"\"brand\":\"QEMU\",\"family\":6,\"model\":6,\"stepping\":3},\"cpus\":2,"
		"\"emulated\":true,\"hypervisor\":\"TCGTCGTCGTCG\",\"tsc_hz\":2500000000,\"x\":1");
	row(f, "v", "", "ns/load", 30);
	compare(&b);
	says(&b, "*** THE PROCESSORS DIFFER (brand)");
	says(&b, "*** qemu/bare is EMULATED: its timings mean nothing ***");
	assert_true(strstr(b.text, "EMULATED") < strstr(b.text, "Verdict"));
	assert_string_equal(b.c.environment.differences[0].key, "cpu.brand");
	forget(&b);
}

static void test_places_and_pages(void **state)
{
	(void)state;
	struct bench_of b = { 0 };
	struct fixture *f = file(&b, "a", "hosted", "");
	row(f, "v", ",\"bytes\":4096,\"page_bytes\":4096", "ns/load", 1);
	row(f, "v", ",\"bytes\":4096,\"page_bytes\":2097152", "ns/load", 1);
	row(f, "v", ",\"place\":\"l3\",\"bytes\":8000,\"page_bytes\":4096", "ns/load", 1);
	row(f, "only-a", "", "ns/load", 1);
	f = file(&b, "b", "bare", "");
	row(f, "v", ",\"page_bytes\":4096,\"bytes\":4096", "ns/load", 1);
	row(f, "v", ",\"bytes\":4096,\"page_bytes\":1073741824", "ns/load", 1);
	row(f, "v", ",\"place\":\"l3\",\"bytes\":9000,\"page_bytes\":4096", "ns/load", 2);
	row(f, "only-b", "", "ns/load", 1);
	compare(&b);
	assert_true(cell(&b, 0, 1)->exact); /* the order of members does not matter */
	assert_true(cell(&b, 1, 1)->row && !cell(&b, 1, 1)->exact);
	assert_true(cell(&b, 2, 1)->row && !cell(&b, 2, 1)->exact);
	assert_null(cell(&b, 3, 1)->row);
	assert_int_equal(b.c.costs[1].rows, 1);
	assert_int_equal(b.c.costs[1].loose, 2);
	assert_int_equal(b.c.costs[1].alone, 2);
	says(&b, "(other size or pages)");
	forget(&b);
}

static void test_repeated_runs_are_pooled(void **state)
{
	(void)state;
	struct bench_of b = { 0 };

	row(file(&b, "d/quiet-1.ndjson", "hosted", ""), "v", "", "ns/load", 10);
	row(file(&b, "d/quiet-2.ndjson", "hosted", ""), "v", "", "ns/load", 12);
	row(file(&b, "d/busy-1.ndjson", "hosted", ""), "v", "", "ns/load", 11.5);
	compare(&b);
	assert_int_equal(b.c.sets.n, 2);
	assert_int_equal(b.c.sets.set[0].nruns, 2);
	assert_int_equal(b.c.rows[0].cells[0].row->samples.n, 14);
	assert_true(fabs(b.c.rows[0].cells[0].row->scatter - 2 / 11.) < 1e-2);
	assert_true(cell(&b, 0, 1)->same); /* the quiet runs differ more from each other */
	forget(&b);
}

static void test_group_names(void **state)
{
	(void)state;
	static const char *const names[][2] = { { "a/quiet-2.ndjson", "quiet" }, { "x", "x" },
		{ "run2.ndjson", "run2" }, { "v1.2.ndjson", "v1" }, { "12", "12" }, { "-1", "-1" },
		{ "a_07.json", "a" }, { "d\xc3\xa9-1.n", "d??" }, { "dir/", "" }, { ".hidden", ".hidden" } };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *group = file_group(names[i][0]);
		assert_string_equal(group, names[i][1]);
		free(group);
	}
}

/* The core clock was 20 % slower: so may every time be, but not 40 %, and not faster. */
static void test_core_clock_moved(void **state)
{
	(void)state;
	static const struct {
		double value;
		bool clock;
	} rows[] = { { 12, true }, { 11, true }, { 14, false }, { 9, false } };
	struct bench_of b = { 0 };
	struct fixture *f = file(&b, "a", "hosted", "");

	for (int i = 0; i < 4; i++)
		row(f, (const char *[]){ "a", "b", "c", "d" }[i], "", "ns/load", 10);
	f = file(&b, "b", "hosted", "");
	for (int i = 0; i < 4; i++)
		fixture_line(f, "row", ",\"probe\":\"latency\",\"variant\":\"%c\",\"unit\":\"ns/load\","
			"\"samples\":2,\"median\":%g,\"mad\":0,\"core_hz\":2.5e9,\"values\":[%g,%g]",
			'a' + i, rows[i].value, rows[i].value, rows[i].value);
	compare(&b);
	for (size_t i = 0; i < 4; i++)
		if (cell(&b, i, 1)->clock != rows[i].clock)
			fail_msg("10 -> %g ns at 3.0 -> 2.5 GHz: expected %s", rows[i].value,
				rows[i].clock ? "the clock's work" : "a difference");
	says(&b, "same within noise and the core clock");
	forget(&b);
}

/* Samples that are as wide as the difference of the medians do not tell them apart. */
static void test_wide_samples(void **state)
{
	(void)state;
	static const double wide[] = { 10, 10, 10, 13, 13.1, 13.2, 13.3, 14 };
	struct bench_of b = { 0 };

	row(file(&b, "a", "hosted", ""), "v", "", "ns/load", 10.5);
	fixture_row(file(&b, "b", "hosted", ""), "v", "", "ns/load", wide, 8);
	compare(&b);
	assert_true(cell(&b, 0, 1)->same);
	assert_true(cell(&b, 0, 1)->ratio > 1.2);
	forget(&b);
}

static void test_thinned_rows(void **state)
{
	(void)state;
	struct bench_of b = { 0 };
	const char *members = ",\"probe\":\"p\",\"variant\":\"v\",\"unit\":\"ns\",\"samples\":100,"
		"\"median\":%g,\"mad\":0.1";

	fixture_line(file(&b, "a", "bare", ""), "row", members, 10.);
	fixture_line(file(&b, "b", "bare", ""), "row", members, 11.);
	compare(&b);
	assert_true(!cell(&b, 0, 1)->same);
	assert_true(cell(&b, 0, 1)->low > 1.08 && cell(&b, 0, 1)->low < 1.1);
	assert_true(cell(&b, 0, 1)->high < 1.12 && cell(&b, 0, 1)->high > 1.1);
	forget(&b);
}

static void test_disturbance_is_named(void **state)
{
	(void)state;
	struct bench_of b = { 0 };
	const char *members = ",\"probe\":\"p\",\"variant\":\"v\",\"unit\":\"ns\",\"samples\":100,"
		"\"median\":10,\"mad\":0.1,\"disturbed\":%d,\"counts\":{\"switches\":%d,\"faults\":0}";

	fixture_line(file(&b, "quiet", "hosted", ""), "row", members, 1, 1);
	fixture_line(file(&b, "busy", "hosted", ""), "row", members, 60, 75);
	compare(&b);
	says(&b, "A  1 of 100 samples disturbed (1.0 %), 1 context switches, 0 page faults\n");
	says(&b, "B  60 of 100 samples disturbed (60.0 %), 75 context switches, 0 page faults  <- DISTURBED");
	forget(&b);
}

static void test_stolen_time(void **state)
{
	(void)state;
	struct bench_of b = { 0 };
	const char *members = ",\"probe\":\"noise\",\"variant\":\"gaps\",\"unit\":\"ns\",\"samples\":3,"
		"\"median\":%d,\"more\":{\"observed_seconds\":10,\"stolen_ns\":%d,\"longest_ns\":%d}";

	fixture_line(file(&b, "a", "bare", ""), "row", members, 100, 0, 0);
	fixture_line(file(&b, "b", "hosted", ""), "row", members, 300, 50000000, 90000);
	compare(&b);
	assert_int_equal(b.c.costs[1].rows, 0); /* gaps are no speed */
	says(&b, "A 0.0000 % (longest 0.0 us), B 0.5000 % (longest 90.0 us)");
	forget(&b);
}

static void test_more_than_two(void **state)
{
	(void)state;
	struct bench_of b = { 0 };
	json_error_t error;

	row(file(&b, "a", "bare", ""), "v", "", "ns/load", 10);
	row(file(&b, "b", "firmware", ""), "v", "", "ns/load", 10.1);
	row(file(&b, "c", "hosted", ""), "v", "", "ns/load", 15);
	compare(&b);
	says(&b, "Medians, and their ratio to A");
	says(&b, " 1.010=");
	says(&b, " 1.500 ");
	says(&b, "what b/firmware (B) costs against a/bare (A)");
	says(&b, "what c/hosted (C) costs against a/bare (A)");
	json_t *json = json_loads(b.json, 0, &error);
	if (!json)
		fail_msg("--json is no JSON: line %d: %s", error.line, error.text);
	assert_int_equal(json_array_size(json_object_get(json, "sets")), 3);
	assert_int_equal(json_array_size(json_object_get(json, "verdicts")), 2);
	json_t *cells = json_object_get(json_array_get(json_object_get(json, "rows"), 0), "sets");
	assert_true(fabs(number_of(json_array_get(cells, 2), "ratio") - 1.5) < 1e-9);
	assert_true(json_is_false(json_object_get(json_array_get(cells, 2), "same")));
	json_decref(json);
	says_not(&b, "nan");
	forget(&b);
}

static void test_zero_and_negative_medians(void **state)
{
	(void)state;
	struct bench_of b = { 0 };
	struct fixture *f = file(&b, "a", "hosted", "");
	const double none[] = { 0, 0, 0 };

	fixture_row(f, "zero", "", "ns/op", none, 3);
	row(f, "negative", "", "ns/op", -1);
	f = file(&b, "b", "hosted", "");
	fixture_row(f, "zero", "", "ns/op", none, 3);
	row(f, "negative", "", "ns/op", 1);
	compare(&b);
	assert_int_equal(b.c.costs[1].rows, 0);
	says(&b, "no row is the same measurement in both");
	says_not(&b, "nan");
	forget(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_and_different),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_other_cpu_and_emulated_are_loud),
		cmocka_unit_test(test_places_and_pages),
		cmocka_unit_test(test_repeated_runs_are_pooled),
		cmocka_unit_test(test_group_names),
		cmocka_unit_test(test_core_clock_moved),
		cmocka_unit_test(test_wide_samples),
		cmocka_unit_test(test_thinned_rows),
		cmocka_unit_test(test_disturbance_is_named),
		cmocka_unit_test(test_stolen_time),
		cmocka_unit_test(test_more_than_two),
		cmocka_unit_test(test_zero_and_negative_medians),
	};
	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
