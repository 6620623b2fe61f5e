/* SPDX-License-Identifier: MIT */
/* compare --fleet: what machine a file is of, and which machines are of one group. */
#include "report/fleet/fleet.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

#define MACHINES 12

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
static void add_only(struct fleet *f, const char *name, const char *head, double number)
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
	fleet_add(f, &r, name, "");
	results_free(&r);
}

TEST(test_emulated_are_not_judged)
{
	struct fleet f;

	fleet_open(&f);
	for (int i = 0; i < MACHINES; i++) {
		char name[16];
		snprintf(name, sizeof name, "m%d", i);
		add_only(&f, name, ",\"emulated\":true", i ? 100 : 150);
	}
	fleet_judge(&f, 0.02);
	assert_int_equal(f.noutliers, 0);
	fleet_free(&f);
}

/* What differs in one of these is not judged by the other. */
TEST(test_groups)
{
	static const char *const heads[] = { "", ",\"cpu\":{\"brand\":\"X\"}",
		",\"cpu\":{\"brand\":\"X\",\"family\":6,\"model\":85,\"stepping\":7}",
		",\"cpu\":{\"brand\":\"X\",\"family\":6,\"model\":85,\"stepping\":8}",
		",\"hypervisor\":\"KVM\"", ",\"profile\":\"full\"", ",\"emulated\":true",
		",\"prefetch\":{\"asked\":\"off\",\"works\":true}",
		",\"clock\":{\"asked\":\"max\",\"set\":true}", ",\"known_answer\":{}",
		",\"os\":{\"machine\":\"board\"}", ",\"firmware\":{\"revision\":1}" };
	static const char *const first[] = { ",\"prefetch\":{\"asked\":\"off\",\"works\":false}",
		",\"clock\":{\"asked\":\"max\",\"set\":false}",
		",\"os\":{\"machine\":\"unknown\"}" };
	struct fleet f;

	fleet_open(&f);
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		add_only(&f, "m", heads[i], 1);
		if (f.ngroups != i + 1)
			fail_msg("of another's group: %s", heads[i]);
	}
	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		add_only(&f, "m", first[i], 1);
	assert_int_equal(f.ngroups, sizeof heads / sizeof *heads);
	fleet_free(&f);
}
