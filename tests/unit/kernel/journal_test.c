/* SPDX-License-Identifier: MIT */
/*
 * The notes of steps that may hang: a made-up machine whose steps hang, whose power is cut before
 * and within each write, and whose stick or variables fail. A hang costs two starts, a cut none.
 */
#include "tests/unit/step_box.h"
#include "tests/unit/test.h"

BEFORE_EACH(new_box);

TEST(whole_starts_leave_nothing)
{
	for (unsigned i = 0; i < 3; i++) {
		assert_true(start());
		assert_int_equal(box.done, ALL);
		assert_string_equal(box.said, "");
	}
	open_as(1, STATE_KEEP);
	assert_string_equal(box.said, "");
	assert_int_equal(box.variable_bytes, 0);
}

static const char *const names[] = { "mp-services", "cpus", "usb-00:14.0", "usb-3a:00.0",
	"setvar" };

/* A power cut looks just like it: the step is tried again, and what came back is forgotten. */
TEST(a_step_left_open_once_is_tried_again)
{
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		new_box();
		for (unsigned k = 0; k < 2; k++) {
			box.hangs = names[i];
			assert_false(start());
			box.hangs = NULL;
			assert_true(start());
			assert_int_equal(box.done, ALL);
			assert_non_null(strstr(box.said, names[i]));
			assert_non_null(strstr(box.said, "tried again"));
			assert_null(strstr(box.said, "state = clear"));
			assert_true(start());
			assert_int_equal(box.done, ALL);
			assert_string_equal(box.said, "");
		}
	}
}

/* The starts after two hangs leave the step out, ten of them; the next one tries it anew. */
TEST(a_hang_costs_two_starts_in_twelve)
{
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		new_box();
		box.hangs = names[i];
		assert_false(start());
		for (unsigned round = 0; round < 2; round++) {
			assert_false(start());
			for (unsigned k = 0; k < STEPS_GOOD; k++) { /* it is remembered */
				if (!start())
					fail_msg("%s hangs again after %u starts", names[i], k);
				assert_int_equal(box.done, ALL - 1);
				assert_non_null(strstr(box.said, names[i]));
				assert_non_null(strstr(box.said, "state = clear"));
			}
		}
		box.hangs = NULL;
		assert_true(start());
		assert_int_equal(box.done, ALL);
		assert_non_null(strstr(box.said, "tried again"));
		assert_true(start());
		assert_string_equal(box.said, "");
	}
}

TEST(two_steps_that_hang_cost_four_starts)
{
	for (unsigned k = 0; k < 4; k++) {
		box.hangs = k < 2 ? "usb-00:14.0" : "mp-services";
		assert_false(start());
	}
	assert_true(start());
	assert_int_equal(box.done, ALL - 2);
}

/* SetVariable, then, where it is ExitBootServices itself, room bare. */
TEST(the_exit)
{
	box.set_hangs = true;
	assert_false(start());
	assert_false(start());
	assert_true(start());
	assert_non_null(strstr(box.said, "runtime"));
	assert_int_equal(box.done, ALL - 1);
	new_box();
	box.exit_hangs = true;
	for (unsigned k = 0; k < 3; k++)
		assert_false(start());
	assert_true(start());
	assert_non_null(strstr(box.said, "exit"));
	assert_int_equal(box.done, 1);
}

TEST(switched_off_while_measuring)
{
	if (!setjmp(off)) {
		open_as(1, STATE_KEEP);
		leave_firmware();
	}
	assert_true(start());
	assert_int_equal(box.done, ALL);
	assert_non_null(strstr(box.said, "switched off"));
	say_nothing_hung();
}

/* The power fails once: the next start leaves nothing out, and the one after says nothing. */
TEST(power_cuts)
{
	bool whole = false;

	for (unsigned cuts = 1; !whole; cuts++) {
		new_box();
		box.halves_left = cuts;
		whole = start();
		if (whole)
			assert_true(cuts > box.writes && box.writes > ALL);

		box.halves_left = 0;
		for (unsigned k = 0; k < 2; k++) {
			assert_true(start());
			if (box.done < ALL)
				fail_msg("cut %u: %u of %u steps are done: %s", cuts, box.done, ALL,
					box.said);
			if (k)
				assert_string_equal(box.said, "");
		}
	}
}

/* Twice at the same moment: at most the step of that moment is left out, once forgotten none. */
TEST(the_same_power_cut_twice)
{
	bool whole = false;

	for (unsigned cuts = 1; !whole; cuts++) {
		new_box();
		for (unsigned k = 0; k < 2; k++) {
			box.halves_left = cuts;
			whole = start();
		}
		box.halves_left = 0;
		assert_true(start());
		if (box.done < ALL - 1)
			fail_msg("cut %u: %u of %u steps are done: %s", cuts, box.done, ALL,
				box.said);
		open_as(1, STATE_CLEAR);
		say_nothing_hung();
		assert_true(start());
		assert_int_equal(box.done, ALL);
	}
}

TEST(a_stick_that_cannot_be_written)
{
	box.read_only = true;
	for (unsigned i = 0; i < 2; i++) {
		assert_true(start());
		assert_int_equal(box.done, ALL);
		assert_int_equal(box.writes, 0);
		char *once = strstr(box.said, "write-protected");

		assert_non_null(once);
		assert_null(strstr(once + 1, "write-protected"));
	}
}

/* Without variables after the exit nothing is known, so nothing is left out. */
TEST(no_variables)
{
	box.no_store = true;
	box.hangs = "usb-00:14.0";
	assert_false(start());
	assert_int_equal(box.variable_bytes, 0);
	box.hangs = NULL;
	assert_true(start());
	assert_int_equal(box.done, ALL);
	assert_non_null(strstr(box.said, "cannot tell how it ended"));
	new_box();
	box.forgets = true;
	assert_true(start());
	assert_true(start());
	assert_int_equal(box.done, ALL);
	assert_non_null(strstr(box.said, "its variables are lost"));
}

/* A firmware that answers with an error did not hang. */
TEST(variables_that_are_refused)
{
	box.refuses = EFI_STATUS_ERROR | 9;
	assert_true(start());
	assert_int_equal(box.done, ALL);
	assert_true(start());
	say_nothing_hung();
}

TEST(another_machine_and_damage)
{
	box.hangs = "mp-services";
	assert_false(start());
	assert_false(start());
	open_as(1, STATE_KEEP);
	open_as(1, STATE_OFF);
	assert_null(step_hung("mp-services"));
	step_enter("cpus");
	assert_int_equal(box.writes, 0);
	char before[JOURNAL_BYTES];

	memcpy(before, box.file, sizeof before);
	for (unsigned i = 0; i < sizeof before; i++) {
		box.file[i] ^= 1;
		open_as(1, STATE_KEEP);
		if (step_hung("mp-services"))
			fail_msg("byte %u is wrong, and what it says is believed", i);
		assert_non_null(strstr(box.said, "is not used"));
		memcpy(box.file, before, sizeof before);
	}
	open_as(2, STATE_KEEP);
	say_nothing_hung();
	open_as(1, STATE_KEEP);
	assert_non_null(step_hung("mp-services"));
	assert_null(step_hung("cpus"));
}

TEST(more_than_there_is_room_for)
{
	char name[STEP_NAME];

	for (unsigned i = 0; i < 2 * STEPS_HUNG + 6; i++) {
		snprintf(name, sizeof name, "usb-%02x:%02x.%u-longest", i / 2, 0x1f, i / 2 % 8);
		open_as(1, STATE_KEEP);
		step_enter(name);
	}
	open_as(1, STATE_KEEP);
	assert_non_null(step_hung(name));
	assert_null(step_hung("usb-00:1f.0-longest"));
	assert_int_equal(box.file[JOURNAL_BYTES - 1], '\n');
}
