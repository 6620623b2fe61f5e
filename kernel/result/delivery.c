/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/console/console.h"
#include "kernel/result/delivery.h"
#include "kernel/result/end.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/result/harvest.h"
#include "kernel/result/result_log.h"
#include "kernel/console/show.h"
#include "engine/env.h"
#include "lib/pack.h"
#include "lib/thin.h"

#define PACKED_BYTES (STORE_CHUNKS * STORE_CHUNK)

static const struct store_calls *const calls = &store_firmware_calls;
static size_t limit; /* bytes that the result may take in variables; 0: none */

static enum arrival said(enum harvest how, const struct harvested *h, const char *text)
{
	switch (how) {
	case HARVEST_DONE:
		console_printf("\nThe last start's room bare is now in \\results\\%s\n"
			       "(%llu bytes, read back, the same; the variable is deleted)\n",
			h->header.file, (unsigned long long)h->text_bytes);
		show_run(text, h->text_bytes);
		return ARRIVAL_HOME;
	case HARVEST_KEPT:
		console_printf("\na result waits in the EFI variables and stays there: %s\n",
			h->why);
		show_run(text, h->text_bytes);
		return ARRIVAL_KEPT;
	case HARVEST_DAMAGED:
		console_printf("\na result in the EFI variables was damaged (%s) and is deleted\n",
			h->why);
		return ARRIVAL_NONE;
	default:
		return ARRIVAL_NONE;
	}
}

enum arrival delivery_receive(const struct machine *m)
{
	static struct harvested h;
	struct harvest_memory memory = {
		.packed = (unsigned char *)m->arena.base,
		.text = (char *)m->logs.base,
		.text_bytes = m->logs.bytes,
	};

	if (!m->store.usable || m->arena.bytes < PACKED_BYTES)
		return ARRIVAL_NONE;
	return said(harvest(calls, m->file_absent, &memory, &h), &h, memory.text);
}

/* false: three entries brought nothing home. *counted: this one is. */
static bool count_start(const struct machine *m, bool *counted)
{
	unsigned starts = m->store.usable ? store_starts(calls) : 0;

	if (starts < STARTS_MOST) {
		*counted = m->store.usable && store_count_start(calls);
		return true;
	}
	console_printf(
		"\nroom bare was entered %u times and no result came home: left out this once\n",
		starts);
	store_reset_starts(calls);
	return false;
}

bool delivery_prepare(const struct machine *m, const struct config *c)
{
	const char *why;
	bool counted;

	if (!count_start(m, &counted))
		return false;
	limit = store_limit(&m->store, &why);
	if (limit && !counted) {
		limit = 0;
		why = "the firmware does not keep a variable";
	}
	if (c->store == STORE_OFF) {
		limit = 0;
		why = "store = off";
	}
	if (!limit) {
		console_printf(
			"\nroom bare's result will be on the screen and serial only:\n  %s\n", why);
		return true;
	}
	console_printf("\nroom bare's result will be kept in an EFI variable, at most %llu bytes\n"
		       "(%llu of %llu are free), and brought into a file by the next start\n",
		(unsigned long long)limit, (unsigned long long)m->store.remaining,
		(unsigned long long)m->store.total);
	if (!m->boot_current_known)
		console_printf("this boot has no number: choose this stick again yourself\n");
	return true;
}

/* The result as small as needed; 0: not even so. The arena is free now: it is the memory for it. */
static size_t squeeze(const struct machine *m, unsigned char *packed)
{
	size_t n, bytes = m->arena.bytes > PACKED_BYTES ? m->arena.bytes - PACKED_BYTES : 0;
	char *small = (char *)packed + PACKED_BYTES;
	bool cut;
	const char *text = results_text(&n, &cut);

	for (unsigned level = 0; level <= THIN_MOST && n < bytes; level++) {
		size_t thinned = thin(text, n, level, "to fit into EFI variables", small, bytes);
		size_t done = thinned
			? pack(small, thinned, packed, limit, small + thinned, bytes - thinned)
			: 0;

		if (done) {
			console_printf("%llu bytes of results, thinned to %llu, packed to %llu\n",
				(unsigned long long)n, (unsigned long long)thinned,
				(unsigned long long)done);
			return done;
		}
	}
	return 0;
}

static void set_boot_next(const struct machine *m)
{
	if (!m->boot_current_known)
		return;
	if (firmware_boot_next(m->boot_current))
		console_printf("the firmware does not take BootNext: choose this stick yourself\n");
}

void delivery_send(const struct machine *m)
{
	unsigned char *packed = (unsigned char *)m->arena.base;
	char file[RESULT_NAME];
	size_t n;
	uint64_t status;

	if (!limit) {
		if (m->store.usable && m->store.usable_at_runtime)
			store_reset_starts(calls); /* it came to its end: there is no loop */
		return;
	}
	n = squeeze(m, packed);
	if (!n) {
		console_printf("the result does not fit into EFI variables\n");
		return;
	}
	results_file(file, ROOM_BARE);
	status = store_write(calls, file, packed, n);
	if (status) {
		console_printf("the firmware does not store the result (%llx)\n",
			(unsigned long long)status);
		return;
	}
	set_boot_next(m);
	console_printf("stored; a reset, and the next start writes \\results\\%s\n", file);
	end_reset(RESET_WARM);
}
