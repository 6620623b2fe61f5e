/* SPDX-License-Identifier: MIT */
#include "kernel/result/bare_result.h"

#include "kernel/console/console.h"
#include "kernel/finish.h"
#include "kernel/reset_ladder.h"
#include "kernel/result/show_result.h"
#include "kernel/firmware/efi_status.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/result/harvest.h"
#include "kernel/result/result_log.h"
#include "engine/env.h"
#include "lib/pack.h"
#include "lib/thin.h"

#define PACKED_BYTES (STORED_RESULT_CHUNKS * STORED_RESULT_CHUNK)

static size_t limit; /* bytes of variables that the result may take; 0: it is not stored */

static enum earlier_result report(enum harvest how, const struct harvested *h, const char *text)
{
	switch (how) {
	case HARVEST_DONE:
		console_printf("\nThe last start's room bare is now in \\results\\%s\n"
			       "(%llu bytes, read back, the same; the variable is deleted)\n",
			h->header.file, (unsigned long long)h->text_bytes);
		show_result(text, h->text_bytes);
		return EARLIER_HARVESTED;
	case HARVEST_KEPT:
		console_printf("\na result waits in EFI variables and stays there:\n  %s\n",
			h->why);
		show_result(text, h->text_bytes);
		return EARLIER_KEPT;
	case HARVEST_DAMAGED:
		console_printf("\na result in EFI variables was damaged (%s) and is deleted\n",
			h->why);
		return EARLIER_NONE;
	default:
		return EARLIER_NONE;
	}
}

enum earlier_result bare_result_harvest(const struct machine *m)
{
	static struct harvested h;
	struct harvest_memory memory = {
		.packed = (unsigned char *)m->arena.base,
		.text = (char *)m->logs.base,
		.text_bytes = m->logs.bytes,
	};

	if (!m->store.usable || m->arena.bytes < PACKED_BYTES)
		return EARLIER_NONE;
	return report(harvest(&firmware_storage, m->file_absent, &memory, &h), &h, memory.text);
}

/* false: the last BARE_ENTRIES_MAX entries brought no result. *counted: this entry is counted. */
static bool count_entry(const struct machine *m, bool *counted)
{
	unsigned entries = m->store.usable ? store_bare_entries(&firmware_storage) : 0;

	if (entries < BARE_ENTRIES_MAX) {
		*counted = m->store.usable && store_count_bare_entry(&firmware_storage);
		return true;
	}
	console_printf(
		"\nroom bare was entered %u times without a result: it is left out this once\n",
		entries);
	store_reset_bare_entries(&firmware_storage);
	return false;
}

static size_t choose_limit(const struct machine *m, const struct config *c, bool counted,
	const char **why)
{
	size_t bytes = store_limit(&m->store, why);

	if (c->store == STORE_OFF) {
		*why = "store = off";
		return 0;
	}
	if (bytes && !counted) {
		*why = "the firmware does not store a variable";
		return 0;
	}
	return bytes;
}

bool bare_result_prepare(const struct machine *m, const struct config *c)
{
	const char *why;
	bool counted;

	if (!count_entry(m, &counted))
		return false;
	limit = choose_limit(m, c, counted, &why);
	if (!limit) {
		console_printf("\nroom bare's result will be on the screen and the serial port "
			       "only:\n  %s\n",
			why);
		return true;
	}
	console_printf(
		"\nroom bare's result will be stored in EFI variables, in at most %llu bytes\n"
		"(%llu of %llu are free), and the next start writes it into a file\n",
		(unsigned long long)limit, (unsigned long long)m->store.remaining,
		(unsigned long long)m->store.total);
	if (!m->boot_current_known)
		console_printf("the firmware does not say which boot entry this is:\n"
			       "after the reset, choose this medium again\n");
	return true;
}

/* Where the result is made small: the arena, which is free now. */
struct workshop {
	unsigned char *packed;
	char *small; /* after it */
	size_t bytes;
};

static struct workshop workshop_of(const struct machine *m)
{
	unsigned char *packed = (unsigned char *)m->arena.base;
	bool fits = m->arena.bytes > PACKED_BYTES;

	return (struct workshop){ packed, (char *)packed + PACKED_BYTES,
		fits ? m->arena.bytes - PACKED_BYTES : 0 };
}

/* Packs it thinned to a level. Returns its bytes, 0: it does not fit. */
static size_t pack_thinned(const struct workshop *w, const char *text, size_t n, unsigned level)
{
	size_t thinned = thin(text, n, level, "to fit into EFI variables", w->small, w->bytes);

	return thinned
		? pack(w->small, thinned, w->packed, limit, w->small + thinned, w->bytes - thinned)
		: 0;
}

/* Packs the result, whole or as little thinned as fits. Returns its bytes, 0: it does not fit. */
static size_t pack_result(const struct workshop *w)
{
	size_t n, done;
	const char *text = results_text(&n);

	if (n >= w->bytes)
		return 0;
	done = pack(text, n, w->packed, limit, w->small, w->bytes);
	for (unsigned level = 0; level <= THIN_MOST && !done; level++)
		done = pack_thinned(w, text, n, level);
	if (done)
		console_printf("%llu bytes of results, packed to %llu\n", (unsigned long long)n,
			(unsigned long long)done);
	return done;
}

static void set_boot_next(const struct machine *m)
{
	if (!m->boot_current_known)
		return;
	if (firmware_boot_next(m->boot_current))
		console_printf("the firmware does not set BootNext:\n"
			       "after the reset, choose this medium again\n");
}

/* false: it is not stored; where it was to be, it is said why. */
static bool store(const struct machine *m, const char *file)
{
	struct workshop w = workshop_of(m);
	size_t n = limit ? pack_result(&w) : 0;
	uint64_t status;

	/* without a limit, the room came to its end: there is no loop */
	if (!limit && m->store.usable && m->store.usable_at_runtime)
		store_reset_bare_entries(&firmware_storage);
	if (!limit)
		return false;
	if (!n) {
		console_printf("the result does not fit into EFI variables\n");
		return false;
	}
	status = store_write(&firmware_storage, file, w.packed, n);
	if (status)
		console_printf("the firmware does not store the result: %s\n",
			efi_status_text(status));
	return !status;
}

void bare_result_store(const struct machine *m)
{
	char file[STORED_RESULT_FILE];
	bool stored;

	results_file(file, ROOM_BARE);
	stored = store(m, file);
	if (stored) {
		set_boot_next(m);
		console_printf("stored: the next start writes \\results\\%s\n", file);
	}
	results_send();
	if (!stored)
		return;
	finish_before_storing_reset();
	reset_machine(RESET_WARM);
}
