/* SPDX-License-Identifier: MIT */
/* anechoic compare --fleet: which of many machines lie outside of their group. */
#ifndef LINUX_COMMAND_FLEET_H
#define LINUX_COMMAND_FLEET_H

#include <stdbool.h>

struct fleet_arguments {
	const char *rooms; /* comma-separated; "": all */
	bool json, all;
	double margin; /* a part: smaller differences between groups are not told */
};

/*
 * paths: folders and files, ends with NULL. Prints the answer; the exit code: EXIT_NO if a machine
 * lies outside of its group; EXIT_FAILED, also then, if a file is damaged or cannot be read, or if
 * no machine can be judged.
 */
int compare_fleet(const struct fleet_arguments *, char *const *paths);

#endif
