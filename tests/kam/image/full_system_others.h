/* SPDX-License-Identifier: MIT */
/*
 * The other processors of layer b. Each is a Unicorn of its own on the same memory, with its own
 * model-specific registers and local APIC. It is started as Intel SDM vol. 3A 9.4.4 says, by INIT
 * and SIPI, and begins in real mode. The processors take turns: while the boot processor executes
 * PAUSE, each other one runs until it pauses, sleeps or halts.
 *
 * Where [wake] states times, a loop of the boot processor that waits for another one to write is
 * timed: an interrupt, an NMI, a line and the end of a wait take theirs, and the boot processor's
 * clock goes on to when the answer is there. What the other one executes takes no time of that
 * clock. Its loops are run while the boot processor is in plain C, after one another.
 */
#ifndef TESTS_KAM_IMAGE_FULL_SYSTEM_OTHERS_H
#define TESTS_KAM_IMAGE_FULL_SYSTEM_OTHERS_H

#include "tests/kam/image/full_system.h"

/* The local APIC's id of processor i: an even one, unless cores have two threads. */
uint32_t others_id(const struct full_system *, unsigned i);
/* Returns true if the processor that executes now is not the boot processor. */
bool others_running(const struct full_system *);
/*
 * Returns true if the other thread of the boot processor's core executes anything, PAUSE included.
 */
bool others_sibling_executes(const struct full_system *);
/* They wait for INIT; their registers will be as the boot processor's at power-on. */
void others_init(struct full_system *);
/* The machine is complete, and is switched on. */
void others_power_on(struct full_system *);
void others_free(struct full_system *);
/* Another APIC id for processor i >= 1. */
void others_set_id(struct full_system *, unsigned i, uint32_t id);
/* From now on a write ends the MWAIT of a processor only n times more. */
void others_miss_writes(struct full_system *, uint64_t n);
/*
 * From now on all but each n-th interrupt that a command sends comes so late that the processor has
 * been woken by an NMI before it.
 */
void others_late_interrupts(struct full_system *, uint64_t n);
/* From now on the NMI that ends a HLT of a processor comes just before that HLT. */
void others_nmi_before_hlt(struct full_system *);
/* From now on n NMIs come that no command sent, to a processor that has just halted. */
void others_stray_nmis(struct full_system *, uint64_t n);
/* An interrupt command of the processor that runs, to the APIC id. */
void others_command(struct full_system *, uint32_t id, uint32_t command);
/*
 * Handle an instruction of the running processor. PAUSE: `after` is the next instruction's address.
 */
void others_pause(struct full_system *, uint64_t after);
void others_monitor(struct full_system *, uint64_t after);
void others_mwait(struct full_system *, uint64_t after);
/*
 * Run the others beside the boot processor's loop, which may be waiting (struct emulator,
 * `between`).
 */
void others_beside(void *full_system);
/* A WRMSR within a loop (struct emulator, `wrmsr`). */
void others_wrmsr(void *full_system, uint32_t number, uint64_t value);
/* Another processor that runs beside such a loop has a time of its own: it is in *tsc. */
bool others_own_tsc(struct full_system *, uint64_t *tsc);
/* A loop is called: its clock is lower if that is another processor's, soon after it was woken. */
void others_loop(struct full_system *);
/* Calls fn once for each other processor that runs, with its registers in place. */
void others_each(struct full_system *, void (*fn)(struct full_system *));

#endif
