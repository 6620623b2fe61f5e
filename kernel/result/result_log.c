/* SPDX-License-Identifier: MIT */
#include "kernel/result/result_log.h"

#include <string.h>

#include "kernel/console/console.h"
#include "kernel/console/serial.h"
#include "kernel/cpu/x86.h"
#include "kernel/dashboard/dashboard.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/watchdog/watchdog.h"
#include "lib/crc32.h"
#include "lib/result_keys.h"
#include "lib/result_line.h"
#include "lib/text.h"

/* lines after which the run line is repeated: without it a result is worth nothing */
#define RUN_LINE_EVERY 100

/* Sends one line, newline included. */
typedef void line_fn(const char *line, size_t n);

/* The length of the line at text, newline included. */
static size_t line_bytes(const char *text, const char *end)
{
	const char *next = text;

	while (next < end && *next++ != '\n')
		;
	return (size_t)(next - text);
}

/*
 * Send every line of text[0..n) in order. `repeat`: send the first one again, unchanged, after
 * every RUN_LINE_EVERY lines and before the last one (docs/format.md, "On a serial line").
 */
static void sent_lines(const char *text, size_t n, bool repeat, line_fn *send)
{
	const char *end = text + n, *line = text;
	size_t first = line_bytes(text, end), bytes;

	for (size_t sent = 0; line < end; line += bytes, sent++) {
		bytes = line_bytes(line, end);
		if (repeat && sent && (sent % RUN_LINE_EVERY == 0 || line + bytes == end))
			send(text, first);
		send(line, bytes);
	}
}

static struct {
	enum room_kind kind;
	char *text; /* in machine->logs */
	size_t bytes, used;
	bool cut;                  /* a line did not fit into text */
	bool wanted;               /* a file is to be opened with the first line */
	bool file;                 /* a file is open */
	bool same;                 /* the file is closed, and was read back the same */
	size_t filed;              /* bytes of text that are in the file */
	uint64_t failed;           /* first error of an append */
	uint64_t filed_at, second; /* TSC at the last append; TSC ticks a second */
	char name[STORED_RESULT_FILE];
} results;

static const struct machine *machine;
static const struct options *options;
static const char *stem; /* begins all file names of this start */

static void name_of(char out[STORED_RESULT_FILE], enum room_kind kind, unsigned run)
{
	char number[8] = "";

	if (options->runs > 1) /* equal numbers of digits, so that names sort as runs are counted */
		text_format(number, sizeof number, options->runs < 10 ? "-%u" : "-%02u", run);
	text_format(out, STORED_RESULT_FILE, "%s-%s%s.ndjson", stem, room_names[kind], number);
}

void results_file(char out[STORED_RESULT_FILE], enum room_kind kind)
{
	name_of(out, kind, options->run);
}

static bool is_taken(void)
{
	char firmware[STORED_RESULT_FILE], bare[STORED_RESULT_FILE];
	bool taken = false;

	for (unsigned run = 1; run <= options->runs && !taken; run++) {
		name_of(firmware, ROOM_FIRMWARE, run);
		name_of(bare, ROOM_BARE, run);
		taken = firmware_storage.file_exists(firmware) ||
			firmware_storage.file_exists(bare);
	}
	return taken;
}

void results_name(const struct machine *m, const struct options *opt, char to[SERIES_STEM])
{
	const char *utc = m->started_utc[0] ? m->started_utc : "notime";

	machine = m;
	options = opt;
	stem = to;
	if (*to)
		return;
	text_format(to, SERIES_STEM, "%s", utc);
	for (unsigned i = 2; !m->file_absent && i < 10000 && is_taken(); i++)
		text_format(to, SERIES_STEM, "%s-%u", utc, i);
}

bool result_is_whole(const char *text, size_t n)
{
	char crc[9], known[9];
	struct line last = line_last(text, n);

	if (!last.text || !line_string(last, KEY_CRC_ALL, known, sizeof known))
		return false;
	text_format(crc, sizeof crc, "%08x", crc32_of(0, text, (size_t)(last.text - text)));
	return !strcmp(crc, known);
}

bool results_there(enum room_kind kind)
{
	char name[STORED_RESULT_FILE], *text = (char *)machine->logs.base;
	size_t n = machine->logs.bytes;

	results_file(name, kind);
	return !machine->file_absent && !firmware_storage.file_read(name, text, &n) &&
		result_is_whole(text, n);
}

static void say_no_file(uint64_t status)
{
	console_printf("no result file: %s%s\n  cannot be created: %s\n", machine->file_prefix,
		results.name, efi_status_text(status));
}

bool results_at_server(const struct machine *m)
{
	return *m->server && !m->file_elsewhere;
}

const char *results_place(const struct machine *m)
{
	static char place[80];

	if (m->file_elsewhere)
		return "\n  of another volume";
	if (!m->home_folder[0])
		return "";
	text_format(place, sizeof place, "\n  of %s", m->home_folder);
	return place;
}

/* Create the file here, or at the next place where that works. Returns false if there is none. */
static bool create_file(void)
{
	uint64_t status;

	while ((status = firmware_storage.file_create(results.name))) {
		say_no_file(status);
		if (!firmware_storage.file_next_place())
			return false;
	}
	console_printf("results go to %s%s%s%s\n",
		results_at_server(machine) ? "the boot server, when the room has ended, as\n  "
					   : "",
		machine->file_prefix, results.name, results_place(machine));
	return true;
}

void results_open(const struct machine *m, enum room_kind kind, double tsc_hz)
{
	machine = m;
	memset(&results, 0, sizeof results);
	results.second = (uint64_t)tsc_hz;
	results.filed_at = rdtsc();
	results.kind = kind;
	results.text = (char *)m->logs.base;
	results.bytes = m->logs.bytes;
	if (kind != ROOM_FIRMWARE && !m->files_stay)
		return;
	results_file(results.name, kind);
	results.wanted = !m->file_absent;
	if (!results.wanted)
		console_printf("no result file: %s\n", m->file_absent);
}

static void say_incomplete(void)
{
	console_printf("%s%s%sis NOT complete:\n  writing failed: %s\n", machine->file_prefix,
		results.name, machine->file_gap, efi_status_text(results.failed));
}

static void append(const char *text, size_t n)
{
	if (!n || !results.file || results.failed)
		return;
	results.failed = firmware_storage.file_append(text, n);
	if (results.failed)
		say_incomplete(); /* now: there is time to do something about it */
}

/* Write all of it into a new file at the next place. Returns false if there is none. */
static bool begin_elsewhere(void)
{
	if (!firmware_storage.file_next_place() || !create_file())
		return false;
	results.file = true;
	results.failed = 0;
	append(results.text, results.used);
	return true;
}

/* Append the new lines. */
static void bring_up_to_date(void)
{
	append(results.text + results.filed, results.used - results.filed);
	while (results.failed && !results.cut && begin_elsewhere())
		;
	results.filed = results.used;
	results.filed_at = rdtsc();
}

/* Open the file with the first line: a run that cannot begin leaves no empty file. */
static void open_file(void)
{
	results.file = results.wanted && create_file();
	results.wanted = false;
}

void results_add(const char *line, size_t n)
{
	if (results.wanted)
		open_file();
	if (n > results.bytes - results.used) {
		results.cut = true;
		bring_up_to_date();
		append(line, n);
		return;
	}
	memcpy(results.text + results.used, line, n);
	results.used += n;
	if (rdtsc() - results.filed_at >= results.second)
		bring_up_to_date();
}

/* Send a line and feed the watchdog: at 9600 baud all lines take a quarter of an hour. */
static void send_line(const char *line, size_t n)
{
	watchdog_feed();
	console_result(line, n);
}

void results_send(void)
{
	if (!results.used || !console_sends_results())
		return;
	console_printf("sending %llu bytes of results over the serial line\n",
		(unsigned long long)results.used);
	sent_lines(results.text, results.used, serial_loses_bytes(), send_line);
}

/*
 * Compare the closed file with the copy in memory. A server may have taken it without giving it
 * back.
 */
static enum file_match read_back(void)
{
	enum file_match match = FILE_OTHER;
	uint64_t status =
		firmware_storage.file_compare(results.name, results.text, results.used, &match);

	console_printf("%s%s%s", machine->file_prefix, results.name, machine->file_gap);
	if (status)
		console_printf("cannot be read back: %s\n", efi_status_text(status));
	else
		console_printf(match == FILE_SAME ? "read back, the same: %llu bytes\n"
				: match == FILE_TAKEN
				? "taken by the server, which does not give it back: %llu bytes\n"
				: "does NOT read back as written (%llu bytes)\n",
			(unsigned long long)results.used);
	return status ? FILE_OTHER : match;
}

/* Close the file, and compare it. Returns false if all of it must be written somewhere else. */
static bool close_file(void)
{
	uint64_t status = firmware_storage.file_close();

	results.file = false;
	if (!results.failed)
		results.failed = status;
	if (results.failed)
		say_incomplete(); /* again, where the last lines are read */
	/* A file with more lines than memory cannot be compared. */
	if (results.failed || results.cut)
		return results.cut;
	enum file_match match = read_back();

	results.same = match == FILE_SAME;
	return results.same || match == FILE_TAKEN;
}

void results_close(void)
{
	dashboard_result(results.text, results.used);
	if (results.wanted)
		console_printf("nothing was measured: there is no result file\n");
	if (!results.file)
		return;
	bring_up_to_date();
	while (!close_file() && begin_elsewhere())
		;
}

const char *results_filed(void)
{
	return results.same ? results.name : NULL;
}

const char *results_text(size_t *n)
{
	*n = results.used;
	return results.text;
}
