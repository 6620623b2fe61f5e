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
 * Masks the legacy PICs and the local vectors of this processor but LINT1, the NMI, and a thermal
 * one that the firmware needs (kernel/smp/apic.h).
 */
void apic_mask(void);
/*
 * On another processor, after INIT, which has masked it there: such a thermal vector as the boot
 * processor's, for the firmware set up all of them alike.
 */
void apic_copy_thermal(void);

/* Whether a processor can be reached: xAPIC mode has 8-bit ids, 255 being everybody. */
bool apic_reaches(uint32_t id);

/*
 * The inter-processor interrupts that start a processor: INIT, and SIPI (start-up IPI), after which
 * it executes from the beginning of `page`, 4 KiB below 1 MiB, in real mode (Intel SDM vol. 3A
 * 9.4.4).
 */
void apic_send_init(uint32_t id);
void apic_send_sipi(uint32_t id, uint64_t page);
/* An NMI, which ends mwait and halt also while interrupts are off. */
void apic_send_nmi(uint32_t id);

/* The interrupt command that a loop of wake_loops.S sends: its first two arguments. */
struct apic_command {
	loop_fn *loop;
	uint64_t to, command;
};
/* Makes one ready, an interrupt of that vector or the NMI; nothing else may be sent meanwhile. */
#define VECTOR_NMI 2
struct apic_command apic_command(uint32_t id, uint8_t vector);

/* What apic_listen has changed of this processor. */
struct apic_listener {
	uint32_t spurious, timer;
	bool deadline; /* the timer is changed, too */
	uint64_t class;
};
/*
 * From now on this processor's APIC, which INIT has turned off, takes interrupts of vectors from
 * F0h on; those below wait. Interrupts must be off, and be turned on by who wants some.
 */
void apic_listen(struct apic_listener *);
/* All is as before, no timer will be due; interrupt: one was taken, which is acknowledged. */
void apic_listen_end(const struct apic_listener *, bool interrupt);
/*
 * An interrupt of this processor by its timer, when its TSC has that value (TSC-deadline mode, SDM
 * vol. 3A 11.5.4.1, which CPUID must say); once between apic_listen and apic_listen_end.
 */
void apic_deadline_set(struct apic_listener *, uint8_t vector, uint64_t tsc);

/*
 * An interrupt of this processor after so many ticks of the TSC, by the APIC's timer; while it is
 * set no other comes, neither of the APIC nor of the legacy PICs, so that the caller may have
 * interrupts on. false: there is no such timer, or it is in use with the TSC's deadline.
 */
bool apic_alarm_set(uint64_t tsc_ticks);
/* With interrupts off. All is as it was before it was set; the timer's period begins anew. */
void apic_alarm_clear(void);
/* For the handler of interrupts: whether this is the alarm. One that comes while it is set is
 * acknowledged. */
bool apic_alarm_rings(void);

#endif
