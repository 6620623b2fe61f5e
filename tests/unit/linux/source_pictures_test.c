/* SPDX-License-Identifier: MIT */
/* A source's pictures: curves beside its figures, what is not in them in words. */
#include "linux/report/sources/source_pictures.c"
#include "linux/report/sources/sources.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

static struct results r; /* a run */
static struct subject subject;
static struct subjects subjects;
static json_t *source;

static void *take(size_t bytes)
{
	return new_array(bytes, 1);
}

/* A row of 1000 samples, 1 to 1000, over 1000. */
static void write_many(struct fixture *f)
{
	double values[1000];

	for (int i = 0; i < 1000; i++)
		values[i] = (i + 1) / 1000.0;
	fixture_row(f, "many", PARAMS("") ",\"mean\":0.5", "ns/element", values, 1000);
}

/* A source; ' stands for ". */
static const char text[] =
	"{'letter': 'Z', 'title': 't', 'machines': {'m': 'M', 'n': 'N'}, 'pictures': ["
	"{'title': 'curves', 'about': 'As there.', 'experiment': 'over sizes',"
	" 'x': ['bytes', 'array'], 'y': ['log', 'ns'], 'band': 'row', 'levels': true,"
	" 'dotted': ['over sizes', 1, 'twice'], 'across': ['bars', 'one'],"
	" 'down': ['edges', 'an edge']},"
	"{'title': 'samples', 'about': 'a', 'experiment': 'shares', 'form': 'distribution',"
	" 'x': ['linear', 'ns'], 'y': ['linear', 'share']},"
	"{'title': 'bars', 'about': 'a', 'experiment': 'bars', 'form': 'bars', 'end': 'max',"
	" 'x': ['linear', 'ns']},"
	"{'title': 'never', 'about': 'a', 'experiment': 'none', 'x': ['log', 'ns'],"
	" 'y': ['log', 'ns']}],"
	"'experiments': ["
	"{'name': 'over sizes', 'quantities': [{'unit': 'ns', 'name': 'once'},"
	"  {'unit': 'ns', 'name': 'double', 'times': 2}],"
	" 'rows': [{'name': 'ns', 'ours': {'probe': 'latency', 'variant': 'x'},"
	"  'series': {'by': 'bytes', 'from': 1024, 'to': 8192},"
	"  'figures': {'m': [[1024, 3], [2048, 'flat']], 'n': [[1024, 4]]}}]},"
	"{'name': 'shares', 'quantities': [{'unit': 'ns', 'name': 'min', 'of': 'min'},"
	"  {'unit': 'ns', 'name': 'p50', 'of': 'median'},"
	"  {'unit': 'ns', 'name': 'mean', 'of': 'mean'}],"
	" 'rows': [{'name': 'a', 'ours': {'probe': 'latency', 'variant': 'many'},"
	"  'figures': [2, 1000, 1200]}]},"
	"{'name': 'bars', 'quantities': [{'unit': 'ns'}, {'unit': 'ns', 'name': 'max',"
	"  'of': 'max'}],"
	" 'rows': [{'name': 'one', 'ours': {'probe': 'latency', 'variant': 'x',"
	"  'params': {'bytes': 1024}}, 'figures': [8]},"
	"  {'name': 'two', 'ours': {'probe': 'latency', 'variant': 'gone'}}]},"
	"{'name': 'edges', 'quantities': [{'unit': 'bytes'}],"
	" 'rows': [{'name': 'an edge', 'figures': {'m': [2048], 'n': ['flat']}}]},"
	"{'name': 'none', 'quantities': [{'unit': 'ns'}],"
	" 'rows': [{'name': 'a', 'ours': {'probe': 'latency', 'variant': 'gone'},"
	"  'series': {'by': 'bytes', 'points': [1]}}]}]}";

static json_t *read_source(void)
{
	char *copy = strdup(text);
	json_t *read;

	for (char *at = copy; (at = strchr(at, '\''));)
		*at = '"';
	read = json_loads(copy, 0, NULL);
	free(copy);
	assert_non_null(read);
	return read;
}

/* The run as the page has it. */
static void show_run(void)
{
	struct shown_run *shown = new_array(1, sizeof *shown);

	shown_run_take(shown, r.runs[0].head_line);
	for (size_t i = 0; i < r.runs[0].summaries.n; i++)
		shown_run_take(shown, r.runs[0].summaries.list[i].line);
	subject = (struct subject){ .run = shown, .letter = 'A', .name = "a" };
	subjects = (struct subjects){ .list = &subject, .n = 1, .sets = 1 };
}

static void forget_shown(void)
{
	shown_run_free((struct shown_run *)subject.run);
	free((void *)subject.run);
}

BEFORE_EACH(read_run)
{
	struct fixture f;

	page_memory_use(take, free);
	fixture_open(&f);
	fixture_run(&f, "hosted", ",\"profile\":\"default\"");
	fixture_row(&f, "x", PARAMS("\"bytes\":1024") ",\"max\":4", "ns/load",
		(double[]){ 1, 2, 4 }, 3);
	fixture_row(&f, "x", PARAMS("\"bytes\":4096") ",\"max\":9", "ns/load",
		(double[]){ 5, 6, 9 }, 3);
	write_many(&f);
	fixture_line(&f, "summary", "%s",
		",\"name\":\"l1d_bytes\",\"value\":2048,\"unit\":\"bytes\",\"confidence\":0.9");
	fixture_end(&f);
	fixture_read(&f, &r, "run");
	assert_int_equal(r.runs[0].nrows, 3);
	show_run();
	source = read_source();
}

AFTER_EACH(forget_run)
{
	forget_shown();
	json_decref(source);
	results_free(&r);
}

static struct drawing drawn(struct plotting *p, size_t which)
{
	*p = (struct plotting){ .source = source,
		.picture = json_array_get(json_object_get(source, "pictures"), which),
		.run = &r.runs[0],
		.of = &subjects };
	return make(p, true);
}

static void expect_point(const struct chart_series *s, size_t at, double x, double y, double low,
	double high)
{
	const struct chart_point *p = &s->points[at];

	if (p->x != x || p->y != y || (p->low != low && !isnan(low)) ||
		(p->high != high && !isnan(high)))
		fail_msg("%s, point %zu: expected %g: %g (%g to %g), is %g: %g (%g to %g)",
			s->label, at, x, y, low, high, p->x, p->y, p->low, p->high);
}

TEST(curves_have_bands_figures_and_marks)
{
	struct plotting p;
	struct drawing d = drawn(&p, 0);
	const struct chart *c = &d.chart;

	assert_int_equal(d.kind, DRAW_CHART);
	assert_int_equal(c->n, 5); /* two curves, one dotted, crosses of two machines */
	assert_string_equal(c->series[0].label, "once");
	assert_int_equal(c->series[0].n, 2);
	expect_point(&c->series[0], 0, 1024, 2, 1, 4);
	expect_point(&c->series[0], 1, 4096, 6, 5, 9);
	expect_point(&c->series[1], 1, 4096, 12, 10, 18);
	assert_int_equal(c->series[1].points[1].row, 1);
	assert_string_equal(c->series[2].label, "twice");
	assert_int_equal(c->series[2].dash, 2);
	assert_int_equal(c->series[3].form, FORM_CROSSES);
	assert_string_equal(c->series[3].label, "m");
	assert_int_equal(c->series[3].n, 1);
	assert_string_equal(c->series[3].points[0].text, "m: 3 ns, 1K once");
	assert_string_equal(c->series[4].label, "n");
	assert_int_not_equal(c->series[3].colour, c->series[4].colour);
	assert_int_equal(c->nmarks, 3);
	assert_true(c->marks[0].at_y && c->marks[0].at == 8);
	assert_string_equal(c->marks[0].label, "there 8");
	assert_true(!c->marks[1].at_y && c->marks[1].at == 2048 && c->marks[1].claimed);
	assert_string_equal(c->marks[1].label, "m 2K");
	assert_string_equal(c->marks[2].label, "L1 2K");
	assert_string_equal(p.note,
		" Crosses: the source's figures. Points not measured: 6; the table says why."
		" Figures in words, in the table only: 1.");
	drawing_free(&d);
}

/* A machine of which there are only words changes no colour. */
TEST(crosses_of_one_machine_have_the_colour_of_their_curve)
{
	json_t *row = json_array_get(json_object_get(json_array_get(json_object_get(source,
									    "experiments"),
							     0),
					     "rows"),
		0);
	struct plotting p;
	struct drawing d;

	json_object_set_new(json_object_get(row, "figures"), "n",
		json_pack("[[is]]", 1024, "flat"));
	d = drawn(&p, 0);
	assert_int_equal(d.chart.n, 4);
	assert_int_equal(d.chart.series[3].form, FORM_CROSSES);
	assert_int_equal(d.chart.series[3].colour, d.chart.series[0].colour);
	drawing_free(&d);
}

TEST(a_distribution_ends_at_the_999th_of_1000)
{
	struct plotting p;
	struct drawing d = drawn(&p, 1);
	const struct chart *c = &d.chart;

	assert_int_equal(d.kind, DRAW_CHART);
	assert_true(c->series[0].points[c->series[0].n - 1].x == 0.999);
	assert_true(c->series[0].points[c->series[0].n - 1].y == 0.999);
	assert_non_null(strstr(p.note, "of 1000 samples 1 lie beyond, the longest at 1 ns."));
	/* Figures in proportion: their minimum is 2, ours 0.001. */
	assert_int_equal(c->n, 3);
	expect_point(&c->series[2], 0, 0.5, 0.5, NAN, NAN);
	assert_int_equal(c->nmarks, 4);
	assert_string_equal(c->marks[3].label, "mean there");
	assert_true(fabs(c->marks[3].at - 0.6) < 1e-9);
	drawing_free(&d);
}

TEST(bars_have_their_ends)
{
	struct plotting p;
	struct drawing d = drawn(&p, 2);

	assert_int_equal(d.kind, DRAW_DOTS);
	assert_true(d.dots.bars && d.dots.n == 1 && d.dots.axis.low <= 0);
	assert_true(d.dots.dots[0].at.x == 2 && d.dots.dots[0].at.high == 4);
	assert_string_equal(d.dots.lines[0], "one");
	assert_string_equal(p.note, " Points not measured: 1; the table says why.");
	drawing_free(&d);
}

/* The sections of a source, by its letter, and their links. */
static void sections_of(const char *letter, char **sections, char **links)
{
	const struct run_data *runs[] = { &r.runs[0] };
	json_t *all = json_pack("[O]", source);

	source_sections(&(struct source_asked){ all, letter, &subjects, runs }, sections, links);
	json_decref(all);
}

#define NOTHING "<p>Nothing, or too little, was measured for: "

/* Two points of seven are no curve, unless somebody asks for the source. */
TEST(a_picture_of_which_most_is_missing_is_drawn_only_if_asked_for)
{
	json_t *rows =
		json_object_get(json_array_get(json_object_get(source, "experiments"), 0), "rows");
	char *sections, *links;

	json_object_set_new(json_object_get(json_array_get(rows, 0), "series"), "to",
		json_integer(65536));
	sections_of("", &sections, &links);
	assert_non_null(strstr(sections, NOTHING "curves; never</p>"));
	free(sections);
	free(links);
	sections_of("Z", &sections, &links);
	assert_non_null(strstr(sections, "id=\"picture-source-Z-1\""));
	free(sections);
	free(links);
}

TEST(a_section_names_what_it_has_not)
{
	char *sections, *links;

	sections_of("", &sections, &links);
	assert_string_equal(links, "<a href=\"#source-Z\">source Z</a>\n");
	assert_non_null(strstr(sections, "id=\"picture-source-Z-1\""));
	assert_non_null(strstr(sections, "id=\"picture-source-Z-3\""));
	assert_null(strstr(sections, "id=\"picture-source-Z-4\""));
	assert_non_null(strstr(sections, NOTHING "never</p>"));
	free(sections);
	free(links);
	sections_of("Y", &sections, &links);
	assert_string_equal(sections, "");
	free(sections);
	free(links);
}

TEST(a_source_without_anything_says_so_if_it_was_asked_for)
{
	char *sections, *links;

	for (size_t i = 0; i < 3; i++)
		json_array_remove(json_object_get(source, "pictures"), 0);
	sections_of("", &sections, &links);
	assert_string_equal(sections, "");
	free(sections);
	free(links);
	sections_of("Z", &sections, &links);
	assert_non_null(strstr(sections, "The runs have nothing of it."));
	free(sections);
	free(links);
}

TEST(of_many_runs_there_are_sections_only_if_asked)
{
	const struct run_data *runs[5];
	struct subject list[5];
	struct subjects five = { .list = list, .n = 5, .sets = 5 };
	json_t *all = json_pack("[O]", source);
	char *sections, *links;

	for (size_t i = 0; i < 5; i++) {
		runs[i] = &r.runs[0];
		list[i] = subject;
	}
	source_sections(&(struct source_asked){ all, "", &five, runs }, &sections, &links);
	assert_non_null(strstr(sections, "the sources' own plots are left out"));
	assert_null(strstr(sections, "<figure"));
	assert_string_equal(links, "");
	free(sections);
	free(links);
	source_sections(&(struct source_asked){ all, "Z", &five, runs }, &sections, &links);
	assert_non_null(strstr(sections, "<figure"));
	free(sections);
	free(links);
	json_decref(all);
}

/* Of room bare only the percentiles may have come home. */
TEST(a_distribution_without_samples_is_of_percentiles)
{
	struct plotting p = { .source = source,
		.picture = json_array_get(json_object_get(source, "pictures"), 1),
		.run = &r.runs[0],
		.of = &subjects };
	struct row_data row = r.runs[0].rows[2];

	row.nvalues = 0;
	row.p90 = 0.9;
	p.chart.x = axis_by(p.picture, "x");
	add_shares(&p, &row);
	assert_int_equal(p.chart.series[0].n, 4);
	assert_int_equal(p.chart.series[0].form, FORM_LARGE_POINTS);
	expect_point(&p.chart.series[0], 2, 0.9, 0.9, NAN, NAN);
	assert_non_null(strstr(p.note, "has no samples"));
	struct drawing d = { .kind = DRAW_CHART, .chart = p.chart };
	drawing_free(&d);
}

/* A row that the selector finds, at x of its series, all of whose numbers are `number`. */
static void write_selected(struct fixture *f, const json_t *selector, const json_t *series,
	double x, const char *number)
{
	json_t *params = json_copy(json_object_get(selector, "params"));
	char *list;

	params = params ? params : json_object();
	if (series)
		json_object_set_new(params, text_of(series, "by"), json_real(x));
	list = json_dumps(params, 0);
	fixture_line(f, "row",
		",\"probe\":\"%s\",\"variant\":\"%s\",\"params\":%s,\"unit\":\"ns\","
		"\"samples\":3,\"min\":%s,\"median\":%s,\"max\":%s,\"mean\":%s,\"p90\":%s,"
		"\"p99\":%s,\"disturbed\":0,\"values\":[%s,1,%s],\"more\":{\"speedup\":%s,"
		"\"words_per_s\":%s,\"gb_per_s\":%s}",
		text_of(selector, "probe"), text_of(selector, "variant"), list, number, number,
		number, number, number, number, number, number, number, number, number);
	free(list);
	json_decref(params);
}

static void write_row(struct fixture *f, const json_t *row, const char *number)
{
	const json_t *ours = json_object_get(row, "ours"), *series = json_object_get(row, "series");
	size_t n = json_is_array(ours) ? json_array_size(ours) : 1;

	for (size_t i = 0; i < n; i++) {
		const json_t *selector = json_is_array(ours) ? json_array_get(ours, i) : ours;
		if (!*text_of(selector, "probe"))
			continue;
		for (double x = 1024; x < 8192; x *= 2)
			write_selected(f, selector, series, x, number);
	}
}

/* All pictures of all sources, of numbers that no machine has: drawn within their axes, or not. */
TEST(no_number_breaks_a_picture)
{
	static const char *const numbers[] = { "0", "-1", "1e-320", "3e18", "1.7e308", "-1.7e308" };
	json_t *all = sources_load(), *row;
	const json_t *each, *experiment;
	size_t i, j, k;

	for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
		const struct run_data *runs[1];
		struct fixture f;
		char *sections, *links;

		forget_shown();
		results_free(&r);
		fixture_open(&f);
		fixture_run(&f, "hosted", "");
		json_array_foreach(all, i, each)
			json_array_foreach(json_object_get(each, "experiments"), j, experiment)
				json_array_foreach(json_object_get(experiment, "rows"), k, row)
					write_row(&f, row, numbers[n]);
		fixture_end(&f);
		fixture_read(&f, &r, "run");
		show_run();
		runs[0] = &r.runs[0];
		source_sections(&(struct source_asked){ all, "", &subjects, runs }, &sections,
			&links);
		if (strstr(sections, "nan") || strstr(sections, "inf "))
			fail_msg("%s: %.200s", numbers[n],
				strstr(sections, "nan") ? strstr(sections, "nan") - 60
							: strstr(sections, "inf ") - 60);
		free(sections);
		free(links);
	}
	json_decref(all);
}
