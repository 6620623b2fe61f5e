/* SPDX-License-Identifier: MIT */
/* A thinned run is a result as any other: of right numbers, counts and checksums, at each level. */
#include "lib/thin.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

#define MOST (1 << 20)

static char out[MOST];
static struct fixture f;

BEFORE_ALL(make_run)
{
	static const double values[] = { 1, 2, 3 };

	fixture_open(&f);
	fixture_run(&f, "bare", ",\"compiler\":\"any\"");
	for (unsigned i = 0; i < 20; i++)
		fixture_row(&f, i < 10 ? "pointer-padded" : "index",
			i == 5 ? ",\"level\":\"l1\",\"more\":{\"values\":\"a \\\"quoted\\\" "
				 ",\\\"crc\\\":\\\" trap\"}"
			       : "",
			"ns/load", values, 3);
	fixture_line(&f, "skip", ",\"reason\":\"no time\"");
	fixture_line(&f, "summary", ",\"name\":\"l1d_bytes\",\"value\":32768");
	f.ending = ",\"lines\":23,\"said\":[\"a sentence\"]";
	fixture_end(&f);
	fclose(f.file);
}

AFTER_ALL(drop_run)
{
	free(f.text);
}

TEST(thinned_runs_are_read)
{
	/* two sweeps of ten rows, the sixth with a level */
	static const unsigned rows[] = { 20, 20, 20, 20, 20, 11, 7, 5, 3, 3, 3, 1, 0 };
	size_t last = f.n;

	for (unsigned level = 0; level <= THIN_CARD; level++) {
		size_t n = thin(f.text, f.n, level, "to fit", out, MOST);
		struct results r;

		assert_true(n > 0 && n < last);
		last = n + (level >= 8); /* levels may come out the same */
		fixture_read_bytes(&r, "thinned", out, n);
		if (r.problems.damage || r.nruns != 1 || r.runs[0].nrows != rows[level])
			fail_msg("level %u: expected %u rows and no damage, came %zu: %s", level,
				rows[level], r.nruns ? r.runs[0].nrows : 0,
				r.problems.all ? r.problems.kept[0].text : "");
		const json_t *end = r.runs[0].end;

		assert_string_equal(text_of(end, "status"),
			rows[level] == 20 ? "complete" : "shortened");
		assert_true(number_of(json_object_get(end, "thinned"), "rows") == 20 - rows[level]);
		assert_true(number_of(run_summary(&r.runs[0], VALUE_l1d_bytes), "value") == 32768);
		results_free(&r);
	}
}

/* Any damage: no overrun, no crash. */
TEST(damaged_runs_are_thinned_within_their_bounds)
{
	char *exact = malloc(f.n);

	memcpy(exact, f.text, f.n);
	for (size_t i = 0; i < f.n; i += 3) {
		char kept = exact[i];

		exact[i] = '}';
		thin(exact, f.n, i % (THIN_CARD + 1), "", out, MOST);
		exact[i] = kept;
	}
	free(exact);
}
