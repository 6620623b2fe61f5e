/* SPDX-License-Identifier: MIT */
#include "kernel/result/stick_page.h"

#include <string.h>

#include "engine/bench.h"
#include "kernel/console/console.h"
#include "kernel/cpu/context.h"
#include "kernel/cpu/fault.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/result/result_log.h"
#include "lib/text.h"
#include "page/page.h"
#include "page/page_memory.h"

#define PART     (64u << 10) /* bytes written at once: a stick takes long for each write */
#define FIRMWARE "-firmware"
#define BARE     "-bare"
#define NDJSON   ".ndjson"

/* The page under way. */
static struct {
	const struct storage *storage;
	struct stick_page *page;
	char *next, *end; /* free memory: its next byte and its end */
	char *part;       /* text that is not written yet */
	size_t used;
	bool open;
	struct context back; /* continue there if the page cannot be made */
} work;

static void give_up(const char *why) __attribute__((noreturn));
static void give_up(const char *why)
{
	work.page->why = why;
	context_restore(&work.back);
}

static void *take(size_t bytes)
{
	char *block = work.next;

	if (bytes + 16 > (size_t)(work.end - work.next))
		give_up("there is too little memory for it");
	work.next += (bytes + 15) & ~(size_t)15;
	return memset(block, 0, bytes);
}

/* Free nothing: all of the memory is free when the page is written. */
static void give_back(void *block)
{
}

static void check_written(uint64_t status)
{
	if (status)
		give_up(efi_status_text(status));
}

static void flush(void)
{
	if (work.used)
		check_written(work.storage->file_append(work.part, work.used));
	work.page->bytes += work.used;
	work.used = 0;
}

static void say(void *to, const char *text, size_t n)
{
	while (n) {
		size_t space = PART - work.used, now = n < space ? n : space;

		memcpy(work.part + work.used, text, now);
		work.used += now;
		text += now;
		n -= now;
		if (work.used == PART)
			flush();
	}
}

static const char *what_of(const char *probe)
{
	for (unsigned i = 0; i < probe_count; i++)
		if (!strcmp(probes[i].name, probe))
			return probes[i].what;
	return NULL;
}

static bool ends_in(const char *name, const char *ending)
{
	size_t n = strlen(name), m = strlen(ending);

	return n > m && !strcmp(name + n - m, ending);
}

/*
 * Replace the room in a name by another, or, with "", remove it: "T-bare-2.ndjson" becomes
 * "T-firmware-2.ndjson", "T-2.ndjson". Returns false if the name has no such room.
 */
static bool swap_room(const char *name, const char *room, const char *other,
	char out[STORED_RESULT_FILE])
{
	size_t bytes = strlen(room);
	const char *at = name;

	while (*at && (strlen(at) < bytes || memcmp(at, room, bytes)))
		at++;
	text_format(out, STORED_RESULT_FILE, "%.*s%s%s", (int)(at - name), name, *at ? other : "",
		*at ? at + bytes : "");
	return *at;
}

static void name_page(const char *file, char out[STORED_RESULT_FILE])
{
	char name[STORED_RESULT_FILE];

	if (!swap_room(file, FIRMWARE, "", name))
		swap_room(file, BARE, "", name);
	text_format(out, STORED_RESULT_FILE, "%.*s.html",
		(int)(strlen(name) - (ends_in(name, NDJSON) ? strlen(NDJSON) : 0)), name);
}

/*
 * Read room firmware's result of the same start. Returns false if there is none, or page->left_out
 * says why.
 */
static bool read_firmware(const char *file, char name[STORED_RESULT_FILE], struct shown_run *run)
{
	size_t most = (size_t)(work.end - work.next) / 2, n = most;
	char *text = work.next;

	if (!swap_room(file, BARE, FIRMWARE, name))
		return false;
	uint64_t status = work.storage->file_read(name, text, &n);
	if (status == EFI_STATUS_NOT_FOUND)
		return false;
	if (status || n == most) {
		work.page->left_out = status ? efi_status_text(status) : "it is too long";
		return false;
	}
	work.next += (n + 15) & ~(size_t)15;
	shown_run_read(run, text, n);
	if (!result_is_whole(text, n))
		work.page->left_out = "it is not as it was written";
	return !work.page->left_out;
}

static void add_subject(struct subjects *subjects, const struct shown_run *run, char *file)
{
	struct subject *subject = &subjects->list[subjects->n];

	if (ends_in(file, NDJSON))
		file[strlen(file) - strlen(NDJSON)] = 0;
	*subject = (struct subject){ .run = run,
		.name = file,
		.index = (unsigned)subjects->n,
		.colour = (unsigned)subjects->n,
		.letter = (char)('A' + subjects->n) };
	subjects->n++;
	subjects->sets++;
}

static void write_page(const char *file, const char *text, size_t n)
{
	static struct shown_run runs[2];
	static struct subject list[2];
	static char names[2][STORED_RESULT_FILE];
	struct report_page page = { .subjects = { .list = list },
		.machines = &page.subjects,
		.nmachines = 1,
		.what = what_of };
	struct sink out = { say, NULL };

	work.part = take(PART);
	if (read_firmware(file, names[0], &runs[0]))
		add_subject(&page.subjects, &runs[0], names[0]);
	text_format(names[1], STORED_RESULT_FILE, "%s", file);
	shown_run_read(&runs[1], text, n);
	add_subject(&page.subjects, &runs[1], names[1]);
	subjects_name(&page.subjects);
	check_written(work.storage->file_create(work.page->name));
	work.open = true;
	page_write(&page, &out);
	flush();
	work.open = false;
	check_written(work.storage->file_close());
}

/* Delete the unfinished page: half a page would only mislead. */
static void drop_page(void)
{
	if (!work.page->why)
		work.page->why = fault_summary();
	if (work.open)
		work.storage->file_close();
	work.storage->file_delete(work.page->name);
}

/*
 * Write the page of the result `text`, which is in the file of that name. If that is a start's room
 * bare, room firmware's file of the same start is read and comes first. memory: to work in.
 */
static void stick_page_write(const struct storage *storage, const char *file, const char *text,
	size_t n, const struct span *memory, struct stick_page *page)
{
	struct page_memory before = page_memory_in_use();

	*page = (struct stick_page){ .bytes = 0 };
	work.storage = storage;
	work.page = page;
	work.next = (char *)memory->base;
	work.end = work.next + memory->bytes;
	work.used = 0;
	work.open = false;
	name_page(file, page->name);
	page_memory_use(take, give_back);
	if (context_save(&work.back)) {
		fault_recover_to(NULL);
		drop_page();
	} else {
		fault_recover_to(&work.back);
		write_page(file, text, n);
		fault_recover_to(NULL);
	}
	page_memory_use(before.take, before.give_back);
}

void stick_page(const struct machine *m, const struct config *c, const char *file, const char *text,
	size_t n)
{
	static struct stick_page page;

	if (c->html == HTML_OFF || results_at_server(m))
		return;
	stick_page_write(&firmware_storage, file, text, n, &m->arena, &page);
	if (page.left_out)
		console_printf("the page leaves out room firmware's result:\n  %s\n",
			page.left_out);
	if (page.why)
		console_printf("no page \\results\\%s:\n  %s\n", page.name, page.why);
	else
		console_printf("a page shows them: \\results\\%s, %llu bytes\n", page.name,
			(unsigned long long)page.bytes);
}
