/* SPDX-License-Identifier: MIT */
/* Our firmware variables under Linux: efivarfs has a file per variable, NAME-GUID. */
#ifndef LINUX_EFIVARS_H
#define LINUX_EFIVARS_H

#include <stddef.h>

#include "lib/stored_result.h"

#define EFIVARS_DIR  "/sys/firmware/efi/efivars"
#define EFIVARS_GUID STORED_RESULT_GUID(GUID_TEXT)

/* A variable without the 4 bytes of attributes that efivarfs puts before its data. */
struct efivar {
	char *path;
	char *name; /* "AnechoicResult00" */
	unsigned char *data;
	size_t n;
};

struct efivars {
	struct efivar *all; /* sorted by name */
	size_t n;
};

/*
 * Read our AnechoicResult... variables. Returns 0, also if there are none; -1 with errno, *what
 * names the variable.
 */
int efivars_read(struct efivars *, const char *dir, char **what);
void efivars_free(struct efivars *);

/*
 * Delete them. efivarfs makes variables immutable so that `rm -rf /` does not brick a machine; the
 * flag is cleared first. Returns 0; -1 with errno, *what is the path that stays.
 */
int efivars_delete(const struct efivars *, const char **what);

/*
 * Unpack the text of the pending result (lib/stored_result.h); the caller frees it, *n is its
 * length. NULL with *why in words if there is none, a chunk is missing or a checksum is wrong.
 */
char *efivars_unpack(const struct efivars *, size_t *n, const char **why);

#endif
