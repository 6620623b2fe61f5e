/* SPDX-License-Identifier: MIT */
#include "report/reading/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"

static void put_number(double value, FILE *out)
{
	char text[40];

	if (!isfinite(value)) {
		fputs("null", out);
		return;
	}
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	fputs(text, out);
}

/* A result has no other escapes than these two (report/reading/frame.c). */
static void put_string(const char *text, FILE *out)
{
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', out);
		putc((unsigned char)*text < ' ' ? '?' : *text, out);
	}
	putc('"', out);
}

static void put_value(const json_t *value, FILE *out);

static void put_array(const json_t *array, FILE *out)
{
	putc('[', out);
	for (size_t i = 0; i < json_array_size(array); i++) {
		fputs(i ? "," : "", out);
		put_value(json_array_get(array, i), out);
	}
	putc(']', out);
}

/* Its members, each after a comma or, the first, after `before`. */
static void put_members(const json_t *object, const char *before, FILE *out)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value) {
		fputs(before, out);
		put_string(key, out);
		putc(':', out);
		put_value(value, out);
		before = ",";
	}
}

static void put_value(const json_t *value, FILE *out)
{
	if (json_is_object(value)) {
		putc('{', out);
		put_members(value, "", out);
		putc('}', out);
	} else if (json_is_array(value)) {
		put_array(value, out);
	} else if (json_is_string(value)) {
		put_string(json_string_value(value), out);
	} else if (json_is_number(value)) {
		put_number(json_number_value(value), out);
	} else {
		fputs(json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null", out);
	}
}

static void put_line(const json_t *line, FILE *out)
{
	if (!line)
		return;
	put_value(line, out);
	putc('\n', out);
}

/* The line has no samples any more: the row has them. */
static void put_row(const struct row_data *row, FILE *out)
{
	fputs("{\"" KEY_VALUES "\":[", out);
	for (size_t i = 0; i < row->nvalues; i++) {
		fputs(i ? "," : "", out);
		put_number(row->values[i], out);
	}
	putc(']', out);
	put_members(row->json, ",", out);
	fputs("}\n", out);
}

char *json_text_of(const struct run_data *run, size_t *bytes)
{
	char *text;
	FILE *out = text_stream(&text, bytes);

	put_line(run->head, out);
	for (size_t i = 0; i < run->nrows; i++)
		put_row(&run->rows[i], out);
	for (size_t i = 0; i < run->summaries.n; i++)
		put_line(run->summaries.json[i], out);
	for (size_t i = 0; i < run->skips.n; i++)
		put_line(run->skips.json[i], out);
	put_line(run->end, out);
	fclose(out);
	return text;
}
