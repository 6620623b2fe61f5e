/* SPDX-License-Identifier: MIT */
#include "kernel/result/bare_result.h"

#include <string.h>

#include "infer/card.h"
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
#include "lib/pack.h"
#include "lib/result_keys.h"
#include "lib/result_line.h"
#include "lib/thin.h"

#define MEDIUM_SECONDS 60

#define WHOLE (-1) /* the level below lib/thin.h's */

static bool pending; /* a result waits and stays there */

/* What was decided before room bare of its result. */
static struct {
	size_t limit;        /* bytes of variables that it may take; 0: it is not stored, */
	const char *why_not; /* and why */
	const char *no_file; /* why it stays in the variables: no start can make a file of it */
	bool keep_count;     /* of entries of room bare, although the room may come to its end */
} plan;

/* A count of an object; 0 where it is missing. */
static unsigned count(struct line object, const char *key)
{
	struct member m;

	return line_find(object, key, &m) ? (unsigned)member_number(&m) : 0;
}

/* What the end line says of thinning. */
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

static void say_end(struct line line)
{
	char status[16];

	line_string(line, KEY_STATUS, status, sizeof status);
	console_printf("\n%s: %u rows, %u skipped\n", status, count(line, KEY_ROWS),
		count(line, KEY_SKIPS) + count(line_object(line, KEY_THINNED), KEY_SKIPS));
	say_missing(line);
}

static struct card card;

/* Into the card; returns the end line. */
static struct line read_lines(const char *text, size_t n)
{
	struct line line, last = { NULL, 0 };

	card_begin(&card);
	for (const char *end = text + n; line_next(&text, end, &line);) {
		card_read(&card, line);
		if (line_kind(line) == LINE_END)
			last = line;
	}
	return last;
}

/* The card of the machine, and how the run ended. Lines that are no JSON are passed over. */
static void show_result(const char *text, size_t n)
{
	struct line last = read_lines(text, n);

	card_print(&card, console_say, NULL);
	if (last.text)
		say_end(last);
}

/* What changed since the last run, here and on the end screen. */
static void show_last_run(const struct machine *m, const char *file, const char *text, size_t n)
{
	const char *at = text;
	struct line run = { NULL, 0 };

	line_next(&at, text + n, &run);
	last_run_find(&firmware_storage, run, ROOM_BARE, file, &m->arena);
	last_run_show(ROOM_BARE, text, n, console_say, NULL);
}

/* Says what a thinned run lacks, and nothing of one that is whole. */
static void show_missing(const char *text, size_t n)
{
	say_missing(read_lines(text, n));
}

/* Says what came of it. Whether it is in its file. */
static bool report(enum harvest how, const struct machine *m, const struct config *c,
	const struct harvested *h, const char *text)
{
	pending = how == HARVEST_KEPT;
	if (how == HARVEST_NOTHING)
		return false;
	if (how == HARVEST_DAMAGED) {
		console_printf("\na result in EFI variables was damaged (%s) and is deleted\n",
			h->why);
		return false;
	}
	if (pending) {
		console_printf("\na result waits in EFI variables and stays there:\n  %s\n"
			       "Linux reads it by: anechoic import --efivars\n"
			       "store = clear in \\anechoic.cfg deletes it\n",
			h->why);
		show_result(text, h->text_bytes);
		return false;
	}
	entries_forget();
	dashboard_result(text, h->text_bytes);
	if (!h->taken)
		finish_names(h->header.file);
	if (*h->refused)
		console_printf("\nthe variable has no file name of a result: refused\n");
	console_printf("\nThe last start's room bare is now in%s%s%s%s\n"
		       "(%llu bytes, %s; the variable is deleted)\n",
		m->file_gap, m->file_prefix, h->header.file, results_place(m),
		(unsigned long long)h->text_bytes,
		h->taken ? "taken by the server" : "read back, the same");
	show_result(text, h->text_bytes);
	show_last_run(m, h->header.file, text, h->text_bytes);
	stick_page(m, c, h->header.file, text, h->text_bytes);
	return true;
}

/*
 * A result that cannot become a file here: its medium may be in somebody's hand. Before both rooms
 * are measured anew for nothing, that is asked for. false: nobody is there.
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
	struct harvest_memory memory = {
		.packed = (unsigned char *)m->arena.base,
		.text = (char *)m->logs.base,
		.text_bytes = m->logs.bytes,
	};

	if (!m->store.usable || m->arena.bytes < STORE_BYTES_MAX)
		return false;
	if (c->store == STORE_CLEAR) {
		console_printf("\nstore = clear: %s\n",
			store_erase(&firmware_storage)
				? "the result that waits in EFI variables is deleted"
				: "no result waits in EFI variables");
		journal_forget();
	}
	enum harvest how = harvest(&firmware_storage, m->file_absent, &memory, &h);

	while (how == HARVEST_KEPT && ask_for_medium(&h, c)) {
		firmware_storage.file_look_again();
		how = harvest(&firmware_storage, m->file_absent, &memory, &h);
	}
	return report(how, m, c, &h, memory.text);
}

/* Bytes that the result may take; 0: it is not stored, and *why. */
static size_t choose_limit(const struct machine *m, const struct config *c, const char **why)
{
	struct variable_store store = m->store;

	if (c->store == STORE_OFF)
		*why = "store = off";
	else if (c->store == STORE_CLEAR)
		*why = "store = clear: the next start would delete it";
	else if (pending)
		*why = "an earlier result waits in the variables";
	else
		*why = step_hung("setvar");
	if (*why)
		return 0;
	store_reclaim(&firmware_storage, &store, (void *)m->logs.base);
	firmware_storage.query(&store);
	return store_limit(&store, why);
}

static void say_stored(const struct machine *m, size_t limit)
{
	console_printf(
		"\nroom bare's result will be stored in EFI variables, in at most %llu bytes\n",
		(unsigned long long)limit);
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
	const char *why, *not_counted = NULL;
	struct entry_counted counted = { 0 };
	/* where SetVariable hangs after the exit, the room's end cannot take the count back */
	bool counts = m->store.usable && !step_hung("setvar");

	if (counts && entries_before() >= ENTRIES_MAX) {
		console_printf("\nroom bare was entered %u times without a result: it is left out "
			       "this once\n",
			entries_before());
		entries_forget();
		return false;
	}
	size_t limit = choose_limit(m, c, &why);

	plan.no_file = m->file_absent;
	if (counts)
		not_counted = entries_add(limit && !plan.no_file, &counted);
	plan.keep_count = counted.forgets;
	if (not_counted && !plan.no_file && counted.in_variable && !counted.forgets)
		plan.no_file = not_counted; /* a stick that is gone, or refuses to be written */
	if (limit && not_counted && !(plan.no_file && counted.in_variable)) {
		why = not_counted;
		limit = 0;
	}
	if (limit)
		say_stored(m, limit);
	else
		console_printf("\nroom bare's result will be on the screen and the serial port "
			       "only:\n  %s\n",
			why);
	if (!limit || plan.no_file) {
		if (c->store != STORE_OFF)
			series_end("room bare's result cannot be brought home");
		finish_before_exit();
	}
	plan.limit = limit;
	plan.why_not = why;
	return true;
}

/* Where the result is made small: the arena, which is free now. */
struct workshop {
	unsigned char *packed;
	char *small; /* after it */
	size_t bytes;
	const char *text; /* what is to be stored */
	size_t n;
	int level; /* of lib/thin.h, or WHOLE */
};

static struct workshop workshop_of(const struct machine *m)
{
	unsigned char *packed = (unsigned char *)m->arena.base;
	bool fits = m->arena.bytes > STORE_BYTES_MAX;
	struct workshop w = { packed, (char *)packed + STORE_BYTES_MAX,
		fits ? m->arena.bytes - STORE_BYTES_MAX : 0, .level = WHOLE };

	w.text = results_text(&w.n);
	return w;
}

/* Packs it at w->level. Returns its bytes, 0: it does not fit. *thinned: bytes in w->small. */
static size_t pack_at_level(const struct workshop *w, size_t *thinned)
{
	*thinned = 0;
	if (w->level == WHOLE)
		return pack(w->text, w->n, w->packed, plan.limit, w->small, w->bytes);
	*thinned = thin(w->text, w->n, (unsigned)w->level, "to fit into EFI variables", w->small,
		w->bytes);
	if (!*thinned)
		return 0;
	return pack(w->small, *thinned, w->packed, plan.limit, w->small + *thinned,
		w->bytes - *thinned);
}

/*
 * Packs the result, whole or as little thinned as fits, and says what is missing. Returns its
 * bytes, 0: it does not fit. What did not fit before is not tried again.
 */
static size_t pack_result(struct workshop *w)
{
	size_t thinned, done = 0;

	if (w->n >= w->bytes)
		return 0;
	for (; w->level <= THIN_CARD; w->level++)
		if ((done = pack_at_level(w, &thinned)))
			break;
	if (!done)
		return 0;
	console_printf("%llu bytes of results, packed to %llu\n", (unsigned long long)w->n,
		(unsigned long long)done);
	if (thinned)
		show_missing(w->small, thinned);
	return done;
}

/* The firmware may count otherwise after the exit: what it says now counts, if it is less. */
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

/* NULL, or why it is not stored. On refusal half of it is tried, down to the card alone. */
static const char *store_packed(struct workshop *w, const char *file)
{
	const char *why = "it does not fit into EFI variables";
	size_t n;

	while ((n = pack_result(w))) {
		why = store_write(&firmware_storage, file, w->packed, n);
		if (!why)
			return NULL;
		console_printf("the firmware does not store these %llu bytes: %s\n",
			(unsigned long long)n, why);
		plan.limit = n / 2;
	}
	return why;
}

/* NULL, or why it is not stored. */
static const char *store(const struct machine *m, const char *file)
{
	struct workshop w = workshop_of(m);
	const char *why;

	/* where no reset follows, the room came to its end: there is no loop */
	if ((!plan.limit || plan.no_file) && !plan.keep_count && m->store.usable &&
		m->store.usable_at_runtime && !step_hung("setvar"))
		entries_forget();
	if (!plan.limit)
		return plan.why_not;
	why = w.n ? limit_again(m) : "nothing was measured";
	return why ? why : store_packed(&w, file);
}

const char *store_and_reset(const struct machine *m)
{
	char file[STORED_RESULT_FILE];

	results_file(file, ROOM_BARE);
	step_enter("setvar");
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
