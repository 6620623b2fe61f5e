/* SPDX-License-Identifier: MIT */
/* Shows a finished run from its lines. */
#ifndef KERNEL_CONSOLE_SHOW_H
#define KERNEL_CONSOLE_SHOW_H

#include <stddef.h>

/* The summary as a table, and how the run ended. Lines that are no JSON are passed over. */
void show_run(const char *text, size_t n);

#endif
