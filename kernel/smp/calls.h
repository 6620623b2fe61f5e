/* SPDX-License-Identifier: MIT */
/* Calls on other processors: from the caller's side and from that of the processor called. */
#ifndef KERNEL_SMP_CALLS_H
#define KERNEL_SMP_CALLS_H

#include "engine/room.h"
#include "kernel/cpu/fault.h"
#include "kernel/smp/processors.h"

/* Calls p->fn on a processor of the table. It is told of the NMI first, so that it awaits it. */
void processor_call(struct processor *);
/* On a processor of the table: wait for calls and do them, until one with fn NULL. */
void processor_serve(struct processor *);
/*
 * Choose as idle_choose; but only a processor that the APIC reaches may halt, and a processor that
 * a store did not wake keeps its way.
 */
struct idle processor_idle(const struct processor *);

/* Implement room->run_on and room->run_wait (engine/room.h). */
int processor_run_on(struct room *, unsigned cpu, void (*fn)(void *), void *arg);
int processor_run_wait(struct room *, unsigned cpu);

/* Returns true if it has not woken for a call that is so many ticks old. */
bool processor_sleeps_on(const struct processor *, double ticks, const struct room *);
/*
 * Wakes it by an NMI. From then on an NMI tells it of each call; it waits as deep as before: were
 * it to spin, its sibling would be measured as half a core.
 */
void processor_kick(struct processor *);
/* Says once which processors faulted or do not respond, in one line if there are many. */
void processors_failed(void);

/* For fault_open: returns true if another processor faulted, and records it. */
bool processor_fault(const struct frame *);
/* For fault_open: returns true if the NMI was sent to wake the processor that got it. */
bool processor_nmi(struct frame *);

#endif
