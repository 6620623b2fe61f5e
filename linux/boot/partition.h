/* SPDX-License-Identifier: MIT */
/* What a block device is, as sysfs and libblkid tell it. */
#ifndef LINUX_BOOT_PARTITION_H
#define LINUX_BOOT_PARTITION_H

#include <stdbool.h>
#include <sys/types.h>

struct partition {
	char node[80];  /* "/dev/sda1" */
	char disk[80];  /* "/dev/sda" */
	int number;     /* 1... */
	char type[40];  /* of the partition table's entry: a GUID, or "0xef"; "": not known */
	char files[32]; /* of the file system: "vfat", "linux_raid_member"; "": not known */
};

/* 0; -1: it is no partition of a disk, and err[REASON_BYTES] says what it is instead. */
int partition_read(dev_t, struct partition *, char *err);
/* Whether the table calls it an EFI system partition (UEFI 2.10, table 5.7; 0xef: 5.2.2). */
bool partition_is_esp(const struct partition *);

#endif
