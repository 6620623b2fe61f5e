/* SPDX-License-Identifier: MIT */
/*
 * What is said and left out where the notes of steps cannot be written, or tell nothing: a step
 * that came back is never said to have hung.
 */
#include "tests/unit/step_box.h"
#include "tests/unit/test.h"

#define CALLS 12 /* more than a start makes of SetVariable after the exit */

BEFORE_EACH(new_box);

/* Errors from any SetVariable on: nothing hung. Twice in a row: one step may be left out. */
TEST(refusals_are_no_hang)
{
	for (unsigned granted = 0; granted < CALLS; granted++) {
		new_box();
		box.refuses_all = true;
		box.granted = granted;
		for (unsigned k = 0; k < 3; k++) {
			box.granted = granted;
			assert_true(start());
			say_nothing_hung();
			if (k < 2)
				assert_int_equal(box.done, ALL);
		}
		if (box.done < ALL - 1)
			fail_msg("%u calls granted: %u of %u steps are done: %s", granted, box.done,
				ALL, box.said);
		if (box.done < ALL)
			assert_non_null(strstr(box.said, "could note no more"));
	}
}

/* The stick turns read-only in any of its writes, and is writable again later. */
TEST(a_stick_that_turns_read_only)
{
	for (unsigned writes = 1; writes < 6; writes++) {
		new_box();
		box.file_granted = writes;
		assert_true(start());
		for (unsigned k = 0; k < 3; k++) {
			assert_true(start());
			say_nothing_hung();
			assert_int_equal(box.done, ALL);
			if (k == 1)
				box.read_only = false;
		}
	}
}

/* Where a second hang could not be noted, the first one counts: left out ever after. */
TEST(a_hang_is_known_from_a_read_only_stick)
{
	for (unsigned hangs = 1; hangs <= 2; hangs++) {
		new_box();
		box.hangs = "mp-services";
		for (unsigned k = 0; k < hangs; k++)
			assert_false(start());
		box.read_only = true;
		for (unsigned k = 0; k < 3; k++) {
			assert_true(start());
			assert_int_equal(box.done, ALL - 1);
			assert_non_null(strstr(box.said, "did not come back from: mp-services"));
		}
	}
}

/*
 * Where SetVariable hangs, room bare runs without notes. Whether it came to its end is not known,
 * so the exit is not said to have hung; room bare is left out once, and tried again.
 */
TEST(room_bare_without_notes)
{
	box.set_hangs = true;
	assert_false(start());
	assert_false(start());
	for (unsigned k = 0; k < 3; k++) {
		assert_true(start());
		assert_int_equal(box.done, ALL - 1);
		assert_true(start());
		assert_int_equal(box.done, 1);
		assert_non_null(strstr(box.said, "cannot tell how it ended"));
		say_nothing_hung();
	}
}
