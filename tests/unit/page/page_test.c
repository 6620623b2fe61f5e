/* SPDX-License-Identifier: MIT */
/* Pages and pictures of results that no machine has: numbers without bounds, nothing at all. */
#include "page/pictures.h"
#include "linux/command_report.c"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

static const char *const numbers[] = { "0", "-1", "1", "4096", "1e-320", "1e-9", "3e18", "1e30",
	"1.7e308", "-1.7e308" };

#define NUMBERS (sizeof numbers / sizeof *numbers)

/* Parameters, `more` and statistics of every picture, all with the same number. */
static void put_row(struct fixture *f, const struct picture *picture, const char *number)
{
	char variant[40], more[200] = "";

	snprintf(variant, sizeof variant, "%.*s", (int)strcspn(picture->variants, ","),
		picture->variants);
	snprintf(more, sizeof more,
		",\"more\":{\"speedup\":%s,\"load_gbs\":%s,\"observed_seconds\":%s,"
		"\"threshold_ns\":%s,\"log2_ticks\":[1,2,%s],\"events\":[[1,%s,0],[2,7]]}",
		number, number, number, number, number, number);
	fixture_line(f, "row",
		",\"probe\":\"%s\",\"variant\":\"%s\",\"level\":\"memory\",\"unit\":\"ns/load\","
		"\"params\":{\"%s\":%s,\"%s\":%s},\"samples\":3,\"min\":%s,"
		"\"median\":%s,\"p90\":%s,\"max\":%s,\"core_hz\":%s,\"at_seconds\":%s,"
		"\"disturbed\":0,\"values\":[%s,%s,1]%s",
		picture->probe, variant, picture->x, number,
		picture->split ? picture->split : "rows", number, number, number, number, number,
		number, number, number, number, more);
}

static void put_summary(struct fixture *f, const struct picture *picture, const char *number)
{
	if (picture->marks)
		fixture_line(f, "summary",
			",\"name\":\"%.*s\",\"value\":%s,\"unit\":\"bytes\",\"claimed\":%s,"
			"\"confidence\":%s",
			(int)strcspn(picture->marks, ","), picture->marks, number, number, number);
}

/* `most` numbers for each picture, from the first on. */
static void make(struct results *results, size_t first, size_t most)
{
	struct fixture f;

	fixture_open(&f);
	fixture_run(&f, "hosted", "");
	for (size_t i = 0; i < pictures_count; i++)
		for (size_t j = first; j < first + most && j < NUMBERS; j++) {
			put_row(&f, &pictures[i], numbers[j]);
			put_summary(&f, &pictures[i], numbers[j]);
		}
	fixture_end(&f);
	fixture_read(&f, results, "x.ndjson");
	assert_int_equal(results->nruns, 1);
}

static const char *what(const char *probe)
{
	return "what it measures";
}

/* The page, or the picture of that name, of the results; "": there is none. To be freed. */
static char *written(const struct results *results, const char *picture)
{
	struct comparison c;
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	struct sets sets = sets_group(results, 1);

	sets_pool(&sets);
	compare_sets(&c, sets, MARGIN_DEFAULT);
	struct page page = { .subjects = hosted_subjects(&c.sets),
		.what = what,
		.section = method_section,
		.docs = "docs" };
	struct sink to = sink_to(out);
	hosted_machines(&page, &c.sets);
	hosted_answer(&page, &c);
	if (picture)
		plot_write(&page.subjects, picture, out);
	else
		page_write(&page, &to);
	fclose(out);
	hosted_machines_free(&page);
	hosted_subjects_free(&page.subjects);
	comparison_free(&c);
	return text;
}

/* A position that is none would not be seen, and everything after it neither. */
static void expect_positions(const char *text)
{
	for (const char *at = text; (at = strstr(at, " d=\"")); at++) {
		size_t n = strcspn(at + 4, "\"");
		if (strspn(at + 4, "MLHVhvmz0123456789.- ") != n)
			fail_msg("no positions: %.*s", (int)n, at + 4);
	}
}

TEST(any_numbers_make_a_picture)
{
	for (size_t first = 0; first < NUMBERS; first++)
		for (size_t most = 1; most <= NUMBERS; most += 3) {
			struct results results;

			make(&results, first, most);
			char *page = written(&results, NULL);
			assert_non_null(strstr(page, "</html>"));
			expect_positions(page);
			free(page);
			results_free(&results);
		}
}

TEST(every_picture_is_there_alone)
{
	struct results results;

	make(&results, 2, 2); /* 1 and 4096 */
	for (size_t i = 0; i < pictures_count; i++) {
		char *plot = written(&results, pictures[i].name);
		bool cells = pictures[i].each_run; /* rows of these have one parameter */
		if (!cells && !strstr(plot, "</svg>\n</svg>\n"))
			fail_msg("no picture %s", pictures[i].name);
		expect_positions(plot);
		free(plot);
	}
	results_free(&results);
}

/* The same claim of two rooms stands there once, behind both values. */
TEST(a_claim_is_beside_what_was_measured)
{
	struct results results;
	struct fixture f;

	fixture_open(&f);
	for (unsigned i = 0; i < 2; i++) {
		fixture_run(&f, i ? "hosted" : "bare", "");
		fixture_line(&f, "summary",
			",\"name\":\"l1d_ways\",\"value\":8,\"unit\":\"ways\",\"claimed\":12,"
			"\"agrees\":%s,\"confidence\":0.9",
			i ? "false" : "true");
		fixture_end(&f);
	}
	fixture_read(&f, &results, "x.ndjson");
	char *page = written(&results, NULL);
	const char *line = strstr(page, "<th scope=\"row\">l1d_ways</th>");
	assert_non_null(line);
	assert_non_null(strstr(line, "<td class=\"differs\">12 <small>differs</small></td>"));
	free(page);
	results_free(&results);
}

TEST(a_run_without_rows_is_a_page)
{
	struct results results;
	struct fixture f;

	fixture_open(&f);
	fixture_run(&f, "bare", "");
	fixture_line(&f, "skip", ",\"probe\":\"tlb\",\"reason\":\"no time for it\"");
	fixture_end(&f);
	fixture_read(&f, &results, "x.ndjson");
	char *page = written(&results, NULL), *plot = written(&results, "latency");
	assert_non_null(strstr(page, "no time for it"));
	assert_null(strstr(page, "<svg"));
	assert_string_equal(plot, "");
	free(page);
	free(plot);
	results_free(&results);
}

/* Its skip lines are gone, so that their number is not what was skipped. */
TEST(a_thinned_run_says_what_is_missing)
{
	struct results results;
	struct fixture f;

	fixture_open(&f);
	fixture_run(&f, "bare", "");
	f.ending = ",\"thinned\":{\"rows\":12,\"skips\":721,\"why\":\"to fit into it\"}";
	fixture_end(&f);
	fixture_read(&f, &results, "x.ndjson");
	char *page = written(&results, NULL);
	assert_non_null(strstr(page,
		"0 rows, 0 skipped, complete; left out to fit into it: 12 rows, 721 skip lines<"));
	free(page);
	results_free(&results);
}

/* The run line of a processor without a brand string. */
static void open_unnamed(struct fixture *f, const char *emulated, const char *hypervisor)
{
	fixture_open(f);
	f->room = "bare";
	fixture_line(f, "run",
		",\"schema\":\"anechoic/2\",\"build\":\"v1\",\"cpu\":{\"vendor\":\"X\","
		"\"brand\":\"\",\"family\":6,\"model\":85,\"stepping\":7},\"cpus\":2,"
		"\"emulated\":%s,\"hypervisor\":\"%s\",\"tsc_hz\":2500000000",
		emulated, hypervisor);
}

/* A processor without a brand string: what is bold ends all the same. */
TEST(a_processor_without_a_name)
{
	struct results results;
	struct fixture f;

	open_unnamed(&f, "false", "");
	fixture_end(&f);
	fixture_read(&f, &results, "x.ndjson");
	char *page = written(&results, NULL);
	assert_non_null(strstr(page, "<b>bare</b> family 6, model 85, stepping 7"));
	free(page);
	results_free(&results);
}

/* Four rows at each place are no curve; heights that differ by little do not fill the picture. */
TEST(rows_above_each_other_are_points_and_heights_begin_at_0)
{
	struct results results;
	struct fixture f;

	fixture_open(&f);
	fixture_run(&f, "bare", "");
	for (int i = 0; i < 16; i++)
		fixture_line(&f, "row",
			",\"probe\":\"shuffle\",\"variant\":\"fisher-yates\",\"unit\":\"ns\","
			"\"params\":{\"bytes\":%d},\"median\":%d.5",
			1024 << i / 4, 9 + i % 4 / 3);
	fixture_end(&f);
	fixture_read(&f, &results, "x.ndjson");
	char *plot = written(&results, "shuffle");
	assert_non_null(strstr(plot, "<path class=\"p\""));
	assert_null(strstr(plot, "<path class=\"l\" data-run"));
	assert_non_null(strstr(plot, ">0</text>"));
	free(plot);
	results_free(&results);
}

TEST(a_known_answer_run_is_simulated_above_and_in_its_pictures)
{
	struct results results;
	struct fixture f;

	open_unnamed(&f, "true", "known-answer");
	put_row(&f, picture_find("shuffle"), "4096");
	fixture_end(&f);
	fixture_read(&f, &results, "x.ndjson");
	char *page = written(&results, NULL);
	assert_non_null(strstr(page, "<b>SIMULATED</b>"));
	assert_non_null(strstr(page, "those of the stated processor"));
	assert_non_null(strstr(page, ">SIMULATED</text>"));
	assert_null(strstr(page, "EMULATED"));
	free(page);
	results_free(&results);
}

/* Microcode 1 in two rooms, and 2: latency in memory is 10, 20 and 400 ns. */
static void machines(struct results *results)
{
	static const struct {
		const char *room;
		unsigned microcode, ns;
	} runs[] = { { "hosted", 1, 10 }, { "bare", 2, 400 }, { "firmware", 1, 20 } };
	struct fixture f;

	fixture_open(&f);
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		f.room = runs[i].room;
		f.seq = f.rows = f.crc_all = 0;
		fixture_line(&f, "run",
			",\"schema\":\"anechoic/2\",\"build\":\"v1\",\"cpu\":{\"vendor\":\"X\","
			"\"brand\":\"X %u\",\"microcode\":%u},\"cpus\":2,\"emulated\":false,"
			"\"hypervisor\":\"\",\"tsc_hz\":2500000000",
			runs[i].microcode, runs[i].microcode);
		for (unsigned j = 0; j < 6; j++)
			fixture_line(&f, "row",
				",\"probe\":\"shuffle\",\"variant\":\"fisher-yates\","
				"\"unit\":\"ns\",\"params\":{\"bytes\":%u},\"median\":%u",
				1024 << j, runs[i].ns);
		fixture_end(&f);
	}
	fixture_read(&f, results, "x.ndjson");
	assert_int_equal(results->nruns, 3);
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, part)); at++)
		n++;
	return n;
}

/* To be freed. */
static char *figure(const char *page, const char *id)
{
	const char *at = strstr(page, id);

	if (!at)
		fail_msg("no figure %s", id);
	return strndup(at, (size_t)(strstr(at, "</figure>") - at));
}

TEST(a_picture_has_the_rooms_of_one_machine_beside_that_of_another)
{
	struct results results;

	machines(&results);
	char *page = written(&results, NULL);
	char *first = figure(page, "id=\"picture-shuffle-0\"");
	char *second = figure(page, "id=\"picture-shuffle-1\"");

	assert_non_null(strstr(page, "<h1>X 1 | X 2</h1>"));
	assert_int_equal(count(page, "id=\"picture-shuffle"), 2);
	assert_int_equal(count(first, "<path class=\"l\" data-run"), 2);
	assert_non_null(strstr(first, "data-run=\"0\""));
	assert_non_null(strstr(first, "data-run=\"2\""));
	assert_non_null(strstr(first, ">firmware</text>"));
	assert_non_null(strstr(first, ">A</b> <b class=\"key k2\">C</b>"));
	assert_int_equal(count(second, "<path class=\"l\" data-run"), 1);
	assert_non_null(strstr(second, "data-run=\"1\""));
	assert_non_null(strstr(first, ">200</text>")); /* one scale */
	assert_non_null(strstr(second, ">200</text>"));
	free(first);
	free(second);
	free(page);
	results_free(&results);
}

/* The first line of the matrix of CPUs with that topology, and its strokes. To be freed. */
static char *matrix_of(const char *topology)
{
	struct results results;
	struct fixture f;

	fixture_open(&f);
	fixture_run(&f, "bare", topology);
	for (unsigned a = 0; a < 4; a++)
		for (unsigned b = 0; b < a; b++)
			fixture_line(&f, "row",
				",\"probe\":\"cores\",\"variant\":\"bounce\",\"unit\":\"ns/hop\","
				"\"params\":{\"cpu_a\":%u,\"cpu_b\":%u},\"median\":%u",
				b, a, a % 2 == b % 2 ? 20 : 90);
	fixture_end(&f);
	fixture_read(&f, &results, "x.ndjson");
	char *plot = written(&results, "cores-bounce");
	results_free(&results);
	return plot;
}

#define CPU_AT(l3, core, thread)                                                                   \
	"{\"package\":0,\"node\":0,\"l3\":" #l3 ",\"core\":" #core ",\"thread\":" #thread "}"
#define CPU_OF(package, core)                                                                      \
	"{\"package\":" #package ",\"node\":0,\"l3\":" #package ",\"core\":" #core ",\"thread\":"  \
	"0}"
#define TOPOLOGY(...) ",\"topology\":[" __VA_ARGS__ "]"

/* Linux numbers siblings apart: 0 and 2, 1 and 3. */
TEST(a_matrix_groups_cpus_by_their_parts_of_the_machine)
{
	char *plot = matrix_of(TOPOLOGY(CPU_AT(0, 0, 0) "," CPU_AT(0, 1, 0) "," CPU_AT(0, 0,
		1) "," CPU_AT(0, 1, 1)));

	assert_non_null(strstr(plot, "CPU down, CPU across; lines between cores<"));
	assert_int_equal(count(plot, "style=\"stroke-width:0.5\""), 1);
	const char *second = strstr(plot, ">0</text>");
	const char *third = second ? strstr(second, ">2</text>") : NULL;
	assert_non_null(third);
	assert_true(third < strstr(plot, ">1</text>"));
	free(plot);
	plot = matrix_of(TOPOLOGY(CPU_AT(0, 0, 0) "," CPU_AT(0, 1, 0) "," CPU_AT(1, 2,
		0) "," CPU_AT(1, 3, 0)));
	assert_non_null(strstr(plot, "CPU across; lines between L3s<"));
	assert_int_equal(count(plot, "class=\"ring\" style"), 1);
	free(plot);
	plot = matrix_of(TOPOLOGY(CPU_OF(0, 0) "," CPU_OF(0, 1) "," CPU_OF(1, 0) "," CPU_OF(1, 1)));
	assert_non_null(strstr(plot, "CPU across; lines between packages<"));
	assert_int_equal(count(plot, "class=\"ring\" style"), 1); /* none at the border */
	free(plot);
	plot = matrix_of(TOPOLOGY(CPU_AT(0, 0, 0) "," CPU_AT(1, 1, 0))); /* of two of four */
	assert_non_null(strstr(plot, "CPU down, CPU across<"));
	free(plot);
	plot = matrix_of("");
	assert_non_null(strstr(plot, "CPU down, CPU across<"));
	assert_int_equal(count(plot, "class=\"ring\" style"), 0);
	free(plot);
}
