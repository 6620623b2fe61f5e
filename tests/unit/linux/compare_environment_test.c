/* SPDX-License-Identifier: MIT */
/* The treatment of core clocks that differ: linux/report/compare/compare.h. */
#include "tests/unit/compared.h"
#include "tests/unit/test.h"

AFTER_EACH(forget);

/* A row that says the core clock around its samples; `members` from the probe on. */
static void at(struct fixture *f, double hz, const char *members, const char *unit, double value)
{
	fixture_line(f, "row",
		"%s,\"unit\":\"%s\",\"samples\":3,\"median\":%.17g,\"mad\":0,\"core_hz\":%g,"
		"\"values\":[%.17g,%.17g,%.17g]",
		members, unit, value, hz, value, value, value);
}

#define ROW(probe, variant, more) ",\"probe\":\"" probe "\",\"variant\":\"" variant "\"" more

static const char l1[] = ROW("latency", "l1", ",\"level\":\"l1\""),
		  l1_better[] = ROW("latency", "l1-better", ",\"level\":\"l1\""),
		  l2_rate[] = ROW("bandwidth", "read", ",\"level\":\"l2\""),
		  branch[] = ROW("branch", "copy", ""),
		  memory[] = ROW("latency", "memory", ",\"level\":\"memory\""),
		  l3[] = ROW("latency", "l3", ",\"level\":\"l3\"");

static void expect(const struct cell *c, bool cycles, double ratio, enum verdict verdict,
	const char *what)
{
	if (c->cycles != cycles || fabs(c->ratio - ratio) > 1e-6 || c->verdict != verdict)
		fail_msg("%s: expected %s, ratio %g, %s; got %s, %g, %s", what,
			cycles ? "cycles" : "time", ratio, verdict_names[verdict],
			c->cycles ? "cycles" : "time", c->ratio, verdict_names[c->verdict]);
}

/* 3.0 against 2.5 GHz: all that the core paces takes 1.2 times as long, and costs nothing. */
TEST(test_what_the_core_paces_is_compared_in_cycles)
{
	struct fixture *f = file("a", "hosted", "");

	at(f, 3e9, l1, "ns/load", 1);
	at(f, 3e9, l1_better, "ns/load", 1);
	at(f, 3e9, l2_rate, "GB/s", 120);
	at(f, 3e9, branch, "ns/op", 10);
	at(f, 3e9, memory, "ns/load", 100);
	at(f, 3e9, l3, "ns/load", 20);
	f = file("b", "bare", "");
	at(f, 2.5e9, l1, "ns/load", 1.2);
	at(f, 2.5e9, l1_better, "ns/load", 1);
	at(f, 2.5e9, l2_rate, "GB/s", 100);
	at(f, 2.5e9, branch, "ns/op", 15);
	at(f, 2.5e9, memory, "ns/load", 100);
	at(f, 2.5e9, l3, "ns/load", 22);
	compare();
	expect(cell(0, 1), true, 1, VERDICT_UNKNOWN, "as many cycles");
	expect(cell(1, 1), true, 2.5 / 3, VERDICT_FASTER, "fewer cycles in the same time");
	expect(cell(2, 1), true, 1, VERDICT_UNKNOWN, "bytes per cycle");
	expect(cell(3, 1), true, 1.25, VERDICT_SLOWER, "more cycles");
	expect(cell(4, 1), false, 1, VERDICT_UNKNOWN, "memory");
	expect(cell(5, 1), false, 1.1, VERDICT_UNKNOWN, "L3, partly paced by the core");
	assert_int_equal(cell(5, 1)->because, BECAUSE_CLOCK);
	assert_int_equal(cell(0, 1)->because, BECAUSE_NOTHING);
	const struct set_cost *cost = &b.c.costs[1];
	assert_int_equal(cost->rows_cycles, 4);
	assert_true(isnan(cost->median_effect));
	assert_true(fabs(cost->median_cycles - 1) < 1e-9);
	assert_true(fabs(cost->median_time - 1.05) < 1e-9);
	says("95 %  cy/load\n  l1               3        3  1.000");
	says("95 %  B/cy\n  read          40       40  1.000");
	says("    A  3.000 GHz (rows 3.000..3.000)\n"
	     "    B  2.500 GHz (rows 2.500..2.500): 16.7 % lower than A's\n");
	says("THE CORE CLOCKS DIFFER: A 3.000 GHz, B 2.500 GHz (-16.7 %)");
	says("6 rows: 0 same (0 %), 1 slower, 1 faster, 4 cannot tell");
	says("core cycles:  +0.00 % median of 4 rows");
	says("time:         +5.00 % median of the other 2, of which the clock may be +20.0 %");
	says_not("% time, over");
}

/* One per cent is within what a clock is known by: then there is one answer. */
TEST(test_clocks_alike)
{
	struct fixture *f = file("a", "hosted", "");

	at(f, 3e9, l1, "ns/load", 1);
	at(f, 2.97e9, memory, "ns/load", 100);
	f = file("b", "bare", "");
	at(f, 3.005e9, l1, "ns/load", 1.1);
	at(f, 3e9, memory, "ns/load", 110);
	compare();
	says("A  2.985 GHz (rows 2.970..3.000)\n    B  3.002 GHz (rows 3.000..3.005)\n");
	says("median:       +10.09 % time, over 2 rows");
	says_not("DIFFER");
}

/* Without a level a row is judged by its size and the L2 that was measured; else it is a time. */
TEST(test_sizes_within_l2)
{
	static const char within[] = ROW("latency", "v", PARAMS("\"bytes\":1000000")),
			  edge[] = ROW("latency", "v", PARAMS("\"bytes\":1500000")),
			  other[] = ROW("cores", "v", PARAMS("\"bytes\":1000"));
	const char *const l2[] = {
		"",
		",\"name\":\"l2_bytes\",\"value\":1400000,\"low\":1200000,\"high\":1600000",
		",\"name\":\"l2_bytes\",\"value\":1400000",
		",\"name\":\"l2_bytes\",\"value\":null,\"reason\":\"none\"",
	};

	for (int i = 0; i < 4; i++) {
		for (int set = 0; set < 2; set++) {
			struct fixture *f = file(set ? "b" : "a", "hosted", "");
			at(f, set ? 2e9 : 4e9, within, "ns/load", set ? 2 : 1);
			at(f, set ? 2e9 : 4e9, edge, "ns/load", set ? 2 : 1);
			at(f, set ? 2e9 : 4e9, other, "ns/hop", set ? 2 : 1);
			if (*l2[i])
				fixture_line(f, "summary", "%s", l2[i]);
		}
		compare();
		bool known = i == 1 || i == 2;
		expect(cell(0, 1), known, known ? 1 : 2, VERDICT_UNKNOWN, "within L2");
		expect(cell(1, 1), false, 2, VERDICT_UNKNOWN, "at the edge of L2");
		expect(cell(2, 1), false, 2, VERDICT_UNKNOWN, "several CPUs");
		forget();
	}
}

/*
 * Differences that decide the speed come first; a register that one room could not read is no
 * difference.
 */
TEST(test_what_decides_the_speed_is_named_first)
{
	row(file("a", "bare",
		    ",\"build2\":1,\"seed\":1,\"node_bytes\":64,\"clock\":{\"asked\":\"free\"},"
		    "\"speed\":{\"turbo_off\":true,\"hwp\":true,\"ratio\":30}"),
		"v", "", "ns/load", 1);
	row(file("b", "bare",
		    ",\"build2\":2,\"seed\":2,\"node_bytes\":128,\"clock\":{\"asked\":\"max\"},"
		    "\"speed\":{\"turbo_off\":false,\"ratio\":40},\"idle\":{\"deep\":3}"),
		"v", "", "ns/load", 1);
	compare();
	static const char *const keys[] = { "clock.asked", "speed.turbo_off", "node_bytes",
		"build2", "idle.deep", "seed" };
	assert_int_equal(b.c.environment.n, 6);
	assert_int_equal(b.c.environment.nspeed, 3);
	for (int i = 0; i < 6; i++)
		assert_string_equal(b.c.environment.differences[i].key, keys[i]);
	says("\nWhat decides the speed\n  core clock\n    A  3.000 GHz");
	says("  clock.asked\n    A  free\n    B  max\n");
	says("\nOther circumstances that differ:\n  build2\n");
	assert_true(strstr(b.text, "What decides the speed") < strstr(b.text, "\nEvery row."));
}

/* Members of a list of objects are compared one by one: 1 is its first. */
TEST(test_memory_modules_that_differ)
{
	row(file("a", "bare",
		    ",\"smbios\":{\"firmware_version\":\"F7\",\"memory_modules\":\"2 x 16 GiB "
		    "DDR5-6000\","
		    "\"modules\":[{\"count\":2,\"mts\":6000,\"ranks\":1}]}"),
		"v", "", "ns/load", 1);
	row(file("b", "bare",
		    ",\"smbios\":{\"firmware_version\":\"F8\",\"memory_modules\":\"2 x 16 GiB "
		    "DDR5-4800\","
		    "\"modules\":[{\"count\":2,\"mts\":4800,\"ranks\":1}]}"),
		"v", "", "ns/load", 1);
	compare();
	assert_int_equal(b.c.environment.n, 3);
	assert_int_equal(b.c.environment.nspeed, 3);
	says("  smbios.memory_modules\n    A  2 x 16 GiB DDR5-6000\n    B  2 x 16 GiB "
	     "DDR5-4800\n");
	says("  smbios.modules.1.mts\n    A  6000\n    B  4800\n");
	says("  smbios.firmware_version\n    A  F7\n    B  F8\n");
}

TEST(test_in_a_table_and_for_programs)
{
	json_error_t error;

	for (int set = 0; set < 3; set++)
		at(file((const char *[]){ "a", "b", "c" }[set], "bare", ""), 3e9 - 5e8 * set, l1,
			"ns/load", 3 / (3 - 0.5 * set));
	compare();
	says(" 1.000?c");
	json_t *json = json_loads(b.json, 0, &error);
	if (!json)
		fail_msg("--json is no JSON: line %d: %s", error.line, error.text);
	json_t *set = json_array_get(json_object_get(json, "sets"), 2);
	assert_true(number_of(json_object_get(set, "core_hz"), "median") == 2e9);
	json_t *verdict = json_array_get(json_object_get(json, "verdicts"), 0);
	assert_true(json_is_null(json_object_get(verdict, "median_effect")));
	assert_true(fabs(number_of(verdict, "median_cycles") - 1) < 1e-9);
	json_t *cells = json_object_get(json_array_get(json_object_get(json, "rows"), 0), "sets");
	assert_true(json_is_true(json_object_get(json_array_get(cells, 1), "cycles")));
	json_decref(json);
}
