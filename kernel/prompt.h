/* SPDX-License-Identifier: MIT */
/* Waits for a person, never for ever: the opening prompt, and countdowns that a key ends. */
#ifndef KERNEL_PROMPT_H
#define KERNEL_PROMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/config.h"
#include "kernel/machine.h"

/*
 * Waits up to so many seconds for a key, and shows "what in 9 s". Returns the key, or KEY_NONE when
 * the time is over. After ExitBootServices it needs the TSC's rate.
 */
unsigned prompt_wait(unsigned seconds, const char *what);

/* A second in which keys are not heard. */
void prompt_pause(void);

/*
 * Before the first room: shows what will run, and waits config->prompt seconds for a key that
 * changes it. Skipped where the firmware has no console input. false: the person wants to leave.
 * Enter shows that a person has started the machine: resets in a row, which ended before this
 * start, are counted anew. Where there were RESETS_MAX of them it is asked for, and a minute long.
 */
bool prompt_open(const struct machine *, struct config *);

#endif
