/* SPDX-License-Identifier: MIT */
/* Parts of `anechoic run`, for tests: its command line, and its advice. */
#ifndef LINUX_COMMAND_RUN_H
#define LINUX_COMMAND_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/options.h"
#include "linux/cgroup_limits.h"

/* The settings table as long options, and a few of the command's own. */
struct run_options {
	struct options settings;
	const char *out; /* NULL: a name of the program's own (output_open) */
	bool force;      /* an existing result may be overwritten */
	bool list, help;
	bool fifo;       /* the measuring thread is to be a real-time one */
	bool cpu_chosen; /* settings.cpu was given */
};

/*
 * What would make a run better, on the screen before it begins; each that is missing is a line of
 * advice.
 */
struct advice {
	bool root, isolated, large_pages, fixed_clock; /* true: there, or not to be had */
	bool thp_there;                                /* the kernel has transparent huge pages */
	bool shared;  /* nice counts within the session's group only */
	unsigned cpu; /* the measuring one, by Linux's number */
};

#define ADVICE_LINES 5
#define ADVICE_LINE  104 /* bytes, with the NUL; 80 columns with any CPU that there is */

#define THP_ENABLED "/sys/kernel/mm/transparent_hugepage/enabled"
#define POOL_2M     "/proc/sys/vm/nr_hugepages"

#endif
