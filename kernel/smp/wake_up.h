/* SPDX-License-Identifier: MIT */
/* A processor waits, and is woken: what probe wake measures (struct room, `wake`). */
#ifndef KERNEL_SMP_WAKE_UP_H
#define KERNEL_SMP_WAKE_UP_H

#include "engine/room.h"

/*
 * struct room, `wake`, where the other processors are ours alone: in room bare. The processor that
 * waits takes interrupts of vectors from F0h on meanwhile; its two gates and its APIC are put back
 * after each wait. One that does not wake gets an NMI.
 */
int wake(struct room *, const struct waking *, double *ticks, struct woken_chain *chains,
	const char **why);

#endif
