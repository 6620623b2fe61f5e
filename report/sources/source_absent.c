/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/reading/row_identity.h"
#include "report/sources/source_absent.h"

__attribute__((format(printf, 1, 2))) static char *says(const char *format, ...)
{
	size_t bytes;
	char *text;
	FILE *out = text_stream(&text, &bytes);
	va_list args;

	va_start(args, format);
	vfprintf(out, format, args);
	va_end(args);
	fclose(out);
	return text;
}

/* What is wanted of a parameter; NAN: any value. */
static double wanted(const json_t *selector, struct source_point at, const char *name)
{
	if (at.by && !strcmp(name, at.by))
		return at.x;
	return row_parameter(selector, name);
}

/* How closely a skip line is about what the selector means; -1: it is about something else. */
static int about(const json_t *skip, const json_t *selector, struct source_point at)
{
	const char *variant = text_of(skip, KEY_VARIANT), *level = text_of(skip, KEY_LEVEL);
	const char *name;
	json_t *value;
	int close = *variant != 0;

	if (strcmp(text_of(skip, KEY_PROBE), text_of(selector, KEY_PROBE)) ||
		(*variant && strcmp(variant, text_of(selector, KEY_VARIANT))) ||
		(*level && *text_of(selector, KEY_LEVEL) &&
			strcmp(level, text_of(selector, KEY_LEVEL))))
		return -1;
	json_object_foreach(json_object_get(skip, KEY_PARAMS), name, value) {
		double want = wanted(selector, at, name);
		if (!isnan(want) && strcmp(name, KEY_PAGE_BYTES) &&
			want != json_number_value(value))
			return -1;
		close += !isnan(want);
	}
	return close;
}

static const json_t *skip_of(const struct run_data *run, const json_t *selector,
	struct source_point at)
{
	const json_t *found = NULL;
	int closest = -1;

	for (size_t i = 0; i < run->skips.n; i++) {
		int close = about(run->skips.list[i].json, selector, at);
		if (close > closest) {
			closest = close;
			found = run->skips.list[i].json;
		}
	}
	return found;
}

/* Whether the run was asked for it: its list of probes may name the probe or the variant. */
static bool asked_for(const struct run_data *run, const json_t *selector)
{
	const char *list = text_of(run->head, "probes"), *probe = text_of(selector, KEY_PROBE);
	char *both = says("%s:%s", probe, text_of(selector, KEY_VARIANT));
	bool asked = !*list || names_have(list, probe) || names_have(list, both);

	free(both);
	return asked;
}

static char *not_planned(const struct run_data *run, const json_t *selector)
{
	const char *profile = text_of(run->head, KEY_PROFILE);

	for (size_t i = 0; i < run->nrows; i++)
		if (!strcmp(run->rows[i].probe, text_of(selector, KEY_PROBE)) &&
			!strcmp(run->rows[i].variant, text_of(selector, KEY_VARIANT)))
			return says("no such point in profile %s", profile);
	return says("no such row in profile %s of build %s", profile,
		text_of(run->head, KEY_BUILD));
}

char *source_absent(const struct run_data *run, const json_t *selector, struct source_point at)
{
	const json_t *skip = skip_of(run, selector, at);

	if (skip)
		return copy_text(text_of(skip, KEY_REASON));
	if (!asked_for(run, selector))
		return copy_text("not among the rows that the run was asked for");
	if (!run->end)
		return copy_text("the run was cut");
	if (strcmp(text_of(run->end, KEY_STATUS), "complete"))
		return says("the run was %s", text_of(run->end, KEY_STATUS));
	if (number_or(json_object_get(run->end, KEY_THINNED), KEY_ROWS, 0) > 0)
		return copy_text("not among the rows that this thinned result kept");
	return not_planned(run, selector);
}

char *source_lacks(const struct run_data *run, const struct row_data *row, const char *of)
{
	if (!strncmp(of, "counts.", 7))
		return says("room %s did not count that", run->room);
	if (!strcmp(of, "p99"))
		return says("%.0f samples are too few for a 99th percentile", row->samples);
	return says("the row has no %s", of);
}
