/* SPDX-License-Identifier: MIT */
/*
 * May this run end by itself? A machine that resets, or whose "off" is a reset (U-Boot's), comes back
 * to the same stick and would measure for ever. So an end by ourselves is counted in a variable first,
 * and after ENDS_MOST in a row, or where nothing can be counted, the run stops instead and says why.
 *
 *	finish           ends counted   firmware lives   then
 *	firmware         -              yes              back to the firmware
 *	firmware         -              no               halt
 *	halt             -              -                halt
 *	poweroff, reset  fewer than 3   -                poweroff, reset
 *	poweroff, reset  3 or more      -                halt; the next run may end by itself again
 *	poweroff, reset  cannot be      yes              back to the firmware
 *	poweroff, reset  cannot be      no               halt
 *
 * Two ends are "in a row" when the second run started within ENDS_GAP_SECONDS of the first one's end,
 * or no clock tells. (The reset that brings a stored result home is bounded by the counter of starts:
 * kernel/result/store.c.)
 */
#ifndef KERNEL_RESULT_ENDING_H
#define KERNEL_RESULT_ENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/config.h"
#include "kernel/result/store.h"

#define ENDS_MOST        3
#define ENDS_GAP_SECONDS 600 /* a large server's firmware needs minutes to come back */

enum ending { ENDING_FIRMWARE, ENDING_HALT, ENDING_POWEROFF, ENDING_RESET };

/* What the decision rests on. */
struct circumstances {
	enum finish finish;    /* as configured */
	bool lives;            /* the firmware does */
	const char *uncounted; /* why ends cannot be counted; NULL: they can */
	unsigned before;       /* ends by ourselves in a row before this one */
};

/* *why: the reason, when it is not what was configured; else NULL. */
enum ending ending_choose(const struct circumstances *, const char **why);

/* Seconds of a "20260101T000000Z" since some fixed day; 0: it is not such a text. */
uint64_t ending_seconds(const char *utc);

/* Ends in a row before this run, which started at `started` (seconds, 0 unknown). */
unsigned ends_before(const struct store_calls *, uint64_t started);
/* Keeps that there are `count` by now, the last at `ended`. False: they do not read back so. */
bool ends_keep(const struct store_calls *, unsigned count, uint64_t ended);

#endif
