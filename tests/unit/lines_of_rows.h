/* SPDX-License-Identifier: MIT */
/* Runs rows of some probes in a room where time is made up, and reads their lines. */
#ifndef TESTS_UNIT_LINES_OF_ROWS_H
#define TESTS_UNIT_LINES_OF_ROWS_H

#include "tests/unit/result_lines.h"

static struct room room;
static struct options options;

/* Selects the row of a variant whose parameter has this value; NULL: the first row. */
static struct {
	const char *param;
	double value;
} which;

/* Before bench_run: rows of these probes or variants, whose loops take what `call` says. */
static void prepare_run(const char *probes,
	struct timed (*call)(struct room *, loop_fn *, const uint64_t[LOOP_ARGS]))
{
	fake_reset(&room);
	room.call = call;
	options = (struct options){ .profile = PROFILE_SMOKE, .seed = 1 };
	strcpy(options.probes, probes);
	which.param = NULL;
}

/* Runs them; what an earlier run wrote is gone. */
static inline void run_rows(void)
{
	fake_used = 0;
	fake_said[0] = 0;
	assert_int_equal(0, bench_run(&room, &options));
}

/* From now on the row of a variant where a parameter has this value; NULL: the first one. */
static inline void of_row(const char *param, double value)
{
	which.param = param;
	which.value = value;
}

static bool is_which(const json_t *line)
{
	const json_t *params = json_object_get(line, "params");

	return !which.param ||
		json_number_value(json_object_get(params, which.param)) == which.value;
}

/* The line of that kind and variant, to be released; NULL: there is none. */
static json_t *line_of(const char *kind, const char *variant)
{
	const char *at = fake_out;

	for (json_t *line; (line = result_next(&at)); json_decref(line))
		if (line_has(line, "kind", kind) && line_has(line, "variant", variant) &&
			is_which(line))
			return line;
	return NULL;
}

/* A number of the row of that variant, or of what its probe adds; NAN: it has none such. */
static double number(const char *variant, const char *key)
{
	json_t *line = line_of("row", variant);

	if (!line)
		fail_msg("no row '%s' in:\n%s", variant, fake_out);
	double value = number_in(line, key);

	if (isnan(value))
		value = number_in(json_object_get(line, "more"), key);
	json_decref(line);
	return value;
}

static inline void expect(const char *variant, const char *key, double is)
{
	double came = number(variant, key);

	if (!(fabs(came - is) <= 1e-3 * is))
		fail_msg("%s, %s: expected %g, came %g", variant, key, is, came);
}

/* The rows of these variants have no sample that is not disturbed. */
static inline void expect_all_disturbed(const char *const *variants, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		expect(variants[i], "disturbed", number(variants[i], "samples"));
}

static inline void expect_skip(const char *variant, const char *reason)
{
	json_t *line = line_of("skip", variant);
	const char *came = json_string_value(json_object_get(line, "reason"));

	if (!came || strcmp(came, reason))
		fail_msg("%s: expected to be skipped, '%s', came '%s'", variant, reason,
			came ? came : "no skip");
	json_decref(line);
}

#endif
