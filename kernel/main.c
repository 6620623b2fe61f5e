/* SPDX-License-Identifier: MIT */
/* From the firmware's call to the end: a call for each step. */
#include "engine/doubts.h"
#include "kernel/banner.h"
#include "kernel/config.h"
#include "kernel/console/console.h"
#include "kernel/console/serial.h"
#include "kernel/cpu/context.h"
#include "kernel/cpu/cpu_features.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/fault.h"
#include "kernel/cpu/tsc.h"
#include "kernel/dashboard/dashboard.h"
#include "kernel/finish.h"
#include "kernel/firmware/acpi.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/journal.h"
#include "kernel/kernel_room.h"
#include "kernel/memory/address_space.h"
#include "kernel/memory/arena.h"
#include "kernel/memory/memory_types.h"
#include "kernel/result/last_run.h"
#include "kernel/run_rooms.h"
#include "kernel/smp/apic.h"
#include "kernel/smp/calls.h"
#include "kernel/smp/processors.h"
#include "kernel/watchdog/watchdog.h"

#define PICTURE_BYTES (2 * MIB) /* for the live curve of a probe */

static struct config config;
static struct room room;

/* Run on the kernel's stack, in the kernel's state. */
static void on_kernel_stack(void *machine)
{
	struct machine *m = machine;
	bool cancelled = false;

	journal_open(m, &config);                /* the steps that an earlier start hung in */
	acpi_report(m->rsdp);                    /* the tables of the firmware */
	processors_open(m, config.options.cpu);  /* the list of processors */
	kernel_room_open(&room, m, &config);     /* the facts of this processor */
	if (!tsc_rate_measure(&room, m->rsdp)) { /* the rate of its TSC */
		console_printf("no source for the rate of the TSC: nothing can be measured\n");
	} else {
		doubts_of_machine(&room);       /* signs of an emulator or a hypervisor */
		banner_machine(m, &room.facts); /* the machine, on the console */
		watchdog_open(m, &config);      /* resets a machine that hangs */
		cancelled = !run_rooms(&room, m, &config); /* measure, or bring a result home */
	}
	steps_end();     /* note the end of this start */
	watchdog_stop(); /* no reset from now on */
	if (!cancelled)
		finish_run(); /* reset, halt or go on, as the key `finish` says */
	console_give_back();
}

static void read_memory_types(void)
{
	memory_types_read(&this_cpu, &boot_memory_types);
}

/*
 * Choose memory and the serial port, and build page tables and stacks. Returns NULL, or the reason
 * why the program cannot run, such as an encrypted guest.
 */
static const char *take_memory(struct machine *m)
{
	uint64_t measures = config.rooms == ROOMS_FIRMWARE ? 0 : config.options.cpu;
	const char *why = encrypted_guest(&this_cpu);
	uint64_t serial;

	if (why)
		return why;
	cpu_with_handlers(read_memory_types);
	acpi_use_map(&m->map);
	serial = serial_choose(config.serial, acpi_serial(m->rsdp));
	console_choose_serial(config.serial != SERIAL_OFF);
	if (!memory_choose(m, processors_id(m, measures)))
		return "too little memory to work in";
	return address_space_build(m, serial);
}

/* Prepare the display of text and pictures. */
static void setup_console(struct machine *m)
{
	const struct span pictures = { (uint64_t)work_memory_take(PICTURE_BYTES), PICTURE_BYTES };

	dashboard_setup(&pictures, &m->arena);
	last_run_setup(work_memory_take(LAST_RUN_BYTES));
	console_setup(&m->screen, work_memory_take(console_memory(&m->screen)),
		config.screen == SCREEN_ON);
}

/* Run on the firmware's stack, in the firmware's state. */
void kernel_main(struct machine *m)
{
	static const struct fault_handlers handlers = { processor_fault, runtime_mend,
		apic_alarm_rings, processor_nmi, console_emergency, stop_after_fatal_fault };
	const struct span *stack = address_space.layout.stack;
	const char *why;

	firmware_use(m, console_line); /* the calls to the firmware */
	finish_open(m, &config);       /* the ways to end */
	banner_name();                 /* the first line */
	config_parse(&config, &m->config, &m->options, console_line); /* the user's settings */
	config_fit(&config, m, console_line);                         /* as this machine allows */
	fault_open(&m->image, &handlers); /* exceptions, NMIs, interrupts */
	why = take_memory(m);             /* arena, page tables, stacks */
	if (why) {
		console_printf("the program cannot run here: %s\n", why);
		return;
	}
	boot_cpu_open(&address_space.layout, (uint64_t)address_space.tables.root); /* its state */
	setup_console(m); /* text and pictures on the display */
	switch_to_kernel();
	on_stack((void *)(stack->base + stack->bytes), on_kernel_stack, m);
	switch_to_firmware();
}
