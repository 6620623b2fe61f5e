/* SPDX-License-Identifier: MIT */
/* The page's reader of lines: what the writer writes, and any other bytes. */
#include "page/page_memory.h"
#include "page/shown_run.h"
#include "tests/unit/test.h"

static const char text[] =
	"{\"kind\":\"run\",\"room\":\"bare\",\"cpu\":{\"brand\":\"A \\\"B\\\"\"},\"tsc_hz\":3e9}\n"
	"{\"kind\":\"row\",\"probe\":\"latency\",\"variant\":\"pointer\",\"unit\":\"ns/load\","
	"\"params\":{\"page_bytes\":4096,\"bytes\":16384},\"median\":1.250000,\"values\":[1,[2],3],"
	"\"more\":{\"speedup\":7}}\n"
	"{\"kind\":\"row\",\"probe\":\"latency\",\"variant\":\"pointer\",\"unit\":\"ns/load\","
	"\"level\":\"l1\",\"median\":2,\"samples\":31,\"values\":[]}\n"
	"{\"kind\":\"summary\",\"name\":\"l1d_bytes\",\"value\":32768}\n"
	"{\"kind\":\"skip\",\"probe\":\"tlb\",\"reason\":\"no time\"}\n"
	"{\"kind\":\"end\",\"status\":\"complete\"}\n";

static void *zeroed(size_t bytes)
{
	return calloc(1, bytes);
}

BEFORE_ALL(open_memory)
{
	page_memory_use(zeroed, free);
}

TEST(lines_become_a_run)
{
	struct shown_run run;
	char label[ROW_LABEL];

	shown_run_read(&run, text, strlen(text));
	assert_string_equal(run.room, "bare");
	assert_int_equal(run.nrows, 2);
	assert_int_equal(run.summaries.n, 1);
	assert_int_equal(run.skips.n, 1);
	assert_true(line_is(run.end, "status", "complete"));
	assert_true(line_number(shown_summary(&run, "l1d_bytes"), "value") == 32768);
	assert_null(shown_summary(&run, "l2_bytes").text);
	assert_true(line_is(line_object(run.head, "cpu"), "brand", "A \\\"B\\\""));
	row_label(&run.rows[0], true, label);
	assert_string_equal(label, "pointer 16K 4K-pages");
	row_label(&run.rows[0], false, label);
	assert_string_equal(label, "16K 4K-pages");
	row_label(&run.rows[1], false, label);
	assert_string_equal(label, "");
	shown_run_free(&run);
}

TEST(a_row_has_its_numbers)
{
	struct shown_run run;

	shown_run_read(&run, text, strlen(text));
	const struct result_row *a = &run.rows[0], *b = &run.rows[1];
	assert_true(result_number(a, "median") == 1.25 && result_number(a, "bytes") == 16384);
	assert_true(result_number(a, "more.speedup") == 7 &&
		isnan(result_number(b, "more.speedup")));
	assert_true(isnan(result_number(a, "p90")) && isnan(result_number(a, "more.")));
	assert_int_equal(a->nvalues, 3);
	assert_true(a->numbers[ROW_samples] == 3 && a->numbers[ROW_disturbed] == 0);
	assert_int_equal(b->nvalues, 0);
	assert_true(b->numbers[ROW_samples] == 31);
	assert_true(a->probe == b->probe); /* kept once */
	assert_string_equal(b->level, "l1");
	shown_run_free(&run);
}

/* Cut at any byte, and with any byte replaced: the sanitizers see what is read beyond the text. */
TEST(damaged_text_is_read_within_its_bounds)
{
	static const char wrong[] = "{}[],:\"\\\n0x";
	size_t n = strlen(text);
	struct shown_run run;

	for (size_t i = 0; i <= n; i++)
		for (size_t j = 0; j < sizeof wrong; j++) {
			size_t bytes = j ? n : i;
			char *copy = malloc(bytes ? bytes : 1);

			memcpy(copy, text, bytes);
			if (j && i < n)
				copy[i] = wrong[j - 1];
			shown_run_read(&run, copy, bytes);
			for (size_t k = 0; k < run.nrows; k++)
				result_number(&run.rows[k], "more.speedup");
			shown_run_free(&run);
			free(copy);
		}
}

static int by_size(const void *a, const void *b)
{
	return (*(const int *)a >> 4) - (*(const int *)b >> 4);
}

/* The low four bits are the order in which equals came. */
TEST(sorting_keeps_the_order_of_equals)
{
	int of[16];

	for (int n = 0; n <= 16; n++) {
		for (int i = 0; i < n; i++)
			of[i] = (i * 7 % 3) << 4 | i;
		page_sort(of, (size_t)n, sizeof *of, by_size);
		for (int i = 1; i < n; i++)
			assert_true(of[i - 1] < of[i]);
	}
}
