/* SPDX-License-Identifier: MIT */
/* The EFI system partition that this machine starts from: found, and mounted if it is not. */
#ifndef LINUX_BOOT_ESP_H
#define LINUX_BOOT_ESP_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* What a block device is, as sysfs and libblkid tell it. */
struct partition {
	char node[80];  /* "/dev/sda1" */
	char disk[80];  /* "/dev/sda" */
	int number;     /* 1... */
	char type[40];  /* of the partition table's entry: a GUID, or "0xef"; "": not known */
	char files[32]; /* of the file system: "vfat", "linux_raid_member"; "": not known */
};

struct esp {
	char root[PATH_MAX];   /* the way to its files: a mount point, or /proc/self/fd/N */
	char shown[PATH_MAX];  /* for people: "/boot/efi", "/dev/sda1, which is not mounted," */
	struct partition part; /* where it is, for the boot entry */
	int mount;             /* of our own: attached nowhere, gone with this process; -1: none */
};

/*
 * Finds it. given: a mount point or a block device, or NULL: what is mounted at /boot/efi, /efi or
 * /boot with a directory EFI in it, else the one partition of that type. writes: it must not be
 * read-only. -1 with the reason in err[REASON_BYTES].
 */
int esp_find(struct esp *, const char *given, bool writes, char *err);
void esp_close(struct esp *);
/* Names the partition in a reason of REASON_BYTES, instead of a way to it that only we have. */
void esp_reason(const struct esp *, char *err);

#endif
