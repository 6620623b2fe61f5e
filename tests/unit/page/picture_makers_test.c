/* SPDX-License-Identifier: MIT */
/* The rows that are no more than noise, and the marks of values that are hardly sure. */
#include "page/picture_makers.c"
#include "tests/unit/test.h"

static void *zeroed(size_t bytes)
{
	return calloc(1, bytes);
}

BEFORE_ALL(open_memory)
{
	page_memory_use(zeroed, free);
}

/* Rows of a run on a virtual machine, and what a reader would say of them. */
TEST(a_row_is_noise_if_its_samples_do_not_tell_it_from_nothing)
{
	static const struct {
		const char *unit;
		double min, p10, median, p90;
		bool noise;
	} rows[] = {
		{ "ns/jump", -0.0006, -0.0006, 0, 0.001, true },
		{ "ns/jump", 0, 0.0006, 0.0012, 0.0012, true },         /* a tick or two */
		{ "ns/jump", -0.006, -0.0055, -0.0055, -0.0049, true }, /* below 0 */
		{ "ticks", -51615, -40795, -4.8, 40687, true },
		{ "ticks", -0.9, -0.39, 0.086, 0.48, true },
		{ "ns/jump", -734, 0.0226, 0.0263, 0.0306, false }, /* one sample is off */
		{ "ns/branch", -5.1, 19.6, 19.8, 19.98, false },
		{ "ns ahead", -19.6, -19.6, -19.6, -19.6, false }, /* it may be negative */
		{ "ns/load", 0.9, 0.9, 0.93, 20, false },
		{ "ns/load", -1, NOT_A_NUMBER, 5, 5.5, true }, /* thinned: only the minimum */
		{ "ns/load", NOT_A_NUMBER, NOT_A_NUMBER, 5, NOT_A_NUMBER, false },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct result_row row = { .unit = rows[i].unit };

		row.numbers[ROW_min] = rows[i].min;
		row.numbers[ROW_p10] = rows[i].p10;
		row.numbers[ROW_median] = rows[i].median;
		row.numbers[ROW_p90] = rows[i].p90;
		if (row_is_noise(&row) != rows[i].noise)
			fail_msg("row %zu: %d", i, !rows[i].noise);
	}
}

#define L3(sure)                                                                                   \
	"{\"kind\":\"run\",\"room\":\"bare\"}\n"                                                   \
	"{\"kind\":\"summary\",\"name\":\"l3_bytes\",\"unit\":\"bytes\",\"value\":8388608,"        \
	"\"claimed\":33554432,\"confidence\":" sure "}\n"

TEST(a_mark_of_a_value_that_is_hardly_sure_asks)
{
	static const char *const results[] = { L3("0.5"), L3("0.49") };
	static const char *const labels[] = { "L3 8M", "L3 8M?" };

	for (size_t i = 0; i < 2; i++) {
		struct shown_run run;
		struct subject subject = { .run = &run, .letter = 'A' };
		const struct subjects subjects = { .list = &subject, .n = 1, .sets = 1 };
		struct chart chart = { .title = "" };

		shown_run_read(&run, results[i], strlen(results[i]));
		picture_marks(picture_find("latency"), &subjects, &chart);
		assert_int_equal(chart.nmarks, 2);
		assert_string_equal(chart.marks[0].label, labels[i]);
		assert_string_equal(chart.marks[1].label, "CPUID L3 32M");
		free_chart(&chart);
		shown_run_free(&run);
	}
}
