/* SPDX-License-Identifier: MIT */
/*
 * Running functions on the other processors (APs). In room `firmware` they are called by the
 * firmware's MP Services (StartupThisAP), in room `bare` they are started by INIT-SIPI-SIPI; in
 * both they then wait for calls, asleep and with interrupts off. One that does not start,
 * or takes an exception, is named on the console and not used.
 */
#ifndef KERNEL_SMP_SMP_H
#define KERNEL_SMP_SMP_H

#include "kernel/config.h"
#include "kernel/cpu/fault.h"
#include "kernel/machine.h"
#include "engine/room.h"
#include "kernel/cpu/msr.h"

struct jsonl;

/*
 * Starts them for a room and sets facts.cpus, facts.topology and room's run_on and run_wait. All
 * stay as they are, with the boot processor alone, if processors_open had no memory for the list.
 */
void smp_enter_room(struct room *, enum room_kind, const struct machine *, const struct config *);

/* At the end of a room: those that the firmware called return to it. */
void smp_leave_room(struct room *);
/* NULL, or why ExitBootServices may never return: a processor that did not come back. */
const char *smp_blocks_exit(void);

/* How the other processors wait, as a member of the run line. */
void smp_describe_idle(const struct config *, struct jsonl *);

/*
 * In room bare: calls fn(arg) on the processor of that number in the list and returns when it is
 * done. Meanwhile the boot processor waits for calls, as the others do. In room firmware, or if
 * that processor is not ready, fn is called on the boot processor, and the console says why.
 */
void smp_measure_on(struct room *, uint64_t cpu, void (*fn)(void *), void *arg);

/* For fault_open: true if it was another processor's fault, which is recorded. */
bool smp_fault(const struct frame *);
/* For fault_open: true if the NMI was one that ends a processor's hlt. */
bool smp_nmi(struct frame *);

/*
 * How a processor waits for work. What it does meanwhile decides how fast the others
 * run: one in C1 or spinning counts as active for the turbo frequency, and one that spins takes
 * execution units from its sibling thread, and its half of what the two divide between them: of the
 * window and of the buffers (Intel, Optimization Reference Manual, "Hyper-Threading Technology").
 */

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

/* Returns when *requested is no longer *completed; by hlt, at an NMI that comes meanwhile. */
void idle_wait(const struct idle *, const volatile uint64_t *requested,
	const volatile uint64_t *completed);

#endif
