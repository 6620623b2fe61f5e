/* SPDX-License-Identifier: MIT */
/* Results made up, compared, and what came of it. After each test: AFTER_EACH(forget). */
#ifndef TESTS_UNIT_COMPARED_H
#define TESTS_UNIT_COMPARED_H

#include "linux/report/compare/compare.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

#define MOST 10

/* Results under construction, and what became of them. */
static struct {
	struct fixture files[MOST];
	struct results results[MOST];
	const char *names[MOST];
	unsigned n;
	struct comparison c;
	char *text, *json;
	size_t text_n, json_n;
} b;

/* Two sets of three runs. */
static const char *const six_runs[]
	__attribute__((unused)) = { "a-1", "a-2", "a-3", "b-1", "b-2", "b-3" };

static inline struct fixture *file(const char *name, const char *room, const char *more)
{
	struct fixture *f = &b.files[b.n];
	char members[512]; /* each a run of its own, no copy */

	snprintf(members, sizeof members, ",\"tsc_disagree_ppm\":%u%s", b.n, more);
	b.names[b.n++] = name;
	fixture_open(f);
	fixture_run(f, room, members);
	return f;
}

static inline void compare(void)
{
	struct sets sets = { 0 };

	for (unsigned i = 0; i < b.n; i++) {
		fixture_end(&b.files[i]);
		fixture_read(&b.files[i], &b.results[i], b.names[i]);
		assert_int_equal(b.results[i].problems.all, 0);
		sets_add(&sets, &b.results[i], false);
	}
	sets_pool(&sets);
	compare_sets(&b.c, sets, MARGIN_DEFAULT);
	FILE *out = open_memstream(&b.text, &b.text_n);
	comparison_print(&b.c, true, out);
	fclose(out);
	out = open_memstream(&b.json, &b.json_n);
	comparison_print_json(&b.c, out);
	fclose(out);
}

static inline void forget(void)
{
	comparison_free(&b.c);
	for (unsigned i = 0; i < b.n; i++)
		results_free(&b.results[i]);
	free(b.text);
	free(b.json);
	memset(&b, 0, sizeof b);
}

static inline void says(const char *text)
{
	if (!strstr(b.text, text))
		fail_msg("expected '%s' in:\n%s", text, b.text);
}

static inline void says_not(const char *text)
{
	if (strstr(b.text, text))
		fail_msg("did not expect '%s' in:\n%s", text, b.text);
}

/* Seven samples around a value: -1, 0 and +1 per mille. */
static inline void row(struct fixture *f, const char *variant, const char *members,
	const char *unit, double value)
{
	static const double around[] = { 0.999, 0.9995, 1, 1, 1, 1.0005, 1.001 };
	double values[7];

	for (int i = 0; i < 7; i++)
		values[i] = value * around[i];
	fixture_row(f, variant, members, unit, values, 7);
}

static inline const struct cell *cell(size_t at, size_t set)
{
	assert_true(at < b.c.nrows && set < b.c.sets.n);
	return &b.c.rows[at].cells[set];
}

static inline void expect_verdict(size_t at, enum verdict want)
{
	const struct cell *have = cell(at, 1);

	if (have->verdict != want)
		fail_msg("%s: expected %s, got %s: effect %g, error %g, p %g "
			 "(linux/report/compare/effects.c)",
			b.c.rows[at].label, verdict_names[want], verdict_names[have->verdict],
			have->effect.size, have->effect.error, have->effect.p);
}

#endif
