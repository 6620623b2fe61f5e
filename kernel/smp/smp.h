/* SPDX-License-Identifier: MIT */
/*
 * Running functions on the other processors (APs). In room `firmware` they are called by the
 * firmware's MP Services (StartupThisAP), in room `bare` they are started by INIT-SIPI-SIPI; in
 * both they then wait for calls, asleep and with interrupts off. A processor that does not start,
 * or takes an exception, is named on the console and not used.
 */
#ifndef KERNEL_SMP_SMP_H
#define KERNEL_SMP_SMP_H

#include "kernel/config.h"
#include "kernel/machine.h"
#include "engine/room.h"

struct jsonl;

/*
 * Start them for a room and set facts.cpus, facts.topology and room's run_on and run_wait. If
 * processors_open had no memory for the list, all stay as they are, with the boot processor alone.
 */
void smp_enter_room(struct room *, enum room_kind, const struct machine *, const struct config *);

/* Returns NULL, or why ExitBootServices may never return: a processor that did not come back. */
const char *smp_blocks_exit(void);

/*
 * Start or stop the other threads of the measuring core. Stopped, they wait for SIPI, share nothing
 * with it, and keep their MSRs (SDM vol. 3A, "Processor State After Reset", the column of INIT).
 * Call it on the measuring processor. Nothing happens if room->start_siblings is NULL: without
 * siblings=init, in room firmware, whose firmware counts on its processors, and if they are to spin
 * (idle=pause).
 */
void smp_start_siblings(struct room *, bool start);

/* Returns how many CPUs have other MTRRs, or another PAT entry 0, than the boot processor. */
unsigned smp_other_memory_types(void);

/* Describe how the other processors wait, and the siblings: two members of the run line. */
void smp_describe_idle(enum room_kind, const struct config *, struct jsonl *);

/*
 * In room bare: call fn(arg) on the processor of that number in the list and return when it is
 * done. Meanwhile the boot processor waits for calls, as the others do. In room firmware, or if
 * that processor is not ready, fn is called on the boot processor, and the console says why. After
 * this the processors that the firmware called return to it: it is the end of room firmware.
 */
void smp_measure_on(struct room *, uint64_t cpu, void (*fn)(void *), void *arg);

#endif
