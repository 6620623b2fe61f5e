/* SPDX-License-Identifier: MIT */
#include "kernel/smp/start_by_firmware.h"

#include "kernel/console/console.h"
#include "kernel/cpu/context.h"
#include "kernel/cpu/cpu_features.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/x86.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/journal.h"
#include "kernel/smp/calls.h"

#define START_PAUSES 3000000 /* an emulator takes tens of microseconds for each */
#define LEAVE_STALLS 10000   /* of 100 us */

/* On its own stack: signal that it is ready, and serve calls. */
static void serve(void *arg)
{
	struct processor *p = arg;

	p->idle = processor_idle(p);
	processor_init(p);
	processor_serve(p);
}

/*
 * Runs on the other processor, called by the firmware; interrupts are off and stay so. Some
 * firmware leaves EFER.NXE off there, and then our page tables would fault at once.
 */
static void ap_procedure(void *arg)
{
	struct processor *p = arg;
	struct no_execute found;
	struct cpu_state firmware;

	cpu_state_read(&firmware);
	no_execute_enable(&this_cpu, &found);
	cpu_state_enter_kernel(&boot_cpu.kernel, &p->descriptors);
	on_stack(p->stack_top, serve, p);
	cpu_state_restore(&firmware);
	no_execute_restore(&this_cpu, &found);
}

static bool give_work(struct processor *p)
{
	if (firmware_cpu_start(p->mp_number, ap_procedure, p))
		return false;
	p->inside = true;
	for (unsigned i = 0; i < START_PAUSES && p->state != PROCESSOR_READY; i++)
		pause();
	return p->state == PROCESSOR_READY;
}

/* Find each processor's number in MP Services. Returns false if the firmware has none. */
static bool number_all(const struct machine *m)
{
	unsigned n = firmware_cpus();

	for (unsigned k = 1; k < n; k++)
		for (unsigned i = 1; i < processors.n; i++)
			if (processors.list[i].id == m->cpu_id(k))
				processors.list[i].mp_number = k;
	return n > 1;
}

static void give_each_work(void)
{
	for (unsigned i = 1; i < processors.most; i++) {
		struct processor *p = &processors.list[i];

		if (!p->mp_number || p->inside || !give_work(p))
			p->state = PROCESSOR_UNRESPONSIVE;
	}
}

void start_by_firmware(const struct machine *m)
{
	step_enter("mp-services");
	console_printf("starting the other CPUs by the firmware's MP Services\n");
	if (number_all(m))
		give_each_work();
	else
		console_printf("the firmware has no MP Services for the other CPUs: one is used\n");
	step_left();
}

/*
 * Let a processor return to the firmware. After a fault of the boot processor it may still be at
 * work.
 */
static void leave(struct processor *p)
{
	bool asked = false;

	for (unsigned i = 0; i < LEAVE_STALLS && p->inside && p->state == PROCESSOR_READY; i++) {
		if (!asked && p->requested == p->completed) {
			asked = true;
			p->fn = NULL;
			processor_call(p);
		}
		p->inside = !firmware_cpu_done(p->mp_number);
		if (p->inside)
			firmware_stall(100);
	}
}

void leave_to_firmware(void)
{
	for (unsigned i = 1; i < processors.most; i++)
		leave(&processors.list[i]);
}

unsigned stuck_in_firmware(void)
{
	for (unsigned i = 1; processors.list && i < processors.n; i++)
		if (processors.list[i].inside)
			return i;
	return 0;
}
