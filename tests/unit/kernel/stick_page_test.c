/* SPDX-License-Identifier: MIT */
/* The page beside a start's results: of which results it is, and what becomes of it if it fails. */
#include "tests/unit/fake_storage.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

#include "kernel/result/stick_page.c"

#define STEM  "20260101T000000Z"
#define OTHER "not a page"

static char arena[8 << 20];
static struct span memory_span;
static struct stick_page page;
static struct fixture firmware, bare;

static void make(struct fixture *f, const char *room)
{
	fixture_open(f);
	fixture_run(f, room, "");
	for (unsigned i = 0; i < 4; i++)
		fixture_line(f, "row",
			",\"probe\":\"latency\",\"variant\":\"pointer-padded\",\"unit\":\"ns/"
			"load\","
			"\"params\":{\"bytes\":%u},\"median\":%u,\"values\":[1,2,3]",
			1024u << i, 1 + i);
	fixture_end(f);
	fclose(f->file);
}

BEFORE_ALL(open_all)
{
	make(&firmware, "firmware");
	make(&bare, "bare");
}

AFTER_ALL(close_all)
{
	free(firmware.text);
	free(bare.text);
}

BEFORE_EACH(reset)
{
	empty(variables, VARIABLES);
	empty(files, FILES);
	memory_span = (struct span){ (uint64_t)(uintptr_t)arena, sizeof arena };
	create_error = append_error = 0;
	set_item(find_item(files, FILES, ""), STEM "-firmware.ndjson", firmware.text, firmware.n);
	set_item(find_item(files, FILES, ""), "other.html", OTHER, sizeof OTHER);
}

static void write_firmware(void)
{
	stick_page_write(&calls, STEM "-firmware.ndjson", firmware.text, firmware.n, &memory_span,
		&page);
}

static void write_bare(void)
{
	stick_page_write(&calls, STEM "-bare.ndjson", bare.text, bare.n, &memory_span, &page);
}

/*
 * Returns the text of the page with this name, ended by 0, which the caller frees; checks its
 * length.
 */
static char *read_page(const char *name)
{
	struct item *t = find_item(files, FILES, name);

	assert_null(page.why);
	assert_string_equal(page.name, name);
	if (!t)
		fail_msg("there is no %s", name);
	assert_int_equal(t->n, page.bytes);
	char *text = calloc(t->n + 1, 1);
	memcpy(text, t->data, t->n);
	assert_non_null(strstr(text, "<figure id=\"picture-latency\">"));
	assert_non_null(strstr(text, "</html>"));
	return text;
}

static void others_are_untouched(void)
{
	struct item *result = find_item(files, FILES, STEM "-firmware.ndjson");
	struct item *other = find_item(files, FILES, "other.html");

	assert_int_equal(result->n, firmware.n);
	assert_memory_equal(result->data, firmware.text, firmware.n);
	assert_string_equal((char *)other->data, OTHER);
}

static void no_page(const char *why)
{
	assert_string_equal(page.why, why);
	assert_null(find_item(files, FILES, STEM ".html"));
	others_are_untouched();
}

TEST(one_file_has_the_first_room_and_then_both)
{
	assert_true(run_for(-1U, write_firmware));
	char *text = read_page(STEM ".html");
	assert_non_null(strstr(text, "<b>firmware</b> X 1"));
	assert_null(strstr(text, "<b>bare</b> X 1"));
	free(text);

	assert_true(run_for(-1U, write_bare));
	text = read_page(STEM ".html");
	assert_null(page.left_out);
	const char *first = strstr(text, "<b>firmware</b> X 1");
	assert_non_null(first);
	assert_non_null(strstr(first, "<b>bare</b> X 1"));
	assert_non_null(strstr(text, "<small>" STEM "-bare, "));
	free(text);
	assert_int_equal(count(files, FILES), 3);
	others_are_untouched();
}

TEST(a_room_alone_is_a_page)
{
	empty(files, FILES);
	assert_true(run_for(-1U, write_bare));
	char *text = read_page(STEM ".html");
	assert_null(page.left_out);
	assert_null(strstr(text, "<b>firmware</b> X 1"));
	free(text);
}

/* A file that was changed or cut since is not shown as the machine's. */
TEST(a_damaged_result_is_left_out)
{
	struct item *result = find_item(files, FILES, STEM "-firmware.ndjson");

	for (unsigned i = 0; i < 2; i++) {
		if (i)
			result->n /= 2;
		else
			*strstr((char *)result->data, "1024") = '7';
		assert_true(run_for(-1U, write_bare));
		char *text = read_page(STEM ".html");
		assert_non_null(page.left_out);
		assert_string_equal(page.left_out, "it is not as it was written");
		assert_null(strstr(text, "<b>firmware</b> X 1"));
		free(text);
	}
}

TEST(a_failure_leaves_no_page)
{
	place = 0;
	append_error = EFI_STATUS_ERROR | 11;
	assert_true(run_for(-1U, write_firmware));
	no_page("volume full");
	append_error = 0;
	create_error = EFI_STATUS_ERROR | 8;
	assert_true(run_for(-1U, write_firmware));
	no_page("write-protected");
	create_error = 0;
	for (memory_span.bytes = 0; memory_span.bytes < 64 << 10; memory_span.bytes += 4096) {
		assert_true(run_for(-1U, write_firmware));
		no_page("there is too little memory for it");
	}
}

/* At whatever step the power fails, nothing but the page is touched. */
TEST(power_may_fail)
{
	for (unsigned steps = 0; !run_for(steps, write_firmware); steps++)
		others_are_untouched();
	others_are_untouched();
}

TEST(names)
{
	static const char *const of[][2] = { { "recovered-bare.ndjson", "recovered.html" },
		{ STEM "-bare-2.ndjson", STEM "-2.html" }, { "x", "x.html" } };

	empty(files, FILES);
	steps_left = -1U;
	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		stick_page_write(&calls, of[i][0], bare.text, bare.n, &memory_span, &page);
		free(read_page(of[i][1]));
	}
}
