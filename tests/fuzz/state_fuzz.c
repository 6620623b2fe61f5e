/* SPDX-License-Identifier: MIT */
/*
 * The state of earlier starts: \anechoic.state with the variable that belongs to it. The input: a
 * byte of flags, the step of the variable, and the file; with SEALED the file gets its title, the
 * line of this machine and its checksum.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/console/console.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/journal.h"
#include "lib/crc32.h"
#include "tests/fuzz/fuzz.h"

enum { SEALED = 1, NO_VARIABLE = 2, READ_ONLY = 4, CLEAR = 8 };

#define SUMMED_BYTES (JOURNAL_BYTES - 13)

static const char *read_text(struct journal_state *, const char *text, size_t n);

static struct {
	uint8_t flags;
	char variable[JOURNAL_BYTES + 1];
	size_t variable_bytes;
	char file[JOURNAL_BYTES + 1];
	size_t file_bytes;
} left;

static uint64_t file_read(void *data, size_t *n)
{
	*n = left.file_bytes < *n ? left.file_bytes : *n;
	memcpy(data, left.file, *n);
	return 0;
}

static uint64_t file_write(const void *data, size_t n)
{
	struct journal_state s;

	if (n != JOURNAL_BYTES || read_text(&s, data, n))
		abort(); /* what is written can be read */
	return left.flags & READ_ONLY ? EFI_STATUS_ERROR | 8 : 0;
}

static uint64_t get(const char *name, void *data, size_t *n)
{
	if (left.flags & NO_VARIABLE)
		return EFI_STATUS_NOT_FOUND;
	*n = left.variable_bytes;
	memcpy(data, left.variable, *n);
	return 0;
}

static uint64_t set(const char *name, const void *data, size_t n)
{
	return 0;
}

static bool boot_services(void)
{
	return true;
}

static void say_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say_line(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (vsnprintf(NULL, 0, format, args) > 90)
		abort();
	va_end(args);
}

static const struct storage notes = { .get = get,
	.set = set,
	.state_read = file_read,
	.state_write = file_write,
	.boot_services = boot_services };

static const struct machine machine = { .firmware_vendor = "",
	.started_utc = "20260101T000000Z",
	.store = { .usable = true, .usable_at_runtime = true } };

#define firmware_storage notes
#define console_printf   say_line
#include "kernel/journal.c"

/* The last line: "sum 01234567". */
static void seal(void)
{
	char sum[14];

	snprintf(sum, sizeof sum, "sum %08x\n", crc32_of(0, left.file, SUMMED_BYTES));
	memcpy(left.file + SUMMED_BYTES, sum, JOURNAL_BYTES - SUMMED_BYTES);
}

static void fill(const uint8_t *data, size_t n)
{
	const struct journal_state none = { .machine = this_program_on(&machine) };
	size_t title = 0;

	if (left.flags & SEALED) {
		write_text(&none, true, left.file);
		title = (size_t)(strchr(strchr(left.file, '\n') + 1, '\n') + 1 - left.file);
		n = n < SUMMED_BYTES - title ? n : SUMMED_BYTES - title;
	}
	n = n < sizeof left.file ? n : sizeof left.file;
	memcpy(left.file + title, data, n);
	left.file_bytes = left.flags & SEALED ? JOURNAL_BYTES : n;
	if (left.flags & SEALED)
		seal();
}

/* A state that can be read is the same once it was written. */
static void read_and_write(void)
{
	char once[JOURNAL_BYTES + 1], again[JOURNAL_BYTES + 1];
	struct journal_state s;

	if (read_text(&s, left.file, left.file_bytes))
		return;
	if (read_text(&s, once, write_text(&s, true, once)))
		abort();
	write_text(&s, true, again);
	if (memcmp(once, again, JOURNAL_BYTES))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct journal_state variable = { 0 };
	struct config config = { 0 };
	const char *why;

	if (n <= STEP_NAME)
		return 0;
	left.flags = *data;
	memcpy(variable.at.name, data + 1, STEP_NAME - 1);
	left.variable_bytes = write_text(&variable, false, left.variable);
	fill(data + 1 + STEP_NAME, n - 1 - STEP_NAME);
	read_and_write();
	config.state = left.flags & CLEAR ? STATE_CLEAR : STATE_KEEP;
	journal_open(&machine, &config);
	step_hung("setvar");
	step_hung("exit");
	step_enter("mp-services");
	step_left();
	entries_add(true, &why);
	entries_forget();
	resets_record(resets_before(1) + 1, 1);
	return 0;
}
