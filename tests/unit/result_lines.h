/* SPDX-License-Identifier: MIT */
/* The lines that a run in the room for tests has written, read. */
#ifndef TESTS_UNIT_RESULT_LINES_H
#define TESTS_UNIT_RESULT_LINES_H

#include <jansson.h>

#include "tests/unit/fake_room.h"

/* The line that begins here, to be released, and then the next one; NULL: there is no more. */
static inline json_t *result_next(const char **at)
{
	json_t *line = **at ? json_loads(*at, JSON_DISABLE_EOF_CHECK, NULL) : NULL;

	if (**at && !line)
		fail_msg("no JSON: %s", *at);
	*at += strcspn(*at, "\n") + (line != NULL);
	return line;
}

static inline bool line_has(const json_t *line, const char *key, const char *text)
{
	const char *is = json_string_value(json_object_get(line, key));

	return is && !strcmp(is, text);
}

/* The summary line of that name, to be released. */
static inline json_t *summary_line(const char *name)
{
	const char *at = fake_out;

	for (json_t *line; (line = result_next(&at)); json_decref(line))
		if (line_has(line, "kind", "summary") && line_has(line, "name", name))
			return line;
	fail_msg("no summary line '%s' in:\n%s", name, fake_out);
	return NULL;
}

/* A number of the line; NAN: it has none such. */
static inline double number_in(const json_t *line, const char *key)
{
	const json_t *is = json_object_get(line, key);

	return json_is_number(is) ? json_number_value(is) : NAN;
}

/* A number of that summary line. */
static inline double summary_number(const char *name, const char *key)
{
	json_t *line = summary_line(name);
	double is = number_in(line, key);

	json_decref(line);
	return is;
}

/* Its value; NAN: not resolved. */
static inline double summary(const char *name)
{
	return summary_number(name, "value");
}

#endif
