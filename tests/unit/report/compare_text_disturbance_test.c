/* SPDX-License-Identifier: MIT */
/* Who else was in the room, and how compare says so. */
#include "tests/unit/compared.h"
#include "tests/unit/test.h"

TEST(test_disturbance_is_named)
{
	struct bench_of b = { 0 };
	const char *members = ",\"probe\":\"p\",\"variant\":\"v\",\"unit\":\"ns\",\"samples\":100,"
			      "\"median\":10,\"mad\":0.1,\"disturbed\":%d,\"counts\":{\"switches\":"
			      "%d,\"faults\":0}";

	fixture_line(file(&b, "quiet", "hosted", ""), "row", members, 1, 1);
	fixture_line(file(&b, "busy", "hosted", ""), "row", members, 60, 75);
	compare(&b);
	says(&b, "A  1 of 100 samples disturbed (1.0 %), 1 context switches, 0 page faults\n");
	says(&b,
		"B  60 of 100 samples disturbed (60.0 %), 75 context switches, 0 page faults  <- "
		"DISTURBED");
	forget(&b);
}

/* Each is held against every other, not only against the first. */
TEST(test_disturbed_more_than_another)
{
	struct bench_of b = { 0 };
	const char *members = ",\"probe\":\"p\",\"variant\":\"%s\",\"unit\":\"ns\",\"samples\":100,"
			      "\"median\":10,\"disturbed\":%d";

	fixture_line(file(&b, "a", "firmware", ""), "row", members, "v", 30);
	fixture_line(file(&b, "b", "bare", ""), "row", members, "v", 35);
	fixture_line(file(&b, "c", "hosted", ""), "row", members, "v", 2);
	compare(&b);
	says(&b, "A  30 of 100 samples disturbed (30.0 %)  <- DISTURBED more than another\n");
	says(&b, "B  35 of 100 samples disturbed (35.0 %)  <- DISTURBED more than another\n");
	says(&b, "C  2 of 100 samples disturbed (2.0 %)\n");
	forget(&b);
}

/* Between the samples it is not seen: the kernel's count of the thread's waiting is. */
TEST(test_waiting_is_a_disturbance)
{
	struct bench_of b = { 0 };
	struct fixture *f = file(&b, "quiet", "hosted", "");

	row(f, "v", "", "ns/load", 10);
	f->ending = ",\"seconds\":90,\"os\":{\"waited_s\":0.3}";
	f = file(&b, "busy", "hosted", "");
	row(f, "v", "", "ns/load", 10);
	f->ending = ",\"seconds\":90,\"os\":{\"waited_s\":4.5}";
	compare(&b);
	says(&b, "A  0 of 7 samples disturbed (0.0 %); 0.30 s waiting while others ran\n");
	says(&b,
		"B  0 of 7 samples disturbed (0.0 %); 4.50 s waiting while others ran  <- "
		"DISTURBED");
	forget(&b);
}

TEST(test_stolen_time)
{
	struct bench_of b = { 0 };
	/* As much as the most thinned result has. */
	const char *gaps = ",\"probe\":\"noise\",\"variant\":\"gaps\",\"unit\":\"gaps/s\","
			   "\"params\":{\"seconds\":10},\"samples\":3,\"median\":%d";
	const char *value = ",\"name\":\"noise_%s\",\"value\":%d";
	struct fixture *f = file(&b, "a", "bare", "");

	fixture_line(f, "row", gaps, 100);
	fixture_line(f, "summary", value, "stolen_ppm", 0);
	fixture_line(f, "summary", value, "longest_ns", 0);
	fixture_line(f, "summary", value, "gaps_above_10us", 0);
	f = file(&b, "b", "hosted", "");
	fixture_line(f, "row", gaps, 300);
	fixture_line(f, "summary", value, "stolen_ppm", 5000);
	fixture_line(f, "summary", value, "longest_ns", 90000);
	fixture_line(f, "summary", value, "gaps_above_10us", 45);
	fixture_line(f, "summary", value, "gaps_above_150us", 2);
	f = file(&b, "c", "firmware", "");
	fixture_line(f, "row", gaps, 300);
	fixture_line(f, "summary", value, "stolen_ppm", 5000);
	fixture_line(f, "summary", value, "longest_ns", 90000);
	fixture_line(f, "summary", value, "gaps_above_0.1us", 150920);
	fixture_line(f, "summary", value, "gaps_above_1us", 10330);
	compare(&b);
	assert_int_equal(b.c.costs[1].rows, 0); /* gaps are no speed */
	says(&b, "C  firmware           15092    1033       -");
	says(&b, "A 0.0000 % (longest 0.0 us), B 0.5000 % (longest 90.0 us)");
	says(&b,
		"gaps/s above  0.1 / 1 / 10 / 20 / 150 us: A - / - / 0 / - / -, "
		"B - / - / 4.5 / - / 0.2");
	forget(&b);
}

/* A run of `noise` `gaps`: how long it scanned, and what of that was stolen. */
static void scan(struct bench_of *b, const char *name, const char *length, int ppm, int gaps)
{
	struct fixture *f = file(b, name, "hosted", "");
	const char *value = ",\"name\":\"noise_%s\",\"value\":%d";

	fixture_line(f, "row", ",\"probe\":\"noise\",\"variant\":\"gaps\",\"unit\":\"gaps/s\",%s",
		length);
	fixture_line(f, "summary", value, "stolen_ppm", ppm);
	fixture_line(f, "summary", value, "longest_ns", 0);
	fixture_line(f, "summary", value, "gaps_above_10us", gaps);
}

/* Pooled runs: what one run of 90 s says is nine times what one of 10 s says. */
TEST(test_scans_are_weighted_by_their_seconds)
{
	struct bench_of b = { 0 };

	scan(&b, "a", "\"params\":{\"seconds\":10},\"samples\":3,\"median\":1", 0, 0);
	scan(&b, "b-1", "\"params\":{\"seconds\":10},\"samples\":3,\"median\":1", 5000, 40);
	/* planned for 1000 s, and ended after 90 */
	scan(&b, "b-2",
		"\"params\":{\"seconds\":1000},\"samples\":3,\"median\":1,"
		"\"more\":{\"observed_seconds\":90}",
		1000, 10);
	compare(&b);
	assert_int_equal(b.c.sets.n, 2);
	says(&b, "B 0.1400 % (");
	says(&b, "B - / - / 0.5 / - / -\n");
	forget(&b);
}
