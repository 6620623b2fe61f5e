/* SPDX-License-Identifier: MIT */
/*
 * The counts of the journal: entries of room bare, resets in a row. What was counted comes back,
 * whenever the power is cut; a firmware that forgets is noticed; no machine is reset for ever.
 */
#include "kernel/finish.h"
#include "tests/unit/step_box.h"
#include "tests/unit/test.h"

BEFORE_EACH(new_box);

static const char cannot_store[] = "the firmware does not store a variable";
static const char cannot_file[] = "the starts cannot be counted in a file";

/* The longest text there is. */
TEST(the_file_comes_back)
{
	struct journal_file some = { 0xfffffffe,
		{ "usb-00:14.0-longest", "20260101T000000Z-78", 0, 0 }, 0xffffffff, STEPS_HUNG,
		{ { "", "", false, false } }, { 0xffffffff, 0xffffffff, UINT64_MAX } };
	struct journal_file back;
	char text[JOURNAL_BYTES];

	for (unsigned i = 0; i < STEPS_HUNG; i++) {
		some.hung[i] = some.at;
		some.hung[i].once = i & 1;
		some.hung[i].last = i & 2;
	}
	journal_write(&some, text);
	assert_null(journal_read(&back, text, sizeof text));
	assert_memory_equal(&back, &some, sizeof some);
}

TEST(entries_are_counted_until_a_result_came_home)
{
	bool forgets;

	for (unsigned i = 0; i < ENTRIES_MAX; i++) {
		open_as(1, STATE_KEEP);
		assert_int_equal(entries_before(), i);
		assert_null(entries_add(true, &forgets));
		assert_false(forgets);
	}
	open_as(1, STATE_KEEP);
	assert_int_equal(entries_before(), ENTRIES_MAX);
	entries_forget();
	open_as(1, STATE_KEEP);
	assert_int_equal(entries_before(), 0);
	assert_int_equal(box.variable_bytes, 0);
}

TEST(a_firmware_that_forgets_is_noticed)
{
	bool forgets;

	box.forgets = true;
	for (unsigned i = 0; i < 4; i++) {
		open_as(1, i == 2 ? STATE_CLEAR : i == 3 ? STATE_OFF : STATE_KEEP);
		const char *why = entries_add(true, &forgets);

		assert_int_equal(forgets, i > 0);
		assert_int_equal(why != NULL, i > 0);
	}
	open_as(2, STATE_KEEP); /* another machine */
	assert_null(entries_add(true, &forgets));
	assert_false(forgets);
}

/* What is not to be stored does not reset: no later start takes it for forgotten. */
TEST(an_entry_without_a_result_is_not_missed)
{
	bool forgets;

	box.forgets = true;
	for (unsigned i = 0; i < 2; i++) {
		open_as(1, STATE_KEEP);
		assert_null(entries_add(false, &forgets));
		assert_false(forgets);
	}
}

TEST(what_cannot_be_counted_is_said)
{
	bool forgets;

	box.lies = true;
	open_as(1, STATE_KEEP);
	assert_string_equal(entries_add(true, &forgets), cannot_store);
	assert_string_equal(resets_record(1, 0), cannot_store);
	box.lies = false;
	box.read_only = true;
	open_as(1, STATE_KEEP);
	assert_string_equal(entries_add(true, &forgets), cannot_file);
	assert_string_equal(resets_record(1, 0), cannot_file);
}

/* A start of the way home: room bare, whose result is stored, or its harvest. */
static bool come_home(bool *stored, unsigned *harvested)
{
	bool forgets;

	if (setjmp(off))
		return false;
	open_as(1, STATE_KEEP);
	if (*stored) {
		*stored = false;
		++*harvested;
		entries_forget();
	} else {
		assert_true(entries_before() < ENTRIES_MAX);
		assert_null(entries_add(true, &forgets));
		assert_false(forgets);
		leave_firmware();
		step_enter("setvar");
		*stored = true;
		step_left();
	}
	steps_end();
	return true;
}

/* Before and within each write of both starts. */
TEST(a_power_cut_does_not_look_like_a_firmware_that_forgets)
{
	bool whole = false;

	for (unsigned cuts = 1; !whole; cuts++) {
		bool stored = false;
		unsigned harvested = 0;

		new_box();
		box.halves_left = cuts;
		whole = come_home(&stored, &harvested) && come_home(&stored, &harvested);
		box.halves_left = 0;
		for (unsigned k = 0; k < 4; k++)
			assert_true(come_home(&stored, &harvested));
		assert_true(harvested >= 2);
		if (!stored)
			assert_int_equal(entries_before(), 0);
	}
}

/* How often a machine is reset until a run stops; each starts so many seconds after the last. */
static unsigned resets_until_stop(enum finish wanted, uint64_t gap, bool after_exit)
{
	uint64_t now = gap ? 1000 : 0;
	unsigned resets = 0;

	for (;; resets++) {
		struct reset_request r = { .wanted = wanted };
		const char *why;

		open_as(1, STATE_KEEP);
		if (after_exit) {
			resets_expect(now, now + 15);
			box.active = false;
		}
		r.before = resets_before(now);
		r.in_vain = resets_in_vain();
		bool goes = resets < 20 && reset_guard(&r, &why) == wanted;

		assert_null(resets_record(goes ? r.before + 1 : 0, now ? now + 20 : 0));
		if (!goes)
			return resets;
		now += gap ? 20 + gap : 0;
	}
}

TEST(a_reset_loop_stops_after_three)
{
	for (unsigned after_exit = 0; after_exit < 2; after_exit++)
		for (unsigned forgets = 0; forgets < 2; forgets++) {
			new_box();
			box.forgets = forgets;
			for (unsigned k = 0; k < 2; k++) { /* counting begins again */
				assert_int_equal(resets_until_stop(FINISH_POWEROFF, 60, after_exit),
					RESETS_MAX);
				assert_int_equal(resets_until_stop(FINISH_RESET, 0, after_exit),
					RESETS_MAX); /* no clock */
			}
			assert_int_equal(resets_until_stop(FINISH_RESET, RESET_GAP_SECONDS + 1,
						 after_exit),
				20);
		}
}

/* After the exit no file can be written: what was expected before it must be there. */
TEST(a_reset_that_could_not_be_expected_is_not_done)
{
	open_as(1, STATE_KEEP);
	box.read_only = true;
	resets_expect(1000, 1090);
	box.active = false;
	assert_string_equal(resets_record(1, 1090), cannot_file);
}

/* A variable that every reset clears, or that none does. */
TEST(without_a_file_only_what_is_known_to_stay_counts)
{
	box.no_file = box.read_only = box.forgets = true;
	for (unsigned k = 0; k < 3; k++)
		assert_int_equal(resets_until_stop(FINISH_RESET, 60, false), 0);
	new_box();
	box.no_file = box.read_only = true;
	assert_int_equal(resets_until_stop(FINISH_RESET, 60, false),
		0); /* a person starts it again */
	assert_int_equal(resets_until_stop(FINISH_RESET, 60, false), RESETS_MAX);
}

TEST(a_foreign_variable_is_not_counted)
{
	box.variable_bytes = 3;
	open_as(1, STATE_KEEP);
	assert_int_equal(resets_before(0), 0);
	memset(box.variable, 0xff, box.variable_bytes = sizeof box.variable);
	open_as(1, STATE_KEEP);
	assert_int_equal(resets_before(0), RESETS_MAX);
}
