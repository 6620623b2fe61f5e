/* SPDX-License-Identifier: MIT */
/*
 * What must be known after a reset even where variables do not outlive one (a firmware that keeps
 * them in RAM, or whose store is worn out): a file beside the results, written before
 * ExitBootServices. Each start that finds a count in the file, and not the variable that was set
 * before it (kernel/result/store.c), knows that this firmware forgets.
 */
#ifndef KERNEL_RESULT_STARTS_FILE_H
#define KERNEL_RESULT_STARTS_FILE_H

#include "kernel/result/store.h"

#define STARTS_FILE "\\anechoic.starts" /* beside \results\ */

struct starts {
	uint32_t machine; /* machine_id(): the stick may go on to another */
	uint32_t bare;    /* entries of room bare whose result is to be stored */
	uint32_t resets;  /* resets and power-offs in a row at the end of a run */
	uint64_t ended;   /* the last of them, seconds since 1970; 0: unknown */
};

/* All 0 but `machine` where there is no such file, or one of another machine. */
void starts_read(const struct storage *, uint32_t machine, struct starts *);
/* Writes the file; deletes it where both counts are 0. false: it does not read back so. */
bool starts_write(const struct storage *, const struct starts *);

#endif
