/* SPDX-License-Identifier: MIT */
/* Runs rows of some probes in a room where time is made up, and reads their lines. */
#ifndef TESTS_UNIT_LINES_OF_ROWS_H
#define TESTS_UNIT_LINES_OF_ROWS_H

#include <jansson.h>

#include "tests/unit/fake_room.h"
#include "tests/unit/test.h"

static struct room room;
static struct options options;

/* Before bench_run: rows of these probes or variants, whose loops take what `call` says. */
static void prepare_run(const char *probes,
	struct timed (*call)(struct room *, loop_fn *, const uint64_t[LOOP_ARGS]))
{
	fake_reset(&room);
	room.call = call;
	options = (struct options){ .profile = PROFILE_SMOKE, .seed = 1 };
	strcpy(options.probes, probes);
}

/* Of the rows of a variant that one where a parameter has this value; NULL: the first one. */
static struct {
	const char *param;
	double value;
} which;

static bool is_which(const json_t *line)
{
	const json_t *params = json_object_get(line, "params");

	return !which.param ||
		json_number_value(json_object_get(params, which.param)) == which.value;
}

/* The line of that kind and variant, to be released; NULL: there is none. */
static json_t *line_of(const char *kind, const char *variant)
{
	for (const char *p = fake_out; *p; p = strchr(p, '\n') + 1) {
		json_t *line = json_loads(p, JSON_DISABLE_EOF_CHECK, NULL);
		const char *is = json_string_value(json_object_get(line, "kind"));
		const char *of = json_string_value(json_object_get(line, "variant"));

		if (is && of && !strcmp(is, kind) && !strcmp(of, variant) && is_which(line))
			return line;
		json_decref(line);
	}
	return NULL;
}

/* A number of the row of that variant, or of what its probe adds; NAN: it has none such. */
static double number(const char *variant, const char *key)
{
	json_t *line = line_of("row", variant);

	if (!line)
		fail_msg("no row '%s' in:\n%s", variant, fake_out);
	const json_t *is = json_object_get(line, key);

	if (!is)
		is = json_object_get(json_object_get(line, "more"), key);
	double value = json_is_number(is) ? json_number_value(is) : NAN;

	json_decref(line);
	return value;
}

static __attribute__((unused)) void expect(const char *variant, const char *key, double is)
{
	double came = number(variant, key);

	if (!(fabs(came - is) <= 1e-3 * is))
		fail_msg("%s, %s: expected %g, came %g", variant, key, is, came);
}

static __attribute__((unused)) void expect_skip(const char *variant, const char *reason)
{
	json_t *line = line_of("skip", variant);
	const char *came = json_string_value(json_object_get(line, "reason"));

	if (!came || strcmp(came, reason))
		fail_msg("%s: expected to be skipped, '%s', came '%s'", variant, reason,
			came ? came : "no skip");
	json_decref(line);
}

/* A value of the summary; NAN: not resolved. */
static __attribute__((unused)) double summary(const char *name)
{
	for (const char *p = fake_out; *p; p = strchr(p, '\n') + 1) {
		json_t *line = json_loads(p, JSON_DISABLE_EOF_CHECK, NULL);
		const char *is = json_string_value(json_object_get(line, "name"));
		json_t *value = json_object_get(line, "value");
		double x = json_is_number(value) ? json_number_value(value) : NAN;
		bool found = is && !strcmp(is, name);

		json_decref(line);
		if (found)
			return x;
	}
	fail_msg("no value '%s'", name);
	return NAN;
}

#endif
