/* SPDX-License-Identifier: MIT */
/* Tests the rows that belong to a source, and the rows that a run of it measures. */
#include "engine/plan.h"
#include "engine/source_rows.h"
#include "lib/settings.h"
#include "tests/unit/lines_of_rows.h"

static bool has(uint64_t source, const char *probe, const char *variant, const char *level,
	size_t page, const char *name, double value)
{
	struct row row = { .variant = variant, .level = level, .page_bytes = page };

	if (name)
		row_param(&row, name, value);
	return source_has_row(source, probe, &row, PAGE_2M);
}

TEST(rows_by_variant_level_page_and_point)
{
	assert_true(source_has_probe(SOURCE_R, "latency"));
	assert_false(source_has_probe(SOURCE_R, "laten"));
	assert_false(source_has_probe(SOURCE_R, "shuffle"));
	assert_true(has(SOURCE_G, "clock", "rdtsc", NULL, 0, NULL, 0));
	assert_false(has(SOURCE_G, "clock", "rdts", NULL, 0, NULL, 0));
	assert_false(has(SOURCE_L, "clock", "rdtsc", NULL, 0, NULL, 0));
	assert_true(has(SOURCE_L26, "mlp", "chains", "memory", PAGE_2M, "lanes", 7));
	assert_false(has(SOURCE_L26, "mlp", "chains", "l3", PAGE_2M, "lanes", 7));
	assert_false(has(SOURCE_L26, "mlp", "chains", NULL, PAGE_2M, "lanes", 7));
	assert_true(has(SOURCE_R, "latency", "method-raw", NULL, PAGE_4K, "bytes", 1 << 20));
	assert_false(has(SOURCE_R, "latency", "method-raw", NULL, PAGE_2M, "bytes", 1 << 20));
	assert_true(has(SOURCE_R, "tlb", "whatever", NULL, 0, NULL, 0));
	assert_true(has(SOURCE_P, "latency", "pointer-padded", NULL, PAGE_2M, "bytes", 2 * GIB));
	assert_false(has(SOURCE_P, "latency", "pointer-padded", NULL, PAGE_4K, "bytes", 1 << 20));
	assert_true(has(SOURCE_R, "latency", "pointer-padded", NULL, PAGE_4K, "bytes", 1 << 20));
	assert_false(has(SOURCE_R, "latency", "pointer-padded", NULL, PAGE_4K, "bytes", 1 << 29));
}

TEST(points_one_by_one_and_by_doubling)
{
	for (double bytes = 1024; bytes <= 1 << 30; bytes *= 2)
		assert_true(has(SOURCE_L, "shuffle", "fisher-yates", NULL, 0, "bytes", bytes) ==
			(bytes >= 16384 && bytes <= 128 * MIB));
	assert_false(has(SOURCE_L, "shuffle", "fisher-yates", NULL, 0, "bytes", 24576));
	assert_true(has(SOURCE_L, "shuffle", "fisher-yates", NULL, 0, NULL, 0)); /* of any size */
	for (unsigned lanes = 0; lanes < 50; lanes++)
		assert_true(has(SOURCE_L, "mlp", "elements", NULL, 0, "lanes", lanes) ==
			(lanes >= 1 && lanes <= 40));
	assert_true(has(SOURCE_G, "matmul", "ijk", NULL, 0, "n", 512));
	assert_false(has(SOURCE_G, "matmul", "ijk", NULL, 0, "n", 64));
}

TEST(a_run_of_a_source_has_its_rows_and_says_so)
{
	char err[128];

	prepare_run("", fake_call);
	options.profile = PROFILE_DEFAULT;
	assert_int_equal(0,
		settings_set(option_settings, option_settings_count, &options, "source", "P", err,
			sizeof err));
	assert_int_equal(-1,
		settings_set(option_settings, option_settings_count, &options, "source", "Q", err,
			sizeof err));
	assert_non_null(strstr(err, "none, L, M3, P, G, R, L26"));
	assert_int_equal(0,
		settings_set(option_settings, option_settings_count, &options, "probes",
			"bandwidth", err, sizeof err));
	assert_int_equal(0, bench_run(&room, &options));
	const char *rows = strstr(fake_said, "source P: "),
		   *table = strstr(fake_said, "bandwidth: ");

	assert_true(rows && table && rows < table); /* before anything is measured */
	assert_non_null(strstr(fake_out, "\"source\":\"P\""));
	assert_non_null(strstr(fake_out, "\"variant\":\"words-read\""));
	assert_non_null(strstr(fake_out, "\"variant\":\"one-int\""));
	assert_null(strstr(fake_out, "\"variant\":\"copy\""));
	assert_null(strstr(fake_out, "\"variant\":\"read\""));
	assert_null(strstr(fake_out, "does not fit into"));
}
