/* SPDX-License-Identifier: MIT */
/*
 * A call of code that may do anything, on the processor that measures (struct room, `guard`). An
 * exception ends it, or the timer of the local APIC; interrupts are on for that. Code that turns
 * interrupts off and does not return is ended by the watchdog, and the machine with it. The page
 * tables loaded for the call map only this program and the memory that is given: an access
 * elsewhere is a page fault. In ring 0 the program's own data, its work memory and the processor's
 * tables and registers are still within reach.
 */
#ifndef KERNEL_GUARDED_CALL_H
#define KERNEL_GUARDED_CALL_H

#include "engine/room.h"

/*
 * Implements struct room, `guard`. Afterwards control registers, XCR0, descriptor tables, segments
 * and the state of x87 and SSE are as before, interrupts off, however the call ended.
 */
int guard(struct room *, loop_fn *, const uint64_t args[LOOP_ARGS], double most_ns,
	const struct arena *writable, struct timed *, struct escape *out);

#endif
