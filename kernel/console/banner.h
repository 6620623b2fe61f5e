/* SPDX-License-Identifier: MIT */
/*
 * The first lines: the program's name, the machine, and in large letters if it is not real
 * hardware.
 */
#ifndef KERNEL_CONSOLE_BANNER_H
#define KERNEL_CONSOLE_BANNER_H

#include "kernel/machine.h"
#include "engine/room.h"

void banner_name(void);
void banner_machine(const struct machine *, const struct facts *);

#endif
