/* SPDX-License-Identifier: MIT */
/* The local APIC, in the mode that it was found in: it may be locked in x2APIC mode. */
#ifndef KERNEL_SMP_APIC_H
#define KERNEL_SMP_APIC_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/room.h"

/* The id in the APIC's own register. false: the APIC is off. */
bool apic_id(uint32_t *id);
/*
 * Mask the legacy PICs and the local vectors of this processor, except LINT1, the NMI, and a
 * thermal vector that the firmware needs (kernel/smp/apic.c, lvt_in_bare).
 */
void apic_mask(void);
/*
 * On another processor, where INIT has masked it: set the boot processor's thermal vector, for the
 * firmware set up all processors alike.
 */
void apic_copy_thermal(void);

/* Returns true if a processor can be reached: xAPIC mode has 8-bit ids, and 255 means all. */
bool apic_reaches(uint32_t id);

/*
 * The inter-processor interrupts that start a processor: INIT, and SIPI (start-up IPI). After SIPI
 * it executes from the beginning of `page`, 4 KiB below 1 MiB, in real mode (Intel SDM vol. 3A
 * 9.4.4).
 */
void apic_send_init(uint32_t id);
void apic_send_sipi(uint32_t id, uint64_t page);
/* Send an NMI, which ends mwait and halt also while interrupts are off. */
void apic_send_nmi(uint32_t id);

/* The interrupt command that a loop of wake_loops.S sends: its first two arguments. */
struct apic_command {
	loop_fn *loop;
	uint64_t to, command;
};
/* Prepare an interrupt of that vector, or the NMI; nothing else may be sent meanwhile. */
#define VECTOR_NMI 2
struct apic_command apic_command(uint32_t id, uint8_t vector);

/* State of this processor that apic_listen has changed. */
struct apic_listener {
	uint32_t spurious, timer;
	bool deadline; /* the timer was changed, too */
	uint64_t class;
};
/*
 * Let this processor's APIC, which INIT has turned off, take interrupts of vectors from F0h on;
 * lower ones wait. Interrupts must be off; a caller that wants some turns them on.
 */
void apic_listen(struct apic_listener *);
/* Restore the state and cancel the timer. interrupt: one was taken; it is acknowledged. */
void apic_listen_end(const struct apic_listener *, bool interrupt);
/*
 * Interrupt this processor by its timer when its TSC reaches that value (TSC-deadline mode, SDM
 * vol. 3A 11.5.4.1, which CPUID must report); at most once between apic_listen and apic_listen_end.
 */
void apic_deadline_set(struct apic_listener *, uint8_t vector, uint64_t tsc);

/*
 * Interrupt this processor after this many ticks of the TSC, by the APIC's timer; while it is set
 * no other interrupt comes, neither of the APIC nor of the legacy PICs, so that the caller may turn
 * interrupts on. Returns false if there is no such timer, or it is in use with the TSC's deadline.
 */
bool apic_alarm_set(uint64_t tsc_ticks);
/*
 * Call this with interrupts off. Restores the state before apic_alarm_set; the timer's period
 * begins anew.
 */
void apic_alarm_clear(void);
/* For the handler of interrupts: returns true if this is the alarm, and acknowledges it. */
bool apic_alarm_rings(void);

#endif
