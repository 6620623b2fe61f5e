/* SPDX-License-Identifier: MIT */
/* What is said first: who we are, and in large letters whether this is real hardware. */
#ifndef KERNEL_CONSOLE_BANNER_H
#define KERNEL_CONSOLE_BANNER_H

#include "kernel/machine.h"
#include "engine/env.h"

void banner_name(void);
void banner_machine(const struct machine *, const struct facts *);

#endif
