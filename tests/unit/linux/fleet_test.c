/* SPDX-License-Identifier: MIT */
/*
 * compare --fleet: what machine a file is of, which are of one group, and which lies outside.
 */
#include "linux/report/fleet/fleet.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

#define MACHINES 40
#define FEW      12

static struct fleet f;

/* An empty fleet, for each test and for each judgement within one. */
BEFORE_EACH(renew)
{
	fleet_free(&f);
	fleet_open(&f);
}

/* One machine's result with one value; bracket and more members of the run line may be "". */
static void add(const char *name, const char *head, const char *value, const char *unit,
	double number, const char *bracket)
{
	struct fixture x;
	struct results r;

	fixture_open(&x);
	fixture_run(&x, "bare", head);
	fixture_line(&x, "summary", ",\"name\":\"%s\",\"value\":%.9g,\"unit\":\"%s\"%s", value,
		number, unit, bracket);
	fixture_end(&x);
	fixture_read(&x, &r, name);
	assert_false(r.problems.damage);
	fleet_add(&f, &r, name, "");
	results_free(&r);
}

/* MACHINES machines alike, within 0.2 % but for steps of a counted value, named "m0" on. */
static void add_alike(const char *prefix, const char *head, const char *value, const char *unit,
	double number)
{
	for (int i = 0; i < MACHINES; i++) {
		char name[32];
		snprintf(name, sizeof name, "%s%d", prefix, i);
		add(name, head, value, unit, number * (1 + (i * 7 % MACHINES - 20) * 1e-4), "");
	}
}

static void expect_outliers(size_t n)
{
	fleet_judge(&f, 0.02);
	for (size_t i = 0; i < f.noutliers && f.noutliers != n; i++)
		print_error("%s: %g\n", f.machines[f.numbers[f.outliers[i].number].machine].name,
			f.outliers[i].z);
	assert_int_equal(f.noutliers, n);
	assert_int_equal(f.found, n);
	renew();
}

/* A machine named "odd" beside the equal ones, of which `runs` results are `factor` off. */
static void expect_odd(double factor, size_t outliers)
{
	add_alike("m", "", "memory_latency_ns", "ns", 100);
	add("odd", "", "memory_latency_ns", "ns", 100 * factor, "");
	expect_outliers(outliers);
}

TEST(test_margin_and_limit)
{
	expect_odd(1, 0);
	expect_odd(1.019, 0); /* far by z, within the margin */
	expect_odd(1.04, 1);
	expect_odd(0.96, 1);
}

TEST(test_runs_of_a_machine_are_their_median)
{
	static const double factors[] = { 1, 1.5, 1.001 };

	for (int off = 0; off < 2; off++) {
		add_alike("m", "", "memory_latency_ns", "ns", 100);
		for (int i = 0; i < 3; i++)
			add(i ? "again" : "other",
				",\"host\":{\"uuid\":\"4c4c4544-0050\",\"mac\":\"00:00:00:00:00:"
				"00\"}",
				"memory_latency_ns", "ns", 100 * (off ? 1.5 : factors[i]), "");
		assert_int_equal(f.nmachines, MACHINES + 1);
		assert_string_equal(f.machines[MACHINES].host, "uuid 4c4c4544-0050");
		expect_outliers((size_t)off);
	}
}

/* Serial numbers that makers leave unset do not make one machine of many. */
TEST(test_numbers_that_tell_no_machine)
{
	static const char *const ids[] = { "00000000-0000-0000-0000-000000000000",
		"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "03000200-0400-0500-0006-000700080009",
		"00020003-0004-0005-0006-000700080009", "To Be Filled By O.E.M.", "" };

	for (size_t i = 0; i < 2 * sizeof ids / sizeof *ids; i++) {
		char head[160], name[2] = { (char)('a' + (int)i), 0 };
		snprintf(head, sizeof head,
			",\"host\":{\"uuid\":\"%s\",\"serial\":\"%s\","
			"\"mac\":\"52-54-00-12-34-56\"}",
			ids[i / 2], i % 2 ? "Default string" : "DEFAULT STRING");
		add(name, head, "memory_latency_ns", "ns", 100, "");
	}
	assert_int_equal(f.nmachines, 2 * sizeof ids / sizeof *ids);
	add("z", ",\"host\":{\"uuid\":\"\",\"serial\":\"S1\"}", "x", "ns", 1, "");
	add("y", ",\"host\":{\"serial\":\"S1\",\"mac\":\"02:00:00:00:00:01\"}", "x", "ns", 1, "");
	assert_int_equal(f.nmachines, 2 * sizeof ids / sizeof *ids + 1);
}

/* All but `odd` say 64; steps of 4. */
static void expect_counted(double odd, size_t outliers)
{
	for (int i = 0; i <= MACHINES; i++) {
		char name[16], bracket[64];
		double value = i == MACHINES ? odd : i % 8 ? 64 : 60;
		snprintf(name, sizeof name, "m%d", i);
		snprintf(bracket, sizeof bracket, ",\"low\":%g,\"high\":%g", value, value + 4);
		add(name, "", "stlb_entries", "entries", value, bracket);
	}
	expect_outliers(outliers);
}

TEST(test_a_step_is_no_outlier)
{
	expect_counted(68, 0);
	expect_counted(72, 0);
	expect_counted(96, 1);
	expect_counted(32, 1);
}

static void expect_noise(double odd, size_t outliers)
{
	for (int i = 0; i <= MACHINES; i++) {
		char name[16];
		snprintf(name, sizeof name, "m%d", i);
		add(name, "", "noise_gaps_per_second", "gaps/s", i == MACHINES ? odd : 5 + i % 11,
			"");
	}
	expect_outliers(outliers);
}

TEST(test_noise_is_judged_by_factors)
{
	expect_noise(0, 0);
	expect_noise(100, 0); /* ten times as much: within what machines differ by */
	expect_noise(5000, 1);
}

/* The median of two runs lies between them. */
TEST(test_two_runs_of_a_machine)
{
	add_alike("m", "", "memory_latency_ns", "ns", 100);
	add("twice", "", "memory_latency_ns", "ns", 50, "");
	add("twice", "", "memory_latency_ns", "ns", 150, "");
	expect_outliers(0);
}

TEST(test_few_are_not_judged)
{
	for (int i = 0; i < FLEET_MACHINES_LEAST - 1; i++) {
		char name[16];
		snprintf(name, sizeof name, "m%d", i);
		add(name, "", "memory_latency_ns", "ns", i ? 100 : 10000, "");
	}
	fleet_judge(&f, 0.02);
	assert_int_equal(f.ncolumns, 0);
	assert_false(f.groups[0].judged);
}

/* A value that was measured in other pages is another value. */
TEST(test_pages_are_told_apart)
{
	add_alike("m", "", "memory_latency_ns", "ns", 100);
	add("odd", "", "memory_latency_ns", "ns", 140, ",\"page_bytes\":4096");
	fleet_judge(&f, 0.02);
	assert_int_equal(f.noutliers, 0);
	assert_int_equal(f.alone, 1);
}

TEST(test_firmware_revisions_are_compared)
{
	static const char *const heads[] = { ",\"firmware\":{\"vendor\":\"M\",\"revision\":1}",
		",\"firmware\":{\"vendor\":\"M\",\"revision\":2}" };
	static const double medians[] = { 106, 100.1, 101.5 }; /* by chance; within the margin */

	for (int same = 0; same < 3; same++) {
		add_alike("a", heads[0], "memory_latency_ns", "ns", 100);
		add("more", heads[0], "memory_latency_ns", "ns", 100, "");
		add_alike("b", heads[1], "memory_latency_ns", "ns", medians[same]);
		fleet_judge(&f, 0.02);
		assert_int_equal(f.ngroups, 2);
		assert_int_equal(f.noutliers, 0);
		assert_int_equal(f.ndifferences, same ? 0 : 1);
		if (!same) {
			assert_int_equal(f.columns[f.differences[0].column[0]].group, 0);
			assert_true(fabs(f.differences[0].part - 0.06) < 0.001);
		}
		renew();
	}
}

/* The first of two groups with equally many machines is the reference. */
TEST(test_the_first_of_equal_groups_is_the_measure)
{
	add_alike("a", ",\"firmware\":{\"vendor\":\"M\",\"revision\":1}", "memory_latency_ns", "ns",
		100);
	add_alike("b", ",\"firmware\":{\"vendor\":\"M\",\"revision\":2}", "memory_latency_ns", "ns",
		106);
	fleet_judge(&f, 0.02);
	assert_int_equal(f.ndifferences, 1);
	assert_int_equal(f.columns[f.differences[0].column[0]].group, 0);
	assert_true(fabs(f.differences[0].part - 0.06) < 0.001);
}

/* If machines scatter by 20 %, medians 5 % apart say nothing. */
TEST(test_scatter_is_no_difference)
{
	for (int i = 0; i < 2 * MACHINES; i++) {
		char name[16], head[64];
		snprintf(name, sizeof name, "m%d", i);
		snprintf(head, sizeof head, ",\"firmware\":{\"revision\":%d}", i % 2);
		add(name, head, "memory_latency_ns", "ns",
			(100 + 5 * (i % 2)) * (1 + (i / 2 * 7 % MACHINES - 20) * 1e-2), "");
	}
	fleet_judge(&f, 0.02);
	assert_int_equal(f.ngroups, 2);
	assert_int_equal(f.ndifferences, 0);
}

/* Twelve groups of long names, each with a machine that is off; small groups; damaged files. */
static void fill_screen(struct fleet_fault *fault)
{
	char name[160], head[400];

	for (int g = 0; g < 12; g++) {
		snprintf(head, sizeof head,
			",\"os\":{\"machine\":\"A maker of machines with a long "
			"name, board %d of "
			"a series\"},\"firmware\":{\"vendor\":\"A maker of "
			"firmware\",\"revision\":%d}",
			g / 2, g);
		snprintf(name, sizeof name, "g%d-", g);
		add_alike(name, head, "memory_latency_ns", "ns", 100 * (1 + g % 2));
		snprintf(name, sizeof name, "%0120d-%d", 0, g);
		add(name, head, "memory_latency_ns", "ns", g ? 300 : 3e15, "");
		snprintf(head, sizeof head, ",\"profile\":\"%d\"", g);
		add(name, head, "memory_latency_ns", "ns", 300, "");
		fault[g] = (struct fleet_fault){ name,
			"its crc is wrong: bytes were lost or changed" };
	}
	for (int g = 0; g < 12; g++)
		fault[g].file = (char *)"a/file/of/a/folder/with/a/long/name/in/a/"
					"long/folder.ndjson:12";
}

static void expect_screen(const char *text, size_t lines, size_t columns)
{
	size_t n = 0;

	for (const char *line = text; *line; n++) {
		size_t width = strcspn(line, "\n");
		if (width > columns)
			fail_msg("more than %zu columns: %.*s", columns, (int)width, line);
		line += width + 1;
	}
	if (n > lines)
		fail_msg("%zu lines, more than %zu:\n%s", n, lines, text);
}

TEST(test_first_screen)
{
	struct fleet_fault fault[12];
	const struct fleet_faults faults = { fault, 12, 3 };
	char *text;
	size_t n;

	fill_screen(fault);
	fleet_judge(&f, 0.02);
	assert_int_equal(f.found, 12);
	assert_int_equal(f.ndifferences, 6);
	FILE *out = open_memstream(&text, &n);
	fleet_print(&f, &faults, false, out);
	fclose(out);
	expect_screen(text, 40, 80);
	free(text);
	out = open_memstream(&text, &n);
	fleet_print(&f, &faults, true, out);
	fleet_print_json(&f, &faults, out);
	fclose(out);
	assert_null(strstr(text, "with --all"));
	assert_non_null(strstr(text, "board 5 of a"));
	free(text);
}

static void expect_name(const char *path, bool below, const char *want)
{
	char *name = machine_of_file(path, below);

	if (strcmp(name, want))
		fail_msg("'%s' is of machine '%s', expected '%s'", path, name, want);
	free(name);
}

TEST(test_machine_of_file)
{
	expect_name("a/n7.ndjson", false, "a/n7");
	expect_name("a/n7-bare.ndjson", false, "a/n7");
	expect_name("a/n7-20260101T120000Z-hosted.ndjson", false, "a/n7");
	expect_name("a/20260101T120000Z-n7.ndjson", true, "a/n7");
	expect_name("b/anechoic-20260101T120000Z-n7.ndjson", true, "n7");
	expect_name("anechoic-20260101T120000Z-n7-bare.ndjson", false, "n7-bare");
	expect_name("a/n7/20260101T120000Z-bare.ndjson", true, "a/n7");
	expect_name("a/20260101T120000Z-bare.ndjson", false, "a/20260101T120000Z-bare");
	expect_name("20260101T120000Z.ndjson", false, "20260101T120000Z");
	expect_name("a/firmware.ndjson", true, "a");
	expect_name("node-0017.ndjson", false, "node-0017");
	expect_name("a.b/c", true, "a.b/c");
	expect_name("a/.ndjson", true, "a/.ndjson");
	expect_name("a/bare\x1b[2J\xc3\xa4.ndjson", true, "a/bare?[2J??");
	expect_name("", false, "");
}

/* A result with these members of the run line, and not the usual ones. */
static void add_only(const char *name, const char *head, double number)
{
	struct fixture x;
	struct results r;

	fixture_open(&x);
	x.room = "bare";
	fixture_line(&x, "run", ",\"schema\":\"anechoic/2\"%s", head);
	fixture_line(&x, "summary", ",\"name\":\"x\",\"value\":%g,\"unit\":\"ns\"", number);
	fixture_end(&x);
	fixture_read(&x, &r, name);
	assert_false(r.problems.damage);
	fleet_add(&f, &r, name, "");
	results_free(&r);
}

TEST(test_emulated_are_not_judged)
{
	for (int i = 0; i < FEW; i++) {
		char name[16];
		snprintf(name, sizeof name, "m%d", i);
		add_only(name, ",\"emulated\":true", i ? 100 : 150);
	}
	fleet_judge(&f, 0.02);
	assert_int_equal(f.noutliers, 0);
}

/* Machines that differ in one of these are not compared with one another. */
TEST(test_groups)
{
	static const char *const heads[] = { "", ",\"cpu\":{\"brand\":\"X\"}",
		",\"cpu\":{\"brand\":\"X\",\"family\":6,\"model\":85,\"stepping\":"
		"7}",
		",\"cpu\":{\"brand\":\"X\",\"family\":6,\"model\":85,\"stepping\":"
		"8}",
		",\"hypervisor\":\"KVM\"", ",\"profile\":\"full\"", ",\"emulated\":true",
		",\"prefetch\":{\"asked\":\"off\",\"works\":true}",
		",\"clock\":{\"asked\":\"max\",\"set\":true}", ",\"known_answer\":{}",
		",\"os\":{\"machine\":\"board\"}", ",\"firmware\":{\"revision\":1}" };
	static const char *const first[] = { ",\"prefetch\":{\"asked\":\"off\",\"works\":false}",
		",\"clock\":{\"asked\":\"max\",\"set\":false}",
		",\"os\":{\"machine\":\"unknown\"}" };

	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		add_only("m", heads[i], 1);
		if (f.ngroups != i + 1)
			fail_msg("of another's group: %s", heads[i]);
	}
	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		add_only("m", first[i], 1);
	assert_int_equal(f.ngroups, sizeof heads / sizeof *heads);
}
