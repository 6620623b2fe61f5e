/* SPDX-License-Identifier: MIT */
/* The parts of the sentence: groups of rows, and the clock. */
#include "linux/report/compare/compare_parts.h"
#include "tests/unit/compared.h"
#include "tests/unit/test.h"

AFTER_EACH(forget);

/* A row of the main curve at a level; pages in KiB. */
static void level(struct fixture *f, const char *of, double bytes, double pages, double ns)
{
	char members[160];

	snprintf(members, sizeof members, "%s%s%s" PARAMS("\"bytes\":%.0f,\"page_bytes\":%.0f"),
		*of ? ",\"level\":\"" : "", of, *of ? "\"" : "", bytes, 1024 * pages);
	row(f, "pointer-padded", members, "ns/load", ns);
}

static const struct effect_group *find(const struct effect_group *groups, size_t n,
	const char *name)
{
	char have[GROUP_NAME];

	for (size_t i = 0; i < n; i++) {
		group_name(&groups[i], have);
		if (!strcmp(have, name))
			return &groups[i];
	}
	return NULL;
}

static void expect(const struct effect_group *groups, size_t n, const char *name, enum verdict want,
	double slower)
{
	const struct effect_group *g = find(groups, n, name);

	if (!g)
		fail_msg("expected '%s' among %zu subjects: linux/report/compare/compare_answer.c",
			name, n);
	if (g->verdict != want || fabs(exp(g->size) - slower) > 0.002)
		fail_msg("%s: expected %s, %.3f times as slow; got %s, %.3f (%.3f..%.3f), p %g",
			name, verdict_names[want], slower, verdict_names[g->verdict], exp(g->size),
			exp(g->low), exp(g->high), g->p);
}

TEST(test_levels_and_pages)
{
	struct effect_group groups[ANSWER_GROUPS_MOST];

	for (int i = 0; i < 6; i++) {
		struct fixture *f = file(six_runs[i], "hosted", "");
		double run = 1 + 0.001 * (i % 3), times = i < 3 ? 1 : 1.2;

		level(f, "", 8192, 2048, run); /* of the curve, as large as that of the level */
		level(f, "l1", 8192, 2048, run);
		level(f, "memory", 1e9, 2048, 80 * run * times);
		level(f, "memory", 1e9, 4, 90 * run);
	}
	compare();
	size_t n = answer_groups(&b.c, 1, groups);
	expect(groups, n, "L1 latency with 2M pages", VERDICT_SAME, 1);
	expect(groups, n, "memory latency with 2M pages", VERDICT_SLOWER, 1.2);
	expect(groups, n, "memory latency with 4K pages", VERDICT_SAME, 1);
	expect(groups, n, "core clock", VERDICT_SAME, 1);
	assert_int_equal(n, 4);
}

/* Large pages on one side only: what it costs not to have them. */
TEST(test_pages_that_one_lacks)
{
	struct effect_group groups[ANSWER_GROUPS_MOST];

	for (int left_out = 0; left_out < 2; left_out++) {
		for (int i = 0; i < 6; i++) {
			struct fixture *f = file(six_runs[i], "hosted", "");
			double run = 1 + 0.001 * (i % 3);

			if (i < 3)
				level(f, "memory", 1e9, 2048, 80 * run);
			level(f, "memory", 1e9, 4, 92 * run);
			if (left_out) /* the row is not there; the pages are */
				level(f, "l3", 1e6, 2048, 20 * run);
		}
		compare();
		size_t n = answer_groups(&b.c, 1, groups);
		expect(groups, n, "memory latency with 4K pages", VERDICT_SAME, 1);
		if (left_out)
			assert_null(find(groups, n, "memory latency with 4K pages instead of 2M"));
		else
			expect(groups, n, "memory latency with 4K pages instead of 2M",
				VERDICT_SLOWER, 1.15);
		forget();
	}
}

/* A size that CPUID claims, or that was assumed, is no level's: its rows are named by the size. */
TEST(test_levels_that_were_not_measured)
{
	struct effect_group groups[ANSWER_GROUPS_MOST];

	for (int i = 0; i < 6; i++) {
		struct fixture *f = file(six_runs[i], "hosted", "");

		f->ending = i == 4 ? ",\"levels\":{\"l1\":{\"bytes\":8192,\"origin\":\"measured\"},"
				     "\"l3\":{\"bytes\":4194304,\"origin\":\"cpuid\"},"
				     "\"memory\":{\"bytes\":1e9,\"origin\":\"cpuid\"}}"
				   : ",\"levels\":{\"l3\":{\"bytes\":4194304,"
				     "\"origin\":\"measured\"}}";
		level(f, "l1", 8192, 4, 1);
		level(f, "l3", 4194304, 4, 20);
		level(f, "memory", 1e9, 4, 100);
	}
	compare();
	size_t n = answer_groups(&b.c, 1, groups);
	assert_non_null(find(groups, n, "L1 latency with 4K pages"));
	assert_null(find(groups, n, "L3 latency with 4K pages"));
	assert_non_null(find(groups, n, "4M latency with 4K pages"));
	assert_non_null(find(groups, n, "memory latency with 4K pages"));
}

/* Runs that took a level for another size have no row in common: that is said, too. */
TEST(test_sizes_that_differ_between_runs)
{
	static const char *const names[] = { "a-1", "a-2", "b-1", "b-2" };
	struct effect_group groups[ANSWER_GROUPS_MOST];

	for (int i = 0; i < 4; i++) {
		struct fixture *f = file(names[i], "hosted", "");

		level(f, "l1", 8192, 4, 1);
		level(f, "l3", 1e6 + 4096 * (i % 2), 4, 20);
	}
	compare();
	size_t n = answer_groups(&b.c, 1, groups);
	const struct effect_group *g = find(groups, n, "L3 latency with 4K pages");
	if (!g)
		fail_msg("expected L3 latency among %zu subjects", n);
	assert_int_equal(g->verdict, VERDICT_UNKNOWN);
	says("Undecided: L3 latency with 4K pages.");
}

TEST(test_clock)
{
	struct effect_group groups[ANSWER_GROUPS_MOST];

	for (int i = 0; i < 6; i++) {
		double run = 1 + 0.001 * (i % 3), hz = (i < 3 ? 3e9 : 2.4e9) * run;

		fixture_line(file(six_runs[i], "hosted", ""), "row",
			",\"probe\":\"branch\",\"variant\":\"v\",\"unit\":\"ns/op\",\"samples\":1,"
			"\"median\":%g,\"core_hz\":%g,\"values\":[%g]",
			9e9 / hz, hz, 9e9 / hz);
	}
	compare();
	size_t n = answer_groups(&b.c, 1, groups);
	expect(groups, n, "core clock", VERDICT_SLOWER, 1.25);
	expect(groups, n, "branches", VERDICT_SAME, 1); /* in core cycles */
	assert_true(find(groups, n, "branches")->cycles);
}
