/* SPDX-License-Identifier: MIT */
/*
 * Room bare's result in UEFI variables, over the reset, and from there into a file (the harvest);
 * store.c has the order of the steps.
 */
#ifndef KERNEL_RESULT_STORE_H
#define KERNEL_RESULT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/firmware/firmware_calls.h"
#include "lib/stored_result.h"

/*
 * Most bytes that a result may take of the machine's non-volatile memory: as many as the layout has
 * space for. A default run of 1000 rows is about 45 KiB, packed and without samples.
 */
#define STORE_BYTES_MAX (STORED_RESULT_CHUNKS * STORED_RESULT_CHUNK)

/* Bytes that a packed result may have in this store; 0 with *why: none. */
size_t store_limit(const struct variable_store *, const char **why);

/*
 * Make the firmware reclaim the space of deleted variables if little is free: before
 * ExitBootServices, because most firmware does it only there. memory: STORE_SMALL + 1024 bytes.
 */
#define STORE_SMALL (24 * 1024) /* bytes; less than this is little */
void store_reclaim(const struct storage *, const struct variable_store *, const void *memory);

/* The outcome for a result that may be pending. */
enum harvest {
	HARVEST_NOTHING, /* nothing was pending */
	HARVEST_DONE,    /* it is in the file, which was compared, and no longer pending */
	HARVEST_KEPT, /* it stays pending: it cannot be read now, or its file cannot be written */
	HARVEST_DAMAGED, /* a part was missing or wrong: the result is deleted */
};

/*
 * Write a result and read it back. Returns NULL, or why it is not stored; then nothing is pending.
 */
const char *store_write(const struct storage *, const char *file, const void *data, size_t n);
/*
 * Delete the header, then the chunks, also without a header, and store_reclaim's variable. Returns
 * true if there was a header.
 */
bool store_erase(const struct storage *);

struct harvested {
	/* memory to work in; a result whose text is longer than text_most is kept */
	unsigned char *packed; /* STORE_BYTES_MAX bytes */
	char *text;
	size_t text_most;
	/* The findings. */
	enum harvest how;
	struct stored_result header;      /* with HARVEST_DONE: names the file written */
	size_t text_bytes;                /* of text; 0 if it could not be read */
	const char *why;                  /* with HARVEST_KEPT and HARVEST_DAMAGED */
	bool taken;                       /* with HARVEST_DONE: by a server, not read back */
	char refused[STORED_RESULT_FILE]; /* a name that no result can have; "": none */
};

/* Harvest a pending result. file_absent: why no file can be written here; NULL: it can. */
enum harvest harvest(const struct storage *, const char *file_absent, struct harvested *);

#endif
