/* SPDX-License-Identifier: MIT */
#include "linux/report/export/metrics.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "lib/stats.h"
#include "linux/report/export/export.h"

static bool is_emulated_run(const struct run_data *run)
{
	return json_is_true(json_object_get(run->head, KEY_EMULATED));
}

static bool alike(const struct run_data *a, const struct run_data *b)
{
	return !strcmp(a->room, b->room) && is_emulated_run(a) == is_emulated_run(b);
}

/* Returns true if no run before it in the file is of its room. */
static bool is_first(const struct results *results, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (alike(&results->runs[j], &results->runs[i]))
			return false;
	return true;
}

/* An end that one run leaves open is open. */
static double wider(double a, double b, double (*outer)(double, double))
{
	return isnan(a) || isnan(b) ? NAN : outer(a, b);
}

struct metric metric_of(const struct results *results, const struct run_data *like,
	enum value_id id)
{
	struct metric m = { "", NAN, INFINITY, -INFINITY };
	double *values = new_array(results->nruns, sizeof *values);
	size_t n = 0;

	for (size_t i = 0; i < results->nruns; i++) {
		const json_t *line = run_summary(&results->runs[i], id);
		if (!alike(&results->runs[i], like) || !line ||
			!strcmp(text_of(line, KEY_REASON), NOT_MEASURED))
			continue;
		m.unit = *m.unit ? m.unit : text_of(line, KEY_UNIT);
		if (number_or(line, KEY_CONFIDENCE, 0) < UNSURE ||
			isnan(number_of(line, KEY_VALUE)))
			continue;
		values[n++] = number_of(line, KEY_VALUE);
		m.low = wider(m.low, number_of(line, KEY_LOW), fmin);
		m.high = wider(m.high, number_of(line, KEY_HIGH), fmax);
	}
	if (n)
		m.value = stats_median(values, n);
	else
		m.low = m.high = NAN;
	free(values);
	return m;
}

/* "bare", or "bare-emulated": the times of an emulator must not continue a machine's. */
static void put_room(FILE *out, const struct run_data *run)
{
	fprintf(out, "%s%s", run->room, is_emulated_run(run) ? "-emulated" : "");
}

/* --- Bencher --- */

/*
 * Bencher Metric Format (bencher.dev/docs/reference/bencher-metric-format): an object of
 * benchmarks, "ROOM/NAME"; each has one measure, which is named after the unit, because Bencher
 * gives a measure one unit.
 */

/* "GB/s" -> "gb-per-s": a slug, as Bencher makes of names. */
static void unit_slug(const char *unit, char *slug)
{
	for (; *unit; unit++)
		if (*unit == '/')
			slug = stpcpy(slug, "-per-");
		else
			*slug++ =
				(char)(isalnum((unsigned char)*unit) ? tolower((unsigned char)*unit)
								     : '-');
	*slug = '\0';
}

static void put_bound(json_t *metric, const char *key, double bound)
{
	if (isfinite(bound))
		json_object_set_new(metric, key, json_real(bound));
}

static void add_benchmark(json_t *all, const struct run_data *run, const char *name,
	const struct metric *m)
{
	char *slug = new_array(strlen("-per-") * strlen(m->unit) + 1, 1), *benchmark;
	json_t *metric = json_pack("{s:f}", "value", m->value);
	size_t bytes;
	FILE *out = text_stream(&benchmark, &bytes);

	unit_slug(m->unit, slug);
	put_room(out, run);
	fprintf(out, "/%s", name);
	fclose(out);
	put_bound(metric, "lower_value", m->low);
	put_bound(metric, "upper_value", m->high);
	json_object_set_new(all, benchmark, json_pack("{s:o}", slug, metric));
	free(benchmark);
	free(slug);
}

size_t export_bmf(const struct results *results, FILE *out)
{
	json_t *all = json_object();
	size_t left_out = 0;

	for (size_t i = 0; i < results->nruns; i++)
		for (enum value_id id = VALUE_none + 1; is_first(results, i) && id < VALUES_KNOWN;
			id++) {
			struct metric m = metric_of(results, &results->runs[i], id);
			if (isfinite(m.value))
				add_benchmark(all, &results->runs[i], value_facts(id).name, &m);
			else
				left_out += *m.unit != '\0';
		}
	json_dumpf(all, out, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
	fputc('\n', out);
	json_decref(all);
	return left_out;
}

/* --- LAVA --- */

/*
 * The signals of LAVA's test shell (docs.lavasoftware.org, "Recording test case data"), as its
 * script lava-test-case prints them: a test case for each value that was measured, which passes
 * if it is known; before these, whether the run is complete, and its proofs.
 */

static void put_case(FILE *out, const struct run_data *run, const char *name, const char *result)
{
	fputs("<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=", out);
	put_room(out, run);
	fprintf(out, ".%s RESULT=%s", name, result);
}

static bool is_complete(const struct run_data *run)
{
	return !strcmp(text_of(run->end, KEY_STATUS), "complete");
}

/* The cases of all runs of the room together: one that is not whole, or a failed proof, fails. */
static void put_run_cases(FILE *out, const struct results *results, const struct run_data *like)
{
	bool complete = true, proved = true;

	for (size_t i = 0; i < results->nruns; i++) {
		const struct run_data *run = &results->runs[i];
		if (!alike(run, like))
			continue;
		complete = complete && is_complete(run);
		for (size_t j = 0; j < run->skips.n; j++)
			proved = proved && !skip_disproved(run->skips.list[j].json);
	}
	put_case(out, like, "run", complete ? "pass>\n" : "fail>\n");
	put_case(out, like, "proofs", proved ? "pass>\n" : "fail>\n");
}

static void put_measurement(FILE *out, const struct run_data *run, enum value_id id,
	const struct metric *m)
{
	if (!*m->unit)
		return;
	if (!isfinite(m->value)) {
		put_case(out, run, value_facts(id).name, "unknown>\n");
		return;
	}
	put_case(out, run, value_facts(id).name, "pass");
	fputs(" UNITS=", out);
	for (const char *c = m->unit; *c; c++)
		fputc(isgraph((unsigned char)*c) && !strchr("=<>", *c) ? *c : '_', out);
	fprintf(out, " MEASUREMENT=%.10g>\n", m->value);
}

size_t export_lava(const struct results *results, FILE *out)
{
	for (size_t i = 0; i < results->nruns; i++) {
		const struct run_data *run = &results->runs[i];
		if (!is_first(results, i))
			continue;
		put_run_cases(out, results, run);
		for (enum value_id id = VALUE_none + 1; id < VALUES_KNOWN; id++) {
			struct metric m = metric_of(results, run, id);
			put_measurement(out, run, id, &m);
		}
	}
	return 0;
}
