/* SPDX-License-Identifier: MIT */
/*
 * The group of a session's processes (sched_autogroup, man 7 sched "The autogroup feature"). Where
 * Linux groups sessions, each session with work has the same share of a CPU, whatever nice values
 * its processes have: those count within the group only. The group has a nice value of its own,
 * which this sets. It is that of all processes of the session, so it gets its old value again.
 */
#ifndef LINUX_AUTOGROUP_H
#define LINUX_AUTOGROUP_H

#include <stdbool.h>

struct autogroup {
	bool on;  /* this kernel groups sessions, and this process is in such a group */
	int nice; /* the group's: -20 (first) to 19 */
	int nice_at_start;
	char why[64]; /* why it is not what was asked for; "": it is */
};

/* What the files below `root` ("": /proc) say. */
struct autogroup autogroup_read(const char *root);
/*
 * Gives the group a nice value, and waits a tenth of a second if Linux wants that between two
 * changes. Nothing where there is no group. 0; or -1 with `why` and errno.
 */
int autogroup_set(struct autogroup *, const char *root, int nice);

#endif
