/* SPDX-License-Identifier: MIT */
/* The exports against the written rules of the formats. */
#include <ctype.h>

#include "linux/report/export/export.c"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

static const char *topology = "[]"; /* of the run line */

static void results_of(struct results *r)
{
	char head[600];
	static const double times[] = { 1.25, 1.29, 1.33 }, rates[] = { 300, 301, 302 },
			    tiny[] = { 0.05, 0.051, 0.052 }, around[] = { -0.5, 0.5, 1 };
	struct fixture f;

	fixture_open(&f);
	snprintf(head, sizeof head,
		",\"time_utc\":\"20260102T030405Z\",\"caches_claimed\":[{\"level\":1,"
		"\"type\":\"data\",\"bytes\":32768,\"ways\":8,\"line_bytes\":64,\"shared_by\":2}]"
		",\"topology\":%s",
		topology);
	fixture_run(&f, "bare", head);
	fixture_row(&f, "pointer-8", "", "ns/load", times, 3);
	fixture_row(&f, "a b/c///", PARAMS("\"bytes\":1024,\"lanes\":2"), "ns/op", tiny, 3);
	fixture_row(&f, "read", ",\"node\":1" PARAMS("\"bytes\":65536"), "GB/s", rates, 3);
	fixture_row(&f, "ticks", "", "ticks", times, 3);
	fixture_row(&f, "difference", "", "ns/op", around, 3);
	fixture_row(&f, "say \\\"hi\\\", you", "", "misses", times, 3);
	fixture_line(&f, "row",
		",\"probe\":\"thin\",\"variant\":\"v\",\"unit\":\"ns/load\",\"median\":2");
	fixture_line(&f, "row",
		",\"probe\":\"more\",\"variant\":\"=1+1\",\"unit\":\"misses\",\"median\":-2,"
		"\"node\":null,\"counts\":{\"smis\":3},\"more\":{\"speedup\":1.5,\"events\":[[1,2,"
		"3]]}");
	fixture_line(&f, "skip", ",\"probe\":\"tlb\",\"variant\":\"cost\",\"reason\":\"-no time\"");
	fixture_line(&f, "summary",
		",\"name\":\"l1d_bytes\",\"value\":32768,\"unit\":\"B\",\"low\":30000,"
		"\"high\":34000,\"claimed\":32768,\"agrees\":true,\"confidence\":0.9");
	fixture_end(&f);
	fixture_read(&f, r, "x.ndjson");
	assert_int_equal(r->problems.all, 0);
}

static char *text; /* what was written */
static size_t left_out;
static json_t *file; /* the text, where it is JSON */

static void write_by(export_fn *export)
{
	struct results r;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	results_of(&r);
	left_out = export(&r, out);
	fclose(out);
	results_free(&r);
}

static void forget(void)
{
	json_decref(file);
	file = NULL;
	free(text);
}

AFTER_EACH(forget);

/* unicode.IsSpace in ASCII */
static const char spaces[] = " \t\v\f\r";

/*
 * "The line must have an even number of fields, and at least four": name, iterations (an integer),
 * then pairs of a float64 and a unit. The name begins with Benchmark and a capital letter.
 */
static void check_result_line(char *line)
{
	unsigned fields = 0;
	char *end, *field, *save = NULL;

	for (field = strtok_r(line, spaces, &save); field; field = strtok_r(NULL, spaces, &save)) {
		if (fields == 0)
			assert_true(isupper((unsigned char)field[9]));
		else if (fields == 1)
			assert_true(strtol(field, &end, 10) > 0 && !*end);
		else if (fields % 2 == 0)
			assert_true(isfinite(strtod(field, &end)) && !*end);
		fields++;
	}
	assert_true(fields >= 4 && fields % 2 == 0);
}

/* "key contains no space characters nor upper case characters", and begins with a lower one. */
static void check_configuration_line(const char *line)
{
	const char *colon = strchr(line, ':');

	assert_non_null(colon);
	assert_true(islower((unsigned char)*line));
	for (const char *c = line; c < colon; c++)
		assert_true(!isspace((unsigned char)*c) && !isupper((unsigned char)*c));
	assert_true(!colon[1] || colon[1] == ' ');
}

TEST(test_benchstat_rules)
{
	char *save = NULL;
	unsigned results = 0;

	write_by(export_benchstat);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		assert_true(strlen(line) < 65536); /* what Go's bufio.Scanner takes */
		if (!strncmp(line, "Benchmark", 9)) {
			check_result_line(line);
			results++;
		} else if (strncmp(line, "Unit ", 5) && *line != '#') {
			check_configuration_line(line);
		}
	}
	assert_int_equal(results, 8); /* a row one line: its samples are of one run */
}

static void has(const char *part)
{
	if (!strstr(text, part))
		fail_msg("expected '%s' in:\n%s", part, text);
}

TEST(test_benchstat_content)
{
	write_by(export_benchstat);
	has("\nBenchmarkLatency/variant=pointer-8-1 1 1.29 ns/load\n");
	has("\nBenchmarkLatency/variant=a_b_c___/bytes=1024/lanes=2-1 1 0.051 ns/op\n");
	has("\nBenchmarkLatency/variant=read/bytes=65536-1 1 301000 MB/s\n");
	has("\nBenchmarkThin/variant=v-1 1 2 ns/load\n");
	has("\nroom: bare\n");
	has("\ncpu: X 1\n");
	has("\nemulated:\n");
}

static void write_gbench(void)
{
	write_by(export_gbench);
	file = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(file);
}

/* Check the members of a benchmark that Google Benchmark's tools/compare.py reads and prints. */
static void check_benchmark(const json_t *b)
{
	double real = number_of(b, "real_time"), cpu = number_of(b, "cpu_time"), printed;
	char text[64];

	assert_true(*text_of(b, "name") && !strcmp(text_of(b, "name"), text_of(b, "run_name")));
	assert_string_equal(text_of(b, "time_unit"), "ns");
	assert_true(json_is_integer(json_object_get(b, "iterations")));
	assert_true(json_is_integer(json_object_get(b, "threads")));
	assert_true(number_of(b, "repetition_index") < number_of(b, "repetitions"));
	assert_true(real == cpu);
	snprintf(text, sizeof text, "%14.0f", real);
	printed = atof(text);
	if (strlen(text) > 14 || fabs(printed - real) > 0.001 * real)
		fail_msg("%s: %%14.0f of %g loses it: '%s'", text_of(b, "name"), real, text);
}

static bool is_aggregate(const json_t *b)
{
	return !strcmp(text_of(b, "run_type"), "aggregate");
}

/* "run_name" + "_" + "aggregate_name"; over as many values as there were repetitions. */
static void check_aggregate(const json_t *b)
{
	char name[256];

	snprintf(name, sizeof name, "%s_%s", text_of(b, "run_name"), text_of(b, "aggregate_name"));
	assert_string_equal(text_of(b, "name"), name);
	assert_string_equal(text_of(b, "aggregate_unit"),
		strcmp(text_of(b, "aggregate_name"), "cv") ? "time" : "percentage");
	assert_null(json_object_get(b, "repetition_index"));
	assert_int_equal((int)number_of(b, "iterations"), (int)number_of(b, "repetitions"));
	assert_true(number_of(b, "real_time") == number_of(b, "cpu_time"));
}

TEST(test_gbench_rules)
{
	write_gbench();
	json_t *b, *context = json_object_get(file, "context");
	size_t i;
	unsigned repetitions = 0, aggregates = 0;

	json_array_foreach(json_object_get(file, "benchmarks"), i, b) {
		if (is_aggregate(b)) {
			check_aggregate(b);
			aggregates++;
			continue;
		}
		assert_string_equal(text_of(b, "run_type"), "iteration");
		check_benchmark(b);
		repetitions++;
	}
	assert_int_equal(repetitions, 13);
	assert_int_equal(aggregates, 4 * 4); /* of the rows of three samples */
	assert_int_equal(left_out, 3);       /* misses, and the difference that goes below 0 */
	assert_string_equal(text_of(context, "date"), "2026-01-02T03:04:05+00:00");
	assert_int_equal((int)number_of(context, "num_cpus"), 2);
	assert_int_equal((int)number_of(context, "mhz_per_cpu"), 2500);
	assert_true(json_is_false(json_object_get(context, "cpu_scaling_enabled")));
	b = json_array_get(json_object_get(context, "caches"), 0);
	assert_string_equal(text_of(b, "type"), "Data");
	assert_int_equal((int)number_of(b, "num_sharing"), 2);
}

/* The nth entry of that name. */
static void expect_time(const char *name, size_t nth, double ns)
{
	const json_t *b, *found = NULL;
	size_t i;

	json_array_foreach(json_object_get(file, "benchmarks"), i, b)
		if (!strcmp(text_of(b, "name"), name) && !nth--)
			found = b;
	if (!found)
		fail_msg("no such entry: %s", name);
	if (fabs(number_of(found, "real_time") - ns) > 1e-6 * ns)
		fail_msg("%s: expected %.9g, got %.9g", name, ns, number_of(found, "real_time"));
}

TEST(test_gbench_content)
{
	write_gbench();
	expect_time("latency/pointer-8/per_ops:1000000", 1, 1.29e6);
	expect_time("latency/read/bytes:65536/per_bytes:1000000", 1, 1e6 / 301);
	expect_time("latency/ticks/per_ops:1000000", 1, 1.29e6 / 2.5);
	expect_time("thin/v/per_ops:1000000", 0, 2e6);
}

/* By hand: 1.25, 1.29, 1.33 lie 0.04 apart. */
TEST(test_gbench_aggregates)
{
	size_t i, thin = 0;
	json_t *b;

	write_gbench();
	expect_time("latency/pointer-8/per_ops:1000000_mean", 0, 1.29e6);
	expect_time("latency/pointer-8/per_ops:1000000_median", 0, 1.29e6);
	expect_time("latency/pointer-8/per_ops:1000000_stddev", 0, 0.04e6);
	expect_time("latency/pointer-8/per_ops:1000000_cv", 0, 0.04 / 1.29);
	json_array_foreach(json_object_get(file, "benchmarks"), i, b)
		thin += !strncmp(text_of(b, "name"), "thin/", 5);
	assert_int_equal(thin, 1); /* of one repetition the library has no aggregates */
}

/* Fields of one RFC 4180 record; checks its quoting. */
static unsigned fields(const char *record, const char *end)
{
	unsigned n = 1;
	bool quoted = false;

	for (; record < end; record++) {
		if (*record == '"')
			quoted = !quoted;
		n += *record == ',' && !quoted;
	}
	assert_false(quoted);
	return n;
}

/* The cell of a column in the first record with that part, up to which nothing is quoted. */
static void expect_cell(const char *part, const char *column, const char *wanted)
{
	const char *head = strstr(text, column), *cell = strstr(text, part);
	size_t n;

	assert_true(head && cell && head < strstr(text, "\r\n"));
	while (cell > text && cell[-1] != '\n')
		cell--;
	for (; head > text; head--)
		if (head[-1] == ',')
			cell = strchr(cell, ',') + 1;
	n = strcspn(cell, ",\r");
	if (n != strlen(wanted) || strncmp(cell, wanted, n))
		fail_msg("%s of '%s': expected '%s', came '%.*s'", column, part, wanted, (int)n,
			cell);
}

TEST(test_csv)
{
	write_by(export_csv);
	char *record = text, *end;
	unsigned head = fields(text, strstr(text, "\r\n")), records = 0;

	for (; (end = strstr(record, "\r\n")); record = end + 2, records++)
		assert_int_equal(fields(record, end), head);
	assert_int_equal(*record, 0);
	assert_int_equal(records, 1 + 8 + 1 + 1); /* head, rows, skip, summary value */
	has("kind,run,room,time_utc,build,cpu,hypervisor,emulated,probe,variant,level,unit,"
	    "bytes,"
	    "lanes,counts.smis,more.speedup,node"
#define STATISTIC(name, when) "," #name
#include "lib/row_statistics.inc"
#undef STATISTIC
	    ",value,low,high,claimed,confidence,floor,agrees,name,unsteady,reason\r\n");
	has("\r\nrow,1,bare,20260102T030405Z,v1,X 1,,false,latency,\"say \"\"hi\"\", you\",,"
	    "misses,");
	has(",latency,read,,GB/s,65536,,,,1,3,300,");
	expect_cell(",latency,read,", "median", "301");
	expect_cell(",latency,read,", "p99", "302");
	expect_cell(",latency,read,", "p90", "");
}

/* OWASP ASVS 5.0, 1.2.10: a text that begins like a formula has a ' in front; a number has none. */
TEST(test_csv_formulas)
{
	write_by(export_csv);
	has(",more,'=1+1,,misses,,,3,1.5,,,,,-2,");
	has(",,,'-no time\r\n");
	assert_null(strstr(text, ",="));
}

TEST(test_csv_other_kinds)
{
	write_by(export_csv);
	has("\r\nskip,1,bare,20260102T030405Z,v1,X 1,,false,tlb,cost,,,");
	has("\r\nsummary,1,bare,20260102T030405Z,v1,X 1,,false,,,,B,");
	has(",32768,30000,34000,32768,0.9,,true,l1d_bytes,,\r\n");
}

/* A result whose CPUs have the same number, none, or one that no set holds, is still written. */
TEST(test_every_format)
{
	static const char *const topologies[] = { "[]", "7",
		"[{\"id\":3,\"l3\":1},{\"id\":3,\"l3\":-1}]",
		"[{\"id\":1e9,\"node\":1},{\"node\":99999,\"package\":\"x\"},{\"id\":65535}]" };

	for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
		for (const struct export_format *f = export_formats; f->name; f++) {
			topology = topologies[i];
			write_by(f->write);
			has(strcmp(f->name, "hwloc") ? "l" : "</topology>\n");
			free(text);
			text = NULL;
		}
	topology = "[]";
}
