/* SPDX-License-Identifier: MIT */
/* Shows a finished run from its lines. */
#ifndef KERNEL_RESULT_SHOW_RESULT_H
#define KERNEL_RESULT_SHOW_RESULT_H

#include <stddef.h>

/* The card of the machine, and how the run ended. Lines that are no JSON are passed over. */
void show_result(const char *text, size_t n);
/* Says what a thinned run lacks, and nothing of one that is whole. */
void show_missing(const char *text, size_t n);

#endif
