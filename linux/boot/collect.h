/* SPDX-License-Identifier: MIT */
/*
 * Brings results home: those in \EFI\anechoic\results\ of the EFI system partition, and one that
 * waits in firmware variables. Each is copied, flushed and compared before it is deleted there;
 * one that was copied by a run that was killed is found to be the same, and not copied twice.
 * Functions that return int: 0, or -1 with the reason in err[REASON_BYTES].
 */
#ifndef LINUX_BOOT_COLLECT_H
#define LINUX_BOOT_COLLECT_H

#include <stdio.h>

/* Adds to *n how many came; a line for each goes to `say`. root: of the partition. */
int collect_files(const char *root, const char *out, FILE *say, unsigned *n, char *err);
/*
 * efivars: the directory of variables; one that is not there has none. Chunks without their header
 * are no result (lib/stored_result.h) and are deleted.
 */
int collect_variables(const char *efivars, const char *out, FILE *say, unsigned *n, char *err);
/*
 * How many files wait, results and their pages, as far as this can be seen without mounting
 * anything.
 */
unsigned collect_waiting(void);

#endif
