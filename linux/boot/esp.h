/* SPDX-License-Identifier: MIT */
/* The EFI system partition from which this machine starts: found, and mounted if it is not. */
#ifndef LINUX_BOOT_ESP_H
#define LINUX_BOOT_ESP_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* A block device, by sysfs and libblkid. */
struct partition {
	char node[80];  /* "/dev/sda1" */
	char disk[80];  /* "/dev/sda" */
	int number;     /* 1... */
	char type[40];  /* of the partition table's entry: a GUID, or "0xef"; "": unknown */
	char files[32]; /* of the file system: "vfat", "linux_raid_member"; "": unknown */
};

struct esp {
	char root[PATH_MAX];   /* path to its files: a mount point, or /proc/self/fd/N */
	char shown[PATH_MAX];  /* for people: "/boot/efi", "/dev/sda1, which is not mounted," */
	struct partition part; /* the partition, for the boot entry */
	int mount;             /* our own: attached nowhere, gone with this process; -1: none */
};

/*
 * Find it. given: a mount point or a block device, or NULL: the file system mounted at /boot/efi,
 * /efi or /boot with a directory EFI in it, else the one partition of that type. writes: it must
 * not be read-only. Returns -1 with the reason in err[REASON_BYTES].
 */
int esp_find(struct esp *, const char *given, bool writes, char *err);
void esp_close(struct esp *);
/* Name the partition in a reason of REASON_BYTES, instead of a path that only this process has. */
void esp_reason(const struct esp *, char *err);

#endif
