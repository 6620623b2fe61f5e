/* SPDX-License-Identifier: MIT */
/* How the kernel was built and started, as far as that decides what it costs. */
#ifndef LINUX_KERNEL_OPTIONS_H
#define LINUX_KERNEL_OPTIONS_H

#include <stddef.h>

struct jsonl;

/*
 * Of a kernel's command line the words that decide what the kernel costs (mitigations, isolated
 * CPUs, ticks, preemption, sleep states, pages, clock sources), in their order, with single spaces.
 * What follows "--" is not the kernel's. A word that does not fit into out is left out.
 */
void kernel_options_choose(const char *command_line, char *out, size_t bytes);

/*
 * How far the kernel may be interrupted, by its version text (uname -v) and the file of
 * PREEMPT_DYNAMIC's mode ("none voluntary (full)"; "" not readable): "dynamic: full".
 */
void kernel_preemption(const char *version, const char *mode, char *out, size_t bytes);

/* Adds "options", "preemption" and "hz" to the run line. */
void kernel_options_put(struct jsonl *);

#endif
