/* SPDX-License-Identifier: MIT */
/* results_read_summaries: keeps no row, and notices the same damage as the whole reader. */
#include <sys/mman.h>
#include <unistd.h>

#include "report/reading/reader.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

static const double three[] = { 1.0, 1.5, 2.0 };

/* Two runs, each: run, two rows, a skip, two summaries, end: 7 lines. */
static char *complete(size_t *n)
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
	char *text = complete(&n);

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
	char *text = complete(&n);
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
	char *text = complete(&n);
	char *row = strchr(text, '\n') + 1, *next = strchr(row, '\n') + 1;

	memmove(row, next, n - (size_t)(next - text));
	read_bytes(&r, text, n - (size_t)(next - row));
	assert_true(r.problems.damage);
	assert_int_equal(r.nruns, 2);
	assert_int_equal(r.runs[0].summaries.n, 2);
	results_free(&r);
	free(text);
}
