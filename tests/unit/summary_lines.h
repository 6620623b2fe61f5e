/* SPDX-License-Identifier: MIT */
/* The summary lines that the rows of summary_rows.h give. */
#ifndef TESTS_UNIT_SUMMARY_LINES_H
#define TESTS_UNIT_SUMMARY_LINES_H

#include "tests/unit/result_lines.h"
#include "tests/unit/summary_rows.h"

static inline void expect_summary(const char *name, double value, double tolerance)
{
	json_t *line = summary_line(name);
	double got = json_number_value(json_object_get(line, "value"));

	if (!(fabs(got - value) <= tolerance * value))
		fail_msg("%s: expected %g, got %g, %s", name, value, got,
			json_string_value(json_object_get(line, "reason")));
	json_decref(line);
}

static inline void expect_no_summary(const char *name, const char *reason)
{
	json_t *line = summary_line(name);
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

/* Write the summary as at the end of a run. */
static void summarise(void)
{
	emit_run(&m.b);
	find_all(&m.b);
	emit_found(&m.b);
	card_print(&m.card, NULL, hear_card, &m.room);
}

#endif
