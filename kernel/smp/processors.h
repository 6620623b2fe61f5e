/* SPDX-License-Identifier: MIT */
/*
 * The table of processors, from ACPI's MADT. Number 0 is the boot processor; the others are
 * application processors (APs). Each has its own GDT, TSS, IDT and stacks;
 * the page tables are shared. Nothing here is sized by a constant.
 */
#ifndef KERNEL_SMP_PROCESSORS_H
#define KERNEL_SMP_PROCESSORS_H

#include <stdbool.h>

#include "kernel/cpu/cpu_controls.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/fault.h"
#include "kernel/machine.h"
#include "kernel/smp/idle.h"
#include "engine/room.h"
#include "kernel/cpu/msr.h"

enum processor_state {
	PROCESSOR_NOT_STARTED,    /* not yet in this room */
	PROCESSOR_WAITS_FOR_SIPI, /* stopped by INIT, until it is needed again */
	PROCESSOR_READY,
	PROCESSOR_UNRESPONSIVE, /* did not start, or did not finish a call in time */
	PROCESSOR_FAULTED,      /* took an exception, and is halted for good */
};

/* A call of StartupThisAP (UEFI PI 1.7, volume 2, 13.4), which should return at once. */
enum mp_call { MP_CALLED, MP_RETURNED, MP_GIVEN_UP, MP_LEAVES };

struct processor {
	struct descriptors descriptors;
	/* Calls of fn(arg) requested and completed; `requested` is the line that mwait watches. */
	volatile uint64_t requested __attribute__((aligned(64)));
	volatile uint64_t completed __attribute__((aligned(64)));
	volatile uint64_t accepted; /* the calls that it has woken for */
	struct idle idle;           /* its way of waiting */
	bool kicked;                /* once it did not wake in this way: an NMI ended its wait */
	volatile bool nmi_sent;     /* an NMI was sent to wake it, and has not come yet */
	void (*fn)(void *);
	void *arg;
	volatile enum processor_state state;
	uint32_t id;        /* APIC id */
	unsigned mp_number; /* its number in struct machine, 0: none */
	enum mp_call volatile mp_call;
	bool inside;           /* room firmware: the firmware called it, and it has not returned */
	bool failure_reported; /* on the console */
	void *stack_top;
	bool memory_types_differ; /* from those of the boot processor */
	struct cpu_location location;
	struct frame fault; /* with PROCESSOR_FAULTED */
	uint64_t fault_address;
	struct cpu_controls controls;
};

/* A processor that is to be started; offsets as in kernel/smp/ap_trampoline.S. */
struct starting {
	uint32_t id, taken; /* taken: by the first processor that has this id */
	void *stack, *arg;
};

_Static_assert(sizeof(struct starting) == 24, "STARTING_BYTES");

struct processors {
	struct processor *list; /* all that MADT lists; NULL: there was no memory for it */
	unsigned n;
	unsigned core_shift; /* APIC ids without this many low bits are equal within a core */
	unsigned most;       /* number that may be used in this room, at least 1 */
	/* The processors that are ready in this room, numbered as in room->facts.topology: */
	struct cpu_location *topology;
	unsigned *ready; /* index into the list */
	unsigned nready;
	struct starting *starting; /* the processors that are being started */
	unsigned measuring;        /* index in the list: the processor that measures */
	enum idle_choice idle;     /* requested way of waiting */
	bool stop_siblings;        /* by INIT, while one CPU measures */
	unsigned restarts;         /* starts of the siblings in this room */
};
extern struct processors processors;

/*
 * The APIC id of a processor by its number in the future list; the boot processor's if there are
 * fewer. Call it on the boot processor.
 */
uint32_t processors_id(const struct machine *, uint64_t number);
/*
 * List the processors, take memory for each, a large stack for the one with the number `measures`,
 * and initialise the boot processor. Call it in the kernel's state, before room_open.
 */
void processors_open(const struct machine *, uint64_t measures);
/* The first step on any processor in the kernel's state: serialising lfence, location, ready. */
void processor_init(struct processor *);

#endif
