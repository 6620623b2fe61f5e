/* SPDX-License-Identifier: MIT */
/*
 * The other processors. They are found in ACPI's MADT; in room `firmware` they run our functions
 * through MP Services, in room `bare` they are ours, started by INIT and start-up interrupts, and
 * wait between functions in mwait (or pause) with interrupts off. Each has its own GDT, TSS, IDT
 * and stacks; page tables are shared. One that does not come, or faults, is named and left alone.
 *
 * Number 0 is the processor that we run on. Nothing here is sized by a constant.
 */
#ifndef KERNEL_SMP_PROCESSORS_H
#define KERNEL_SMP_PROCESSORS_H

#include <stdbool.h>

#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/fault.h"
#include "kernel/cpu/knobs.h"
#include "kernel/machine.h"
#include "engine/env.h"

enum processor_state {
	PROCESSOR_UNKNOWN, /* listed, not tried in this room */
	PROCESSOR_READY,
	PROCESSOR_SILENT,  /* did not come, or did not finish in time */
	PROCESSOR_FAULTED, /* took an exception; parked for ever */
};

struct processor {
	struct descriptors descriptors;
	volatile uint64_t asked __attribute__((aligned(64))); /* its line is what mwait watches */
	volatile uint64_t done __attribute__((aligned(64)));
	volatile enum processor_state state;
	uint32_t id;     /* APIC id */
	unsigned number; /* of MP Services, 0: not there */
	bool told;       /* its fault was said on the console */
	void (*fn)(void *);
	void *arg;
	void *stack_top;
	struct cpu_location place;
	struct frame fault;
	uint64_t fault_address;
	struct knobs knobs;
};

/* All that MADT lists, [0] being ours. */
struct processors {
	struct processor *list;
	unsigned n;
	struct cpu_location *places; /* of the ready ones, as struct facts wants them */
	unsigned *ready;             /* their places in the list */
	unsigned nready;
	bool silence_last; /* hidden key: the last one is never called */
};
extern struct processors processors;

/* Lists them and takes memory for each. In our world, before env_open. */
void processors_open(const struct machine *, bool silence_last);
/* Makes them ready for a room and fills facts.cpus, facts.topology and env's run_on, run_wait. */
void processors_enter(struct env *, enum room, const struct machine *);

/* The two ways of starting (processors_start.c, processors_firmware.c). */
void processors_start(const struct span *low, double tsc_hz);
void processors_meet(const struct machine *);
int processor_call_firmware(struct processor *);
bool processor_wait_firmware(struct processor *);

/* For the exception handler: true if it was another processor's, which is then to be parked. */
bool processors_fault(const struct frame *);

/* What a processor does first when it is in our world: vector state, place. */
void processor_settle(struct processor *);

#endif
