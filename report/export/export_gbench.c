/* SPDX-License-Identifier: MIT */
/*
 * Google Benchmark JSON, for its tools/compare.py, which prints times by %.0f: a time is that of
 * EXPORT_OPS operations (of EXPORT_OPS bytes, for a bandwidth), and its name says so. Rows that are
 * no times or rates, or not all greater than 0, are left out. The repetitions of a benchmark are
 * the row's samples, disturbed ones too. If there are two or more, its aggregates follow, computed
 * from them by the library's own rules (src/statistics.cc).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "lib/stats.h"
#include "report/export/export.h"
#include "report/reading/results.h"

#define EXPORT_OPS 1000000

/* 0 where a file has no number there, or one that no integer holds. */
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
		return value > 0 ? EXPORT_OPS / value : NAN; /* 1 GB/s is 1 byte in a nanosecond */
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

/* A row as a benchmark: the times of its repetitions, in nanoseconds, and where it stands. */
struct benchmark {
	char *name;
	size_t index, n;
	double *times;
};

/* A thinned row has one repetition, its median. */
static double *times_of(const struct run_data *run, const struct row_data *row, size_t n)
{
	double *times = new_array(n, sizeof *times);

	for (size_t i = 0; i < n; i++)
		times[i] = time_of(run, row, row->nvalues ? row->values[i] : row->median);
	return times;
}

/* Whether all repetitions took time: of one that did not, compare.py's geometric mean is NaN. */
static bool takes_time(const double *times, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(times[i]) || times[i] <= 0)
			return false;
	return true;
}

/* The members that repetitions and aggregates share, in the order in which the library has them. */
static json_t *entry(const struct benchmark *b, const char *suffix, const char *type)
{
	return json_pack("{s:s+, s:i, s:I, s:s, s:s, s:I}", "name", b->name, suffix, "family_index",
		0, "per_family_instance_index", (json_int_t)b->index, "run_name", b->name,
		"run_type", type, "repetitions", (json_int_t)b->n);
}

/* Ends an entry. time: nanoseconds, of the `cv` a fraction. */
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

/* n >= 2; with n - 1 under the root. */
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

/* How many rows were left out: 0 or 1. */
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

size_t export_gbench(const struct results *results, FILE *out)
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
