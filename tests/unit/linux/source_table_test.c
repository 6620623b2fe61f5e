/* SPDX-License-Identifier: MIT */
/* A run's answers to a source's rows, and their tables. */
#include "linux/report/sources/source_table.c"
#include "linux/report/sources/sources.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

#define WIDTH 79

#define ROW(probe, variant, params, more)                                                          \
	",\"probe\":\"" probe "\",\"variant\":\"" variant "\",\"params\":{" params                 \
	"},\"unit\":\"ns/load\",\"samples\":3,\"min\":1,\"median\":2,\"mean\":2.5,\"max\":4,"      \
	"\"p99\":null,\"ops\":1000,\"disturbed\":0" more

static struct results r; /* a run */

BEFORE_EACH(read_run)
{
	struct fixture f;

	fixture_open(&f);
	fixture_run(&f, "hosted", ",\"profile\":\"default\",\"probes\":\"latency,mlp:chains\"");
	fixture_line(&f, "row", "%s",
		ROW("latency", "x", "\"bytes\":1024,\"page_bytes\":4096",
			",\"more\":{\"ms\":7},\"counts\":{\"mispredicts\":50,"
			"\"instructions\":3000,\"core_cycles\":1000}"));
	fixture_line(&f, "row", "%s",
		ROW("latency", "x", "\"bytes\":1024,\"page_bytes\":2097152", ",\"cycles\":9"));
	fixture_line(&f, "row", "%s",
		ROW("latency", "x", "\"bytes\":1024,\"page_bytes\":1073741824", ",\"cycles\":8"));
	fixture_line(&f, "row", "%s",
		ROW("latency", "x", "\"bytes\":4096,\"page_bytes\":4096", ",\"more\":{\"ms\":3}"));
	fixture_line(&f, "row", "%s",
		ROW("latency", "x", "\"bytes\":8192,\"prefetch\":0,\"page_bytes\":4096", ""));
	fixture_line(&f, "skip", "%s",
		",\"probe\":\"latency\",\"variant\":\"x\",\"params\":{\"bytes\":16384},"
		"\"reason\":\"no time\"");
	fixture_line(&f, "skip", "%s",
		",\"probe\":\"latency\",\"variant\":\"y\",\"level\":\"l1\",\"reason\":\"no "
		"pages\"");
	fixture_line(&f, "summary", "%s",
		",\"name\":\"l3_bytes\",\"value\":8192,\"low\":4096,\"high\":16384,"
		"\"unit\":\"bytes\",\"claimed\":32768,\"agrees\":false,\"confidence\":0.375");
	fixture_line(&f, "summary", "%s",
		",\"name\":\"line_bytes\",\"value\":null,\"unit\":\"bytes\","
		"\"reason\":\"too few points\"");
	fixture_end(&f);
	fixture_read(&f, &r, "run");
	assert_int_equal(r.nruns, 1);
	assert_int_equal(r.runs[0].nrows, 5);
}

AFTER_EACH(forget_run)
{
	results_free(&r);
}

/* Answers selector and quantity, both JSON, at bytes = x if x > 0. */
static struct source_answer answer(const char *selector, const char *quantity, double x)
{
	json_t *s = json_loads(selector, 0, NULL), *q = json_loads(quantity, 0, NULL);
	struct source_answer a;

	assert_true(s && q);
	a = source_answer_of(&r.runs[0], s, q,
		(struct source_point){ x > 0 ? "bytes" : NULL, x > 0 ? x : NAN });
	json_decref(s);
	json_decref(q);
	return a;
}

static void is_value(const char *selector, const char *quantity, double x, double value)
{
	struct source_answer a = answer(selector, quantity, x);

	if (a.reason)
		fail_msg("%s %s: absent: %s", selector, quantity, a.reason);
	if (fabs(a.value - value) > 1e-9)
		fail_msg("%s %s: %g instead of %g", selector, quantity, a.value, value);
}

static void is_absent(const char *selector, const char *quantity, double x, const char *reason)
{
	struct source_answer a = answer(selector, quantity, x);

	assert_true(isnan(a.value));
	assert_string_equal(a.reason, reason);
	free(a.reason);
}

#define X "{\"probe\":\"latency\",\"variant\":\"x\"}"

TEST(test_numbers_of_rows)
{
	is_value(X, "{}", 1024, 2);
	is_value(X, "{\"of\":\"mean\",\"times\":100}", 1024, 250);
	is_value(X, "{\"of\":\"cycles\"}", 1024, 9); /* in the common pages */
	is_value(X, "{\"of\":\"params.bytes\"}", 4096, 4096);
	is_value("{\"probe\":\"latency\",\"variant\":\"x\",\"params\":{\"page_bytes\":4096}}",
		"{\"of\":\"counts.mispredicts\"}", 1024, 0.05);
	is_value("{\"probe\":\"latency\",\"variant\":\"x\",\"params\":{\"page_bytes\":4096}}",
		"{\"of\":\"counts.ipc\"}", 1024, 3);
	is_value("{\"probe\":\"latency\",\"variant\":\"x\",\"pick\":\"most\",\"params\":"
		 "{\"page_bytes\":4096},\"of\":\"more.ms\"}",
		"{}", 0, 7);
	is_value("{\"probe\":\"latency\",\"variant\":\"x\",\"pick\":\"least\",\"params\":"
		 "{\"page_bytes\":4096},\"of\":\"more.ms\"}",
		"{\"of\":\"median\"}", 0, 3); /* the selector's own statistic goes first */
	is_value("{\"probe\":\"latency\",\"variant\":\"x\",\"of\":\"max\",\"over\":" X "}", "{}",
		4096, 2);
}

TEST(test_summary_values)
{
	struct source_answer a;

	a = answer("{\"summary\":\"l3_bytes\"}", "{\"times\":0.5}", 0);
	assert_true(a.value == 4096 && a.low == 2048 && a.high == 8192 && !a.row);
	is_absent("{\"summary\":\"line_bytes\"}", "{}", 0, "too few points");
	is_absent("{\"summary\":\"none\"}", "{}", 0, "this run has no such summary value");
}

TEST(test_reasons)
{
	is_absent(X, "{}", 16384, "no time");
	is_absent(X, "{}", 2048, "no such point in profile default");
	is_absent(X, "{}", 8192, "no such point in profile default"); /* prefetchers off */
	is_absent("{\"probe\":\"latency\",\"variant\":\"x\",\"pages_least\":1e9}", "{}", 4096,
		"no such point in profile default");
	is_absent("{\"probe\":\"latency\",\"variant\":\"y\",\"level\":\"l1\"}", "{}", 0,
		"no pages");
	is_absent("{\"probe\":\"latency\",\"variant\":\"y\",\"level\":\"l2\"}", "{}", 0,
		"no such row in profile default of build v1");
	is_absent("{\"probe\":\"tlb\",\"variant\":\"cost\"}", "{}", 0,
		"not among the rows that the run was asked for");
	is_absent("{\"probe\":\"mlp\",\"variant\":\"chains\"}", "{}", 0,
		"no such row in profile default of build v1");
	is_absent(X, "{\"of\":\"p99\"}", 4096, "3 samples are too few for a 99th percentile");
	is_absent(X, "{\"of\":\"counts.mispredicts\"}", 4096, "room hosted did not count that");
	is_absent(X, "{\"of\":\"more.none\"}", 4096, "the row has no more.none");
	is_absent("{\"summary\":\"l3_bytes\",\"over\":{\"summary\":\"line_bytes\"}}", "{}", 0,
		"too few points");
}

/* A run without rows; `ending`: more of its end line, NULL: it has none. */
static void is_absent_of(const char *ending, const char *reason)
{
	struct fixture f;

	fixture_open(&f);
	fixture_run(&f, "bare", ",\"profile\":\"full\"");
	f.ending = ending;
	if (ending)
		fixture_end(&f);
	results_free(&r);
	fixture_read(&f, &r, "run");
	assert_int_equal(r.nruns, 1);
	is_absent(X, "{}", 0, reason);
}

TEST(test_reasons_of_a_run)
{
	is_absent_of(NULL, "the run was cut");
	is_absent_of("", "no such row in profile full of build v1");
	is_absent_of(",\"thinned\":{\"rows\":3}",
		"not among the rows that this thinned result kept");
	is_absent_of(",\"thinned\":{\"rows\":0}", "no such row in profile full of build v1");
}

/* Every table of every source, of that run, which has nearly nothing: columns, and no line lost. */
TEST(test_every_table_prints)
{
	json_t *all = sources_load();
	const json_t *source;
	char *text, *line, *rest;
	size_t bytes, i;
	FILE *out = text_stream(&text, &bytes);

	json_array_foreach(all, i, source) {
		json_t *json = source_json(source, &r.runs[0]);
		assert_int_equal(json_array_size(json_object_get(json, "experiments")),
			json_array_size(json_object_get(source, "experiments")));
		json_decref(json);
		source_print(source, &r.runs[0], "EMULATED", out);
	}
	fclose(out);
	for (line = text; (rest = strchr(line, '\n')); line = rest + 1) {
		*rest = 0;
		if (strlen(line) > WIDTH)
			fail_msg("%zu columns: %s", strlen(line), line);
	}
	free(text);
	json_decref(all);
}

static const char one_source[] =
	"{\"letter\":\"Z\",\"title\":\"t\",\"known_from\":\"k\",\"machines\":{\"m\":\"M\",\"n\":"
	"\"N\"},"
	"\"experiments\":[{\"name\":\"e\",\"place\":\"p\",\"there\":\"t\",\"here\":\"h\",\"why\":"
	"\"\","
	"\"quantities\":[{\"unit\":\"ns\"}],\"rows\":[{\"name\":\"s\",\"ours\":" X ","
	"\"series\":{\"by\":\"bytes\",\"from\":1024,\"to\":16384},\"figures\":{\"m\":[[1024,0.5],"
	"[4096,0.25]],\"n\":[[1024,4]]}},{\"name\":\"only theirs\",\"figures\":[3]},"
	"{\"name\":\"L3\",\"ours\":{\"summary\":\"l3_bytes\",\"times\":0.5}}]}]}";

static const char one_table[] =
	/* the widths are those of the longest name and of a figure */
	"                    ns\n"
	"                     m        n     here\n"
	"  s:\n"
	"  1K              0.50        4        2\n"
	"  2K                                  -a\n"
	"  4K              0.25                 2\n"
	"  8K                                  -a\n"
	"  16K                                 -b\n"
	"  only theirs        3\n"
	"  L3                               4096?\n"
	"  -a absent: no such point in profile default\n"
	"  -b absent: no time\n"
	"  sure:    L3 38 %, CPUID claims 16384\n"
	"  all rows: anechoic run --source Z\n"
	"\nZ: 3 of 6 cells and 3 of its 4 figures answered; 0 tables without a value\n";

TEST(test_a_table)
{
	json_t *source = json_loads(one_source, 0, NULL);
	char *text;
	size_t bytes;
	FILE *out = text_stream(&text, &bytes);

	assert_non_null(source);
	source_print(source, &r.runs[0], "", out);
	fclose(out);
	if (!strstr(text, one_table))
		fail_msg("expected\n%s\ngot\n%s", one_table, text);
	free(text);
	json_decref(source);
}
