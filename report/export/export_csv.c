/* SPDX-License-Identifier: MIT */
/*
 * Comma-separated values (RFC 4180) with a head: one record for each row, skip and summary value.
 * docs/format.md, "Exports", has the columns.
 */
#include <math.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/export/export.h"

/* With what a spreadsheet takes a cell for a formula, and the mark that makes any cell a text. */
#define FORMULA_STARTS "=+-@\t\r\n"
#define TEXT_MARK      '\''

/* Columns that the file itself decides: the names of numbers in these objects, in the order met. */
static const char *const objects[] = { KEY_PARAMS, KEY_COUNTS, KEY_MORE };
#define OBJECTS (sizeof objects / sizeof *objects)

static const char *const what[] = { KEY_PROBE, KEY_VARIANT, KEY_LEVEL, KEY_UNIT, NULL };
static const char *const where[] = { KEY_NODE, NULL };
static const char *const summary[] = { KEY_VALUE, KEY_LOW, KEY_HIGH, KEY_CLAIMED, KEY_CONFIDENCE,
	KEY_FLOOR, NULL };
static const char *const remarks[] = { KEY_NAME, KEY_UNSTEADY, KEY_REASON, NULL };

struct csv {
	FILE *out;
	json_t *names[OBJECTS]; /* columns of each object */
	const struct run_data *run;
	size_t number; /* of the run, from 1 */
};

/*
 * Quoted where RFC 4180 asks for it. What a spreadsheet would compute gets TEXT_MARK in front of it
 * (OWASP ASVS 5.0, 1.2.10), and so does what begins with the mark, so that it can be taken off.
 */
static void put_text_cell(FILE *out, const char *text)
{
	bool marked = *text && strchr(FORMULA_STARTS "'", *text), quoted = strpbrk(text, ",\"\r\n");

	if (quoted)
		fputc('"', out);
	if (marked)
		fputc(TEXT_MARK, out);
	for (; *text; text++)
		fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
	if (quoted)
		fputc('"', out);
}

static void put_texts(FILE *out, const json_t *line, const char *const *keys)
{
	for (; *keys; keys++) {
		fputc(',', out);
		put_text_cell(out, text_of(line, *keys));
	}
}

/* Nothing where it is not known. */
static void put_numbers(FILE *out, const json_t *line, const char *const *keys)
{
	for (; *keys; keys++) {
		double value = number_of(line, *keys);
		fputc(',', out);
		if (!isnan(value))
			fprintf(out, "%.10g", value);
	}
}

static void put_bool(FILE *out, const json_t *line, const char *key)
{
	const json_t *value = json_object_get(line, key);

	fprintf(out, ",%s", json_is_true(value) ? "true" : json_is_false(value) ? "false" : "");
}

static void put_names(FILE *out, const char *const *names)
{
	for (; *names; names++)
		fprintf(out, ",%s", *names);
}

/* Parameters by their own names, the rest as `counts.NAME` and `more.NAME`. */
static void put_head(const struct csv *csv)
{
	const char *name;
	json_t *unused;

	fputs("kind,run,room,time_utc,build,cpu,hypervisor,emulated", csv->out);
	put_names(csv->out, what);
	for (size_t i = 0; i < OBJECTS; i++)
		json_object_foreach(csv->names[i], name, unused) {
			fprintf(csv->out, i ? ",%s." : ",", objects[i]);
			put_text_cell(csv->out, name);
		}
	put_names(csv->out, where);
	put_names(csv->out, row_statistics);
	put_names(csv->out, summary);
	put_names(csv->out, (const char *[]){ KEY_AGREES, NULL });
	put_names(csv->out, remarks);
	fputs("\r\n", csv->out);
}

/* What is the same in all records of a run. */
static void put_run(const struct csv *csv)
{
	const json_t *head = csv->run->head;

	fprintf(csv->out, ",%zu", csv->number);
	put_texts(csv->out, head, (const char *[]){ KEY_ROOM, KEY_TIME_UTC, KEY_BUILD, NULL });
	put_texts(csv->out, json_object_get(head, KEY_CPU), (const char *[]){ KEY_BRAND, NULL });
	put_texts(csv->out, head, (const char *[]){ KEY_HYPERVISOR, NULL });
	put_bool(csv->out, head, KEY_EMULATED);
}

/* A line of any kind: it has what it has of the columns. */
static void put_record(const struct csv *csv, const char *kind, const json_t *line)
{
	const char *name;
	json_t *unused;

	fputs(kind, csv->out);
	put_run(csv);
	put_texts(csv->out, line, what);
	for (size_t i = 0; i < OBJECTS; i++) {
		const json_t *object = json_object_get(line, objects[i]);
		json_object_foreach(csv->names[i], name, unused) {
			put_numbers(csv->out, object, (const char *[]){ name, NULL });
		}
	}
	put_numbers(csv->out, line, where);
	put_numbers(csv->out, line, row_statistics);
	put_numbers(csv->out, line, summary);
	put_bool(csv->out, line, KEY_AGREES);
	put_texts(csv->out, line, remarks);
	fputs("\r\n", csv->out);
}

static void put_all(const struct csv *csv, const char *kind, const struct lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		put_record(csv, kind, lines->list[i].json);
}

static void collect_columns(struct csv *csv, const json_t *line)
{
	const char *name;
	json_t *value;

	for (size_t i = 0; i < OBJECTS; i++)
		json_object_foreach(json_object_get(line, objects[i]), name, value) {
			if (json_is_number(value))
				json_object_set_new(csv->names[i], name, json_true());
		}
}

static void collect_all(struct csv *csv, const struct results *results)
{
	for (size_t i = 0; i < OBJECTS; i++)
		csv->names[i] = json_object();
	for (size_t i = 0; i < results->nruns; i++) {
		const struct run_data *run = &results->runs[i];
		for (size_t j = 0; j < run->nrows; j++)
			collect_columns(csv, run->rows[j].json);
		for (size_t j = 0; j < run->skips.n; j++)
			collect_columns(csv, run->skips.list[j].json);
	}
}

size_t export_csv(const struct results *results, FILE *out)
{
	struct csv csv = { .out = out };

	collect_all(&csv, results);
	put_head(&csv);
	for (size_t i = 0; i < results->nruns; i++) {
		csv.run = &results->runs[i];
		csv.number = i + 1;
		for (size_t j = 0; j < csv.run->nrows; j++)
			put_record(&csv, KIND_ROW, csv.run->rows[j].json);
		put_all(&csv, KIND_SKIP, &csv.run->skips);
		put_all(&csv, KIND_SUMMARY, &csv.run->summaries);
	}
	for (size_t i = 0; i < OBJECTS; i++)
		json_decref(csv.names[i]);
	return 0;
}
