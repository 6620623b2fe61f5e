/* SPDX-License-Identifier: MIT */
/* When a row ends, and what the placements of its memory have of it. */
#include "tests/unit/measured_row.h"
#include "tests/unit/test.h"

static void expect_samples(const char *what, unsigned n, double budget_ns)
{
	script.works = 0;
	asked.cold = true;
	assert_int_equal(MEASURED_OK, measure(budget_ns));
	if (samples.n != n)
		fail_msg("%s: expected %u samples, came %u", what, n, samples.n);
}

BEFORE_EACH(reset);

/* A disturbed row waits for 28 samples, and is asked after 15, 22 and 33. */
TEST(a_row_ends_when_more_would_say_no_more)
{
	expect_samples("all alike", 15, 1e12);
	script.switches = 1;
	expect_samples("all disturbed", 33, 1e12);
	asked.tells_disturbance = true;
	script.switches = 0;
	expect_samples("all alike, and all are taken", 15, 1e12);
	for (unsigned i = 0; i < VALUES; i++)
		script.work[i] = i % 2 ? 100 : 200;
	script.values = VALUES;
	expect_samples("two modes", 256, 1e12);
	asked.max_samples = 20;
	expect_samples("20 at most", 20, 1e12);
	script.stop = true;
	expect_samples("stopped", 7, 1e12);
	asked.min_samples = 9;
	expect_samples("stopped after its least", 9, 1e12);
}

TEST(a_row_ends_when_its_time_is_over)
{
	expect_samples("late at once", 7, 1);
	expect_samples("ten calls of 65 ns", 11, 10 * 65);
	expect_samples("and not quite so long", 10, 10 * 65 - 1);
	asked.min_samples = 3;
	expect_samples("three are its least", 3, 1);
	asked.min_samples = 0;
	room.samples = 4;
	expect_samples("four are the room's", 4, 1e12);
	asked.max_samples = 12;
	expect_samples("late, four are its least", 4, 1);
	expect_samples("it asks for twelve itself", 12, 1e12);
}

static void in_three_places(void)
{
	room.facts.frames_scattered = true;
	room.facts.pages = PAGE_4K;
	row.page_bytes = PAGE_4K;
	row.cost_ns = 1;
	asked.cold = true;
	asked.min_samples = asked.max_samples = 3;
}

/* One sample each, of 100, 110 and 140 ticks; the preparation of each has the scratch memory. */
TEST(placements_share_a_row)
{
	in_three_places();
	VALUES_ARE(100, 110, 140);
	assert_int_equal(MEASURED_OK, measure(3));
	assert_string_equal(job.skip, "");
	assert_int_equal(3, result.placements);
	near("samples", 3, result.samples);
	near("median of all", 5.5, result.median);
	near("spread", 40 / 110., result.placement_spread);
	near("operations", 30, result.ops);
	assert_int_equal(2, script.uses[0]); /* mapped, and given to the row */
	assert_int_equal(4, script.uses[1]);
	assert_int_equal(6, script.uses[2]);
	assert_int_equal(8, b.arena_uses);
	assert_int_equal(PAGE_4K, result.page_bytes);
	assert_ptr_equal(script.base[2], job.arena.base); /* the last one's job stays */
	asked.ops = 0;
	measure(3);
	near("operations, one each", 3, result.ops);
}

static void expect_one_placement(void)
{
	measure(3);
	assert_int_equal(1, script.prepared);
	near("placements", 0, result.placements);
	assert_int_equal(2, b.arena_uses);
}

TEST(one_placement_is_none)
{
	in_three_places();
	row.cost_ns = 1.01; /* there is no time for three preparations */
	expect_one_placement();
	reset();
	in_three_places();
	room.facts.frames_scattered = false;
	expect_one_placement();
	reset();
	in_three_places();
	row.page_bytes = PAGE_2M;
	expect_one_placement();
}

/* A sixth of the time for each, which is three calls of 65 ns, and one that ends after it. */
TEST(placements_share_the_time)
{
	in_three_places();
	asked.max_samples = 100;
	measure(9 * 65);
	assert_int_equal(4 + 3 + 3, samples.n);
	reset();
	in_three_places();
	asked.min_samples = asked.max_samples = 0;
	measure(1e12);
	assert_int_equal(3 * 5, samples.n); /* enough of each */
	script.switches = 1;
	measure(1e12);
	assert_int_equal(3 * 33, samples.n); /* each asked after 5, 7, 10, 15, 22 and 33 */
	asked.max_samples = 6;
	measure(1e12);
	assert_int_equal(3 * 2, samples.n);
}

TEST(other_placements_begin_in_the_first_half)
{
	uint64_t base, bytes, most = 0;

	in_three_places();
	for (unsigned i = 0; i < 100; i++) {
		measure(3);
		base = (uint64_t)b.arena.base;
		bytes = b.arena.bytes;
		assert_true(script.base[0] == base && script.bytes[0] == bytes);
		for (unsigned at = 1; at < 3; at++) {
			assert_true(script.base[at] - base < bytes / 2);
			assert_int_equal(0, (script.base[at] - base) % PAGE_4K);
			assert_int_equal(base + bytes, script.base[at] + script.bytes[at]);
			if (script.base[at] - base > most)
				most = script.base[at] - base;
		}
	}
	assert_true(most > bytes / 4);
	b.arena.bytes = PAGE_4K; /* that has no half */
	measure(3);
	assert_true(script.base[2] == base && script.bytes[2] == PAGE_4K);
}

TEST(a_placement_may_fail)
{
	in_three_places();
	script.fails_at = 3;
	VALUES_ARE(100, 110, 140);
	assert_int_equal(MEASURED_OK, measure(3));
	assert_int_equal(2, result.placements);
	near("samples", 2, result.samples);
	near("spread", 10 / 105., result.placement_spread);
	reset();
	in_three_places();
	row.unit = &unit_gbs;
	asked.min_samples = asked.max_samples = 6;
	VALUES_ARE(100, 100, 100, 0);
	assert_int_equal(MEASURED_OK, measure(3));
	near("nothing of it is kept", 2, result.samples);
	near("nor of its operations", 20, result.ops);
	assert_false(job.no_number);
	reset();
	in_three_places();
	script.wrong_at = 2;
	expect_not(MEASURED_WRONG, "proof failed: the loop returned 0x4e, plain C says 0x4d", 2);
}
