/* SPDX-License-Identifier: MIT */
/* The sources' data against their rules: docs/format.md, "report/sources/sources.json". */
#include "report/reading/results.h"
#include "report/sources/source_table.c"
#include "tests/unit/test.h"

static const json_t *of(const json_t *object, const char *key)
{
	return json_object_get(object, key);
}

/* Every member is a known one: a misspelt one would be no error otherwise. */
static void expect_members(const json_t *object, const char *where, const char *known)
{
	const char *name;
	json_t *value;

	assert_true(json_is_object(object));
	json_object_foreach((json_t *)object, name, value) {
		if (!names_have(known, name))
			fail_msg("sources.json: %s has '%s', which is none of %s", where, name,
				known);
	}
}

static void check_selector(const json_t *s, const char *where)
{
	const char *pick = text_of(s, "pick");

	expect_members(s, where,
		"probe,variant,level,params,pages_least,pick,summary,from,of,times,over");
	if (of(s, "over"))
		check_selector(of(s, "over"), where);
	if (!*text_of(s, "summary") != !json_array_size(of(s, "from")))
		fail_msg("sources.json: %s: a summary without `from`, or the other way round",
			where);
	if (*text_of(s, "summary"))
		assert_null(of(s, "probe"));
	else if (!*text_of(s, "probe") || !*text_of(s, "variant"))
		fail_msg("sources.json: %s: a selector without probe and variant", where);
	assert_true(!*pick || names_have("most,least,saturated", pick));
}

static void check_ours(const json_t *row, const char *where, size_t quantities)
{
	const json_t *ours = of(row, "ours"), *selector;
	size_t i;

	if (json_is_object(ours))
		check_selector(ours, where);
	if (json_is_array(ours) && json_array_size(ours) != quantities)
		fail_msg("sources.json: %s: not as many selectors as quantities", where);
	json_array_foreach(ours, i, selector)
		if (!json_is_null(selector))
			check_selector(selector, where);
	if (ours && of(row, "absent"))
		fail_msg("sources.json: %s is there and absent", where);
}

static bool is_figure(const json_t *f)
{
	return json_is_number(f) || json_is_string(f) || json_is_null(f);
}

static bool has_point(const json_t *row, double x)
{
	size_t n, at = 0;
	double *points = source_points(of(row, "series"), &n);

	while (at < n && points[at] != x)
		at++;
	free(points);
	return at < n;
}

static void check_figures(const json_t *row, const json_t *figures, const char *where,
	size_t quantities)
{
	size_t series = of(row, "series") != NULL, i, j;
	const json_t *point, *figure;

	if (!series && json_array_size(figures) > quantities)
		fail_msg("sources.json: %s: more figures than quantities", where);
	json_array_foreach(figures, i, point) {
		if (!series && !is_figure(point))
			fail_msg("sources.json: %s: figure %zu is none", where, i);
		if (series &&
			(json_array_size(point) < 2 || json_array_size(point) > quantities + 1 ||
				!has_point(row, json_number_value(json_array_get(point, 0)))))
			fail_msg("sources.json: %s: point %zu is not on the series", where, i);
		json_array_foreach(point, j, figure)
			assert_true(is_figure(figure));
	}
}

static void check_row(const json_t *source, const json_t *row, const char *where, size_t quantities)
{
	const json_t *figures = of(row, "figures");
	const char *machine;
	json_t *those;

	expect_members(row, where, "name,ours,series,figures,absent");
	if (!*text_of(row, "name"))
		fail_msg("sources.json: a row of %s has no name", where);
	if (of(row, "series"))
		expect_members(of(row, "series"), where, "by,points,from,to");
	check_ours(row, where, quantities);
	if (json_is_array(figures) && !json_object_size(of(source, "machines")))
		fail_msg("sources.json: %s: figures of no machine", where);
	if (json_is_array(figures))
		check_figures(row, figures, where, quantities);
	json_object_foreach((json_t *)figures, machine, those) {
		if (!of(of(source, "machines"), machine))
			fail_msg("sources.json: %s: no machine '%s'", where, machine);
		check_figures(row, those, where, quantities);
	}
}

static void check_experiment(const json_t *source, const json_t *e)
{
	static const char *const texts[] = { "name", "place", "there", "here" };
	const char *where = text_of(e, "name");
	const json_t *each;
	size_t i;

	expect_members(e, where, "name,place,there,here,why,machine,machine_why,quantities,rows");
	for (i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!*text_of(e, texts[i]))
			fail_msg("sources.json: '%s' does not say '%s'", where, texts[i]);
	assert_true(json_is_string(of(e, "why")));
	json_array_foreach(of(e, "quantities"), i, each) {
		expect_members(each, where, "unit,name,of,times");
		assert_true(json_is_string(of(each, "unit")));
	}
	assert_true(json_array_size(of(e, "quantities")) && json_array_size(of(e, "rows")));
	json_array_foreach(of(e, "rows"), i, each)
		check_row(source, each, where, json_array_size(of(e, "quantities")));
}

TEST(test_data_keep_their_rules)
{
	json_t *all = sources_load();
	const json_t *source, *e;
	size_t i, j;
	static const char *const letters[] = { "L", "M3", "P", "G", "R", "L26" };

	assert_int_equal(json_array_size(all), sizeof letters / sizeof *letters);
	json_array_foreach(all, i, source) {
		assert_string_equal(text_of(source, "letter"), letters[i]);
		expect_members(source, text_of(source, "letter"),
			"letter,title,known_from,left_out,machines,experiments");
		assert_true(*text_of(source, "title") && *text_of(source, "known_from") &&
			*text_of(source, "left_out"));
		assert_true(json_array_size(of(source, "experiments")) > 0);
		json_array_foreach(of(source, "experiments"), j, e)
			check_experiment(source, e);
	}
	json_decref(all);
}
