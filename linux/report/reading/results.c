/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux/report/reading/results.h"
#include "lib/result_keys.h"
#include "lib/crc32.h"
#include "lib/jsonl_write.h"
#include "linux/report/reading/frame.h"

const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

double number_or(const json_t *object, const char *key, double missing)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : missing;
}

double number_of(const json_t *object, const char *key)
{
	return number_or(object, key, NAN);
}

static void lines_free(struct printed_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		json_decref(lines->list[i].json);
	free(lines->list);
}

void row_free(struct row_data *row)
{
	json_decref(row->json);
	free(row->identity);
	free(row->values);
}

void run_free(struct run_data *run)
{
	for (size_t i = 0; i < run->nrows; i++)
		row_free(&run->rows[i]);
	free(run->rows);
	lines_free(&run->summaries);
	lines_free(&run->skips);
	json_decref(run->head);
	json_decref(run->end);
}

void results_free(struct results *results)
{
	for (size_t i = 0; i < results->nruns; i++)
		run_free(&results->runs[i]);
	for (size_t i = 0; i < results->ntexts; i++)
		free(results->texts[i]);
	free(results->runs);
	free(results->texts);
	free(results->name);
}

const json_t *run_summary(const struct run_data *run, enum value_id id)
{
	const char *name = value_facts(id).name;

	for (size_t i = 0; id && i < run->summaries.n; i++)
		if (!strcmp(text_of(run->summaries.list[i].json, KEY_NAME), name))
			return run->summaries.list[i].json;
	return NULL;
}

bool skip_disproved(const json_t *skip)
{
	return !strncmp(text_of(skip, KEY_REASON), PROOF_FAILED, strlen(PROOF_FAILED));
}

static void problem_add(struct problems *, enum severity, unsigned long line, const char *format,
	...) __attribute__((format(printf, 4, 5)));
static void problem_add(struct problems *all, enum severity severity, unsigned long line,
	const char *format, ...)
{
	va_list args;

	all->damage |= severity == SEVERITY_DAMAGE;
	if (all->all++ >= PROBLEMS_KEPT)
		return;
	struct problem *p = &all->kept[all->all - 1];
	p->severity = severity;
	p->line = line;
	va_start(args, format);
	vsnprintf(p->text, sizeof p->text, format, args);
	va_end(args);
}

static void print(const struct problem *p, const char *file, FILE *out)
{
	fprintf(out, "%s:", file);
	if (p->line)
		fprintf(out, "%lu:", p->line);
	fprintf(out, " %s%s\n", p->severity == SEVERITY_NOTE ? "note: " : "", p->text);
}

void problems_print(const struct problems *all, const char *file, FILE *out)
{
	unsigned long kept = all->all < PROBLEMS_KEPT ? all->all : PROBLEMS_KEPT;

	for (unsigned long i = 0; i < kept; i++)
		print(&all->kept[i], file, out);
	if (all->all > kept)
		fprintf(out, "%s: and %lu more\n", file, all->all - kept);
}

void run_plan_text(const json_t *head, char out[PLAN_TEXT])
{
	const char *source = text_of(head, KEY_SOURCE), *profile = text_of(head, KEY_PROFILE);

	text_format(out, PLAN_TEXT, "%s%s",
		*source            ? "source "
			: *profile ? "profile "
				   : "",
		*source ? source : profile);
}

/* Identity of a measurement, by which rows of different results are matched. */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct parameter *)a)->name, ((const struct parameter *)b)->name);
}

size_t row_parameters(const json_t *row, struct parameter out[PARAMETERS_MOST])
{
	const char *name;
	json_t *value;
	size_t n = 0;

	json_object_foreach(json_object_get(row, KEY_PARAMS), name, value) {
		if (json_is_number(value) && n < PARAMETERS_MOST)
			out[n++] = (struct parameter){ name, json_number_value(value) };
	}
	qsort(out, n, sizeof *out, by_name);
	return n;
}

double row_parameter(const json_t *row, const char *name)
{
	return number_of(json_object_get(row, KEY_PARAMS), name);
}

/*
 * Returns true for prefetch=1: with prefetch=both, the row with prefetchers is the row of other
 * runs.
 */
static bool as_usual(const struct parameter *p)
{
	return !strcmp(p->name, "prefetch") && p->value == 1;
}

char *row_identity(const json_t *row, bool loose)
{
	struct parameter params[PARAMETERS_MOST];
	size_t n = row_parameters(row, params), bytes;
	const char *level = text_of(row, KEY_LEVEL);
	char *text;
	FILE *out = text_stream(&text, &bytes);

	fprintf(out, "%s/%s", text_of(row, KEY_PROBE), text_of(row, KEY_VARIANT));
	for (size_t i = 0; i < n; i++) {
		if (as_usual(&params[i]) || (loose && !strcmp(params[i].name, KEY_PAGE_BYTES)))
			continue;
		if (loose && *level && !strcmp(params[i].name, "bytes"))
			fprintf(out, "/level=%s", level);
		else
			fprintf(out, "/%s=%.15g", params[i].name, params[i].value);
	}
	fprintf(out, " %s", text_of(row, KEY_UNIT));
	fclose(out);
	return text;
}

/* --- reading --- */

static const char *schema_error(const json_t *line)
{
	const json_t *values = json_object_get(line, KEY_VALUES), *value;
	size_t i;

	if (!*text_of(line, KEY_PROBE) || !*text_of(line, KEY_UNIT))
		return "it has no probe or no unit";
	if (isnan(number_of(line, "median")))
		return "it has no median";
	if (json_object_get(line, KEY_PARAMS) && !json_is_object(json_object_get(line, KEY_PARAMS)))
		return "params is not an object";
	if (values && !json_is_array(values))
		return "values is not an array";
	json_array_foreach(values, i, value)
		if (!json_is_number(value))
			return "a member of values is no number";
	return NULL;
}

static void take_values(struct row_data *row, json_t *line)
{
	const json_t *values = json_object_get(line, KEY_VALUES), *value;
	size_t i;

	row->nvalues = json_array_size(values);
	row->values = new_array(row->nvalues, sizeof *row->values);
	json_array_foreach(values, i, value)
		row->values[i] = json_number_value(value);
	json_object_del(line, KEY_VALUES);
}

static void set_if_absent(double *value, double otherwise)
{
	if (isnan(*value))
		*value = otherwise;
}

static void take_statistics(struct row_data *row, const json_t *line)
{
#define STATISTIC(name, when) row->name = number_of(line, #name);
#include "lib/row_statistics.inc"
#undef STATISTIC
	set_if_absent(&row->samples, (double)row->nvalues);
	set_if_absent(&row->disturbed, 0);
	set_if_absent(&row->outliers, 0);
}

/*
 * Add a `row` line to the run, keeping a reference to it. Returns NULL, or why it cannot be used.
 */
static const char *row_take(struct run_data *run, json_t *line, struct line text)
{
	const char *why = schema_error(line);

	if (why)
		return why;
	struct row_data *row = grow((void **)&run->rows, &run->nrows, sizeof *row);
	row->json = json_incref(line);
	row->line = text;
	row->probe = text_of(line, KEY_PROBE);
	row->variant = text_of(line, KEY_VARIANT);
	row->unit = text_of(line, KEY_UNIT);
	row->level = text_of(line, KEY_LEVEL);
	row->identity = row_identity(line, false);
	take_values(row, line);
	take_statistics(row, line);
	return NULL;
}

/* --- files that other programs have written again --- */

#define UTF_16                                                                                     \
	"another program wrote this file again as UTF-16 (PowerShell's >, Notepad): `anechoic "    \
	"import --serial FILE --out NEW` takes the result out of it"
#define AS_JSON                                                                                    \
	"another program wrote this file again, as jq does: its numbers may have lost digits, "    \
	"and no crc fits; use the file as anechoic wrote it"
#define AMONG_TEXT                                                                                 \
	"other text stands before a result line: `anechoic import --serial FILE --out NEW` takes " \
	"the lines out of it"
#define FOLDED                                                                                     \
	"its lines were folded: `anechoic import --serial FILE --out NEW` joins them by their crc"

static bool is_kind(const char *text, size_t n, const char *start)
{
	size_t length = strlen(start);

	return n >= length && !memcmp(text, start, length);
}

/* Returns what a file is by its first bytes, and what helps; NULL: not known. */
static const char *foreign_file(const char *text, size_t n)
{
	static const struct {
		const char *start, *what;
	} packed[] = {
		{ "\x1f\x8b", "it is compressed: gunzip it first" },
		{ "\x28\xb5\x2f\xfd", "it is compressed: unzstd it first" },
		{ "\xfd"
		  "7zXZ",
			"it is compressed: unxz it first" },
		{ "BZh", "it is compressed: bunzip2 it first" },
		{ "PK\3\4", "it is an archive: unzip it first" },
		{ "eyJraW5kIjoi", "it is base64: decode it first (base64 -d)" },
		{ "\xff\xfe", UTF_16 },
		{ "\xfe\xff", UTF_16 },
	};
	for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
		if (is_kind(text, n, packed[i].start))
			return packed[i].what;
	if (n >= 2 && text[text[0] == 0] == '{' && !text[text[0] != 0])
		return UTF_16;
	return (n == 1 && strchr("{[", *text)) || is_kind(text, n, "[{") ? AS_JSON : NULL;
}

/* Returns true if the writer of results writes a number like this; the text may go on. */
static bool number_is_ours(const char *text, size_t n)
{
	char ours[64];
	struct jsonl j;

	jsonl_begin(&j, ours, sizeof ours);
	jsonl_number(&j, NULL, strtod(text, NULL));
	return j.used == n + 1 && !memcmp(ours + 1, text, n);
}

/*
 * Returns true for a line of JSON in which most numbers with a point are not written as anechoic
 * does; bytes that are lost or changed leave most as they were.
 */
static bool numbers_written_again(const char *text, size_t n)
{
	json_t *line = json_loadb(text, n, JSON_DECODE_INT_AS_REAL, NULL);
	unsigned odd = 0, all = 0;

	json_decref(line);
	if (!line)
		return false;

	for (size_t i = 0; i < n; i++) {
		size_t length = 0;

		if (text[i] == '"') {
			while (++i < n && text[i] != '"')
				i += text[i] == '\\';
			continue;
		}
		while (i + length < n && memchr("-+.0123456789eE", text[i + length], 15))
			length++;
		if (length && i + length < n && memchr(text + i, '.', length)) {
			all++;
			odd += !number_is_ours(text + i, length);
		}
		i += length ? length - 1 : 0;
	}
	return all > 1 && 2 * odd > all;
}

/*
 * Returns what another program has made of a line that is not framed as a result line, or whose crc
 * is wrong; NULL: nothing that is known.
 */
static const char *foreign_line(const char *text, size_t n, bool after_cut)
{
	bool begins = is_kind(text, n, FRAME_START);

	if (after_cut && !begins)
		return FOLDED;
	if (*text == '{' && memmem(text, n, "\"kind\"", 6) &&
		(!begins || (frame_end(text, n) == text + n && numbers_written_again(text, n))))
		return AS_JSON;
	return NULL;
}

#define LINES_BEFORE_GIVING_UP 100 /* without a valid line among them: not a result file */

struct results_reader {
	struct results *out;
	unsigned long line;   /* number of the line being read */
	struct line text;     /* that line, kept */
	unsigned long valid;  /* lines that could be used */
	bool foreign;         /* another program wrote it again */
	bool after_cut;       /* the line before began as a result line and did not end as one */
	struct run_data *run; /* the open run, NULL outside */
	bool refused;         /* the open run is of another version: its lines are left out */
	bool summaries;       /* only summaries are kept: rows and skips are not parsed */
	size_t rows, skips;   /* number in the open run, not parsed */
	double seq;           /* expected next */
	uint32_t crc;         /* of the open run's bytes so far */
};

#define DAMAGE(r, ...) problem_add(&(r)->out->problems, SEVERITY_DAMAGE, (r)->line, __VA_ARGS__)
#define NOTE(r, ...)   problem_add(&(r)->out->problems, SEVERITY_NOTE, (r)->line, __VA_ARGS__)

static void run_cut(struct results_reader *r)
{
	if (r->run && !r->run->end)
		DAMAGE(r,
			"the run was cut: it has no end line; the %zu rows that are left are used",
			r->run->nrows + r->rows);
	r->run = NULL;
	r->refused = false;
}

static void take_run(struct results_reader *r, json_t *line)
{
	const char *schema = text_of(line, KEY_SCHEMA);

	run_cut(r);
	if (strcmp(schema, RESULT_SCHEMA)) {
		DAMAGE(r,
			"the run is left out: its format is '%.20s', and this program reads "
			"only " RESULT_SCHEMA
			"; build '%.20s' wrote it and reads it, or measure again",
			schema, text_of(line, KEY_BUILD));
		r->refused = true;
		return;
	}
	r->run = grow((void **)&r->out->runs, &r->out->nruns, sizeof *r->run);
	r->run->head = json_incref(line);
	r->run->head_line = r->text;
	r->run->room = text_of(line, KEY_ROOM);
	r->seq = 0;
	r->rows = r->skips = 0;
}

static void keep(struct results_reader *r, struct printed_lines *lines, json_t *line)
{
	grow((void **)&lines->list, &lines->n, sizeof *lines->list);
	lines->list[lines->n - 1].json = json_incref(line);
	lines->list[lines->n - 1].line = r->text;
}

static void check_count(struct results_reader *r, json_t *end, const char *key, size_t have)
{
	double want = number_of(end, key);

	if (!isnan(want) && want != (double)have)
		DAMAGE(r, "the run had %.0f %s, %zu are here", want, key, have);
}

static void take_end(struct results_reader *r, json_t *line)
{
	const char *status = text_of(line, KEY_STATUS);
	char crc[9];

	r->run->end = json_incref(line);
	r->run->end_line = r->text;
	snprintf(crc, sizeof crc, "%08" PRIx32, r->crc);
	if (strcmp(text_of(line, KEY_CRC_ALL), crc))
		DAMAGE(r, "crc_all is wrong: lines of this run were lost or changed");
	check_count(r, line, KEY_ROWS, r->run->nrows + r->rows);
	check_count(r, line, KEY_SUMMARIES, r->run->summaries.n);
	check_count(r, line, KEY_SKIPS, r->run->skips.n + r->skips);
	if (strcmp(status, "complete"))
		NOTE(r, "the run is not complete: %.20s", status);
	if (json_object_get(line, KEY_THINNED))
		NOTE(r, "the result was thinned to fit: %.80s",
			text_of(json_object_get(line, KEY_THINNED), KEY_WHY));
	r->run = NULL;
}

static void check_order(struct results_reader *r, json_t *line)
{
	double seq = number_of(line, KEY_SEQ);

	if (seq > r->seq + 1)
		DAMAGE(r, "lines %.0f to %.0f of this run are lost", r->seq, seq - 1);
	else if (seq == r->seq + 1)
		DAMAGE(r, "line %.0f of this run is lost", r->seq);
	else if (seq != r->seq)
		DAMAGE(r, "seq is out of order: expected %.0f", r->seq);
	if (seq >= r->seq)
		r->seq = seq + 1;
}

/* Take a line within a run. Returns false if it is of no known kind, or wrong for its kind. */
static bool take_inside(struct results_reader *r, json_t *line, const char *kind)
{
	if (strcmp(text_of(line, KEY_ROOM), r->run->room)) {
		DAMAGE(r, "room '%.20s' within a run of room '%.20s'", text_of(line, KEY_ROOM),
			r->run->room);
		return false;
	}
	check_order(r, line);
	if (!strcmp(kind, KIND_ROW)) {
		const char *why = row_take(r->run, line, r->text);
		if (why)
			DAMAGE(r, "row left out: %s", why);
		return !why;
	}
	if (!strcmp(kind, KIND_SUMMARY))
		keep(r, &r->run->summaries, line);
	else if (!strcmp(kind, KIND_SKIP))
		keep(r, &r->run->skips, line);
	else if (!strcmp(kind, KIND_END))
		take_end(r, line);
	else
		NOTE(r, "unknown kind '%.20s': left out", kind);
	return true;
}

static void take_line(struct results_reader *r, json_t *line)
{
	const char *kind = text_of(line, KEY_KIND);

	r->valid++;
	if (!strcmp(kind, KIND_RUN)) {
		take_run(r, line);
		if (r->run)
			check_order(r, line);
	} else if (r->run) {
		take_inside(r, line, kind);
	} else if (!r->refused) {
		DAMAGE(r, "a '%.20s' line outside of a run: its run line is lost", kind);
	}
}

static struct line keep_text(struct results *out, const char *text, size_t n)
{
	char *copy = new_array(n, 1);

	*(char **)grow((void **)&out->texts, &out->ntexts, sizeof copy) = copy;
	return (struct line){ memcpy(copy, text, n), n };
}

static void parse(struct results_reader *r, const char *text, size_t n)
{
	json_error_t error;
	const char *why;

	if (!frame_valid(text, n, &why)) {
		const char *what = r->valid ? NULL : foreign_line(text, n, r->after_cut);
		bool said = r->foreign && !r->valid;

		r->foreign |= what != NULL;
		r->after_cut = is_kind(text, n, FRAME_START) && !frame_end(text, n);
		if (!what && memmem(text + 1, n - 1, FRAME_START, strlen(FRAME_START)))
			what = AMONG_TEXT;
		if (!said) /* once, of a file that another program wrote */
			DAMAGE(r, "%s", what ? what : why);
		return;
	}
	r->after_cut = false;
	json_t *line =
		json_loadb(text, n, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
	if (json_is_object(line)) {
		r->text = keep_text(r->out, text, n);
		take_line(r, line);
	} else {
		DAMAGE(r, "not JSON: %.100s", error.text);
	}
	json_decref(line);
}

/*
 * Returns true if the line is only counted: a row or a skip within a run, if they are not wanted.
 */
static bool left_unread(struct results_reader *r, const char *text, size_t n)
{
	if (!r->summaries || !r->run)
		return false;
	bool row = is_kind(text, n, FRAME_START KIND_ROW "\"");
	bool skip = is_kind(text, n, FRAME_START KIND_SKIP "\"");
	r->rows += row;
	r->skips += skip;
	r->seq += row || skip;
	return row || skip;
}

/* Read one line without its end. Returns false if nothing more is worth reading. */
static bool read_line(struct results_reader *r, char *text, size_t n)
{
	const char *what = r->line == 1 ? foreign_file(text, n) : NULL;

	if (what) {
		DAMAGE(r, "%s", what);
		return false;
	}
	while (n && memchr("\r \t", text[n - 1], 3))
		n--;
	if (r->line == 1 && is_kind(text, n, "\xef\xbb\xbf")) {
		text += 3;
		n -= 3;
	}
	if (!n)
		return true;
	if (!strncmp(text, FRAME_START "run\"", n < 13 ? n : 13))
		r->crc = 0;
	if (!left_unread(r, text, n))
		parse(r, text, n);
	r->crc = crc32_of(crc32_of(r->crc, text, n), "\n", 1);
	if (r->valid || r->line < LINES_BEFORE_GIVING_UP)
		return true;
	if (!r->foreign)
		DAMAGE(r, "no valid line up to here: not a result file");
	return false;
}

/*
 * Read up to a newline; or up to a carriage return between two lines, in the only line of a file.
 * Returns '\n': a whole line; EOF: the rest of the file; 0: too long.
 */
static int next_line(FILE *in, struct frame_buffer *line, bool *returns)
{
	int c;

	for (line->n = 0; (c = getc_unlocked(in)) != EOF && c != '\n';) {
		if (c == '\r' && line->n && line->text[0] == '{') {
			int next = getc_unlocked(in);
			ungetc(next, in);
			*returns |= next == '{';
			if (next == '{' || (next == EOF && *returns))
				return '\n';
		}
		if (!frame_add(line, (char)c))
			return 0;
	}
	return c;
}

static void read_lines(struct results_reader *r, FILE *in)
{
	struct frame_buffer line = { 0 };
	bool returns = false;
	int stop;

	do {
		r->line++;
		stop = next_line(in, &line, &returns);
		if (stop == EOF && line.n)
			DAMAGE(r, "the last line has no end: the file was cut");
		if (!stop)
			DAMAGE(r, "a line of more than %zu MiB: not a result file",
				FRAME_MOST >> 20);
	} while (stop && (stop != EOF || line.n) && read_line(r, line.text, line.n) && stop != EOF);
	free(line.text);
}

static void read_stream(struct results_reader *r, FILE *in, const char *name)
{
	struct results *out = r->out;

	*out = (struct results){ .name = copy_text(name) };
	errno = 0;
	read_lines(r, in);
	if (ferror(in))
		DAMAGE(r, "cannot be read: %s", strerror(errno));
	else if (!r->valid && !out->problems.all)
		problem_add(&out->problems, SEVERITY_DAMAGE, 0,
			r->line == 1 ? "the file is empty" : "there is no result line in it");
	run_cut(r);
}

void results_read(struct results *out, FILE *in, const char *name)
{
	struct results_reader r = { .out = out };

	read_stream(&r, in, name);
}

static void read_file(struct results_reader *r, const char *path)
{
	struct results *out = r->out;
	FILE *in = strcmp(path, "-") ? fopen(path, "rb") : stdin;

	if (!in) {
		*out = (struct results){ .name = copy_text(path) };
		problem_add(&out->problems, SEVERITY_DAMAGE, 0, "%s", strerror(errno));
		return;
	}
	read_stream(r, in, path);
	if (in != stdin)
		fclose(in);
}

void results_read_file(struct results *out, const char *path)
{
	struct results_reader r = { .out = out };

	read_file(&r, path);
}

void results_read_summaries(struct results *out, const char *path)
{
	struct results_reader r = { .out = out, .summaries = true };

	read_file(&r, path);
}
