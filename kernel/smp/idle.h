/* SPDX-License-Identifier: MIT */
/*
 * The ways in which a processor waits for work. They decide how fast the others run: a processor in
 * C1 or spinning counts as active for the turbo frequency, and a spinning one takes execution units
 * from its sibling thread, and its half of the partitioned resources: of the window and of the
 * buffers (Intel, Optimization Reference Manual, Hyper-Threading, "Partitioned Resources"). A
 * halted processor gives all back (SDM vol. 3A, "Management of Idle and Blocked Conditions").
 */
#ifndef KERNEL_SMP_IDLE_H
#define KERNEL_SMP_IDLE_H

#include "kernel/config.h"
#include "kernel/cpu/fault.h"
#include "kernel/cpu/msr.h"

enum idle_way {
	IDLE_WAY_DEEP,  /* mwait with the hint of the deepest state, core clock and caches off */
	IDLE_WAY_MWAIT, /* mwait in C1 */
	IDLE_WAY_HALT,  /* hlt, which an NMI ends: used if a store cannot wake it */
	IDLE_WAY_IO,    /* AMD: a read of a port that enters a deep state, which an NMI ends */
	IDLE_WAY_PAUSE, /* spinning */
	IDLE_WAYS
};

struct idle {
	volatile enum idle_way way;
	uint32_t hint;     /* EAX of mwait; the port of IDLE_WAY_IO */
	volatile bool nmi; /* each call is told by an NMI, because a store may not end the wait */
	const char *why;   /* why the way is not the requested one; NULL: it is */
};

/* Choose the way of the processor that executes this (or of a test's double). */
struct idle idle_choose(const struct cpu_ops *, enum idle_choice asked);

/*
 * Return when *requested is no longer equal to *completed. Where idle->nmi is set they are compared
 * after each NMI only: a processor that raises *requested then sends one.
 */
void idle_wait(const struct idle *, const volatile uint64_t *requested,
	const volatile uint64_t *completed);
/*
 * For the handler of an NMI that was sent to end this processor's wait. An NMI that comes after the
 * comparison and before the instruction that waits is not lost: the handler returns behind that.
 */
void idle_nmi(struct frame *);

#endif
