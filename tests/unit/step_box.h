/* SPDX-License-Identifier: MIT */
/*
 * A made-up machine for tests of the notes of steps: its steps hang, its power is cut before and
 * within each write, its stick or its variables fail.
 */
#ifndef TESTS_UNIT_STEP_BOX_H
#define TESTS_UNIT_STEP_BOX_H

#include <stdio.h>
#include <string.h>

#include "kernel/firmware/firmware_calls.h"
#include "kernel/journal.h"
#include "tests/unit/test.h"

static struct {
	/* what outlives a start */
	char file[JOURNAL_BYTES], variable[sizeof(struct journal_note)];
	size_t file_bytes, variable_bytes;
	/* how it behaves */
	const char *hangs;       /* this step never ends */
	bool exit_hangs;         /* ExitBootServices itself */
	bool set_hangs;          /* SetVariable after the exit */
	bool read_only, forgets; /* the stick; the variables, at each start */
	bool lies;               /* SetVariable says that it stored */
	bool no_file;            /* there is no place for it */
	bool no_store;           /* variables cannot be set after the exit */
	uint64_t refuses;        /* SetVariable's status after the exit, but for deletions */
	bool refuses_all;        /* after the exit and `granted` calls, deletions too */
	unsigned granted;
	unsigned file_granted; /* writes before the stick turns read-only, from 1 on; 0: it stays */
	unsigned halves_left;  /* of writes, before the power is cut; 0: it is not */
	/* what a start did */
	bool active;
	unsigned writes, done;
	char said[4096];
} box;

static jmp_buf off;

/* A write happens whole, or half of it, or not at all: the power is cut at each half of a write. */
static size_t cut(size_t n)
{
	unsigned left = box.halves_left;

	box.writes++;
	box.halves_left = left > 2 ? left - 2 : 0;
	return left == 1 ? 0 : left == 2 ? n / 2 : n;
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
	if (box.file_granted && --box.file_granted == 0)
		box.read_only = true;
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
	assert_string_equal(name, "AnechoicJournal");
	if (!box.variable_bytes)
		return EFI_STATUS_NOT_FOUND;
	if (*n < box.variable_bytes)
		return EFI_STATUS_BUFFER_TOO_SMALL;
	memcpy(data, box.variable, *n = box.variable_bytes);
	return 0;
}

static uint64_t set(const char *name, const void *data, size_t n)
{
	assert_string_equal(name, "AnechoicJournal");
	assert_true(n <= sizeof box.variable);
	if (!box.active && box.set_hangs)
		longjmp(off, 1);
	if (!box.active && box.refuses && n)
		return box.refuses;
	if (!box.active && box.refuses_all && box.granted-- == 0)
		return box.granted = 0, EFI_STATUS_ERROR | 9;
	if (box.lies)
		return 0;
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

static const struct journal_storage storage = { file_read, file_write, get, set, boot_services,
	say };

static inline void say_nothing_hung(void)
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
	journal_open(&(struct journal_setup){
		&storage, choice, machine, "20260101T000000Z", box.no_file, true, !box.no_store });
}

/* What the program does at a step: leaves it out if it hung before. */
static inline void try(const char *name)
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
static inline bool start(void)
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

static void new_box(void)
{
	memset(&box, 0, sizeof box);
}

#endif
