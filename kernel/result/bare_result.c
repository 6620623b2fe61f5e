/* SPDX-License-Identifier: MIT */
/* Before ExitBootServices: what waits is harvested, and it is decided where the result will go. */
#include "kernel/result/bare_result.h"

#include "kernel/console/console.h"
#include "kernel/dashboard/dashboard.h"
#include "kernel/finish.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/result/bare_store.h"
#include "kernel/result/harvest.h"
#include "kernel/result/result_log.h"
#include "kernel/result/show_result.h"
#include "kernel/result/starts_file.h"
#include "kernel/result/stick_page.h"
#include "kernel/steps.h"
#include "kernel/steps_machine.h"

static bool pending; /* a result waits and stays there */

static void forget_entries(const struct machine *m)
{
	struct starts starts;

	starts_read(&firmware_storage, machine_id(m), &starts);
	starts.bare = 0;
	starts_write(&firmware_storage, &starts); /* the file first: kernel/result/starts_file.h */
	store_reset_bare_entries(&firmware_storage);
}

static enum earlier_result say_kept(const struct harvested *h, const char *text)
{
	console_printf("\na result waits in EFI variables and stays there:\n  %s\n"
		       "Linux reads it by: anechoic import --efivars\n"
		       "store = clear in \\anechoic.cfg deletes it\n",
		h->why);
	show_result(text, h->text_bytes);
	pending = true;
	return EARLIER_KEPT;
}

static enum earlier_result report(enum harvest how, const struct machine *m,
	const struct harvested *h, const char *text)
{
	if (how == HARVEST_KEPT)
		return say_kept(h, text);
	if (how == HARVEST_DAMAGED)
		console_printf("\na result in EFI variables was damaged (%s) and is deleted\n",
			h->why);
	if (how != HARVEST_DONE)
		return EARLIER_NONE;
	forget_entries(m);
	dashboard_result(text, h->text_bytes);
	if (*h->refused)
		console_printf("\nthe variable has no file name of a result: refused\n");
	console_printf("\nThe last start's room bare is now in%s%s%s%s\n"
		       "(%llu bytes, %s; the variable is deleted)\n",
		m->file_gap, m->file_prefix, h->header.file, results_place(m),
		(unsigned long long)h->text_bytes,
		h->taken ? "taken by the server" : "read back, the same");
	show_result(text, h->text_bytes);
	stick_page(m, h->header.file, text, h->text_bytes);
	return EARLIER_HARVESTED;
}

/* store = clear */
static void clear(const struct machine *m)
{
	struct stored_result header;
	const char *why;

	console_printf("\nstore = clear: %s\n",
		store_find(&firmware_storage, &header, &why) == PENDING_NONE
			? "no result waits in EFI variables"
			: "the result that waits in EFI variables is deleted");
	store_erase(&firmware_storage);
	forget_entries(m);
}

enum earlier_result bare_result_harvest(const struct machine *m, const struct config *c)
{
	static struct harvested h;
	struct harvest_memory memory = {
		.packed = (unsigned char *)m->arena.base,
		.text = (char *)m->logs.base,
		.text_bytes = m->logs.bytes,
	};

	if (!m->store.usable || m->arena.bytes < STORE_BYTES_MAX)
		return EARLIER_NONE;
	if (c->store == STORE_CLEAR)
		clear(m);
	return report(harvest(&firmware_storage, m->file_absent, &memory, &h), m, &h, memory.text);
}

/* What is known of earlier entries of room bare. */
struct entries {
	unsigned n;
	bool forgotten; /* one was counted, and its variable is not there any more */
	struct starts starts;
};

static struct entries entries_read(const struct machine *m)
{
	struct entries e = { .n = store_bare_entries(&firmware_storage) };

	starts_read(&firmware_storage, machine_id(m), &e.starts);
	e.forgotten = e.starts.bare && !e.n;
	return e;
}

/*
 * Counts this entry: in the variable, and then in the file, so that power that fails between the
 * two does not look like a firmware that forgets. In the file only what is to be stored: without
 * that nothing resets the machine. NULL, or why the result cannot be stored.
 */
static const char *count_entry(struct entries *e, bool to_be_stored)
{
	if (!store_count_bare_entry(&firmware_storage, e->n + 1))
		return "the firmware does not store a variable";
	e->starts.bare = to_be_stored || e->forgotten ? e->n + 1 : 0;
	if (!starts_write(&firmware_storage, &e->starts))
		return "the starts cannot be counted in a file";
	return e->forgotten ? "variables do not outlive a reset here: the last start set some"
			    : NULL;
}

/* Bytes that the result may take; 0: it is not stored, and *why. */
static size_t choose_limit(const struct machine *m, const struct config *c, const char **why)
{
	struct variable_store store = m->store;

	if (c->store == STORE_OFF)
		*why = "store = off";
	else if (pending)
		*why = "an earlier result waits in the variables";
	else if (m->file_absent)
		*why = m->file_absent; /* what cannot come home is not sent away */
	else
		*why = step_hung("setvar");
	if (*why)
		return 0;
	store_reclaim(&firmware_storage, &store, (void *)m->logs.base);
	firmware_store_query(&store);
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
	console_printf("and the next start writes it into a file%s\n",
		results_at_server(m) ? "\non the boot server" : "");
	if (m->home == HOME_UNKNOWN)
		console_printf("the firmware does not say which boot entry this is:\n"
			       "after the reset, choose this medium again\n");
}

bool bare_result_prepare(const struct machine *m, const struct config *c)
{
	struct entries e = { .n = 0 };
	const char *why, *not_counted = NULL;
	/* where SetVariable hangs after the exit, the room's end cannot take the count back */
	bool counts = m->store.usable && !step_hung("setvar");

	if (counts)
		e = entries_read(m);
	if (e.n >= BARE_ENTRIES_MAX) {
		console_printf("\nroom bare was entered %u times without a result: it is left out "
			       "this once\n",
			e.n);
		forget_entries(m);
		return false;
	}
	size_t limit = choose_limit(m, c, &why);
	if (counts)
		not_counted = count_entry(&e, limit > 0);
	if (limit && not_counted) {
		why = not_counted;
		limit = 0;
	}
	if (limit) {
		say_stored(m, limit);
	} else {
		console_printf("\nroom bare's result will be on the screen and the serial port "
			       "only:\n  %s\n",
			why);
		finish_before_exit();
	}
	bare_store_open(limit, why, c->store == STORE_OFF, e.forgotten);
	return true;
}
