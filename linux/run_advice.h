/* SPDX-License-Identifier: MIT */
/* What would make a run under Linux better, and what limits it: on the screen before it begins. */
#ifndef LINUX_RUN_ADVICE_H
#define LINUX_RUN_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "linux/cgroup_limits.h"

/* What is missing; each is a line of advice. */
struct advice {
	bool root, isolated, large_pages, fixed_clock; /* true: there, or not to be had */
	bool thp_there;                                /* the kernel has transparent huge pages */
	unsigned cpu;                                  /* the measuring one, by Linux's number */
};

#define ADVICE_LINES 4
#define ADVICE_LINE  104 /* bytes, with the NUL; 80 columns with any CPU that there is */

#define THP_ENABLED "/sys/kernel/mm/transparent_hugepage/enabled"
#define POOL_2M     "/proc/sys/vm/nr_hugepages"

/* At most ADVICE_LINES lines; returns how many. */
unsigned advice_lines(const struct advice *, char out[ADVICE_LINES][ADVICE_LINE]);
/* What the files below `root` ("": /proc, /sys) say of the CPU's isolation and clock. */
void advice_read(struct advice *, const char *root);

/* One line for each limit; returns how many. */
unsigned limit_lines(const struct cgroup_limits *, char out[ADVICE_LINES][ADVICE_LINE]);

#endif
