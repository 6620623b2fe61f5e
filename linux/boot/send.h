/* SPDX-License-Identifier: MIT */
/*
 * Sends this machine into the image at its next start, once, and takes that back. Each step is
 * whole or not done, and the last one counts: files, boot entry, BootNext; back in the other order.
 * Killed anywhere, the machine starts as before or into a whole image. Functions that return int:
 * 0, or -1 with the reason in err[REASON_BYTES].
 */
#ifndef LINUX_BOOT_SEND_H
#define LINUX_BOOT_SEND_H

#include <stdio.h>

#include "linux/boot/boot_files.h"
#include "linux/boot/esp.h"
#include "linux/boot/firmware_boot.h"

struct send {
	const struct esp *esp;
	struct boot_files files;
	struct boot_entry entry;
};

/* Refuses what can be refused before anything is written. `files` is filled but for its root. */
int send_plan(struct send *, const struct esp *, char *err);
/* What will happen, in five lines of at most 80 columns. */
void send_say(const struct send *, FILE *out);
int send_do(const struct send *, char *err);

struct send_undone {
	struct boot_removed removed;
	size_t results; /* that are not fetched yet, and stay */
};

int send_undo(const struct esp *, struct send_undone *, char *err);

#endif
