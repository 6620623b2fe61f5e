/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/crc32.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/judge/result_file.h"

#define CLOSING 19 /* ,"crc":"01234567"}\n */

/* A file that is being read. */
struct judged_reader {
	const char *path;
	struct result_file *out;
	struct run_lines *run; /* under way, or NULL */
	struct tally *tally;
	unsigned number;  /* of the line in the file */
	uint32_t crc_all; /* of the run's lines so far */
};

const char *text_of(json_t *line, const char *key)
{
	const char *s = json_string_value(json_object_get(line, key));

	return s ? s : "";
}

double number_of(json_t *line, const char *key)
{
	json_t *v = json_object_get(line, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

double param_of(json_t *row, const char *name)
{
	return number_of(json_object_get(row, "params"), name);
}

bool is_row(json_t *row, const char *probe, const char *variant)
{
	return !strcmp(text_of(row, "probe"), probe) && !strcmp(text_of(row, "variant"), variant);
}

json_t *summary_of(const struct run_lines *run, const char *name)
{
	json_t *line;
	size_t i;

	json_array_foreach(run->summaries, i, line)
		if (!strcmp(text_of(line, "name"), name))
			return line;
	return NULL;
}

static void begin_run(struct judged_reader *r, json_t *line)
{
	if (r->run)
		fatal("%s:%u: the run before has no end", r->path, r->number);
	if (r->out->n == RUNS_MOST)
		fatal("%s:%u: more than %d runs", r->path, r->number, RUNS_MOST);
	r->run = &r->out->runs[r->out->n++];
	*r->run = (struct run_lines){ json_incref(line), NULL, json_array(), json_array(),
		json_array(), 0 };
	r->crc_all = 0;
}

static void wrong_count(struct judged_reader *r, const char *key, double expected)
{
	double said = number_of(r->run->end, key);

	if (said != expected)
		tally_wrong(r->tally, "end", "'%s' is %g, the run has %g", key, said, expected);
}

/* The end line counts and sums up what came before it. */
static void end_run(struct judged_reader *r, json_t *line)
{
	char crc[9];

	r->run->end = json_incref(line);
	snprintf(crc, sizeof(crc), "%08x", r->crc_all);
	if (strcmp(text_of(line, "crc_all"), crc))
		tally_wrong(r->tally, "crc_all",
			"the lines of the run have %s, the end line says %s", crc,
			text_of(line, "crc_all"));
	wrong_count(r, "rows", (double)json_array_size(r->run->rows));
	wrong_count(r, "summaries", (double)json_array_size(r->run->summaries));
	wrong_count(r, "skips", (double)json_array_size(r->run->skips));
	wrong_count(r, "lines", r->run->lines);
	if (strcmp(text_of(line, "status"), "complete"))
		fatal("%s:%u: the run is not complete", r->path, r->number);
	r->run = NULL;
}

static void keep(struct judged_reader *r, json_t *line)
{
	const char *kind = text_of(line, "kind");
	struct run_lines *run = r->run;

	if (!strcmp(kind, "row"))
		json_array_append(run->rows, line);
	else if (!strcmp(kind, "skip"))
		json_array_append(run->skips, line);
	else if (!strcmp(kind, "summary"))
		json_array_append(run->summaries, line);
	else if (strcmp(kind, "run") && strcmp(kind, "end"))
		tally_wrong(r->tally, "kind", "line %u is of the unknown kind '%s'", r->number,
			kind);
}

static void check_line(struct judged_reader *r, json_t *line, const char *text, size_t n)
{
	char crc[9];

	snprintf(crc, sizeof(crc), "%08x", n > CLOSING ? crc32_of(0, text, n - CLOSING) : 0);
	if (strcmp(text_of(line, "crc"), crc))
		tally_wrong(r->tally, "crc", "line %u has %s and says %s", r->number, crc,
			text_of(line, "crc"));
	if (number_of(line, "seq") != r->run->lines)
		tally_wrong(r->tally, "seq", "line %u: expected %u, got %g", r->number,
			r->run->lines, number_of(line, "seq"));
	if (strcmp(text_of(line, "room"), text_of(r->run->run, "room")))
		tally_wrong(r->tally, "room", "line %u is of room '%s' in a run of room '%s'",
			r->number, text_of(line, "room"), text_of(r->run->run, "room"));
}

static void one_line(struct judged_reader *r, json_t *line, const char *text, size_t n)
{
	const char *kind = text_of(line, "kind");

	if (!strcmp(kind, "run"))
		begin_run(r, line);
	if (!r->run)
		fatal("%s:%u: a line outside of a run", r->path, r->number);
	check_line(r, line, text, n);
	keep(r, line);
	if (!strcmp(kind, "end")) {
		end_run(r, line);
		return;
	}
	r->run->lines++;
	r->crc_all = crc32_of(r->crc_all, text, n);
}

void result_file_read(struct result_file *out, const char *path, struct tally *tally)
{
	struct judged_reader r = { .path = path, .out = out, .tally = tally };
	FILE *f = fopen(path, "rb");
	json_error_t error;
	char *text = NULL;
	size_t room = 0;
	ssize_t n;
	json_t *line;

	if (!f)
		fatal("%s: cannot be read", path);
	out->n = 0;
	while ((n = getline(&text, &room, f)) > 0) {
		r.number++;
		if (text[n - 1] != '\n')
			fatal("%s:%u: the file ends within a line", path, r.number);
		line = json_loads(text, 0, &error);
		if (!line)
			fatal("%s:%u: %s", path, r.number, error.text);
		one_line(&r, line, text, (size_t)n);
		json_decref(line);
	}
	free(text);
	fclose(f);
	if (r.run || !out->n)
		fatal("%s: the run is not complete", path);
}

void result_file_free(struct result_file *f)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		json_decref(f->runs[i].run);
		json_decref(f->runs[i].end);
		json_decref(f->runs[i].rows);
		json_decref(f->runs[i].skips);
		json_decref(f->runs[i].summaries);
	}
}
