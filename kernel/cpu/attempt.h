/* SPDX-License-Identifier: MIT */
/* Loops of instructions that a machine may refuse: privileged ones under a hypervisor. */
#ifndef KERNEL_CPU_ATTEMPT_H
#define KERNEL_CPU_ATTEMPT_H

#include "engine/room.h"

/*
 * Calls a loop, on the boot processor. NULL; or the name of the exception that it raised, and CR3
 * and CR4 are as before, interrupts off. A fault elsewhere afterwards is handled as before the
 * call.
 */
const char *loop_attempt(loop_fn *, const uint64_t args[LOOP_ARGS]);

#endif
