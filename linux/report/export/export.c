/* SPDX-License-Identifier: MIT */
#include "linux/report/export/export.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "lib/stats.h"
#include "linux/report/compare/sets.h"

/* --- benchstat --- */

/*
 * Go benchmark text (golang.org/design/14313-benchmark-format, as benchstat reads it): a line per
 * row and run, its median. benchstat takes each line for an independent trial, and samples of one
 * run are not: they share the random conditions of that run (linux/report/compare/statistics.h).
 */

/* Write any text as one line. */
static void put_printable_line(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc(isprint((unsigned char)*text) ? *text : '?', out);
	fputc('\n', out);
}

static void put_comment(FILE *out, const char *what, const char *value)
{
	fprintf(out, "# %s: ", what);
	put_printable_line(out, value);
}

/*
 * Write the configuration lines. benchstat makes a table of its own for each set of them, so only
 * values that must never be compared unseen are such lines; the others are comments, which it
 * ignores.
 */
static void put_configuration(FILE *out, const struct run_data *run)
{
	fputs("goarch: amd64\ncpu: ", out);
	put_printable_line(out, text_of(json_object_get(run->head, KEY_CPU), KEY_BRAND));
	fprintf(out, "room: %s\n", run->room);
	if (json_is_true(json_object_get(run->head, KEY_EMULATED)))
		fputs("emulated: yes\n", out);
	else
		fputs("emulated:\n", out); /* cancels an earlier run's */
	put_comment(out, "build", text_of(run->head, KEY_BUILD));
	put_comment(out, "hypervisor", text_of(run->head, KEY_HYPERVISOR));
	put_comment(out, "time", text_of(run->head, KEY_TIME_UTC));
}

/* Write a part of a name: it has no spaces, and slashes stand only between parts. */
static void put_name_part(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc(isgraph((unsigned char)*text) && *text != '/' ? *text : '_', out);
}

static void put_name(FILE *out, const struct row_data *row)
{
	struct parameter params[PARAMETERS_MOST];
	size_t n = row_parameters(row->json, params);

	fprintf(out, "Benchmark%c", toupper((unsigned char)*row->probe));
	put_name_part(out, row->probe + 1);
	if (*row->variant) {
		fputs("/variant=", out);
		put_name_part(out, row->variant);
	}
	for (size_t i = 0; i < n; i++) {
		fputc('/', out);
		put_name_part(out, params[i].name);
		fprintf(out, "=%.15g", params[i].value);
	}
	fputs("-1", out); /* the count of processors; else "pointer-8" would be read as one */
}

/* Write a value; GB/s as MB/s, which benchstat knows. */
static void put_value(FILE *out, const struct row_data *row, double value)
{
	bool giga = !strcmp(row->unit, "GB/s");

	fprintf(out, " %.9g ", giga ? value * 1000 : value);
	for (const char *c = giga ? "MB/s" : row->unit; *c; c++)
		fputc(isgraph((unsigned char)*c) ? *c : '_', out);
}

/* Write the rows; a row that was measured twice in the run is one line. */
static void put_rows(FILE *out, struct run_data *run)
{
	struct results file = { .name = "", .runs = run, .nruns = 1 };
	struct sets sets = { 0 };

	sets_add(&sets, &file, true);
	sets_pool(&sets);
	for (size_t i = 0; i < sets.set->nrows; i++) {
		const struct pooled *p = &sets.set->rows[i];
		put_name(out, p->row);
		fputs(" 1", out);
		put_value(out, p->row, p->median);
		fputc('\n', out);
	}
	sets_free(&sets);
}

static size_t export_benchstat(const struct results *results, FILE *out)
{
	fputs("Unit MB/s better=higher\n", out);
	for (size_t i = 0; i < results->nruns; i++) {
		put_configuration(out, &results->runs[i]);
		put_rows(out, &results->runs[i]);
	}
	return 0;
}

/* --- Google Benchmark --- */

/*
 * Google Benchmark JSON, for its tools/compare.py, which prints times by %.0f: a time is that of
 * EXPORT_OPS operations (of EXPORT_OPS bytes, for a bandwidth), and its name says so. Rows that are
 * not times or rates, or not all greater than 0, are left out. The repetitions of a benchmark are
 * the row's samples, disturbed ones too. If there are two or more, its aggregates follow, computed
 * from them by the library's own rules (src/statistics.cc).
 */

#define EXPORT_OPS 1000000

/* A whole number; 0 if the file has no number there, or one that no integer holds. */
static json_int_t whole_number(const json_t *object, const char *key, double unit)
{
	double value = number_or(object, key, 0) / unit;

	return fabs(value) < 1e15 ? (json_int_t)value : 0;
}

/* "20260101T000000Z" -> "2026-01-01T00:00:00+00:00", as the library writes dates. */
static json_t *date(const char *utc)
{
	if (strlen(utc) != 16)
		return json_string("");
	return json_sprintf("%.4s-%.2s-%.2sT%.2s:%.2s:%.2s+00:00", utc, utc + 4, utc + 6, utc + 9,
		utc + 11, utc + 13);
}

static json_t *caches(const json_t *head)
{
	json_t *all = json_array(), *claim;
	const json_t *claims = json_object_get(head, KEY_CACHES_CLAIMED);
	size_t i;

	json_array_foreach(claims, i, claim) {
		const char *type = text_of(claim, "type");
		json_array_append_new(all,
			json_pack("{s:s, s:I, s:I, s:I}", "type",
				!strcmp(type, "data")                  ? "Data"
					: !strcmp(type, "instruction") ? "Instruction"
								       : "Unified",
				"level", whole_number(claim, "level", 1), "size",
				whole_number(claim, "bytes", 1), "num_sharing",
				whole_number(claim, "shared_by", 1)));
	}
	return all;
}

static json_t *context(const struct run_data *run)
{
	const json_t *head = run->head, *cpu = json_object_get(head, KEY_CPU);
	const char *emulated = json_is_true(json_object_get(head, KEY_EMULATED)) ? "true" : "false";

	return json_pack("{s:o, s:s, s:s, s:I, s:I, s:b, s:o, s:[], s:s, s:s, s:s, s:s, s:s, s:s}",
		"date", date(text_of(head, KEY_TIME_UTC)), "host_name", "", "executable",
		"anechoic", "num_cpus", whole_number(head, "cpus", 1), "mhz_per_cpu",
		whole_number(head, "tsc_hz", 1e6), "cpu_scaling_enabled", 0, "caches", caches(head),
		"load_avg", "library_build_type", "release", "anechoic_build",
		text_of(head, KEY_BUILD), "room", run->room, "cpu_brand", text_of(cpu, KEY_BRAND),
		"hypervisor", text_of(head, KEY_HYPERVISOR), "emulated", emulated);
}

/* A value of the row as nanoseconds for EXPORT_OPS operations or bytes; NAN: it is no time. */
static double time_of(const struct run_data *run, const struct row_data *row, double value)
{
	if (!strcmp(row->unit, "GB/s"))
		return value > 0 ? EXPORT_OPS / value : NAN; /* 1 GB/s is 1 byte per nanosecond */
	if (!strncmp(row->unit, "ns", 2) && (!row->unit[2] || row->unit[2] == '/'))
		return value * EXPORT_OPS;
	if (!strcmp(row->unit, "ticks"))
		return value * EXPORT_OPS * 1e9 / number_of(run->head, KEY_TSC_HZ);
	return NAN;
}

static char *benchmark_name(const struct row_data *row)
{
	struct parameter params[PARAMETERS_MOST];
	size_t n = row_parameters(row->json, params), bytes;
	const char *each = !strcmp(row->unit, "GB/s") ? "bytes" : "ops";
	char *text;
	FILE *out = text_stream(&text, &bytes);

	fprintf(out, "%s/%s", row->probe, row->variant);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "/%s:%.15g", params[i].name, params[i].value);
	fprintf(out, "/per_%s:%d", each, EXPORT_OPS);
	fclose(out);
	return text;
}

/* A row as a benchmark: the times of its repetitions, in nanoseconds, and its index. */
struct benchmark {
	char *name;
	size_t index, n;
	double *times;
};

/* The times of a row's samples; a thinned row has one repetition, its median. */
static double *times_of(const struct run_data *run, const struct row_data *row, size_t n)
{
	double *times = new_array(n, sizeof *times);

	for (size_t i = 0; i < n; i++)
		times[i] = time_of(run, row, row->nvalues ? row->values[i] : row->median);
	return times;
}

/* Returns true if all repetitions took time; else compare.py's geometric mean would be NaN. */
static bool takes_time(const double *times, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(times[i]) || times[i] <= 0)
			return false;
	return true;
}

/* The members that repetitions and aggregates share, in the library's order. */
static json_t *entry(const struct benchmark *b, const char *suffix, const char *type)
{
	return json_pack("{s:s+, s:i, s:I, s:s, s:s, s:I}", "name", b->name, suffix, "family_index",
		0, "per_family_instance_index", (json_int_t)b->index, "run_name", b->name,
		"run_type", type, "repetitions", (json_int_t)b->n);
}

/* End an entry. time: nanoseconds; for `cv` a fraction. */
static void put_entry(json_t *all, json_t *entry, size_t iterations, double time)
{
	json_object_set_new(entry, "threads", json_integer(1));
	json_object_set_new(entry, "iterations", json_integer((json_int_t)iterations));
	json_object_set_new(entry, "real_time", json_real(time));
	json_object_set_new(entry, "cpu_time", json_real(time));
	json_object_set_new(entry, "time_unit", json_string("ns"));
	json_array_append_new(all, entry);
}

static void put_aggregate(json_t *all, const struct benchmark *b, const char *name,
	const char *unit, double value)
{
	char suffix[16];

	snprintf(suffix, sizeof suffix, "_%s", name);
	json_t *aggregate = entry(b, suffix, "aggregate");
	json_object_set_new(aggregate, "aggregate_name", json_string(name));
	json_object_set_new(aggregate, "aggregate_unit", json_string(unit));
	put_entry(all, aggregate, b->n, value);
}

/* The standard deviation for n >= 2, with n - 1 under the root. */
static double standard_deviation(const double *times, size_t n, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (times[i] - mean) * (times[i] - mean);
	return sqrt(sum / (double)(n - 1));
}

static void put_aggregates(json_t *all, const struct benchmark *b)
{
	double *scratch = new_array(b->n, sizeof *scratch);
	struct stats stats = stats_of(b->times, b->n, scratch);
	double deviation = standard_deviation(b->times, b->n, stats.mean);

	put_aggregate(all, b, "mean", "time", stats.mean);
	put_aggregate(all, b, "median", "time", stats.median);
	put_aggregate(all, b, "stddev", "time", deviation);
	put_aggregate(all, b, "cv", "percentage", deviation / stats.mean);
	free(scratch);
}

static void put_benchmark(json_t *all, const struct benchmark *b)
{
	for (size_t i = 0; i < b->n; i++) {
		json_t *repetition = entry(b, "", "iteration");
		json_object_set_new(repetition, "repetition_index", json_integer((json_int_t)i));
		put_entry(all, repetition, 1, b->times[i]);
	}
	if (b->n >= 2)
		put_aggregates(all, b);
}

/* Write a row. Returns how many rows were left out: 0 or 1. */
static size_t put_row(json_t *all, const struct run_data *run, const struct row_data *row,
	size_t index)
{
	size_t n = row->nvalues ? row->nvalues : 1;
	struct benchmark b = { NULL, index, n, times_of(run, row, n) };
	bool left_out = !takes_time(b.times, n);

	if (!left_out) {
		b.name = benchmark_name(row);
		put_benchmark(all, &b);
	}
	free(b.name);
	free(b.times);
	return left_out;
}

static size_t export_gbench(const struct results *results, FILE *out)
{
	json_t *all = json_array(), *file;
	size_t left_out = 0;

	for (size_t i = 0; i < results->nruns; i++)
		for (size_t j = 0; j < results->runs[i].nrows; j++)
			left_out += put_row(all, &results->runs[i], &results->runs[i].rows[j], j);
	file = json_pack("{s:o, s:o}", "context", context(&results->runs[0]), "benchmarks", all);
	json_dumpf(file, out, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
	fputc('\n', out);
	json_decref(file);
	return left_out;
}

/* --- CSV --- */

/*
 * Comma-separated values (RFC 4180) with a head: one record for each row, skip and summary value.
 * docs/format.md, "Exports", has the columns.
 */

/*
 * Characters that make a cell a formula in a spreadsheet, and the mark that makes any cell a text.
 */
#define FORMULA_STARTS "=+-@\t\r\n"
#define TEXT_MARK      '\''

/* Columns that depend on the file: the names of numbers in these objects, in the order met. */
static const char *const objects[] = { KEY_PARAMS, KEY_COUNTS, KEY_MORE };
#define OBJECTS (sizeof objects / sizeof *objects)

static const char *const what[] = { KEY_PROBE, KEY_VARIANT, KEY_LEVEL, KEY_UNIT, NULL };
static const char *const where[] = { KEY_NODE, NULL };
static const char *const summary[] = { KEY_VALUE, KEY_LOW, KEY_HIGH, KEY_CLAIMED, KEY_CONFIDENCE,
	KEY_FLOOR, NULL };
static const char *const remarks[] = { KEY_NAME, KEY_UNSTEADY, KEY_REASON, NULL };

struct csv {
	FILE *out;
	json_t *names[OBJECTS]; /* columns of each object */
	const struct run_data *run;
	size_t number; /* of the run, from 1 */
};

/*
 * Write a text cell, quoted if RFC 4180 asks for it. A text that a spreadsheet would compute gets
 * TEXT_MARK in front of it (OWASP ASVS 5.0, 1.2.10), and so does a text that begins with the mark,
 * so that it can be taken off.
 */
static void put_text_cell(FILE *out, const char *text)
{
	bool marked = *text && strchr(FORMULA_STARTS "'", *text), quoted = strpbrk(text, ",\"\r\n");

	if (quoted)
		fputc('"', out);
	if (marked)
		fputc(TEXT_MARK, out);
	for (; *text; text++)
		fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
	if (quoted)
		fputc('"', out);
}

static void put_texts(FILE *out, const json_t *line, const char *const *keys)
{
	for (; *keys; keys++) {
		fputc(',', out);
		put_text_cell(out, text_of(line, *keys));
	}
}

/* Write numbers; nothing for an unknown one. */
static void put_numbers(FILE *out, const json_t *line, const char *const *keys)
{
	for (; *keys; keys++) {
		double value = number_of(line, *keys);
		fputc(',', out);
		if (!isnan(value))
			fprintf(out, "%.10g", value);
	}
}

static void put_bool(FILE *out, const json_t *line, const char *key)
{
	const json_t *value = json_object_get(line, key);

	fprintf(out, ",%s", json_is_true(value) ? "true" : json_is_false(value) ? "false" : "");
}

static void put_names(FILE *out, const char *const *names)
{
	for (; *names; names++)
		fprintf(out, ",%s", *names);
}

/* Write the head: parameters by their own names, the rest as `counts.NAME` and `more.NAME`. */
static void put_head(const struct csv *csv)
{
	const char *name;
	json_t *unused;

	fputs("kind,run,room,time_utc,build,cpu,hypervisor,emulated", csv->out);
	put_names(csv->out, what);
	for (size_t i = 0; i < OBJECTS; i++)
		json_object_foreach(csv->names[i], name, unused) {
			fprintf(csv->out, i ? ",%s." : ",", objects[i]);
			put_text_cell(csv->out, name);
		}
	put_names(csv->out, where);
	put_names(csv->out, row_statistics);
	put_names(csv->out, summary);
	put_names(csv->out, (const char *[]){ KEY_AGREES, NULL });
	put_names(csv->out, remarks);
	fputs("\r\n", csv->out);
}

/* Write the cells that are the same in all records of a run. */
static void put_run(const struct csv *csv)
{
	const json_t *head = csv->run->head;

	fprintf(csv->out, ",%zu", csv->number);
	put_texts(csv->out, head, (const char *[]){ KEY_ROOM, KEY_TIME_UTC, KEY_BUILD, NULL });
	put_texts(csv->out, json_object_get(head, KEY_CPU), (const char *[]){ KEY_BRAND, NULL });
	put_texts(csv->out, head, (const char *[]){ KEY_HYPERVISOR, NULL });
	put_bool(csv->out, head, KEY_EMULATED);
}

/* Write a line of any kind, with the columns that it has. */
static void put_record(const struct csv *csv, const char *kind, const json_t *line)
{
	const char *name;
	json_t *unused;

	fputs(kind, csv->out);
	put_run(csv);
	put_texts(csv->out, line, what);
	for (size_t i = 0; i < OBJECTS; i++) {
		const json_t *object = json_object_get(line, objects[i]);
		json_object_foreach(csv->names[i], name, unused) {
			put_numbers(csv->out, object, (const char *[]){ name, NULL });
		}
	}
	put_numbers(csv->out, line, where);
	put_numbers(csv->out, line, row_statistics);
	put_numbers(csv->out, line, summary);
	put_bool(csv->out, line, KEY_AGREES);
	put_texts(csv->out, line, remarks);
	fputs("\r\n", csv->out);
}

static void put_all(const struct csv *csv, const char *kind, const struct printed_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		put_record(csv, kind, lines->list[i].json);
}

static void collect_columns(struct csv *csv, const json_t *line)
{
	const char *name;
	json_t *value;

	for (size_t i = 0; i < OBJECTS; i++)
		json_object_foreach(json_object_get(line, objects[i]), name, value) {
			if (json_is_number(value))
				json_object_set_new(csv->names[i], name, json_true());
		}
}

static void collect_all(struct csv *csv, const struct results *results)
{
	for (size_t i = 0; i < OBJECTS; i++)
		csv->names[i] = json_object();
	for (size_t i = 0; i < results->nruns; i++) {
		const struct run_data *run = &results->runs[i];
		for (size_t j = 0; j < run->nrows; j++)
			collect_columns(csv, run->rows[j].json);
		for (size_t j = 0; j < run->skips.n; j++)
			collect_columns(csv, run->skips.list[j].json);
	}
}

static size_t export_csv(const struct results *results, FILE *out)
{
	struct csv csv = { .out = out };

	collect_all(&csv, results);
	put_head(&csv);
	for (size_t i = 0; i < results->nruns; i++) {
		csv.run = &results->runs[i];
		csv.number = i + 1;
		for (size_t j = 0; j < csv.run->nrows; j++)
			put_record(&csv, KIND_ROW, csv.run->rows[j].json);
		put_all(&csv, KIND_SKIP, &csv.run->skips);
		put_all(&csv, KIND_SUMMARY, &csv.run->summaries);
	}
	for (size_t i = 0; i < OBJECTS; i++)
		json_decref(csv.names[i]);
	return 0;
}

/* --- all formats --- */

const struct export_format export_formats[] = {
#define EXPORT_FORMAT(name, runs, left_out, help) { #name, help, left_out, runs, export_##name },
#include "linux/report/export/export_formats.inc"
#undef EXPORT_FORMAT
	{ NULL }
};
