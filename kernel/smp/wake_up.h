/* SPDX-License-Identifier: MIT */
/* A processor waits, and is woken: the operation that probe wake measures (struct room, `wake`). */
#ifndef KERNEL_SMP_WAKE_UP_H
#define KERNEL_SMP_WAKE_UP_H

#include "engine/room.h"

/*
 * Implements struct room, `wake`, if the other processors are ours alone: in room bare. The waiting
 * processor takes interrupts of vectors from F0h on meanwhile; its two gates and its APIC are
 * restored after each wait. A processor that does not wake gets an NMI.
 */
int wake(struct room *, const struct waking *, double *ticks, struct woken_chain *chains,
	const char **why);

#endif
