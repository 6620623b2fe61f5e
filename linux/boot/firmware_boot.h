/* SPDX-License-Identifier: MIT */
/*
 * The firmware's boot entries and BootNext (UEFI 2.10, section 3.3), by libefivar and libefiboot.
 * Functions that return int: 0, or -1 with the reason in err[REASON_BYTES], if not said otherwise.
 */
#ifndef LINUX_BOOT_FIRMWARE_BOOT_H
#define LINUX_BOOT_FIRMWARE_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linux/boot/partition.h"

#define BOOT_ENTRY  "anechoic boot" /* its description */
#define BOOT_LOADER "\\EFI\\anechoic\\BOOTX64.EFI"

/* Whether this machine was started by a 64-bit UEFI and its variables can be reached. */
int firmware_boot_usable(char *err);
/* Whether the firmware starts signed programs only. */
bool firmware_boot_is_secure(void);

struct boot_entry {
	uint8_t data[1024]; /* of the variable Boot#### */
	size_t n;
	bool there;      /* an entry of ours exists */
	uint16_t number; /* its number, or the one that it will have */
	unsigned place;  /* among the entries of the boot order, from 1; 0: in none */
};

/*
 * Makes the entry for the image on that partition, and looks for an earlier one; refuses if that
 * is the first of the boot order. Writes nothing.
 */
int boot_entry_plan(const struct partition *, struct boot_entry *, char *err);
/* Refuses if another program has set BootNext. Writes nothing. */
int boot_next_check(const struct boot_entry *, char *err);
/* Writes the entry, if it is not there as it should be; in no boot order, if it is new. */
int boot_entry_write(const struct boot_entry *, char *err);
int boot_next_write(const struct boot_entry *, char *err);

/* What firmware_boot_remove took away. */
struct boot_removed {
	bool next, entry;
	unsigned notes; /* variables in which the image counts its starts */
	bool result;    /* one is pending in variables, and stays */
};

/* Removes BootNext if it is ours, then our entry, then the image's notes, but no result. */
int firmware_boot_remove(struct boot_removed *, char *err);

#endif
