/* SPDX-License-Identifier: MIT */
/* Pages and pictures of results that no machine has: numbers without bounds, nothing at all. */
#include "page/pictures.h"
#include "linux/command_report.c"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

static const char *const numbers[] = { "0", "-1", "1", "4096", "1e-320", "1e-9", "3e18", "1e30",
	"1.7e308", "-1.7e308" };

#define NUMBERS (sizeof numbers / sizeof *numbers)

static struct fixture f;
static struct results results;
static char *shown; /* what was written last */

BEFORE_EACH(renew)
{
	results_free(&results);
	memset(&results, 0, sizeof results);
	free(shown);
	shown = NULL;
	if (!f.file)
		fixture_open(&f);
}

/* Read the written lines as the results. */
static void read_fixture(void)
{
	fixture_read(&f, &results, "x.ndjson");
	f.file = NULL;
}

static void done(void)
{
	fixture_end(&f);
	read_fixture();
}

/* Parameters, `more` and statistics of every picture, all with the same number. */
static void put_row(const struct picture *picture, const char *number)
{
	char variant[40], more[200] = "";

	snprintf(variant, sizeof variant, "%.*s", (int)strcspn(picture->variants, ","),
		picture->variants);
	snprintf(more, sizeof more,
		",\"more\":{\"speedup\":%s,\"load_gbs\":%s,\"observed_seconds\":%s,"
		"\"threshold_ns\":%s,\"log2_ticks\":[1,2,%s],\"events\":[[1,%s,0],[2,7]]}",
		number, number, number, number, number, number);
	fixture_line(&f, "row",
		",\"probe\":\"%s\",\"variant\":\"%s\",\"level\":\"memory\",\"unit\":\"ns/load\","
		"\"params\":{\"%s\":%s,\"%s\":%s},\"samples\":3,\"min\":%s,"
		"\"median\":%s,\"p90\":%s,\"max\":%s,\"core_hz\":%s,\"at_seconds\":%s,"
		"\"disturbed\":0,\"values\":[%s,%s,1]%s",
		picture->probe, variant, picture->x, number,
		picture->split ? picture->split : "rows", number, number, number, number, number,
		number, number, number, number, more);
}

static void put_summary(const struct picture *picture, const char *number)
{
	if (picture->marks)
		fixture_line(&f, "summary",
			",\"name\":\"%.*s\",\"value\":%s,\"unit\":\"bytes\",\"claimed\":%s,"
			"\"confidence\":%s",
			(int)strcspn(picture->marks, ","), picture->marks, number, number, number);
}

/* `most` numbers for each picture, from the first on. */
static void make(size_t first, size_t most)
{
	fixture_run(&f, "hosted", "");
	for (size_t i = 0; i < pictures_count; i++)
		for (size_t j = first; j < first + most && j < NUMBERS; j++) {
			put_row(&pictures[i], numbers[j]);
			put_summary(&pictures[i], numbers[j]);
		}
	done();
	assert_int_equal(results.nruns, 1);
}

static const char *what(const char *probe)
{
	return "what it measures";
}

/* The page, or the picture of that name, of the results; "": there is none. */
static char *written(const char *picture)
{
	struct comparison c;
	size_t n;

	free(shown);
	FILE *out = open_memstream(&shown, &n);
	struct sets sets = sets_group(&results, 1);

	sets_pool(&sets);
	compare_sets(&c, sets, MARGIN_DEFAULT);
	struct report_page page = {
		.subjects = hosted_subjects(&c.sets), .what = what, .docs = "docs"
	};
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
	return shown;
}

static void expect_in(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("expected '%s' in:\n%s", part, text ? text : "nothing");
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, part)); at++)
		n++;
	return n;
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
			make(first, most);
			expect_in(written(NULL), "</html>");
			expect_positions(shown);
			renew();
		}
}

TEST(every_picture_is_there_alone)
{
	make(2, 2); /* 1 and 4096 */
	for (size_t i = 0; i < pictures_count; i++) {
		bool cells = pictures[i].each_run; /* rows of these have one parameter */
		if (!strstr(written(pictures[i].name), "</svg>\n</svg>\n") && !cells)
			fail_msg("no picture %s", pictures[i].name);
		expect_positions(shown);
	}
}

/* The same claim of two rooms stands there once, behind both values. */
TEST(a_claim_is_beside_what_was_measured)
{
	for (unsigned i = 0; i < 2; i++) {
		fixture_run(&f, i ? "hosted" : "bare", "");
		fixture_line(&f, "summary",
			",\"name\":\"l1d_ways\",\"value\":8,\"unit\":\"ways\",\"claimed\":12,"
			"\"agrees\":%s,\"confidence\":0.9",
			i ? "false" : "true");
		fixture_end(&f);
	}
	read_fixture();
	written(NULL);
	const char *line = strstr(shown, "<th scope=\"row\">l1d_ways</th>");
	assert_non_null(line);
	expect_in(line, "<td class=\"differs\">12 <small>differs</small></td>");
}

TEST(a_run_without_rows_is_a_page)
{
	fixture_run(&f, "bare", "");
	fixture_line(&f, "skip", ",\"probe\":\"tlb\",\"reason\":\"no time for it\"");
	done();
	expect_in(written(NULL), "no time for it");
	assert_null(strstr(shown, "<svg"));
	assert_string_equal(written("latency"), "");
}

/* Its skip lines are gone, so that their number is not what was skipped. */
TEST(a_thinned_run_says_what_is_missing)
{
	fixture_run(&f, "bare", "");
	f.ending = ",\"thinned\":{\"rows\":12,\"skips\":721,\"why\":\"to fit into it\"}";
	done();
	expect_in(written(NULL),
		"0 rows, 0 skipped, complete; left out to fit into it: 12 rows, 721 skip lines<");
}

/* The run line of a processor without a brand string. */
static void run_unnamed(const char *emulated, const char *hypervisor)
{
	f.room = "bare";
	fixture_line(&f, "run",
		",\"schema\":\"anechoic/2\",\"build\":\"v1\",\"cpu\":{\"vendor\":\"X\","
		"\"brand\":\"\",\"family\":6,\"model\":85,\"stepping\":7},\"cpus\":2,"
		"\"emulated\":%s,\"hypervisor\":\"%s\",\"tsc_hz\":2500000000",
		emulated, hypervisor);
}

/* A processor without a brand string: what is bold ends all the same. */
TEST(a_processor_without_a_name)
{
	run_unnamed("false", "");
	done();
	expect_in(written(NULL), "<b>bare</b> family 6, model 85, stepping 7");
}

/* Four rows at each place are no curve; heights that differ by little do not fill the picture. */
TEST(rows_above_each_other_are_points_and_heights_begin_at_0)
{
	fixture_run(&f, "bare", "");
	for (int i = 0; i < 16; i++)
		fixture_line(&f, "row",
			",\"probe\":\"shuffle\",\"variant\":\"fisher-yates\",\"unit\":\"ns\","
			"\"params\":{\"bytes\":%d},\"median\":%d.5",
			1024 << i / 4, 9 + i % 4 / 3);
	done();
	expect_in(written("shuffle"), "<path class=\"p\"");
	assert_null(strstr(shown, "<path class=\"l\" data-run"));
	expect_in(shown, ">0</text>");
}

TEST(a_known_answer_run_is_simulated_above_and_in_a_note_below_its_pictures)
{
	run_unnamed("true", "known-answer");
	put_row(picture_find("shuffle"), "4096");
	done();
	expect_in(written(NULL), "<b>SIMULATED</b>");
	expect_in(shown, "those of the stated processor");
	expect_in(shown, ">room bare; SIMULATED</text>");
	assert_int_equal(count(shown, "class=\"warn\""), 1);
	assert_null(strstr(shown, "EMULATED"));
	expect_in(written("shuffle"), "<text class=\"warn\" x=\"24.0\"");
	expect_in(shown, ">room bare; SIMULATED</text>");
}

/* Microcode 1 in two rooms, and 2: latency in memory is 10, 20 and 400 ns. */
static void machines(void)
{
	static const struct {
		const char *room;
		unsigned microcode, ns;
	} runs[] = { { "hosted", 1, 10 }, { "bare", 2, 400 }, { "firmware", 1, 20 } };

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
	read_fixture();
	assert_int_equal(results.nruns, 3);
}

/* To be freed. */
static char *figure(const char *id)
{
	const char *at = strstr(shown, id);

	if (!at)
		fail_msg("no figure %s", id);
	return strndup(at, (size_t)(strstr(at, "</figure>") - at));
}

TEST(a_picture_has_the_rooms_of_one_machine_beside_that_of_another)
{
	machines();
	written(NULL);
	char *first = figure("id=\"picture-shuffle-0\"");
	char *second = figure("id=\"picture-shuffle-1\"");

	expect_in(shown, "<h1>X 1 | X 2</h1>");
	assert_int_equal(count(shown, "id=\"picture-shuffle"), 2);
	assert_int_equal(count(first, "<path class=\"l\" data-run"), 2);
	expect_in(first, "data-run=\"0\"");
	expect_in(first, "data-run=\"2\"");
	expect_in(first, ">firmware</text>");
	expect_in(first, ">A</b> <b class=\"key k2\">C</b>");
	assert_int_equal(count(second, "<path class=\"l\" data-run"), 1);
	expect_in(second, "data-run=\"1\"");
	expect_in(first, ">200</text>"); /* one scale */
	expect_in(second, ">200</text>");
	free(first);
	free(second);
}

/* The matrix of four CPUs with that topology. */
static char *matrix_of(const char *topology)
{
	renew();
	fixture_run(&f, "bare", topology);
	for (unsigned a = 0; a < 4; a++)
		for (unsigned b = 0; b < a; b++)
			fixture_line(&f, "row",
				",\"probe\":\"cores\",\"variant\":\"bounce\",\"unit\":\"ns/hop\","
				"\"params\":{\"cpu_a\":%u,\"cpu_b\":%u},\"median\":%u",
				b, a, a % 2 == b % 2 ? 20 : 90);
	done();
	return written("cores-bounce");
}

#define CPU(package, l3, core, thread)                                                             \
	"{\"package\":" #package ",\"node\":0,\"l3\":" #l3 ",\"core\":" #core                      \
	",\"thread\":" #thread "}"
#define TOPOLOGY(...) ",\"topology\":[" __VA_ARGS__ "]"
/* Linux numbers siblings apart: 0 and 2, 1 and 3. */
#define SIBLINGS                                                                                   \
	TOPOLOGY(CPU(0, 0, 0, 0) "," CPU(0, 0, 1, 0) "," CPU(0, 0, 0, 1) "," CPU(0, 0, 1, 1))

TEST(a_matrix_groups_cpus_by_their_parts_of_the_machine)
{
	static const struct {
		const char *topology, *says;
		unsigned rings; /* lines between parts, none at the border */
	} machines[] = {
		{ SIBLINGS, "CPU down, CPU across; lines between cores<", 1 },
		{ TOPOLOGY(CPU(0, 0, 0, 0) "," CPU(0, 0, 1, 0) "," CPU(0, 1, 2, 0) "," CPU(0, 1, 3,
			  0)),
			"CPU across; lines between L3s<", 1 },
		{ TOPOLOGY(CPU(0, 0, 0, 0) "," CPU(0, 0, 1, 0) "," CPU(1, 1, 0, 0) "," CPU(1, 1, 1,
			  0)),
			"CPU across; lines between packages<", 1 },
		{ TOPOLOGY(CPU(0, 0, 0, 0) "," CPU(0, 1, 1, 0)), "CPU down, CPU across<", 0 },
		{ "", "CPU down, CPU across<", 0 },
	};

	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
		expect_in(matrix_of(machines[i].topology), machines[i].says);
		assert_int_equal(count(shown, "class=\"ring\" style"), machines[i].rings);
	}
	assert_int_equal(count(matrix_of(SIBLINGS), "style=\"stroke-width:0.5\""), 1);
	const char *second = strstr(shown, ">0</text>");
	const char *third = second ? strstr(second, ">2</text>") : NULL;

	assert_non_null(third);
	assert_true(third < strstr(shown, ">1</text>"));
}

/* A run of the room with a curve, and a value that is so sure. */
static void run_with_card(const char *room, unsigned ns, const char *sure)
{
	fixture_run(&f, room, "");
	for (unsigned i = 0; i < 6; i++)
		fixture_line(&f, "row",
			",\"probe\":\"shuffle\",\"variant\":\"fisher-yates\",\"unit\":\"ns\","
			"\"params\":{\"bytes\":%u},\"median\":%u",
			1024 << i, ns);
	fixture_line(&f, "summary",
		",\"name\":\"window_instructions\",\"value\":%u,\"unit\":\"instructions\","
		"\"confidence\":%s",
		ns, sure);
	fixture_end(&f);
}

TEST(of_two_sides_the_differences_come_first_then_one_card_a_side)
{
	run_with_card("hosted", 100, "0.3");
	run_with_card("hosted", 101, "0.9");
	run_with_card("bare", 102, "0.6");
	run_with_card("bare", 103, "0.2");
	read_fixture();
	written(NULL);
	const char *cards = strstr(shown, "<article>"), *differences = strstr(shown, "<table>");

	assert_non_null(cards);
	assert_true(differences && differences < cards);
	expect_in(differences, "shuffle</th><td>undecided</td><td></td><td>-");
	assert_int_equal(count(shown, "<article>"), 2);
	assert_int_equal(count(shown, "<dl>"), 2);
	expect_in(cards, "<p>Run 2 of these, whose values are surest:</p>");
	expect_in(cards,
		"<dt>Window</dt><dd>101 instructions</dd><dd class=\"sure\">90&nbsp;% "
		"sure</dd>");
	expect_in(cards, "<p>Run 1 of these, whose values are surest:</p>");
	expect_in(cards, "<dd>102 instructions</dd><dd class=\"likely\">60&nbsp;% likely</dd>");
}

TEST(probes_without_any_row_are_one_line_and_no_sections)
{
	fixture_run(&f, "hosted", "");
	put_row(picture_find("shuffle"), "4096");
	fixture_line(&f, "skip", ",\"probe\":\"wake\",\"reason\":\"needs ring 0\"");
	fixture_line(&f, "skip", ",\"probe\":\"memtype\",\"reason\":\"needs ring 0\"");
	fixture_line(&f, "skip", ",\"probe\":\"shuffle\",\"reason\":\"no time\"");
	done();
	expect_in(written(NULL), "<p>Nothing of: Waking a CPU, Memory types.</p>");
	expect_in(shown, "<details><summary>3 rows, and why</summary>");
	expect_in(shown, "id=\"probe-shuffle\"><h2>Shuffling an array</h2>");
	assert_int_equal(count(shown, "<section class=\"probe\""), 1);
	assert_int_equal(count(shown, "Not measured"), 2); /* the section and the link to it */
}

/* The samples of a difference around nothing: no point, but a row of the table. */
TEST(the_noise_of_a_difference_is_no_point)
{
	fixture_run(&f, "hosted", "");
	for (int i = 0; i < 3; i++)
		fixture_line(&f, "row",
			",\"probe\":\"walks\",\"variant\":\"code-pages\",\"unit\":\"ns/jump\","
			"\"params\":{\"pages\":%d},\"min\":%s,\"p10\":%s,\"median\":%s,\"p90\":%s",
			8 << i, i ? "-0.002" : "2", i ? "-0.001" : "2.1", i ? "0.002" : "2.2",
			"2.3");
	done();
	expect_in(written(NULL), "Left out as no more than noise: 2; the table has all rows.");
	expect_in(shown, "data-r=\"0\"");
	expect_in(shown, "All 3 rows");
}
