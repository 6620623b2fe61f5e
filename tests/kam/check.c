/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "tests/kam/check.h"
#include "tests/kam/declare.h"
#include "tests/kam/die.h"

/* One run of a result file. */
struct found {
	json_t *run, *end;
	json_t *summaries; /* object by name */
};

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
		die("%s:%u: %s", path, *number, error.text);
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

/* The row of mlp with one chain in memory and large pages: plain latency, by another way. */
static bool one_chain(const char *kind, json_t *line)
{
	return !strcmp(kind, "row") && !strcmp(text_of(line, "probe"), "mlp") &&
		!strcmp(text_of(line, "variant"), "chains") &&
		!strcmp(text_of(line, "place"), "memory") && number_of(line, "lanes") == 1 &&
		number_of(line, "page_bytes") > 4096;
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
	else if (!strcmp(kind, "row") && !strcmp(text_of(line, "variant"), "div3-lfence"))
		json_object_set_new(out->summaries, "three_divisions",
			json_pack("{s:f}", "value", number_of(line, "cycles")));
	else if (one_chain(kind, line))
		json_object_set_new(out->summaries, "one_chain_cycles",
			json_pack("{s:f}", "value", number_of(line, "cycles")));
	json_decref(line);
}

static void forget(struct found *f)
{
	json_decref(f->run);
	json_decref(f->end);
	json_decref(f->summaries);
}

/* The file must be whole and say what it comes from. */
static void read_result(const char *path, struct found *out)
{
	FILE *f = fopen(path, "rb");
	unsigned number = 0;
	json_t *line;

	if (!f)
		die("%s: cannot be read", path);
	*out = (struct found){ NULL, NULL, json_object() };
	while ((line = next_line(f, path, &number)))
		keep(out, line);
	fclose(f);
	if (!out->run || !out->end || strcmp(text_of(out->end, "status"), "complete"))
		die("%s: the run is not complete", path);
	if (strcmp(text_of(out->run, "hypervisor"), "known-answer") ||
		!json_is_true(json_object_get(out->run, "emulated")))
		die("%s: does not say that it comes from the known-answer machine", path);
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
static const char *fault(const struct declared *d, json_t *summary)
{
	double value = number_of(summary, "value"), claimed = number_of(summary, "claimed");
	double low = number_of(summary, "low"), high = number_of(summary, "high");

	if (!summary)
		return "no such summary line";
	if (!isnan(d->claimed) && !same(claimed, d->claimed))
		return "not what CPUID claims";
	if (isnan(value))
		return d->unresolved ? NULL : text_of(summary, "reason");
	if (d->unresolved)
		return "should not be resolved";
	if (value < d->low || value > d->high)
		return "out of tolerance";
	if (d->bracketed && (low > d->value || high <= d->value - d->slack))
		return "the truth is not in the bracket given";
	if (d->widest > 0 && high > low * d->widest)
		return "the bracket given is too wide";
	return NULL;
}

static void say_value(char *out, size_t room, double value)
{
	if (isnan(value))
		snprintf(out, room, "not resolved");
	else
		snprintf(out, room, value < 1e6 ? "%.6g" : "%.0f", value);
}

static bool check_one(const struct declared *d, struct found *f)
{
	json_t *summary = json_object_get(f->summaries, d->name);
	const char *wrong = fault(d, summary);
	char value[32], truth[32];

	say_value(truth, sizeof(truth), d->value);
	say_value(value, sizeof(value), number_of(summary, "value"));
	printf("%-24s declared %-10s recovered %-13s tolerance %-18s %s%s%s\n", d->name, truth,
		value, d->tolerance, wrong ? "WRONG: " : "ok", wrong ? wrong : "",
		!wrong && d->unresolved ? d->unresolved : "");
	return !wrong;
}

int check_result(const char *ini, const char *result)
{
	struct declared list[DECLARED];
	struct found f;
	struct cpu cpu;
	unsigned wrong = 0;
	size_t i, n;

	cpu_read(&cpu, ini);
	read_result(result, &f);
	n = declare(&cpu, grid_of(f.run), list);
	for (i = 0; i < n; i++)
		wrong += !check_one(&list[i], &f);
	printf("%s: %zu parameters, %u wrong\n", cpu.name, n, wrong);
	forget(&f);
	return wrong ? 1 : 0;
}
