/* SPDX-License-Identifier: MIT */
/* What the image sends over a serial line, with losses, against what the importer makes of it. */
#include "kernel/result/result_log.h"
#include "report/reading/serial_log.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"
#include "engine/probe_api.h"

#define ROWS  248
#define LINES (ROWS + 2)
#define SENT  (LINES + 3) /* copies of the run line: after 100 and 200 lines, and before the end */

#define FIRST  ",\"time_utc\":\"20260101T000000Z\""
#define SECOND ",\"time_utc\":\"20260101T001000Z\""

static FILE *wire;

static void send(const char *line, size_t n)
{
	fwrite(line, 1, n, wire);
}

/* A result of LINES lines; its rows' values are all `value`. To be freed. */
static char *result(const char *when, double value)
{
	struct fixture f;

	fixture_open(&f);
	fixture_run(&f, "bare", when);
	for (unsigned i = 0; i < ROWS; i++)
		fixture_row(&f, "a", "", "ns/load", &value, 1);
	fixture_end(&f);
	fclose(f.file);
	return f.text;
}

/* The same as it is sent. */
static char *sent(const char *text, bool repeat)
{
	char *out;
	size_t n;

	wire = open_memstream(&out, &n);
	sent_lines(text, strlen(text), repeat, send);
	fclose(wire);
	return out;
}

/* Line `at` of a text, from 0. */
static char *line_of(char *text, unsigned at)
{
	while (at--)
		text = strchr(text, '\n') + 1;
	return text;
}

struct outcome {
	struct saved saved;
	char *text, *said;
	size_t n, remarks_n;
};

/* Imports what came over the wire; frees it. */
static struct outcome import(char *log)
{
	struct outcome o;
	FILE *in = fmemopen(log, strlen(log), "rb"), *out = open_memstream(&o.text, &o.n),
	     *said = open_memstream(&o.said, &o.remarks_n);

	serial_save(&o.saved, in, out);
	saved_print(&o.saved, said);
	fclose(in);
	fclose(out);
	fclose(said);
	free(log);
	return o;
}

static void expect_said(const struct outcome *o, const char *text)
{
	if (!strstr(o->said, text))
		fail_msg("expected '%s' in what was said: %s", text, o->said);
}

static void done(struct outcome *o)
{
	saved_free(&o->saved);
	free(o->text);
	free(o->said);
}

/* The log of a result gives the result's own bytes back. */
static void expect_whole(char *log, const char *text)
{
	struct outcome o = import(log);

	expect_said(&o, "run 1, room bare: 250 lines kept, whole\n");
	assert_int_equal(o.saved.nruns, 1);
	if (strcmp(o.text, text))
		fail_msg("not what was measured; said: %s", o.said);
	assert_null(strstr(o.said, "twice"));
	done(&o);
}

TEST(test_copies)
{
	char *text = result(FIRST, 1), *log = sent(text, true), *plain = sent(text, false);
	static const unsigned at[] = { 0, 100, 201, SENT - 2 };
	size_t first = (size_t)(strchr(text, '\n') + 1 - text);

	assert_string_equal(plain, text);
	for (unsigned i = 0; i < 4; i++)
		assert_memory_equal(line_of(log, at[i]), text, first);
	assert_ptr_equal(line_of(log, SENT), log + strlen(log));
	free(plain);
	expect_whole(log, text);
	free(text);
}

/* Whichever copies are lost, one is enough. */
TEST(test_any_copy_does)
{
	static const unsigned at[] = { 0, 100, 201, SENT - 2 };
	char *text = result(FIRST, 1);

	for (unsigned there = 0; there < 4; there++) {
		char *log = sent(text, true);
		for (unsigned i = 0; i < 4; i++)
			if (i != there)
				line_of(log, at[i])[20] = '#';
		expect_whole(log, text);
	}
	free(text);
}

/* A copy that is there besides, under other text and CR LF: still no line is in the file twice. */
TEST(test_other_text)
{
	char *text = result(FIRST, 1), *log = sent(text, true), *mixed;
	size_t n;
	FILE *out = open_memstream(&mixed, &n);

	fputs("BdsDxe: loading\r\n", out);
	for (char *line = log; *line; line = strchr(line, '\n') + 1)
		fprintf(out, "%.*s\r\n[   12.3] usb 1-1: {\"kind\":\"new\r\n",
			(int)(strchr(line, '\n') - line), line);
	fclose(out);
	free(log);
	expect_whole(mixed, text);
	free(text);
}

static void expect_cut(char *text, unsigned from, unsigned to, const char *said)
{
	char *log = sent(text, true), *end = line_of(log, to);
	struct outcome o = import(strndup(line_of(log, from), (size_t)(end - line_of(log, from))));

	expect_said(&o, said);
	assert_false(saved_whole(&o.saved));
	free(log);
	done(&o);
}

TEST(test_begins_and_ends_anywhere)
{
	char *text = result(FIRST, 1);

	/* lines of the wire: 0 run, 1-99, 100 run, 101-200 (lines 100-199), 201 run, ... */
	expect_cut(text, 151, SENT, "run 1, room bare: 101 lines kept; lost lines: 1-149\n");
	expect_cut(text, 0, 120,
		"119 lines kept; the end is lost: what came after line 118 is not known\n");
	expect_cut(text, 50, 120, "70 lines kept; lost lines: 1-49; the end is lost");
	expect_cut(text, SENT - 1, SENT,
		"run 1: every copy of its run line (0) is lost, and with it the machine");
	free(text);
}

/* What hung before it had sent its run line again does not get that of the next start. */
TEST(test_another_start)
{
	char *hung = result(FIRST, 1), *text = result(SECOND, 2), *first = sent(hung, true),
	     *second = sent(text, true), *log;

	*line_of(first, 80) = 0;
	assert_true(asprintf(&log, "%s%s", line_of(first, 40), second) > 0);
	struct outcome o = import(log);
	expect_said(&o, "run 1, room bare: 40 lines kept; lost lines: 0-39; the end is lost");
	expect_said(&o, "run 2, room bare: 250 lines kept, whole\n");
	assert_non_null(strstr(o.text, text));
	done(&o);
	free(hung);
	free(text);
	free(first);
	free(second);
}

/* Lines of one run under the run line of another: all numbers are there, and it is noticed. */
TEST(test_lines_of_two_runs)
{
	char *one = result(FIRST, 1), *other = result(SECOND, 2), *log;

	assert_true(asprintf(&log, "%.*s%.*s%s", (int)(line_of(one, 100) - line_of(one, 1)),
			    line_of(one, 1), (int)(line_of(other, 1) - other), other,
			    line_of(one, 100)) > 0);
	struct outcome o = import(log);
	expect_said(&o, "250 lines kept; crc_all is wrong: they are not of one run\n");
	assert_false(saved_whole(&o.saved));
	done(&o);
	free(one);
	free(other);
}

/* Of a clock that stands still two starts have one run line: their rows tell them apart. */
TEST(test_the_same_run_line)
{
	char *one = result(FIRST, 1), *other = result(FIRST, 2), *first = sent(one, true),
	     *second = sent(other, true), *log;

	*line_of(first, 80) = 0;
	assert_true(asprintf(&log, "%s%s", first, second) > 0);
	struct outcome o = import(log);
	expect_said(&o, "run 1, room bare: 80 lines kept; the end is lost");
	expect_said(&o, "run 2, room bare: 250 lines kept, whole\n");
	assert_non_null(strstr(o.text, other));
	done(&o);
	free(one);
	free(other);
	free(first);
	free(second);
}

/* The same result again, after its end: no second run, and nothing of it is left over. */
TEST(test_sent_twice)
{
	char *text = result(FIRST, 1), *log = sent(text, true), *twice;

	assert_true(asprintf(&twice, "%s%s%.*s", log, log, (int)(strchr(log, '\n') + 1 - log),
			    log) > 0);
	struct outcome o = import(twice);
	assert_int_equal(o.saved.nruns, 1);
	assert_string_equal(o.text, text);
	expect_said(&o, "run 1, room bare: 250 lines kept, whole\n249 lines were there twice\n");
	done(&o);
	free(log);
	free(text);
}
