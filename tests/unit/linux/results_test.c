/* SPDX-License-Identifier: MIT */
/* The result reader: valid lines are kept, what is wrong is named by line and reason. */
#include <sys/mman.h>
#include <unistd.h>

#include "linux/report/reading/results.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

static const double three[] = { 1.0, 1.5, 2.0 };

static struct fixture f; /* the text of a test, */
static struct results r; /* and what was read of it */

BEFORE_EACH(renew)
{
	results_free(&r);
	memset(&r, 0, sizeof r);
	if (f.file)
		fclose(f.file);
	free(f.text);
	fixture_open(&f);
}

/* A complete run: run, three rows, a skip, two summaries, end: 8 lines. */
static void write_run(const char *room)
{
	fixture_run(&f, room, ",\"seed\":18446744073709551615");
	fixture_row(&f, "pointer", PARAMS("\"bytes\":1024"), "ns/load", three, 3);
	fixture_row(&f, "pointer", PARAMS("\"bytes\":2048"), "ns/load", three, 3);
	fixture_row(&f, "pointer", PARAMS("\"bytes\":4096"), "ns/load", three, 3);
	fixture_line(&f, "skip", ",\"probe\":\"x\",\"reason\":\"no AVX-512\"");
	fixture_line(&f, "summary", ",\"name\":\"l1d_bytes\",\"value\":null");
	fixture_line(&f, "summary", ",\"name\":\"l2_bytes\",\"value\":1048576");
	fixture_end(&f);
}

static void read_bytes(const void *data, size_t n)
{
	results_free(&r);
	fixture_read_bytes(&r, "x", data, n);
}

/* The same by results_read_summaries: it keeps no row, and notices the same damage. */
static void read_summaries(const void *data, size_t n)
{
	char path[64];
	int file = memfd_create("result", MFD_CLOEXEC);

	assert_int_equal(write(file, data, n), (ssize_t)n);
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	results_free(&r);
	results_read_summaries(&r, path);
	close(file);
}

/* No more is written. */
static void close_text(void)
{
	fclose(f.file);
	f.file = NULL;
}

static void read_text(void)
{
	close_text();
	read_bytes(f.text, f.n);
}

/* Expects a problem whose text has `text`, at that line. */
static void expect(unsigned long line, const char *text)
{
	for (unsigned long i = 0; i < r.problems.all && i < PROBLEMS_KEPT; i++)
		if (r.problems.kept[i].line == line && strstr(r.problems.kept[i].text, text))
			return;
	problems_print(&r.problems, r.name, stderr);
	fail_msg("expected at line %lu: '%s'; above is what came", line, text);
}

static void expect_rows(size_t runs, size_t rows)
{
	size_t have = 0;

	for (size_t i = 0; i < r.nruns; i++)
		have += r.runs[i].nrows;
	assert_int_equal(r.nruns, runs);
	assert_int_equal(have, rows);
}

/* Returns the start of line k (from 1) of the text. */
static char *line_at(unsigned k)
{
	char *at = f.text;

	while (--k)
		at = strchr(at, '\n') + 1;
	return at;
}

/* Without the lines from `first` up to `after`. */
static size_t without_lines(unsigned first, unsigned after)
{
	char *gap = line_at(first), *rest = line_at(after);

	memmove(gap, rest, f.n - (size_t)(rest - f.text));
	return f.n - (size_t)(rest - gap);
}

TEST(test_complete_file)
{
	write_run("hosted");
	read_text();
	assert_int_equal(r.problems.all, 0);
	assert_int_equal(r.nruns, 1);
	assert_int_equal(r.runs[0].skips.n, 1);
	assert_int_equal(r.runs[0].summaries.n, 2);
	assert_string_equal(r.runs[0].rows[1].identity, "latency/pointer/bytes=2048 ns/load");
	assert_int_equal(r.runs[0].rows[1].nvalues, 3);
	assert_true(r.runs[0].rows[1].values[2] == 2.0);
	assert_true(r.runs[0].rows[1].median == 1.5);
	assert_non_null(r.runs[0].end);
	expect_rows(1, 3);
}

TEST(test_summaries_only)
{
	write_run("hosted");
	write_run("bare");
	close_text();
	read_summaries(f.text, f.n);
	problems_print(&r.problems, "expected none of these", stderr);
	assert_int_equal(r.problems.all, 0);
	expect_rows(2, 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(r.runs[i].skips.n, 0);
		assert_int_equal(r.runs[i].summaries.n, 2);
		assert_non_null(r.runs[i].end);
	}
	assert_true(number_of(run_summary(&r.runs[1], VALUE_l2_bytes), "value") == 1048576);
}

/* The text has two runs; if it is cut behind the first one, that one is whole. */
TEST(test_every_cut_and_every_changed_byte)
{
	static void (*const readers[])(const void *, size_t) = { read_bytes, read_summaries };

	write_run("hosted");
	write_run("bare");
	close_text();
	const size_t whole = (size_t)(line_at(9) - f.text);

	for (size_t i = 0; i < 2; i++)
		for (size_t at = 0; at < f.n; at++) {
			f.text[at] ^= 1;
			readers[i](f.text, f.n);
			f.text[at] ^= 1;
			if (!r.problems.damage)
				fail_msg("reader %zu: byte %zu changed: not noticed", i, at);
			if (at + 1 == f.n || at == whole)
				continue;
			readers[i](f.text, at);
			if (!r.problems.damage)
				fail_msg("reader %zu: %zu bytes cut to %zu: not noticed", i, f.n,
					at);
		}
}

TEST(test_a_lost_row)
{
	write_run("hosted");
	write_run("bare");
	close_text();
	read_summaries(f.text, without_lines(2, 3));
	assert_true(r.problems.damage);
	assert_int_equal(r.nruns, 2);
	assert_int_equal(r.runs[0].summaries.n, 2);
}

TEST(test_cut_run_keeps_its_rows)
{
	write_run("hosted");
	close_text();
	read_bytes(f.text, (size_t)(line_at(4) - f.text) + 20);
	expect(4, "cut");
	expect(4, "the run was cut: it has no end line; the 2 rows that are left are used");
	expect_rows(1, 2);
}

TEST(test_wrong_crc)
{
	write_run("hosted");
	close_text();
	*strstr(line_at(3), "median") = 'M';
	read_bytes(f.text, f.n);
	expect(3, "its crc is wrong");
	expect(4, "line 2 of this run is lost");
	expect(8, "crc_all is wrong");
	expect(8, "the run had 3 rows, 2 are here");
	expect_rows(1, 2);
}

TEST(test_unprintable)
{
	static const char *const bad[] = { "\\u001b[2J", "\\n", "\x7f",
		"\xc2\x9b"
		"2J" };

	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		fixture_run(&f, "hosted", "");
		fixture_row(&f, bad[i], "", "ns/load", three, 3);
		fixture_row(&f, "\\\"\\\\", "", "ns/load", three, 3);
		fixture_end(&f);
		read_text();
		expect(2, "only printable ASCII");
		expect_rows(1, 1);
		renew();
	}
}

TEST(test_lost_lines)
{
	write_run("hosted");
	close_text();
	read_bytes(f.text, without_lines(2, 4));
	expect(2, "lines 1 to 2 of this run are lost");
	expect(6, "crc_all is wrong");
	expect_rows(1, 1);
}

TEST(test_empty_and_foreign)
{
	static const struct {
		const char *bytes;
		size_t n;
		unsigned long line;
		const char *text;
	} all[] = {
		{ "", 0, 0, "empty" },
		{ "\n\n", 2, 0, "no result line" },
		{ "\x7f"
		  "ELF\0\1\2",
			7, 1, "not a result line" },
		{ "name,value\n1,2\n", 15, 1, "not a result line" },
		{ "{\"kind\":\"run\"", 13, 1, "cut" },
		{ "{\"kind\":\"run\",\"crc\":\"0123456z\"}\n", 32, 1, "cut" },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		read_bytes(all[i].bytes, all[i].n);
		expect(all[i].line, all[i].text);
		expect_rows(0, 0);
	}
}

/* What other programs make of a file is said by name, once, with what helps. */
TEST(test_written_again)
{
#define TEXT(s) s, sizeof s - 1
	static const struct {
		const char *bytes;
		size_t n;
		const char *text;
	} all[] = {
		{ TEXT("\xff\xfe{\0\"\0k\0\r\0\n\0{\0"), "UTF-16" },
		{ TEXT("\xfe\xff\0{\0\"\0k\0\n\0{"), "UTF-16" },
		{ TEXT("{\0\"\0k\0\n\0{\0"), "import --serial" },
		{ TEXT("\0{\0\"\0k\0\n\0{"), "UTF-16" },
		{ TEXT("\x1f\x8b\x08\n\n\n"), "gunzip" },
		{ TEXT("\x28\xb5\x2f\xfd\n\n"), "unzstd" },
		{ TEXT("\xfd"
		       "7zXZ\n\n"),
			"unxz" },
		{ TEXT("BZh9\n\n"), "bunzip2" },
		{ TEXT("PK\3\4\n\n"), "unzip" },
		{ TEXT("eyJraW5kIjoicnVuIiwi\ncm9vbSI6ImJhcmUi\n"), "base64" },
		{ TEXT("[{\"kind\":\"run\"},\n{}]\n"), "as jq does" },
		{ TEXT("{\n  \"kind\": \"run\",\n"), "as jq does" },
		{ TEXT("{\"kind\": \"run\", \"seq\": 0}\n{\n"), "as jq does" },
		{ TEXT("{\"build\":\"v1\",\"kind\":\"run\"}\n{\n"), "as jq does" },
		{ TEXT("{\"kind\":\"run\",\"a\":[1.5,\"2.0\",0.25],\"crc\":\"01234567\"}\n{\n"),
			"as jq does" },
		{ TEXT("{\"kind\":\"run\",\"schema\":\"ane\nchoic-1\",\n\"seq\":0\n"), "folded" },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		read_bytes(all[i].bytes, all[i].n);
		const struct problem *last = &r.problems.kept[r.problems.all - 1];

		if (r.problems.all > 2 || !strstr(last->text, all[i].text))
			fail_msg("%zu: expected one problem, '%s'; came %lu, the last '%s'", i,
				all[i].text, r.problems.all, last->text);
		expect_rows(0, 0);
	}
}

/* One line of another program before a result does not lose it. */
TEST(test_a_result_behind_other_lines)
{
	static const char *const before[] = { "[    0.000000] Linux version 6\n",
		"{\"MESSAGE\":\"x\",\"kind\":\"y\"}\n", "{\"kind\":\"run\",\"room\nhello\n" };

	static char text[1 << 16];

	write_run("hosted");
	close_text();
	for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
		size_t n = (size_t)snprintf(text, sizeof text, "%s", before[i]);
		memcpy(text + n, f.text, f.n);
		read_bytes(text, n + f.n);
		expect_rows(1, 3);
		assert_true(r.problems.all > 0);
	}
}

/* Bytes that were lost or changed are no other program's. */
TEST(test_damage_is_damage)
{
	static const char line[] =
		"{\"kind\":\"run\",\"a\":[1.500000,2.00000,0.250000],\"crc\":\"01234567\"}\n";

	read_bytes(line, sizeof line - 1);
	expect(1, "its crc is wrong: bytes were lost or changed");
	write_run("hosted");
	close_text();
	char *quoted = test_malloc(f.n + 2);
	memcpy(quoted, "> ", 2);
	memcpy(quoted + 2, f.text, f.n);
	read_bytes(quoted, f.n + 2);
	test_free(quoted);
	expect(1, "other text stands before a result line");
}

/* Blanks behind a line, and the carriage returns of old Macs. */
TEST(test_other_line_ends)
{
	static const char *const ends[] = { "\r", " \n", "\t \r\n" };

	write_run("hosted");
	close_text();
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t n;
		char *other;
		FILE *out = open_memstream(&other, &n);

		for (size_t k = 0; k < f.n; k++)
			f.text[k] == '\n' ? fputs(ends[i], out) : fputc(f.text[k], out);
		fclose(out);
		read_bytes(other, n);
		free(other);
		assert_int_equal(0, r.problems.all);
		expect_rows(1, 3);
	}
}

TEST(test_endless_line)
{
	FILE *in = fopen("/dev/zero", "rb");

	results_read(&r, in, "/dev/zero");
	fclose(in);
	expect(1, "a line of more than 8 MiB");
	expect_rows(0, 0);
}

TEST(test_endless_garbage)
{
	char text[4000];

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = i % 4 == 3 ? '\n' : 'y';
	read_bytes(text, sizeof text);
	assert_int_equal(r.problems.all, 101); /* a hundred lines, then it gives up */
	expect_rows(0, 0);
}

TEST(test_windows_line_ends)
{
	write_run("hosted");
	close_text();
	char *other = malloc(2 * f.n + 3);
	size_t m = 3;

	memcpy(other, "\xef\xbb\xbf", 3);
	for (size_t i = 0; i < f.n; i++) {
		if (f.text[i] == '\n')
			other[m++] = '\r';
		other[m++] = f.text[i];
	}
	read_bytes(other, m);
	assert_int_equal(r.problems.all, 0);
	expect_rows(1, 3);
	free(other);
}

TEST(test_several_runs)
{
	write_run("firmware");
	fixture_run(&f, "bare", "");
	fixture_row(&f, "pointer", "", "ns/load", three, 3);
	write_run("bare"); /* the second run has no end */
	read_text();
	expect(11, "the run was cut");
	assert_int_equal(r.problems.all, 1);
	assert_string_equal(r.runs[0].room, "firmware");
	assert_string_equal(r.runs[2].room, "bare");
	expect_rows(3, 7);
}

TEST(test_unusable_rows)
{
	fixture_row(&f, "early", "", "ns/load", three, 3);
	fixture_run(&f, "hosted", "");
	fixture_line(&f, "row", ",\"probe\":\"p\",\"unit\":\"ns\"");
	fixture_line(&f, "row", ",\"probe\":\"p\",\"median\":1");
	fixture_line(&f, "row",
		",\"probe\":\"p\",\"unit\":\"ns\",\"median\":1,\"values\":[1,\"2\"]");
	fixture_line(&f, "row", ",\"probe\":\"p\",\"unit\":\"ns\",\"median\":1,\"median\":2");
	fixture_line(&f, "row", ",\"probe\":\"p\",\"unit\":\"ns\",\"median\":1,\"params\":[1]");
	fixture_line(&f, "later", ",\"x\":1");
	f.room = "bare";
	fixture_line(&f, "skip", ",\"probe\":\"x\"");
	read_text();
	expect(1, "outside of a run");
	expect(3, "no median");
	expect(4, "no probe or no unit");
	expect(5, "a member of values is no number");
	expect(6, "not JSON");
	expect(7, "params is not an object");
	expect(8, "unknown kind 'later'");
	expect(9, "room 'bare' within a run of room 'hosted'");
	expect_rows(1, 0);
}

TEST(test_notes_are_no_damage)
{
	fixture_run(&f, "bare", "");
	fixture_line(&f, "end",
		",\"status\":\"interrupted\",\"thinned\":{\"why\":\"8 KiB\"},"
		"\"crc_all\":\"%08x\"",
		f.crc_all);
	read_text();
	expect(2, "not complete: interrupted");
	expect(2, "thinned to fit: 8 KiB");
	assert_false(r.problems.damage);
	expect_rows(1, 0);
}

TEST(test_unreadable)
{
	results_read_file(&r, "/no/such/file");
	expect(0, "No such file");
	results_free(&r);
	results_read_file(&r, "/");
	assert_true(r.problems.damage);
	expect_rows(0, 0);
}

/*
 * A result of another version of the format is refused: the text says the fault, its place, and the
 * right version.
 */
TEST(test_another_schema_is_refused)
{
	static const char *const schemas[] = { "anechoic/1", "anechoic/3", "" };

	for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
		char text[160];

		fixture_line(&f, "run", ",\"schema\":\"%s\",\"build\":\"v0\"", schemas[i]);
		fixture_row(&f, "pointer", "", "ns/load", three, 3);
		fixture_end(&f);
		write_run("hosted");
		read_text();
		assert_int_equal(r.problems.all, 1);
		snprintf(text, sizeof text,
			"the run is left out: its format is '%s', and this program reads only "
			"anechoic/2; build 'v0' wrote it and reads it, or measure again",
			schemas[i]);
		expect(1, text);
		expect_rows(1, 3);
		renew();
	}
}
