/* SPDX-License-Identifier: MIT */
/*
 * A call of code that may do anything, on the processor that measures (struct room, `guard`). An
 * exception ends it, and the timer of the local APIC, for which interrupts are on meanwhile; code
 * that turns them off, and does not return, is ended by the watchdog with the machine. Page tables
 * with this program and the memory that is given alone are loaded for it: what else it touches is a
 * page fault. What the program itself has, its data, its work memory, the processor's tables and
 * registers, is in ring 0 within reach.
 */
#ifndef KERNEL_GUARDED_CALL_H
#define KERNEL_GUARDED_CALL_H

#include "engine/room.h"

/*
 * struct room, `guard`. Afterwards control registers, XCR0, descriptor tables, segments and the
 * state of x87 and SSE are as before, interrupts off, in either case.
 */
int guard(struct room *, loop_fn *, const uint64_t args[LOOP_ARGS], double most_ns,
	const struct arena *writable, struct timed *, struct escape *out);

#endif
