/* SPDX-License-Identifier: MIT */
/* The command line of `anechoic run`: the settings as long options, and options of its own. */
#ifndef LINUX_RUN_OPTIONS_H
#define LINUX_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/options.h"

struct run_options {
	struct options settings;
	const char *out;     /* NULL: a generated name */
	bool force;          /* an existing result may be overwritten */
	bool list;           /* only the probes are to be listed */
	bool help, help_all; /* only the options, and with help_all also the rare ones */
	bool quiet, verbose; /* the last one given of them */
	bool fifo;           /* the measuring thread should be a real-time thread */
	bool cpu_chosen;     /* settings.cpu was given */
};

/* Returns 0; or -1 with the error in err. */
int run_options_parse(int argc, char **argv, struct run_options *out, char *err, size_t err_bytes);
/* Print the options, with `all` also those that few people need. */
void run_options_help(bool all);

#endif
