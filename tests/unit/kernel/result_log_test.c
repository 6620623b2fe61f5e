/* SPDX-License-Identifier: MIT */
/* A room's result file: what is done where a place does not take it, at whichever step. */
#include "engine/probe_api.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/result/result_log.c"
#include "linux/report/reading/serial_log.h"
#include "tests/unit/fake_console.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

#define FIRST       "{\"kind\":\"run\"}\n"
#define LAST        "{\"kind\":\"end\"}\n"
#define VOLUME_FULL 0x800000000000000b
#define PLACES      3

/* A server: appended data is written when the file is closed. */
static struct log_place {
	uint64_t append_status, close_status;
	bool garbles; /* what is read back is something else */
	char written[256];
	size_t n;
} places[PLACES];

static unsigned place;
static struct machine test_machine;
static char logs[4096], open_text[256];
static size_t open_bytes;
static bool open_now;

static bool file_exists(const char *name)
{
	return false;
}

static uint64_t file_create(const char *name)
{
	assert_false(open_now);
	open_now = true;
	open_bytes = 0;
	return 0;
}

static uint64_t file_append(const void *data, size_t n)
{
	assert_true(open_now && open_bytes + n <= sizeof open_text);
	memcpy(open_text + open_bytes, data, n);
	open_bytes += n;
	return places[place].append_status;
}

static uint64_t file_close(void)
{
	struct log_place *p = &places[place];

	assert_true(open_now);
	open_now = false;
	if (p->close_status)
		return p->close_status;
	memcpy(p->written, open_text, open_bytes);
	p->n = open_bytes;
	return 0;
}

static uint64_t file_compare(const char *name, const void *data, size_t n, enum file_match *match)
{
	const struct log_place *p = &places[place];
	bool same = !p->garbles && p->n == n && memcmp(p->written, data, n) == 0;

	*match = same ? FILE_SAME : FILE_OTHER;
	return 0;
}

static bool file_next_place(void)
{
	if (place + 1 == PLACES)
		return false;
	place++;
	open_now = false;
	test_machine.file_elsewhere = true;
	return true;
}

const struct storage firmware_storage = {
	.file_exists = file_exists,
	.file_create = file_create,
	.file_append = file_append,
	.file_close = file_close,
	.file_compare = file_compare,
	.file_next_place = file_next_place,
};

BEFORE_EACH(reset)
{
	memset(places, 0, sizeof places);
	place = 0;
	open_now = false;
	said[0] = 0;
	test_machine = (struct machine){ .logs = { (uint64_t)(uintptr_t)logs, sizeof logs },
		.file_prefix = "\\results\\",
		.file_gap = " ",
		.home_folder = "" };
}

static void run(void)
{
	static const struct options once = { .runs = 1 };
	char stem[SERIES_STEM] = "";

	results_name(&test_machine, &once, stem);
	results_open(&test_machine, ROOM_FIRMWARE, 1e18);
	results_add(FIRST, strlen(FIRST));
	results_add(LAST, strlen(LAST));
	results_close();
}

/* The whole result is at that place, and is known to be. */
static void assert_at(unsigned where)
{
	const struct log_place *p = &places[where];

	if (p->n != strlen(FIRST LAST) || memcmp(p->written, FIRST LAST, p->n) != 0)
		fail_msg("place %u has %zu bytes; it was said:\n%s", where, p->n, said);
	assert_non_null(results_filed());
	assert_non_null(strstr(said, "read back, the same"));
}

TEST(written_at_the_first_place)
{
	run();
	assert_at(0);
	assert_int_equal(place, 0);
	assert_null(strstr(said, "NOT"));
}

TEST(an_append_that_fails)
{
	places[0].append_status = VOLUME_FULL;
	run();
	assert_at(1);
}

/* A server takes or refuses a file when it is closed. */
TEST(a_close_that_fails)
{
	places[0].close_status = places[1].close_status = VOLUME_FULL;
	run();
	assert_at(2);
	assert_non_null(strstr(said, "is NOT complete:\n  writing failed: volume full"));
}

TEST(what_does_not_read_back)
{
	places[0].garbles = true;
	run();
	assert_at(1);
	assert_non_null(strstr(said, "does NOT read back as written"));
}

TEST(nowhere)
{
	for (unsigned i = 0; i < PLACES; i++)
		places[i].close_status = VOLUME_FULL;
	run();
	assert_null(results_filed());
	assert_non_null(strstr(said, "is NOT complete:\n  writing failed: volume full"));
	assert_null(strstr(said, "the same"));
}

/* The image's lines over a serial line with losses, and the importer's result. */

#define ROWS  248
#define LINES (ROWS + 2)
#define SENT  (LINES + 3) /* copies of the run line: after 100 and 200 lines, and before the end */

#define FIRST_SENT_LINES ",\"time_utc\":\"20260101T000000Z\""
#define SECOND           ",\"time_utc\":\"20260101T001000Z\""

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
	char *text = result(FIRST_SENT_LINES, 1), *log = sent(text, true),
	     *plain = sent(text, false);
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
	char *text = result(FIRST_SENT_LINES, 1);

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
	char *text = result(FIRST_SENT_LINES, 1), *log = sent(text, true), *mixed;
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
	char *text = result(FIRST_SENT_LINES, 1);

	/* lines of the wire: 0 run, 1-99, 100 run, 101-200 (lines 100-199), 201 run, ... */
	expect_cut(text, 151, SENT, "run 1, room bare: 101 lines kept; lost lines: 1-149\n");
	expect_cut(text, 0, 120,
		"119 lines kept; the end is lost: what came after line 118 is not known\n");
	expect_cut(text, 50, 120, "70 lines kept; lost lines: 1-49; the end is lost");
	expect_cut(text, SENT - 1, SENT,
		"run 1: every copy of its run line (0) is lost, and with it the machine");
	free(text);
}

/* A run that hung before it sent its run line again does not get that of the next start. */
TEST(test_another_start)
{
	char *hung = result(FIRST_SENT_LINES, 1), *text = result(SECOND, 2),
	     *first = sent(hung, true), *second = sent(text, true), *log;

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
	char *one = result(FIRST_SENT_LINES, 1), *other = result(SECOND, 2), *log;

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

/* If a clock stands still, two starts have the same run line: their rows tell them apart. */
TEST(test_the_same_run_line)
{
	char *one = result(FIRST_SENT_LINES, 1), *other = result(FIRST_SENT_LINES, 2),
	     *first = sent(one, true), *second = sent(other, true), *log;

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
	char *text = result(FIRST_SENT_LINES, 1), *log = sent(text, true), *twice;

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
