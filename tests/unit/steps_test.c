/* SPDX-License-Identifier: MIT */
/*
 * The notes of steps that may hang: a made-up machine whose steps hang, whose power is cut before
 * and within each write, and whose stick or variables fail. A hang costs one start.
 */
#include "tests/unit/step_box.h"

static void whole_starts_leave_nothing(void **state)
{
	(void)state;
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

static void a_hang_costs_one_start(void **state)
{
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		new_box(state);
		box.hangs = names[i];
		assert_false(start());
		for (unsigned k = 0; k < 2; k++) { /* it is remembered */
			if (!start())
				fail_msg("%s hangs a second time", names[i]);
			assert_int_equal(box.done, ALL - 1);
			assert_non_null(strstr(box.said, names[i]));
			assert_non_null(strstr(box.said, "state = clear"));
		}
	}
}

static void two_steps_that_hang_cost_two_starts(void **state)
{
	(void)state;
	box.hangs = "usb-00:14.0";
	assert_false(start());
	box.hangs = "mp-services";
	assert_false(start());
	assert_true(start());
	assert_int_equal(box.done, ALL - 2);
}

/* SetVariable, then, where it is ExitBootServices itself, room bare. */
static void the_exit(void **state)
{
	(void)state;
	box.set_hangs = true;
	assert_false(start());
	assert_true(start());
	assert_non_null(strstr(box.said, "runtime"));
	assert_int_equal(box.done, ALL - 1);
	new_box(state);
	box.exit_hangs = true;
	assert_false(start());
	assert_false(start());
	assert_true(start());
	assert_non_null(strstr(box.said, "exit"));
	assert_int_equal(box.done, 1);
}

static void switched_off_while_measuring(void **state)
{
	(void)state;
	if (!setjmp(off)) {
		open_as(1, STATE_KEEP);
		leave_firmware();
	}
	assert_true(start());
	assert_int_equal(box.done, ALL);
	assert_non_null(strstr(box.said, "switched off"));
	say_nothing_hung();
}

/* Whenever the power fails: at most the step of that moment is left out, once forgotten none. */
static void power_cuts(void **state)
{
	unsigned cuts;

	for (cuts = 1;; cuts++) {
		new_box(state);
		box.writes_left = cuts;
		bool whole = start();

		box.writes_left = 0;
		assert_true(start());
		if (box.done < ALL - 1)
			fail_msg("cut %u: %u of %u steps are done: %s", cuts, box.done, ALL,
				box.said);
		/*
		 * a cut just after the exit looks as if SetVariable hung, and then as if the exit
		 * did
		 */
		unsigned kept = step_hung("runtime") ? 1 : box.done;

		assert_true(start());
		assert_int_equal(box.done, kept);
		open_as(1, STATE_CLEAR);
		say_nothing_hung();
		assert_true(start());
		assert_int_equal(box.done, ALL);
		if (whole)
			break;
	}
	assert_true(cuts > 2 * box.writes / 2);
}

static void a_stick_that_cannot_be_written(void **state)
{
	(void)state;
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
static void no_variables(void **state)
{
	(void)state;
	box.no_store = true;
	box.hangs = "usb-00:14.0";
	assert_false(start());
	assert_int_equal(box.variable_bytes, 0);
	box.hangs = NULL;
	assert_true(start());
	assert_int_equal(box.done, ALL);
	assert_non_null(strstr(box.said, "cannot tell how it ended"));
	new_box(state);
	box.forgets = true;
	assert_true(start());
	assert_true(start());
	assert_int_equal(box.done, ALL);
	assert_non_null(strstr(box.said, "its variables are lost"));
}

/* A firmware that answers with an error did not hang. */
static void variables_that_are_refused(void **state)
{
	(void)state;
	box.refuses = EFI_STATUS_ERROR | 9;
	assert_true(start());
	assert_int_equal(box.done, ALL);
	assert_true(start());
	say_nothing_hung();
}

static void another_machine_and_damage(void **state)
{
	(void)state;
	box.hangs = "mp-services";
	assert_false(start());
	open_as(1, STATE_OFF);
	assert_null(step_hung("mp-services"));
	step_enter("cpus");
	assert_int_equal(box.writes, 0);
	char before[STEP_STATE_BYTES];

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

static void more_than_there_is_room_for(void **state)
{
	char name[STEP_NAME];

	(void)state;
	for (unsigned i = 0; i < STEPS_HUNG + 3; i++) {
		snprintf(name, sizeof name, "usb-%02x:%02x.%u-longest", i, 0x1f, i % 8);
		open_as(1, STATE_KEEP);
		step_enter(name);
	}
	open_as(1, STATE_KEEP);
	assert_non_null(step_hung(name));
	assert_null(step_hung("usb-00:1f.0-longest"));
	assert_int_equal(box.file[STEP_STATE_BYTES - 1], '\n');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(whole_starts_leave_nothing, new_box),
		cmocka_unit_test_setup(a_hang_costs_one_start, new_box),
		cmocka_unit_test_setup(two_steps_that_hang_cost_two_starts, new_box),
		cmocka_unit_test_setup(the_exit, new_box),
		cmocka_unit_test_setup(switched_off_while_measuring, new_box),
		cmocka_unit_test_setup(power_cuts, new_box),
		cmocka_unit_test_setup(a_stick_that_cannot_be_written, new_box),
		cmocka_unit_test_setup(no_variables, new_box),
		cmocka_unit_test_setup(variables_that_are_refused, new_box),
		cmocka_unit_test_setup(another_machine_and_damage, new_box),
		cmocka_unit_test_setup(more_than_there_is_room_for, new_box),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
