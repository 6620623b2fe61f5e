/* SPDX-License-Identifier: MIT */
/* The summary lines that the rows of summary_rows.h give. */
#ifndef TESTS_UNIT_SUMMARY_LINES_H
#define TESTS_UNIT_SUMMARY_LINES_H

#include <jansson.h>

#include "tests/unit/summary_rows.h"

/* The summary line of that name, to be released. */
static __attribute__((unused)) json_t *summary(const char *name)
{
	for (const char *p = fake_out; *p; p = strchr(p, '\n') + 1) {
		json_t *line = json_loads(p, JSON_DISABLE_EOF_CHECK, NULL);
		const char *found = json_string_value(json_object_get(line, "name"));
		if (found && !strcmp(found, name))
			return line;
		json_decref(line);
	}
	fail_msg("no summary line '%s' in:\n%s", name, fake_out);
	return NULL;
}

static __attribute__((unused)) void expect(const char *name, double value, double tolerance)
{
	json_t *line = summary(name);
	double got = json_number_value(json_object_get(line, "value"));

	if (!(fabs(got - value) <= tolerance * value))
		fail_msg("%s: expected %g, got %g, %s", name, value, got,
			json_string_value(json_object_get(line, "reason")));
	json_decref(line);
}

static __attribute__((unused)) void expect_open(const char *name, const char *reason)
{
	json_t *line = summary(name);
	const char *why = json_string_value(json_object_get(line, "reason"));

	if (!json_is_null(json_object_get(line, "value")) || !why || strcmp(why, reason))
		fail_msg("%s: expected not resolved, '%s', got '%s'", name, reason,
			why ? why : "a value");
	json_decref(line);
}

static void hear_card(void *to, const char *text, size_t n)
{
	hear(to, text, n);
}

/* As at the end of a run. */
static void summarise(void)
{
	emit_run(&m.b);
	find_all(&m.b);
	emit_found(&m.b);
	card_print(&m.card, hear_card, &m.room);
}

#endif
