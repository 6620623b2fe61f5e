/* SPDX-License-Identifier: MIT */
#include "kernel/result/bare_store.h"

#include "kernel/console/console.h"
#include "kernel/finish.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/result/result_log.h"
#include "kernel/result/show_result.h"
#include "kernel/reset_ladder.h"
#include "kernel/result/store.h"
#include "kernel/steps.h"
#include "lib/pack.h"
#include "lib/thin.h"

#define WHOLE (-1) /* the level below lib/thin.h's */

static size_t limit;
static const char *why_not;
static bool wanted_so, keep_count;

void bare_store_open(size_t bytes, const char *why, bool by_user, bool keep)
{
	limit = bytes;
	why_not = why;
	wanted_so = by_user;
	keep_count = keep;
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
		return pack(w->text, w->n, w->packed, limit, w->small, w->bytes);
	*thinned = thin(w->text, w->n, (unsigned)w->level, "to fit into EFI variables", w->small,
		w->bytes);
	if (!*thinned)
		return 0;
	return pack(w->small, *thinned, w->packed, limit, w->small + *thinned, w->bytes - *thinned);
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

	firmware_store_query(&now);
	size_t bytes = store_limit(&now, &why);
	if (bytes >= limit)
		return NULL;
	console_printf("after the exit the firmware has %llu bytes free: at most %llu are taken\n",
		(unsigned long long)now.remaining, (unsigned long long)bytes);
	limit = bytes;
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
		limit = n / 2;
	}
	return why;
}

/* NULL, or why it is not stored. */
static const char *store(const struct machine *m, const char *file)
{
	struct workshop w = workshop_of(m);
	const char *why;

	/* without a limit, the room came to its end: there is no loop */
	if (!limit && !keep_count && m->store.usable && m->store.usable_at_runtime &&
		!step_hung("setvar"))
		store_reset_bare_entries(&firmware_storage);
	if (!limit)
		return why_not;
	why = w.n ? limit_again(m) : "nothing was measured";
	return why ? why : store_packed(&w, file);
}

static void set_boot_next(const struct machine *m)
{
	if (m->home != HOME_UNKNOWN && firmware_boot_next())
		console_printf("the firmware does not set BootNext:\n"
			       "after the reset, choose this medium again\n");
}

const char *bare_store(const struct machine *m)
{
	char file[STORED_RESULT_FILE];
	size_t n;

	results_file(file, ROOM_BARE);
	step_enter("setvar");
	const char *why = store(m, file);
	if (!why) {
		set_boot_next(m);
		console_printf("stored: the next start writes%s%s%s%s\n"
			       "if another system starts now, start this medium again: it waits\n",
			m->file_gap, m->file_prefix, file, results_place(m));
	}
	step_left();
	results_send();
	results_text(&n);
	if (why && n)
		return wanted_so ? NULL : why;
	if (why) {
		console_printf("no result is stored: %s\n", why);
		return NULL;
	}
	finish_before_storing_reset();
	reset_machine(RESET_WARM);
}
