/* SPDX-License-Identifier: MIT */
/* The files of a fleet: those that are named, and those of folders. */
#ifndef LINUX_FLEET_FILES_H
#define LINUX_FLEET_FILES_H

#include "report/fleet/fleet.h"

/*
 * Reads every file once, whichever way it is named, and adds it to the fleet; of folders those
 * whose name ends in .ndjson, in the order of their names. Only one file is in memory at a time.
 */
void fleet_read(struct fleet *, struct fleet_faults *, char *const *paths, const char *rooms);

void fleet_faults_free(struct fleet_faults *);

#endif
