/* SPDX-License-Identifier: MIT */
/* The serial importer, on logs with everything that happens to serial logs. */
#include "report/reading/frame.h"
#include "report/reading/serial_log.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"
#include "engine/probe_api.h"

static const double one[] = { 1.0 };

/* A run of 5 lines: run, three rows, end. */
static void write_run_at(struct fixture *f, const char *room, const char *when)
{
	fixture_run(f, room, when);
	fixture_row(f, "a", "", "ns/load", one, 1);
	fixture_row(f, "b", "", "ns/load", one, 1);
	fixture_row(f, "c", "", "ns/load", one, 1);
	fixture_end(f);
}

static void write_run(struct fixture *f, const char *room)
{
	write_run_at(f, room, "");
}

struct log {
	char *text, *saved_text, *said;
	size_t n, saved_n, remarks_n;
	struct saved saved;
};

static void import_bytes(struct log *log, const char *bytes, size_t n)
{
	FILE *in = fmemopen((void *)bytes, n, "rb");
	FILE *out = open_memstream(&log->saved_text, &log->saved_n);
	FILE *said = open_memstream(&log->said, &log->remarks_n);

	serial_save(&log->saved, in, out);
	saved_print(&log->saved, said);
	fclose(in);
	fclose(out);
	fclose(said);
}

static void forget(struct log *log)
{
	saved_free(&log->saved);
	free(log->text);
	free(log->saved_text);
	free(log->said);
}

/* What must come back: the clean text in log->text. */
static void clean(struct log *log, const char *room)
{
	struct fixture f;

	fixture_open(&f);
	write_run(&f, room);
	fclose(f.file);
	*log = (struct log){ .text = f.text, .n = f.n };
}

static void expect_said(const struct log *log, const char *text)
{
	if (!strstr(log->said, text))
		fail_msg("expected '%s' in what was said: %s", text, log->said);
}

/* Imports the clean text with every `from` replaced by `to`. */
static void import_replaced(struct log *log, const char *from, const char *to)
{
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	for (const char *c = log->text; *c;)
		if (!strncmp(c, from, strlen(from))) {
			fputs(to, out);
			c += strlen(from);
		} else {
			fputc(*c++, out);
		}
	fclose(out);
	import_bytes(log, text, n);
	free(text);
}

static void expect_all(struct log *log)
{
	if (strcmp(log->saved_text, log->text))
		fail_msg("not what was sent; said: %s", log->said);
	assert_true(saved_whole(&log->saved));
	expect_said(log, "run 1, room bare: 5 lines kept, whole\n");
	forget(log);
}

TEST(test_clean)
{
	struct log log;

	clean(&log, "bare");
	import_bytes(&log, log.text, log.n);
	expect_all(&log);
}

/* What consoles and terminals put between and around the lines. */
TEST(test_other_text)
{
	static const char *const ends[] = { "\r\n", "\r\r\n", "\n\n", " [done]\n",
		"\n\033[2J\033[1;37;44mlatency  pointer  1.4 ns\033[0m\r\n",
		"\n[    1.2] usb 1-1: new\n> ", "\nhalf {\"kind\":\"row\",\n", "\n\033]0;title\007",
		"", "\n\033[K\033[8;1Hprompt# " };

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		struct log log;
		clean(&log, "bare");
		import_replaced(&log, "\n", ends[i]);
		expect_all(&log);
	}
}

TEST(test_codes_within_lines)
{
	static const char *const codes[] = { "\033[0m,", ",\033[10;20H", "\r,", ",\0333", "\016," };

	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		struct log log;
		clean(&log, "bare");
		import_replaced(&log, ",", codes[i]);
		expect_all(&log);
	}
}

/* Whichever byte is lost, all other lines are kept, and the loss is said. */
TEST(test_every_lost_byte)
{
	struct log log;

	clean(&log, "bare");
	for (size_t at = 0, start = 0; at < log.n; at++) {
		struct log lossy = { 0 };
		char *text = malloc(log.n);
		bool newline = log.text[at] == '\n';
		memcpy(text, log.text, at);
		memcpy(text + at, log.text + at + 1, log.n - at - 1);
		import_bytes(&lossy, text, log.n - 1);
		/* without its start it is not known for a line, nor for a damaged one */
		size_t damaged = !newline && at - start >= strlen(FRAME_START);
		if (lossy.saved.kept != (newline ? 5 : 4) || saved_whole(&lossy.saved) != newline ||
			lossy.saved.damaged != damaged)
			fail_msg("byte %zu lost: %zu lines kept; said: %s", at, lossy.saved.kept,
				lossy.said);
		free(text);
		forget(&lossy);
		start = newline ? at + 1 : start;
	}
	forget(&log);
}

TEST(test_lost_lines_are_named)
{
	struct log log, rest = { 0 };

	clean(&log, "bare");
	char *second = strchr(log.text, '\n') + 1, *end = strstr(log.text, "{\"kind\":\"end\"");
	import_bytes(&rest, second, (size_t)(end - second));
	expect_said(&rest,
		"run 1, room bare: 3 lines kept; lost lines: 0; the end is lost: what came "
		"after line 3 is not known");
	forget(&rest);
	rest = (struct log){ 0 };
	import_bytes(&rest, end, strlen(end));
	expect_said(&rest, "1 lines kept; lost lines: 0-3\n");
	assert_false(saved_whole(&rest.saved));
	forget(&rest);
	forget(&log);
}

TEST(test_two_rooms_and_a_restart)
{
	struct fixture f;
	struct log log = { 0 };

	fixture_open(&f);
	write_run(&f, "firmware");
	fixture_run(&f, "bare", "");
	fixture_row(&f, "a", "", "ns/load", one, 1); /* hung here, and started again */
	write_run_at(&f, "bare", ",\"time_utc\":\"20260102T030405Z\"");
	fclose(f.file);
	import_bytes(&log, f.text, f.n);
	expect_said(&log, "run 1, room firmware: 5 lines kept, whole");
	expect_said(&log, "run 2, room bare: 2 lines kept; the end is lost");
	expect_said(&log, "run 3, room bare: 5 lines kept, whole");
	assert_string_equal(log.saved_text, f.text);
	log.text = f.text;
	forget(&log);
}

/* Firmware that mirrors its console sends every line twice. */
TEST(test_doubled_lines)
{
	struct log log;
	size_t n;
	char *twice;

	clean(&log, "bare");
	FILE *out = open_memstream(&twice, &n);
	for (char *line = log.text; *line; line = strchr(line, '\n') + 1)
		fprintf(out, "%.*s%.*s", (int)(strchr(line, '\n') + 1 - line), line,
			(int)(strchr(line, '\n') + 1 - line), line);
	fclose(out);
	import_bytes(&log, twice, n);
	free(twice);
	expect_said(&log, "5 lines were there twice");
	expect_all(&log);
}

TEST(test_nothing)
{
	static const char *const logs[] = { "U-Boot 2023.01\r\n", "{\"kind\":\"", "\033", "\033[",
		"{\"kind\":\"{\"kind\":\"{\"kind\":\"run\",\"crc\":\"00000000\"}" };

	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
		struct log log = { 0 };
		import_bytes(&log, logs[i], strlen(logs[i]));
		assert_int_equal(log.saved.kept, 0);
		assert_false(saved_whole(&log.saved));
		forget(&log);
	}
}

/* A right crc over a number that no run has: must not become memory. */
TEST(test_made_up_number)
{
	struct fixture f;
	struct log log = { 0 };

	fixture_open(&f);
	f.seq = 4000000000;
	fixture_line(&f, "row", "%s", "");
	fclose(f.file);
	import_bytes(&log, f.text, f.n);
	assert_int_equal(log.saved.kept, 0);
	assert_int_equal(log.saved.damaged, 1);
	log.text = f.text;
	forget(&log);
}
