/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "tests/kam/judge/check.h"
#include "tests/kam/judge/cores_rows.h"
#include "tests/kam/judge/expected.h"
#include "tests/kam/cpu/fatal.h"

/* One run of a result file. */
struct found {
	json_t *run, *end;
	json_t *summaries; /* object by name */
	double sequential; /* cycles of a load in order, from memory */
	double stride;     /* bytes from one such load to the next */
};

enum verdict { RIGHT, WRONG, NOT_MEASURED };

/* The summary's word for what no row was chosen for. */
static const char not_measured[] = "not measured in this run";

static json_t *next_line(FILE *f, const char *path, unsigned *number)
{
	json_error_t error;
	json_t *line;
	char *text = NULL;
	size_t room = 0;

	if (getline(&text, &room, f) < 0) {
		free(text);
		return NULL;
	}
	++*number;
	line = json_loads(text, 0, &error);
	if (!line)
		fatal("%s:%u: %s", path, *number, error.text);
	free(text);
	return line;
}

static const char *text_of(json_t *line, const char *key)
{
	const char *s = json_string_value(json_object_get(line, key));

	return s ? s : "";
}

static double number_of(json_t *line, const char *key)
{
	json_t *v = json_object_get(line, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static double param_of(json_t *row, const char *name)
{
	return number_of(json_object_get(row, "params"), name);
}

static bool is_row(json_t *row, const char *probe, const char *variant)
{
	return !strcmp(text_of(row, "probe"), probe) && !strcmp(text_of(row, "variant"), variant);
}

/* A row in memory with large pages. */
static bool far(json_t *row)
{
	return !strcmp(text_of(row, "level"), "memory") && param_of(row, "page_bytes") > 4096;
}

/* What is asked for although no line of the summary says it. */
static void keep_value(struct found *out, const char *name, double value)
{
	json_object_set_new(out->summaries, name, json_pack("{s:f}", "value", value));
}

static void keep_row(struct found *out, json_t *row)
{
	double cycles = number_of(row, "cycles");

	if (is_row(row, "clock", "div3-lfence"))
		keep_value(out, "three_divisions", cycles);
	else if (is_row(row, "latency", "sequential") && far(row)) {
		out->sequential = cycles;
		out->stride = param_of(row, "stride_bytes");
	} else if (is_row(row, "mlp", "chains") && far(row) && param_of(row, "lanes") == 1)
		keep_value(out, "one_chain_cycles", cycles); /* plain latency, by another way */
}

static void keep(struct found *out, json_t *line)
{
	const char *kind = text_of(line, "kind");

	if (!strcmp(kind, "run"))
		out->run = json_incref(line);
	else if (!strcmp(kind, "end"))
		out->end = json_incref(line);
	else if (!strcmp(kind, "summary"))
		json_object_set(out->summaries, text_of(line, "name"), line);
	else if (!strcmp(kind, "row"))
		keep_row(out, line);
	json_decref(line);
}

/*
 * A chase from line to line pays memory's latency once for what comes together, a line or a pair;
 * a stream that is prefetched costs a small part of that.
 */
static void keep_prefetcher(struct found *f)
{
	double memory = number_of(json_object_get(f->summaries, "memory_latency_cycles"), "value");
	double node = number_of(f->run, "node_bytes");

	if (!isnan(f->sequential) && !isnan(memory))
		keep_value(f, "stream_prefetcher",
			f->sequential < 0.8 * memory * fmin(1, f->stride / node));
	keep_value(f, "node_bytes", node);
}

static void forget(struct found *f)
{
	json_decref(f->run);
	json_decref(f->end);
	json_decref(f->summaries);
}

/* The run must be complete and come from this program. */
static void read_result(const char *path, struct found *out)
{
	FILE *f = fopen(path, "rb");
	unsigned number = 0;
	json_t *line;

	if (!f)
		fatal("%s: cannot be read", path);
	*out = (struct found){ .summaries = json_object(), .sequential = NAN };
	while ((line = next_line(f, path, &number)))
		keep(out, line);
	fclose(f);
	if (!out->run || !out->end || strcmp(text_of(out->end, "status"), "complete"))
		fatal("%s: the run is not complete", path);
	if (strcmp(text_of(out->run, "hypervisor"), "known-answer") ||
		!json_is_true(json_object_get(out->run, "emulated")))
		fatal("%s: does not say that it comes from the known-answer machine", path);
	keep_prefetcher(out);
}

static double grid_of(json_t *run)
{
	const char *profile = text_of(run, "profile");

	return !strcmp(profile, "smoke") ? 2 : !strcmp(profile, "default") ? M_SQRT2 : 1.1892071;
}

static bool same(double a, double b)
{
	return (isnan(a) && isnan(b)) || a == b;
}

/* What is wrong with a summary line, or NULL. */
static const char *fault(const struct expected *d, json_t *summary)
{
	double value = number_of(summary, "value"), claimed = number_of(summary, "claimed");
	double low = number_of(summary, "low"), high = number_of(summary, "high");

	if (!isnan(d->claimed) && !same(claimed, d->claimed))
		return "claimed is not what CPUID says";
	if (isnan(value))
		return d->must_be_unresolved || d->may_be_unresolved ? NULL
								     : text_of(summary, "reason");
	if (d->must_be_unresolved)
		return "expected \"not resolved\"";
	if (value < d->low || value > d->high)
		return "out of tolerance";
	if (d->bracketed && (low > d->value || high <= d->value - d->slack))
		return "the expected value is outside low..high";
	if (d->widest > 0 && high > low * d->widest)
		return "low..high is too wide";
	return NULL;
}

static void say_value(char *out, size_t room, double value)
{
	if (isnan(value))
		snprintf(out, room, "not resolved");
	else
		snprintf(out, room, value < 1e6 ? "%.6g" : "%.0f", value);
}

/* Why a value that is not resolved is correct. */
static const char *excuse(const struct expected *d, double value)
{
	if (!isnan(value))
		return "";
	return d->must_be_unresolved ? d->must_be_unresolved : d->may_be_unresolved;
}

static enum verdict check_one(const struct expected *d, struct found *f)
{
	json_t *summary = json_object_get(f->summaries, d->name);
	const char *wrong = fault(d, summary);
	double found = number_of(summary, "value");
	char value[32], truth[32];

	if (!summary || !strcmp(text_of(summary, "reason"), not_measured)) {
		printf("%-27s not measured in this run\n", d->name);
		return NOT_MEASURED;
	}
	say_value(truth, sizeof(truth), d->value);
	say_value(value, sizeof(value), found);
	const char *why = wrong ? wrong : excuse(d, found);
	printf("%-27s expected %-12s got %-13s tolerance %-21s %s%s%s\n", d->name, truth, value,
		d->tolerance, wrong ? "WRONG" : "ok", *why ? ": " : "", why);
	return wrong ? WRONG : RIGHT;
}

int check_result(const char *ini, const char *result)
{
	struct expected list[EXPECTED_MOST];
	struct found f;
	struct cpu cpu;
	unsigned verdicts[3] = { 0, 0, 0 };
	size_t i, n;

	cpu_read(&cpu, ini);
	read_result(result, &f);
	n = expected_values(&cpu, grid_of(f.run), list);
	for (i = 0; i < n; i++)
		verdicts[check_one(&list[i], &f)]++;
	verdicts[WRONG] += judge_cores(&cpu, result);
	printf("%s: %zu parameters checked, %u wrong, %u not measured\n", cpu.name, n,
		verdicts[WRONG], verdicts[NOT_MEASURED]);
	forget(&f);
	return verdicts[WRONG] ? 1 : 0;
}
