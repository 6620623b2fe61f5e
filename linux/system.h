/* SPDX-License-Identifier: MIT */
/*
 * Parts of what Linux says of itself and of the machine, for tests: how the kernel was built and
 * started, and the machine's names.
 */
#ifndef LINUX_SYSTEM_H
#define LINUX_SYSTEM_H

#include <stddef.h>

#include "lib/smbios.h"

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

/* What Linux tells of the machine; below `root`, which is "" or a test's directory. */
struct host host_names_read(const char *root);

#endif
