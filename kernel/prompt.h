/* SPDX-License-Identifier: MIT */
/* Waits for a person, never for ever: the opening prompt, and countdowns that a key ends. */
#ifndef KERNEL_PROMPT_H
#define KERNEL_PROMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/config.h"
#include "kernel/machine.h"

/*
 * Wait up to this many seconds for a key, and show "what in 9 s". Returns the key, or KEY_NONE when
 * the time is over. After ExitBootServices it needs the TSC's rate.
 */
unsigned prompt_wait(unsigned seconds, const char *what);

/* Wait a second without reading keys. */
void prompt_pause(void);

/*
 * Before the first room: show what will run, and wait config->prompt seconds for a key that changes
 * it. Skipped if the firmware has no console input. Returns false if the person wants to leave.
 * Enter shows that a person has started the machine: resets in a row, which ended before this
 * start, are counted anew. After RESETS_MAX resets the prompt asks for Enter, for a minute.
 */
bool prompt_open(const struct machine *, struct config *);

#endif
