/* SPDX-License-Identifier: MIT */
/*
 * What `anechoic ladder` must know after the machine was away: the file /var/lib/anechoic/ladder,
 * and a systemd unit that goes on by itself. Functions that return int: 0, or -1 with the reason in
 * err[REASON_BYTES].
 */
#ifndef LINUX_COMMAND_LADDER_H
#define LINUX_COMMAND_LADDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define LADDER_FOLDER "/var/lib/anechoic"
#define LADDER_STATE  LADDER_FOLDER "/ladder"
#define LADDER_UNIT   "anechoic-ladder.service"
#define LADDER_WORDS  64

struct ladder {
	char out[PATH_MAX]; /* the folder of the results, absolute */
	/* The boot (random/boot_id) in which the machine was sent away; "": not yet in this run. */
	char boot[40];
	unsigned runs, run; /* that are wanted; the one under way, from 1 */
	bool reboot;        /* it restarts the machine itself */
	size_t nwords;
	char *words[LADDER_WORDS]; /* arguments of `anechoic boot`; owned */
};

#endif
