/* SPDX-License-Identifier: MIT */
#include "kernel/result/bare_result.h"

#include <string.h>

#include "engine/infer/card.h"
#include "kernel/console/console.h"
#include "kernel/console/keys.h"
#include "kernel/dashboard/dashboard.h"
#include "kernel/finish.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/journal.h"
#include "kernel/prompt.h"
#include "kernel/result/last_run.h"
#include "kernel/result/result_log.h"
#include "kernel/result/stick_page.h"
#include "kernel/result/store.h"
#include "kernel/series.h"
#include "kernel/watchdog/watchdog.h"
#include "lib/pack.h"
#include "lib/result_keys.h"
#include "lib/result_line.h"
#include "lib/thin.h"

#define MEDIUM_SECONDS 60
#define STORE_SECONDS  60 /* more than a reclaim of any store takes, in one call */

#define WHOLE (-1) /* no thinning: one below the levels of lib/thin.h */

static bool pending; /* a result waits in variables and stays there */

/* Decisions made before room bare about its result. */
static struct {
	size_t limit;        /* bytes of variables that it may take; 0: it is not stored */
	const char *why_not; /* why it is not stored */
	const char *no_file; /* why no start can make a file of it: it stays in the variables */
} plan;

/* A count in an object; 0 if it is missing. */
static unsigned count(struct line object, const char *key)
{
	struct member m;

	return line_find(object, key, &m) ? (unsigned)member_number(&m) : 0;
}

/* Print the end line's account of thinning. */
static void say_missing(struct line line)
{
	struct line thinned = line_object(line, KEY_THINNED);
	unsigned rows = count(thinned, KEY_ROWS), skips = count(thinned, KEY_SKIPS);

	if (!thinned.text)
		return;
	console_printf("left out to fit into EFI variables: the samples of each row");
	if (line_is(thinned, "short", "true"))
		console_printf(",\n  all but four digits and the main numbers of rows");
	if (skips)
		console_printf(", %u skip lines", skips);
	if (rows)
		console_printf("\n  and %u of %u rows", rows, rows + count(line, KEY_ROWS));
	console_printf("\n");
}

/* Print the card of the machine, and how the run ended. Lines that are no JSON are skipped. */
static void show_result(const char *text, size_t n)
{
	static struct card card;
	struct line line, last = line_last(text, n);
	char status[16];

	card_begin(&card);
	for (const char *end = text + n; line_next(&text, end, &line);)
		card_read(&card, line);
	card_print(&card, NULL, console_say, NULL);
	if (line_kind(last) != LINE_END)
		return;
	line_string(last, KEY_STATUS, status, sizeof status);
	console_printf("\n%s: %u rows, %u skipped\n", status, count(last, KEY_ROWS),
		count(last, KEY_SKIPS) + count(line_object(last, KEY_THINNED), KEY_SKIPS));
	say_missing(last);
}

/* Report the harvest. Returns true if the result is in its file. */
static bool report(const struct machine *m, const struct config *c, const struct harvested *h)
{
	struct line run = { NULL, 0 };
	const char *at = h->text;

	pending = h->how == HARVEST_KEPT;
	if (h->how == HARVEST_DAMAGED)
		console_printf("\na result in EFI variables was damaged (%s) and is deleted\n",
			h->why);
	if (pending) {
		console_printf("\na result waits in EFI variables and stays there:\n  %s\n"
			       "Linux reads it by: anechoic import --efivars\n"
			       "store = clear in \\anechoic.cfg deletes it\n",
			h->why);
		show_result(h->text, h->text_bytes);
	}
	if (h->how != HARVEST_DONE)
		return false;
	entries_forget();
	dashboard_result(h->text, h->text_bytes);
	if (!h->taken)
		finish_names(h->header.file);
	if (*h->refused)
		console_printf("\nthe variable has no file name of a result: refused\n");
	console_printf("\nThe last start's room bare is now in%s%s%s%s\n"
		       "(%llu bytes, %s; the variable is deleted)\n",
		m->file_gap, m->file_prefix, h->header.file, results_place(m),
		(unsigned long long)h->text_bytes,
		h->taken ? "taken by the server" : "read back, the same");
	show_result(h->text, h->text_bytes);
	/* Show the changes since the last run, here and on the end screen. */
	line_next(&at, at + h->text_bytes, &run);
	last_run_find(&firmware_storage, run, ROOM_BARE, h->header.file, &m->arena);
	last_run_show(ROOM_BARE, h->text, h->text_bytes, console_say, NULL);
	stick_page(m, c, h->header.file, h->text, h->text_bytes);
	return true;
}

/*
 * A result cannot become a file here: perhaps somebody holds its medium. Ask for it, before both
 * rooms are measured anew for nothing. Returns false if nobody answers.
 */
static bool ask_for_medium(const struct harvested *h, const struct config *c)
{
	if (!h->text_bytes || !c->prompt || !firmware_has_keys())
		return false;
	console_printf("\na result waits in EFI variables, and its file cannot be written:\n  %s\n"
		       "put in a medium with a folder \\results, then press Enter; Esc: go on\n",
		h->why);
	unsigned key = prompt_wait(MEDIUM_SECONDS, "without a key it measures anew");

	return key && key != KEY_ESC;
}

bool bare_result_harvest(const struct machine *m, const struct config *c)
{
	static struct harvested h;

	h.packed = (unsigned char *)m->arena.base;
	h.text = (char *)m->logs.base;
	h.text_most = m->logs.bytes;
	if (!m->store.usable || m->arena.bytes < STORE_BYTES_MAX)
		return false;
	if (c->store == STORE_CLEAR) {
		console_printf("\nstore = clear: %s\n",
			store_erase(&firmware_storage)
				? "the result that waits in EFI variables is deleted"
				: "no result waits in EFI variables");
		journal_forget();
	}
	harvest(&firmware_storage, m->file_absent, &h);
	while (h.how == HARVEST_KEPT && ask_for_medium(&h, c)) {
		firmware_storage.file_look_again();
		harvest(&firmware_storage, m->file_absent, &h);
	}
	return report(m, c, &h);
}

static void choose_limit(const struct machine *m, const struct config *c)
{
	struct variable_store store = m->store;

	plan.limit = 0;
	plan.why_not = c->store == STORE_OFF ? "store = off"
		: c->store == STORE_CLEAR    ? "store = clear: the next start would delete it"
		: pending                    ? "an earlier result waits in the variables"
					     : step_hung("setvar");
	if (plan.why_not)
		return;
	store_reclaim(&firmware_storage, &store, (void *)m->logs.base);
	firmware_storage.query(&store);
	plan.limit = store_limit(&store, &plan.why_not);
}

static void say_stored(const struct machine *m)
{
	console_printf(
		"\nroom bare's result will be stored in EFI variables, in at most %llu bytes\n",
		(unsigned long long)plan.limit);
	if (m->store.size_known)
		console_printf("(%llu of %llu are free), ", (unsigned long long)m->store.remaining,
			(unsigned long long)m->store.total);
	if (plan.no_file) {
		console_printf("where it stays,\nbecause no start can make a file of it:\n  %s\n"
			       "Linux on this machine reads it: anechoic import --efivars\n",
			plan.no_file);
		return;
	}
	console_printf("and the next start writes it into a file%s\n",
		results_at_server(m) ? "\non the boot server" : "");
	if (m->home == HOME_UNKNOWN)
		console_printf("the firmware does not say which boot entry this is:\n"
			       "after the reset, choose this medium again\n");
}

bool bare_result_prepare(const struct machine *m, const struct config *c)
{
	unsigned before = journal_counts()->entries;
	const char *not_counted = NULL;

	if (m->files_stay)
		return true;
	bool in_variable = true;
	/* If SetVariable hangs after the exit, the end of the room cannot take the count back. */
	bool counts = m->store.usable && !step_hung("setvar");

	if (counts && before >= ENTRIES_MAX) {
		console_printf("\nroom bare was entered %u times without a result: it is left out "
			       "this once\n",
			before);
		entries_forget();
		return false;
	}
	choose_limit(m, c);
	plan.no_file = m->file_absent;
	if (counts)
		in_variable = entries_add(plan.limit && !plan.no_file, &not_counted);
	if (in_variable && not_counted && !plan.no_file)
		plan.no_file = not_counted; /* the stick is gone, or refuses to be written */
	if (!in_variable && plan.limit) {
		plan.limit = 0;
		plan.why_not = not_counted;
	}
	if (plan.limit)
		say_stored(m);
	else
		console_printf("\nroom bare's result will be on the screen and the serial port "
			       "only:\n  %s\n",
			plan.why_not);
	if (!plan.limit || plan.no_file) {
		if (c->store != STORE_OFF)
			series_end("room bare's result cannot be brought home");
		finish_before_exit();
	}
	return true;
}

/*
 * Pack the result at a level of lib/thin.h, or WHOLE, into the arena, which is free now, and print
 * what is missing. Returns its bytes; 0: it does not fit.
 */
static size_t pack_result(const struct machine *m, int level)
{
	char *packed = (char *)m->arena.base, *small = packed + STORE_BYTES_MAX;
	size_t bytes = m->arena.bytes > STORE_BYTES_MAX ? m->arena.bytes - STORE_BYTES_MAX : 0;
	size_t n, thinned = 0, done = 0;
	const char *text = results_text(&n);

	if (level == WHOLE && n < bytes)
		done = pack(text, n, packed, plan.limit, small, bytes);
	else if (n < bytes)
		thinned = thin(text, n, (unsigned)level, "to fit into EFI variables", small, bytes);
	if (thinned)
		done = pack(small, thinned, packed, plan.limit, small + thinned, bytes - thinned);
	if (!done)
		return 0;
	console_printf("%llu bytes of results, packed to %llu\n", (unsigned long long)n,
		(unsigned long long)done);
	say_missing(line_last(small, thinned));
	return done;
}

/*
 * Ask for the free space again: the firmware may count otherwise after the exit, and a lower value
 * counts.
 */
static const char *limit_again(const struct machine *m)
{
	struct variable_store now = m->store;
	const char *why = NULL;

	firmware_storage.query(&now);
	size_t bytes = store_limit(&now, &why);
	if (bytes >= plan.limit)
		return NULL;
	console_printf("after the exit the firmware has %llu bytes free: at most %llu are taken\n",
		(unsigned long long)now.remaining, (unsigned long long)bytes);
	plan.limit = bytes;
	return bytes ? NULL : why;
}

/*
 * Store the result. Returns NULL, or why it is not stored. If the firmware refuses, half as much is
 * tried, down to the card alone.
 */
static const char *store(const struct machine *m, const char *file)
{
	const char *why = plan.why_not;
	size_t n;

	/* No reset follows in these cases, and the room came to its end: there is no loop. */
	if ((!plan.limit || plan.no_file) && m->store.usable && m->store.usable_at_runtime &&
		!step_hung("setvar"))
		entries_forget();
	results_text(&n);
	if (plan.limit)
		why = n ? limit_again(m) : "nothing was measured";
	if (why)
		return why;
	why = "it does not fit into EFI variables";
	for (int level = WHOLE; level <= THIN_CARD && why; level++) {
		n = pack_result(m, level);
		if (!n)
			continue;
		why = store_write(&firmware_storage, file, (void *)m->arena.base, n);
		if (why)
			console_printf("the firmware does not store these %llu bytes: %s\n",
				(unsigned long long)n, why);
		plan.limit = n / 2;
	}
	return why;
}

const char *store_and_reset(const struct machine *m)
{
	char file[STORED_RESULT_FILE];

	results_file(file, ROOM_BARE);
	step_enter("setvar");
	watchdog_extend(STORE_SECONDS);
	const char *why = store(m, file);
	if (!why && !plan.no_file) {
		finish_way_home();
		console_printf("stored: the next start writes%s%s%s%s\n"
			       "if another system starts now, start this medium again: it waits\n",
			m->file_gap, m->file_prefix, file, results_place(m));
	}
	step_left();
	results_send();
	if (why)
		return why;
	if (plan.no_file) {
		steps_end();
		finish_kept(plan.no_file);
	}
	finish_stored();
}
