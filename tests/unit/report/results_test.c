/* SPDX-License-Identifier: MIT */
/* The result reader: valid lines are kept, what is wrong is named by line and reason. */
#include <sys/mman.h>
#include <unistd.h>

#include "report/reading/results.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

static const double three[] = { 1.0, 1.5, 2.0 };

/* A complete run: run, three rows, a skip, a summary, end: 7 lines. */
static void write_run(struct fixture *f, const char *room)
{
	fixture_run(f, room, ",\"seed\":18446744073709551615");
	fixture_row(f, "pointer", PARAMS("\"bytes\":1024"), "ns/load", three, 3);
	fixture_row(f, "pointer", PARAMS("\"bytes\":2048"), "ns/load", three, 3);
	fixture_row(f, "pointer", PARAMS("\"bytes\":4096"), "ns/load", three, 3);
	fixture_line(f, "skip", ",\"probe\":\"x\",\"reason\":\"no AVX-512\"");
	fixture_line(f, "summary", ",\"name\":\"l1d_bytes\",\"value\":null");
	fixture_end(f);
}

static char *complete(size_t *n)
{
	struct fixture f;

	fixture_open(&f);
	write_run(&f, "hosted");
	fclose(f.file);
	*n = f.n;
	return f.text;
}

/* Expects a problem whose text has `text`, at that line. */
static void expect(const struct results *r, unsigned long line, const char *text)
{
	for (unsigned long i = 0; i < r->problems.all && i < PROBLEMS_KEPT; i++)
		if (r->problems.kept[i].line == line && strstr(r->problems.kept[i].text, text))
			return;
	problems_print(&r->problems, r->name, stderr);
	fail_msg("expected at line %lu: '%s'; above is what came", line, text);
}

static void expect_rows(struct results *r, size_t runs, size_t rows)
{
	size_t have = 0;

	for (size_t i = 0; i < r->nruns; i++)
		have += r->runs[i].nrows;
	assert_int_equal(r->nruns, runs);
	assert_int_equal(have, rows);
	results_free(r);
}

/* Where line k (from 1) starts. */
static char *line_at(char *text, unsigned k)
{
	while (--k)
		text = strchr(text, '\n') + 1;
	return text;
}

TEST(test_complete_file)
{
	struct results r;
	size_t n;
	char *text = complete(&n);

	fixture_read_bytes(&r, "x", text, n);
	assert_int_equal(r.problems.all, 0);
	assert_int_equal(r.nruns, 1);
	assert_int_equal(r.runs[0].skips.n, 1);
	assert_int_equal(r.runs[0].summaries.n, 1);
	assert_string_equal(r.runs[0].rows[1].identity, "latency/pointer/bytes=2048 ns/load");
	assert_int_equal(r.runs[0].rows[1].nvalues, 3);
	assert_true(r.runs[0].rows[1].values[2] == 2.0);
	assert_true(r.runs[0].rows[1].median == 1.5);
	assert_non_null(r.runs[0].end);
	expect_rows(&r, 1, 3);
	free(text);
}

TEST(test_every_cut)
{
	size_t n;
	char *text = complete(&n);

	for (size_t cut = 0; cut < n - 1; cut++) {
		struct results r;
		fixture_read_bytes(&r, "x", text, cut);
		if (!r.problems.damage)
			fail_msg("a file of %zu bytes cut to %zu was not noticed", n, cut);
		results_free(&r);
	}
	free(text);
}

TEST(test_every_changed_byte)
{
	size_t n;
	char *text = complete(&n);

	for (size_t at = 0; at < n; at++) {
		struct results r;
		text[at] ^= 1;
		fixture_read_bytes(&r, "x", text, n);
		if (!r.problems.damage)
			fail_msg("byte %zu changed: not noticed", at);
		results_free(&r);
		text[at] ^= 1;
	}
	free(text);
}

TEST(test_cut_run_keeps_its_rows)
{
	struct results r;
	size_t n;
	char *text = complete(&n);

	fixture_read_bytes(&r, "x", text, (size_t)(line_at(text, 4) - text) + 20);
	expect(&r, 4, "cut");
	expect(&r, 4, "the run was cut: it has no end line; the 2 rows that are left are used");
	expect_rows(&r, 1, 2);
	free(text);
}

TEST(test_wrong_crc)
{
	struct results r;
	size_t n;
	char *text = complete(&n);

	*strstr(line_at(text, 3), "median") = 'M';
	fixture_read_bytes(&r, "x", text, n);
	expect(&r, 3, "its crc is wrong");
	expect(&r, 4, "line 2 of this run is lost");
	expect(&r, 7, "crc_all is wrong");
	expect(&r, 7, "the run had 3 rows, 2 are here");
	expect_rows(&r, 1, 2);
	free(text);
}

TEST(test_unprintable)
{
	static const char *const bad[] = { "\\u001b[2J", "\\n", "\x7f",
		"\xc2\x9b"
		"2J" };
	struct results r;

	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct fixture f;

		fixture_open(&f);
		fixture_run(&f, "hosted", "");
		fixture_row(&f, bad[i], "", "ns/load", three, 3);
		fixture_row(&f, "\\\"\\\\", "", "ns/load", three, 3);
		fixture_end(&f);
		fclose(f.file);
		fixture_read_bytes(&r, "x", f.text, f.n);
		expect(&r, 2, "only printable ASCII");
		expect_rows(&r, 1, 1);
		free(f.text);
	}
}

TEST(test_lost_lines)
{
	struct results r;
	size_t n;
	char *text = complete(&n), *gap = line_at(text, 2), *rest = line_at(text, 4);

	memmove(gap, rest, n - (size_t)(rest - text));
	fixture_read_bytes(&r, "x", text, n - (size_t)(rest - gap));
	expect(&r, 2, "lines 1 to 2 of this run are lost");
	expect(&r, 5, "crc_all is wrong");
	expect_rows(&r, 1, 1);
	free(text);
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
		struct results r;
		fixture_read_bytes(&r, "x", all[i].bytes, all[i].n);
		expect(&r, all[i].line, all[i].text);
		expect_rows(&r, 0, 0);
	}
}

TEST(test_endless_line)
{
	struct results r;
	FILE *in = fopen("/dev/zero", "rb");

	results_read(&r, in, "/dev/zero");
	fclose(in);
	expect(&r, 1, "a line of more than 8 MiB");
	expect_rows(&r, 0, 0);
}

TEST(test_endless_garbage)
{
	struct results r;
	char text[4000];

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = i % 4 == 3 ? '\n' : 'y';
	fixture_read_bytes(&r, "yes", text, sizeof text);
	assert_int_equal(r.problems.all, 101); /* a hundred lines, then it gives up */
	expect_rows(&r, 0, 0);
}

TEST(test_windows_line_ends)
{
	struct results r;
	size_t n, m = 3;
	char *text = complete(&n), *other = malloc(2 * n + 3);

	memcpy(other, "\xef\xbb\xbf", 3);
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '\n')
			other[m++] = '\r';
		other[m++] = text[i];
	}
	fixture_read_bytes(&r, "x", other, m);
	assert_int_equal(r.problems.all, 0);
	expect_rows(&r, 1, 3);
	free(other);
	free(text);
}

TEST(test_several_runs)
{
	struct results r;
	struct fixture f;

	fixture_open(&f);
	write_run(&f, "firmware");
	fixture_run(&f, "bare", "");
	fixture_row(&f, "pointer", "", "ns/load", three, 3);
	write_run(&f, "bare"); /* the second run has no end */
	fixture_read(&f, &r, "x");
	expect(&r, 10, "the run was cut");
	assert_int_equal(r.problems.all, 1);
	assert_string_equal(r.runs[0].room, "firmware");
	assert_string_equal(r.runs[2].room, "bare");
	expect_rows(&r, 3, 7);
}

TEST(test_unusable_rows)
{
	struct results r;
	struct fixture f;

	fixture_open(&f);
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
	fixture_read(&f, &r, "x");
	expect(&r, 1, "outside of a run");
	expect(&r, 3, "no median");
	expect(&r, 4, "no probe or no unit");
	expect(&r, 5, "a member of values is no number");
	expect(&r, 6, "not JSON");
	expect(&r, 7, "params is not an object");
	expect(&r, 8, "unknown kind 'later'");
	expect(&r, 9, "room 'bare' within a run of room 'hosted'");
	expect_rows(&r, 1, 0);
}

TEST(test_notes_are_no_damage)
{
	struct results r;
	struct fixture f;

	fixture_open(&f);
	fixture_run(&f, "bare", "");
	fixture_line(&f, "end",
		",\"status\":\"interrupted\",\"thinned\":{\"why\":\"8 KiB\"},"
		"\"crc_all\":\"%08x\"",
		f.crc_all);
	fixture_read(&f, &r, "x");
	expect(&r, 2, "not complete: interrupted");
	expect(&r, 2, "thinned to fit: 8 KiB");
	assert_false(r.problems.damage);
	expect_rows(&r, 1, 0);
}

TEST(test_unreadable)
{
	struct results r;

	results_read_file(&r, "/no/such/file");
	expect(&r, 0, "No such file");
	results_free(&r);
	results_read_file(&r, "/");
	assert_true(r.problems.damage);
	expect_rows(&r, 0, 0);
}

/* Of another version of the format: what is wrong, where, and what would be right. */
TEST(test_another_schema_is_refused)
{
	static const char *const schemas[] = { "anechoic/1", "anechoic/3", "" };

	for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
		char text[160];
		struct results r;
		struct fixture f;

		fixture_open(&f);
		fixture_line(&f, "run", ",\"schema\":\"%s\",\"build\":\"v0\"", schemas[i]);
		fixture_row(&f, "pointer", "", "ns/load", three, 3);
		fixture_end(&f);
		write_run(&f, "hosted");
		fixture_read(&f, &r, "x");
		assert_int_equal(r.problems.all, 1);
		snprintf(text, sizeof text,
			"the run is left out: its format is '%s', and this program reads only "
			"anechoic/2; build 'v0' wrote it and reads it, or measure again",
			schemas[i]);
		expect(&r, 1, text);
		expect_rows(&r, 1, 3);
	}
}

/* results_read_summaries: keeps no row, and notices the same damage as the whole reader. */

/* Two runs, each: run, two rows, a skip, two summaries, end: 7 lines. */
static char *complete_summaries(size_t *n)
{
	struct fixture f;

	fixture_open(&f);
	for (int i = 0; i < 2; i++) {
		fixture_run(&f, i ? "bare" : "hosted", "");
		fixture_row(&f, "pointer", PARAMS("\"bytes\":1024"), "ns/load", three, 3);
		fixture_row(&f, "pointer", PARAMS("\"bytes\":2048"), "ns/load", three, 3);
		fixture_line(&f, "skip", ",\"probe\":\"x\",\"reason\":\"no AVX-512\"");
		fixture_line(&f, "summary", ",\"name\":\"l1d_bytes\",\"value\":null");
		fixture_line(&f, "summary", ",\"name\":\"l2_bytes\",\"value\":1048576");
		fixture_end(&f);
	}
	fclose(f.file);
	*n = f.n;
	return f.text;
}

static void read_bytes(struct results *r, const char *text, size_t n)
{
	char path[64];
	int file = memfd_create("result", MFD_CLOEXEC);

	assert_int_equal(write(file, text, n), (ssize_t)n);
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	results_read_summaries(r, path);
	close(file);
}

TEST(test_summaries_only)
{
	struct results r;
	size_t n;
	char *text = complete_summaries(&n);

	read_bytes(&r, text, n);
	problems_print(&r.problems, "expected none of these", stderr);
	assert_int_equal(r.problems.all, 0);
	assert_int_equal(r.nruns, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(r.runs[i].nrows, 0);
		assert_int_equal(r.runs[i].skips.n, 0);
		assert_int_equal(r.runs[i].summaries.n, 2);
		assert_non_null(r.runs[i].end);
	}
	assert_true(number_of(run_summary(&r.runs[1], "l2_bytes"), "value") == 1048576);
	results_free(&r);
	free(text);
}

/* Reads text[0..n) and expects that damage is noticed. */
static void expect_damage(const char *text, size_t n, const char *what, size_t at)
{
	struct results r;

	read_bytes(&r, text, n);
	if (!r.problems.damage)
		fail_msg("%s %zu: not noticed", what, at);
	results_free(&r);
}

TEST(test_every_cut_and_every_changed_byte)
{
	size_t n;
	char *text = complete_summaries(&n);
	const char *second = strstr(text + 1, "{\"kind\":\"run\"");
	const size_t whole = (size_t)(second - text); /* cut there, the first run is whole */

	for (size_t at = 0; at < n; at++) {
		text[at] ^= 1;
		expect_damage(text, n, "changed byte", at);
		text[at] ^= 1;
		if (at + 1 < n && at != whole)
			expect_damage(text, at, "cut to", at);
	}
	free(text);
}

TEST(test_a_lost_row)
{
	struct results r;
	size_t n;
	char *text = complete_summaries(&n);
	char *row = strchr(text, '\n') + 1, *next = strchr(row, '\n') + 1;

	memmove(row, next, n - (size_t)(next - text));
	read_bytes(&r, text, n - (size_t)(next - row));
	assert_true(r.problems.damage);
	assert_int_equal(r.nruns, 2);
	assert_int_equal(r.runs[0].summaries.n, 2);
	results_free(&r);
	free(text);
}
