/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/result/result_log.h"
#include "kernel/console/console.h"
#include "kernel/cpu/x86.h"
#include "kernel/firmware/efi_status.h"
#include "kernel/firmware/firmware_calls.h"
#include "lib/text.h"

static struct {
	enum room room;
	char *text; /* in machine->logs */
	size_t bytes, used;
	bool cut;                  /* a line did not fit into text */
	bool file;                 /* one is open */
	size_t filed;              /* bytes of text that are in it */
	uint64_t failed;           /* first error of an append */
	uint64_t filed_at, second; /* TSC at the last append; its ticks a second */
	char name[STORED_RESULT_FILE];
} results;

static char stem[32]; /* of all file names of this start */

void results_file(char out[STORED_RESULT_FILE], enum room room)
{
	text_format(out, STORED_RESULT_FILE, "%s-%s.ndjson", stem, room_names[room]);
}

static bool is_taken(void)
{
	char firmware[STORED_RESULT_FILE], bare[STORED_RESULT_FILE];

	results_file(firmware, ROOM_FIRMWARE);
	results_file(bare, ROOM_BARE);
	return firmware_file_exists(firmware) || firmware_file_exists(bare);
}

void results_name(const struct machine *m)
{
	const char *utc = m->started_utc[0] ? m->started_utc : "notime";

	text_format(stem, sizeof stem, "%s", utc);
	for (unsigned i = 2; !m->file_absent && i < 10000 && is_taken(); i++)
		text_format(stem, sizeof stem, "%s-%u", utc, i);
}

static void open_file(const struct machine *m)
{
	uint64_t status;

	if (m->file_absent) {
		console_printf("no result file: %s\n", m->file_absent);
		return;
	}
	results_file(results.name, ROOM_FIRMWARE);
	status = firmware_file_create(results.name);
	results.file = status == 0;
	if (results.file)
		console_printf("results go to \\results\\%s\n", results.name);
	else
		console_printf("no result file: \\results\\%s\n  cannot be created: %s\n",
			results.name, efi_status_text(status));
}

void results_open(const struct machine *m, enum room room, double tsc_hz)
{
	memset(&results, 0, sizeof results);
	results.second = (uint64_t)tsc_hz;
	results.filed_at = rdtsc();
	results.room = room;
	results.text = (char *)m->logs.base;
	results.bytes = m->logs.bytes;
	if (room == ROOM_FIRMWARE)
		open_file(m);
}

static void append(const char *text, size_t n)
{
	if (n && results.file && !results.failed)
		results.failed = firmware_file_append(text, n);
}

/* Appends what is new. */
static void bring_up_to_date(void)
{
	append(results.text + results.filed, results.used - results.filed);
	results.filed = results.used;
	results.filed_at = rdtsc();
}

void results_add(const char *line, size_t n)
{
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

void results_send(void)
{
	const char *end = results.text + results.used;

	if (!console_sends_results())
		return;
	console_printf("sending %llu bytes of results over the serial line\n",
		(unsigned long long)results.used);
	for (const char *line = results.text, *next; line < end; line = next) {
		for (next = line; next < end && *next++ != '\n';)
			;
		console_result(line, (size_t)(next - line));
	}
}

void results_close(void)
{
	bool same = false;
	uint64_t status;

	if (!results.file)
		return;
	bring_up_to_date();
	results.file = false;
	status = firmware_file_close();
	if (results.failed || status) {
		console_printf("\\results\\%s is NOT complete:\n  writing failed: %s\n",
			results.name, efi_status_text(results.failed ? results.failed : status));
		return;
	}
	if (results.cut)
		return; /* the file has more than memory: there is nothing to compare with */
	status = firmware_file_compare(results.name, results.text, results.used, &same);
	console_printf(status == 0 && same
			? "\\results\\%s read back, the same: %llu bytes\n"
			: "\\results\\%s does NOT read back as written (%llu bytes)\n",
		results.name, (unsigned long long)results.used);
}

const char *results_text(size_t *n)
{
	*n = results.used;
	return results.text;
}
