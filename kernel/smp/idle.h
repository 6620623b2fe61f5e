/* SPDX-License-Identifier: MIT */
/*
 * How a processor waits for work. What it does meanwhile decides how fast the others run: one in C1
 * or spinning counts as active for the turbo frequency, and one that spins takes execution units
 * from its sibling thread, and its half of what the two divide between them: of the window and of
 * the buffers (Intel, Optimization Reference Manual, Hyper-Threading, "Partitioned Resources"). One
 * that halts gives all back (SDM vol. 3A, "Management of Idle and Blocked Conditions").
 */
#ifndef KERNEL_SMP_IDLE_H
#define KERNEL_SMP_IDLE_H

#include "kernel/config.h"
#include "kernel/cpu/fault.h"
#include "kernel/cpu/msr.h"

enum idle_way {
	IDLE_WAY_DEEP,  /* mwait with the hint of the deepest state, core clock and caches off */
	IDLE_WAY_MWAIT, /* mwait in C1 */
	IDLE_WAY_HALT,  /* hlt, which an NMI ends: where a store cannot wake it */
	IDLE_WAY_PAUSE, /* spinning */
	IDLE_WAYS
};

struct idle {
	volatile enum idle_way way;
	uint32_t hint;   /* of mwait: EAX */
	const char *why; /* why it is not as asked; NULL: it is */
};

/* The way of the processor that executes this (or of a test's double). */
struct idle idle_choose(const struct cpu_ops *, enum idle_choice asked);

/*
 * Returns when *requested is no longer *completed. With hlt that is looked at after each NMI only:
 * whoever raises *requested then sends one.
 */
void idle_wait(const struct idle *, const volatile uint64_t *requested,
	const volatile uint64_t *completed);
/*
 * For the handler of an NMI that was sent to end this processor's hlt. One that comes after the two
 * were compared and before hlt is not lost: it returns behind hlt.
 */
void idle_nmi(struct frame *);

#endif
