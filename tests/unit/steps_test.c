/* SPDX-License-Identifier: MIT */
/*
 * The notes of steps that may hang: a made-up machine whose steps hang, whose power is cut before
 * and within each write, and whose stick or variables fail. A hang costs one start.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/firmware/efi_status.h"
#include "kernel/steps.h"

static struct {
	/* what outlives a start */
	char file[STEP_STATE_BYTES], variable[STEP_NAME];
	size_t file_bytes, variable_bytes;
	/* how it behaves */
	const char *hangs;       /* this step never ends */
	bool exit_hangs;         /* ExitBootServices itself */
	bool set_hangs;          /* SetVariable after the exit */
	bool read_only, forgets; /* the stick; the variables, at each start */
	bool no_store;           /* variables cannot be set after the exit */
	uint64_t refuses;        /* SetVariable's status after the exit */
	unsigned writes_left;    /* before the power is cut, which may be within a write */
	/* what a start did */
	bool active;
	unsigned writes, done;
	char said[4096];
} box;

static jmp_buf off;

/* A write happens whole, or half of it, or not at all. */
static size_t cut(size_t n)
{
	box.writes++;
	if (box.writes_left == 0)
		return n;
	box.writes_left--;
	return box.writes_left == 1 ? n / 2 : box.writes_left == 0 ? 0 : n;
}

static uint64_t file_read(void *data, size_t *n)
{
	if (!box.file_bytes)
		return EFI_STATUS_NOT_FOUND;
	if (*n > box.file_bytes)
		*n = box.file_bytes;
	memcpy(data, box.file, *n);
	return 0;
}

static uint64_t file_write(const void *data, size_t n)
{
	size_t part;

	assert_true(box.active);
	assert_int_equal(n, sizeof box.file);
	if (box.read_only)
		return EFI_STATUS_ERROR | 8;
	part = cut(n);
	memcpy(box.file, data, part);
	if (part > box.file_bytes)
		box.file_bytes = part;
	if (part < n)
		longjmp(off, 1);
	return 0;
}

static uint64_t get(const char *name, void *data, size_t *n)
{
	assert_string_equal(name, "AnechoicStep");
	if (!box.variable_bytes)
		return EFI_STATUS_NOT_FOUND;
	if (*n < box.variable_bytes)
		return EFI_STATUS_BUFFER_TOO_SMALL;
	memcpy(data, box.variable, *n = box.variable_bytes);
	return 0;
}

static uint64_t set(const char *name, const void *data, size_t n)
{
	assert_string_equal(name, "AnechoicStep");
	assert_true(n <= sizeof box.variable);
	if (!box.active && box.set_hangs)
		longjmp(off, 1);
	if (!box.active && box.refuses && n)
		return box.refuses;
	if (cut(4) < 4) /* SetVariable is atomic */
		longjmp(off, 1);
	memcpy(box.variable, data ? data : "", n);
	box.variable_bytes = n;
	return 0;
}

static bool boot_services(void)
{
	return box.active;
}

static void say(const char *line)
{
	assert_true(strlen(line) < 80);
	strncat(box.said, line, sizeof box.said - strlen(box.said) - 2);
	strcat(box.said, "\n");
}

static const struct step_storage storage = { file_read, file_write, get, set, boot_services, say };

static void say_nothing_hung(void)
{
	if (strstr(box.said, "did not come back"))
		fail_msg("expected nothing hung, came: %s", box.said);
}

static void open_as(uint32_t machine, enum state_choice choice)
{
	box.active = true;
	box.writes = box.done = 0;
	box.said[0] = 0;
	if (box.forgets)
		box.variable_bytes = 0;
	steps_open(&(struct steps_setup){
		&storage, choice, machine, "20260101T000000Z", true, !box.no_store });
}

/* What the program does at a step: leaves it out if it hung before. */
static void try(const char *name)
{
	if (step_hung(name))
		return;
	step_enter(name);
	if (box.hangs && strcmp(box.hangs, name) == 0)
		longjmp(off, 1);
	box.done++;
}

#define ALL 6 /* what a start does where nothing is left out */

static void leave_firmware(void)
{
	step_enter("exit");
	if (box.exit_hangs)
		longjmp(off, 1);
	box.active = false;
	step_left();
	box.done++;
}

/* One start. true: it came to its end. */
static bool start(void)
{
	if (setjmp(off))
		return false;
	open_as(1, STATE_KEEP);
	try("mp-services");
	step_left();
	if (!step_hung("exit")) {
		leave_firmware();
		try("cpus");
		try("usb-00:14.0");
		try("usb-3a:00.0");
		step_left();
		try("setvar");
	}
	steps_end();
	return true;
}

static int new_box(void **state)
{
	(void)state;
	memset(&box, 0, sizeof box);
	return 0;
}

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
