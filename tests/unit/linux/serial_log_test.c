/* SPDX-License-Identifier: MIT */
/* The serial importer, on logs with everything that happens to serial logs. */
#include "linux/report/reading/frame.h"
#include "linux/report/reading/serial_log.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"
#include "engine/probe_api.h"

static const double one[] = { 1.0 };

/* A run of 5 lines: run, three rows, end. */
static void write_run(struct fixture *f, const char *room, const char *when)
{
	fixture_run(f, room, when);
	fixture_row(f, "a", "", "ns/load", one, 1);
	fixture_row(f, "b", "", "ns/load", one, 1);
	fixture_row(f, "c", "", "ns/load", one, 1);
	fixture_end(f);
}

static char *sent; /* the clean text: what must come back */
static size_t sent_n;
static struct {
	char *text, *said;
	size_t n, said_n;
	struct saved saved;
} back;

static void forget_back(void)
{
	saved_free(&back.saved);
	free(back.text);
	free(back.said);
	memset(&back, 0, sizeof back);
}

static void import_bytes(const char *bytes, size_t n)
{
	forget_back();
	FILE *in = fmemopen((void *)bytes, n, "rb"), *out = open_memstream(&back.text, &back.n),
	     *said = open_memstream(&back.said, &back.said_n);

	serial_save(&back.saved, in, out);
	saved_print(&back.saved, said);
	fclose(in);
	fclose(out);
	fclose(said);
}

static void keep_sent(struct fixture *f)
{
	fclose(f->file);
	free(sent);
	sent = f->text;
	sent_n = f->n;
}

BEFORE_EACH(send_a_run)
{
	struct fixture f;

	fixture_open(&f);
	write_run(&f, "bare", "");
	keep_sent(&f);
}

static void forget(void)
{
	forget_back();
	free(sent);
	sent = NULL;
}

AFTER_EACH(forget);

static void expect_said(const char *text)
{
	if (!strstr(back.said, text))
		fail_msg("expected '%s' in what was said: %s", text, back.said);
}

/* Imports the clean text with every `from` replaced by `to`. */
static void import_replaced(const char *from, const char *to)
{
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	for (const char *c = sent; *c;)
		if (!strncmp(c, from, strlen(from))) {
			fputs(to, out);
			c += strlen(from);
		} else {
			fputc(*c++, out);
		}
	fclose(out);
	import_bytes(text, n);
	free(text);
}

static void expect_all(void)
{
	if (strcmp(back.text, sent))
		fail_msg("not what was sent; said: %s", back.said);
	assert_true(saved_whole(&back.saved));
	expect_said("run 1, room bare: 5 lines kept, whole\n");
}

TEST(test_clean)
{
	import_bytes(sent, sent_n);
	expect_all();
}

/* Text that consoles and terminals put between and around the lines. */
TEST(test_other_text)
{
	static const char *const ends[] = { "\r\n", "\r\r\n", "\n\n", " [done]\n",
		"\n\033[2J\033[1;37;44mlatency  pointer  1.4 ns\033[0m\r\n",
		"\n[    1.2] usb 1-1: new\n> ", "\nhalf {\"kind\":\"row\",\n", "\n\033]0;title\007",
		"", "\n\033[K\033[8;1Hprompt# " };

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		import_replaced("\n", ends[i]);
		expect_all();
	}
}

/* A terminal or a console that folds what is wider than it is. */
TEST(test_folded_lines)
{
	static const size_t widths[] = { 9, 40, 80, 132 };

	for (size_t i = 0; i < 2 * sizeof widths / sizeof *widths; i++) {
		size_t n, column = 0;
		char *folded;
		FILE *out = open_memstream(&folded, &n);

		for (const char *c = sent; *c; c++) {
			if (*c == '\n')
				column = 0;
			else if (column++ == widths[i / 2])
				fputs(i % 2 ? "\r\n" : "\n", out), column = 1;
			fputc(*c, out);
		}
		fclose(out);
		import_bytes(folded, n);
		expect_all();
		folded[n / 2] ^= 1;
		import_bytes(folded, n);
		assert_int_equal(4, back.saved.kept);
		assert_int_equal(1, back.saved.damaged);
		free(folded);
	}
}

TEST(test_codes_within_lines)
{
	static const char *const codes[] = { "\033[0m,", ",\033[10;20H", "\r,", ",\0333", "\016," };

	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		import_replaced(",", codes[i]);
		expect_all();
	}
}

/* Whichever byte is lost, all other lines are kept, and the loss is said. */
TEST(test_every_lost_byte)
{
	for (size_t at = 0, start = 0; at < sent_n; at++) {
		char *text = malloc(sent_n);
		bool newline = sent[at] == '\n';
		memcpy(text, sent, at);
		memcpy(text + at, sent + at + 1, sent_n - at - 1);
		import_bytes(text, sent_n - 1);
		/* without its start it is not known for a line, nor for a damaged one */
		size_t damaged = !newline && at - start >= strlen(FRAME_START);
		if (back.saved.kept != (newline ? 5 : 4) || saved_whole(&back.saved) != newline ||
			back.saved.damaged != damaged)
			fail_msg("byte %zu lost: %zu lines kept; said: %s", at, back.saved.kept,
				back.said);
		free(text);
		start = newline ? at + 1 : start;
	}
}

TEST(test_lost_lines_are_named)
{
	char *second = strchr(sent, '\n') + 1, *end = strstr(sent, "{\"kind\":\"end\"");

	import_bytes(second, (size_t)(end - second));
	expect_said("run 1, room bare: 3 lines kept; lost lines: 0; the end is lost: what came "
		    "after line 3 is not known");
	import_bytes(end, strlen(end));
	expect_said("1 lines kept; lost lines: 0-3\n");
	assert_false(saved_whole(&back.saved));
}

TEST(test_two_rooms_and_a_restart)
{
	struct fixture f;

	fixture_open(&f);
	write_run(&f, "firmware", "");
	fixture_run(&f, "bare", "");
	fixture_row(&f, "a", "", "ns/load", one, 1); /* hung here, and started again */
	write_run(&f, "bare", ",\"time_utc\":\"20260102T030405Z\"");
	keep_sent(&f);
	import_bytes(sent, sent_n);
	expect_said("run 1, room firmware: 5 lines kept, whole");
	expect_said("run 2, room bare: 2 lines kept; the end is lost");
	expect_said("run 3, room bare: 5 lines kept, whole");
	assert_string_equal(back.text, sent);
}

/* Firmware that mirrors its console sends every line twice. */
TEST(test_doubled_lines)
{
	size_t n;
	char *twice;
	FILE *out = open_memstream(&twice, &n);

	for (char *line = sent; *line; line = strchr(line, '\n') + 1)
		fprintf(out, "%.*s%.*s", (int)(strchr(line, '\n') + 1 - line), line,
			(int)(strchr(line, '\n') + 1 - line), line);
	fclose(out);
	import_bytes(twice, n);
	free(twice);
	expect_said("5 lines were there twice");
	expect_all();
}

TEST(test_nothing)
{
	static const char *const logs[] = { "U-Boot 2023.01\r\n", "{\"kind\":\"", "\033", "\033[",
		"{\"kind\":\"{\"kind\":\"{\"kind\":\"run\",\"crc\":\"00000000\"}" };

	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
		import_bytes(logs[i], strlen(logs[i]));
		assert_int_equal(back.saved.kept, 0);
		assert_false(saved_whole(&back.saved));
	}
}

/* A right crc over a number that no run has: must not become memory. */
TEST(test_made_up_number)
{
	struct fixture f;

	fixture_open(&f);
	f.seq = 4000000000;
	fixture_line(&f, "row", "%s", "");
	keep_sent(&f);
	import_bytes(sent, sent_n);
	assert_int_equal(back.saved.kept, 0);
	assert_int_equal(back.saved.damaged, 1);
}
