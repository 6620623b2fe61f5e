/* SPDX-License-Identifier: MIT */
/* Differences that compare takes for chance: linux/report/compare/effects.h. */
#include "tests/unit/compared.h"
#include "tests/unit/test.h"

AFTER_EACH(forget);

/* The core clock was 20 % slower: so may every time be, but not 40 %, and not faster. */
TEST(test_core_clock_moved)
{
	static const struct {
		double value;
		bool clock;
	} rows[] = { { 12, true }, { 11, true }, { 14, false }, { 9, false } };
	struct fixture *f = file("a", "hosted", "");

	for (int i = 0; i < 4; i++)
		row(f, (const char *[]){ "a", "b", "c", "d" }[i], "", "ns/load", 10);
	f = file("b", "hosted", "");
	for (int i = 0; i < 4; i++)
		fixture_line(f, "row",
			",\"probe\":\"latency\",\"variant\":\"%c\",\"unit\":\"ns/load\","
			"\"samples\":2,\"median\":%g,\"mad\":0,\"core_hz\":2.5e9,\"values\":[%g,%"
			"g]",
			'a' + i, rows[i].value, rows[i].value, rows[i].value);
	compare();
	for (size_t i = 0; i < 4; i++)
		if ((cell(i, 1)->because == BECAUSE_CLOCK) != rows[i].clock)
			fail_msg("10 -> %g ns at 3.0 -> 2.5 GHz: expected %s", rows[i].value,
				rows[i].clock ? "the clock's work" : "a difference");
	says("? (clock)");
}

/* A clock that one side does not know explains nothing, not even what is faster. */
TEST(test_core_clock_not_known)
{
	for (int of = 0; of < 2; of++) {
		for (int set = 0; set < 2; set++)
			fixture_line(file(set ? "b" : "a", "hosted", ""), "row",
				",\"probe\":\"latency\",\"variant\":\"v\",\"unit\":\"ns/load\","
				"\"samples\":2,\"median\":%d,\"mad\":0,\"core_hz\":%d",
				set ? 9 : 10, set == of ? 0 : 2000000000);
		compare();
		assert_int_not_equal(cell(0, 1)->because, BECAUSE_CLOCK);
		forget();
	}
}

/* Samples that are as wide as the difference of the medians do not tell them apart. */
TEST(test_wide_samples)
{
	static const double wide[] = { 9, 9.5, 10, 13, 13.1, 14, 15, 16 };

	row(file("a", "hosted", ""), "v", "", "ns/load", 11.5);
	fixture_row(file("b", "hosted", ""), "v", "", "ns/load", wide, 8);
	compare();
	expect_verdict(0, VERDICT_UNKNOWN);
	assert_true(cell(0, 1)->ratio > 1.1 && cell(0, 1)->low < 1);
}

/* Runs that agree to a part in a thousand are the same within 2 %, or differ by 5 %. */
TEST(test_several_runs_tell)
{
	for (int i = 0; i < 6; i++) {
		struct fixture *f = file(six_runs[i], "hosted", "");
		double run = 1 + 0.001 * (i % 3);

		row(f, "same", "", "ns/load", (i < 3 ? 10 : 10.02) * run);
		row(f, "slower", "", "ns/load", (i < 3 ? 10 : 10.5) * run);
		row(f, "wide", "", "ns/load", (i < 3 ? 10 : 10.5) * (1 + 0.1 * (i % 3)));
	}
	compare();
	expect_verdict(0, VERDICT_SAME);
	expect_verdict(1, VERDICT_SLOWER);
	expect_verdict(2, VERDICT_UNKNOWN);
	assert_true(isnan(cell(2, 1)->runs) || cell(2, 1)->runs > 3);
}

/* A median over the undisturbed samples is compared by them; with the others it is "the same". */
TEST(test_disturbed_samples_are_not_compared)
{
	const char *members = ",\"probe\":\"latency\",\"variant\":\"v\",\"unit\":\"ns/load\","
			      "\"samples\":15,\"median\":%g,\"mad\":0.01,\"core_hz\":3e9,"
			      "\"undisturbed\":8,\"flags\":[0,1,2,3,4,5,6],"
			      "\"values\":[20,20,20,20,20,20,20,%g,%g,%g,%g,%g,%g,%g,%g]";

	for (int i = 0; i < 2; i++) {
		double v = i ? 11 : 10;

		fixture_line(file(i ? "b" : "a", "hosted", ""), "row", members, v, v, v, v, v, v, v,
			v, v);
	}
	compare();
	assert_true(fabs(cell(0, 1)->ratio - 1.1) < 1e-9);
	expect_verdict(0, VERDICT_SLOWER);
}

/* A row of a curve, its variant and x given. */
static void on_curve(struct fixture *f, const char *variant, double x, double value)
{
	char params[64];

	snprintf(params, sizeof params, PARAMS("\"bytes\":%g"), x);
	row(f, variant, params, "ns/load", value);
}

/*
 * Steps: an edge that lies one size further is the same, one two sizes further is not, nor is
 * anything on a slope that is straight, nor at the end of a curve.
 */
TEST(test_edges_move_by_a_grid_step)
{
	static const double a[] = { 4, 4, 4, 14, 14, 14 }, near[] = { 4, 4, 14, 14, 14, 14 },
			    far[] = { 4, 14, 14, 14, 14, 14 },
			    slope[] = { 10, 20, 40, 80, 160, 320 };

	for (int run = 0; run < 6; run++) {
		struct fixture *f = file(six_runs[run], "hosted", "");
		bool second = run >= 3;

		for (int i = 0; i < 6; i++) {
			on_curve(f, "near", 1 << i, second ? near[i] : a[i]);
			on_curve(f, "far", 1 << i, second ? far[i] : a[i]);
			on_curve(f, "slope", 1 << i, slope[i] * (second ? 1.1 : 1));
		}
	}
	compare();
	for (size_t i = 0; i < 6; i++) {
		expect_verdict(3 * i, i == 2 ? VERDICT_UNKNOWN : VERDICT_SAME);
		assert_int_equal(cell(3 * i, 1)->because, i == 2 ? BECAUSE_EDGE : BECAUSE_NOTHING);
		expect_verdict(3 * i + 2, VERDICT_SLOWER);
	}
	expect_verdict(3 * 1 + 1, VERDICT_SLOWER);
	expect_verdict(3 * 2 + 1, VERDICT_SLOWER);
	assert_int_equal(b.c.costs[1].edge, 1);
	says("? (grid step)");
}

/*
 * Under a hypervisor, memory is others' too: 10 % says nothing there, but in L1, and alone, it
 * does.
 */
TEST(test_shared_levels_scatter_more)
{
	const char *const rooms[] = { ",\"hypervisor\":\"KVM\"", ",\"hypervisor\":\"\"" };

	for (int i = 0; i < 2; i++) {
		for (int set = 0; set < 2; set++) {
			struct fixture *f = &b.files[b.n];
			b.names[b.n++] = set ? "b" : "a";
			fixture_open(f);
			fixture_line(f, "run", ",\"schema\":\"anechoic/2\"%s", rooms[i]);
			double value = set ? 11 : 10;
			row(f, "placed", ",\"level\":\"memory\"", "ns/load", value);
			row(f, "own", PARAMS("\"bytes\":1000000"), "ns/load", value);
			row(f, "large", PARAMS("\"bytes\":2000000"), "ns/load", value);
			fixture_line(f, "summary",
				",\"name\":\"l2_bytes\",\"value\":1000000,"
				"\"high\":2000000,\"unit\":\"bytes\"");
		}
		compare();
		expect_verdict(0, i ? VERDICT_SLOWER : VERDICT_UNKNOWN);
		expect_verdict(1, VERDICT_SLOWER);
		expect_verdict(2, i ? VERDICT_SLOWER : VERDICT_UNKNOWN);
		forget();
	}
}

/*
 * A row that scatters around its curve by 10 % is known no better than that; a row that does not
 * is.
 */
TEST(test_curves_that_scatter)
{
	static const double ripple[] = { 1, 1.1, 0.95, 1.05, 0.9, 1, 1.1, 0.95 };

	for (int set = 0; set < 2; set++) {
		struct fixture *f = file(set ? "b" : "a", "hosted", "");
		for (int i = 0; i < 8; i++) {
			on_curve(f, "ripple", 1 << i, 10 * ripple[(i + 3 * set) % 8]);
			on_curve(f, "smooth", 1 << i, set ? 11 : 10);
		}
	}
	compare();
	for (size_t i = 0; i < 8; i++)
		assert_true(cell(2 * i, 1)->effect.error > 3 * cell(2 * i + 1, 1)->effect.error);
}

/* docs/format.md: readers ignore what they do not know. */
TEST(test_unknown_members_do_not_matter)
{
	row(file("a", "hosted", ""), "v", PARAMS("\"bytes\":64"), "ns/load", 10);
	row(file("b", "hosted", ""), "v",
		",\"celsius\":41,\"note\":\"warm\",\"fan\":{\"bytes\":1}" PARAMS("\"bytes\":64"),
		"ns/load", 10);
	compare();
	assert_int_equal(b.c.costs[1].rows, 1);
	assert_int_equal(b.c.costs[1].alone, 0);
}

/* When a row was done is no part of what it is. */
TEST(test_rows_match_whenever_they_were_done)
{
	row(file("a", "hosted", ""), "v", ",\"at_seconds\":1.5", "ns/load", 10);
	row(file("b", "hosted", ""), "v", ",\"at_seconds\":2.5", "ns/load", 10);
	compare();
	assert_int_equal(b.c.costs[1].rows, 1);
	says_not("at_seconds");
}

/* Without samples the error of a median is that of its MAD. */
TEST(test_thinned_rows)
{
	const char *members = ",\"probe\":\"p\",\"variant\":\"v\",\"unit\":\"ns\",\"samples\":100,"
			      "\"median\":%g,\"mad\":%g";

	fixture_line(file("a", "bare", ""), "row", members, 10., 0.1);
	fixture_line(file("b", "bare", ""), "row", members, 11., 0.1);
	compare();
	expect_verdict(0, VERDICT_SLOWER);
	assert_true(fabs(b.c.rows[0].cells[0].row->runs[0].error - 0.0186) < 0.0001);
}
