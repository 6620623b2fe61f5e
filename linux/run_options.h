/* SPDX-License-Identifier: MIT */
/* The command line of `anechoic run`: the settings table as long options, and a few of its own. */
#ifndef LINUX_RUN_OPTIONS_H
#define LINUX_RUN_OPTIONS_H

#include <stdbool.h>

#include "engine/options.h"

struct run_options {
	struct options settings;
	const char *out; /* NULL: a name of the program's own (output_open) */
	bool force;      /* an existing result may be overwritten */
	bool list, help;
	bool fifo;       /* the measuring thread is to be a real-time one */
	bool cpu_chosen; /* settings.cpu was given */
};

/* 0; or -1 with what is wrong in err. */
int run_options_parse(int argc, char **argv, struct run_options *out, char *err, size_t err_bytes);

void run_options_help(void);

#endif
