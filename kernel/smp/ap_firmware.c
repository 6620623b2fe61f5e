/* SPDX-License-Identifier: MIT */
#include "kernel/smp/ap_firmware.h"

#include "kernel/cpu/boot_cpu.h"
#include "kernel/cpu/context.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/steps.h"

#define FIRST_CALL_PAUSES 3000000 /* an emulator takes tens of microseconds for each */

static void call_function(void *arg)
{
	struct processor *p = arg;

	p->fn(p->arg);
}

/* On the other processor, called by the firmware; interrupts are off and stay so. */
static void ap_procedure(void *arg)
{
	struct processor *p = arg;
	struct cpu_state firmware;

	cpu_state_read(&firmware);
	cpu_state_enter_kernel(&boot_cpu.kernel, &p->descriptors);
	on_stack(p->stack_top, call_function, p);
	cpu_state_restore(&firmware);
	p->completed = p->requested;
}

bool ap_firmware_call(struct processor *p)
{
	p->requested++;
	if (firmware_cpu_start(p->mp_number, ap_procedure, p) == 0)
		return true;
	p->requested--;
	return false;
}

bool ap_firmware_wait(struct processor *p)
{
	for (unsigned i = 0; i < 10000; i++) {
		if (firmware_cpu_done(p->mp_number))
			return true;
		firmware_stall(100);
	}
	return false;
}

static void init(void *arg)
{
	processor_init(arg);
}

static bool start(struct processor *p)
{
	p->fn = init;
	p->arg = p;
	if (!ap_firmware_call(p))
		return false;
	for (unsigned i = 0; i < FIRST_CALL_PAUSES && p->requested != p->completed; i++)
		pause();
	return p->requested == p->completed && ap_firmware_wait(p);
}

void ap_firmware_start_all(const struct machine *m)
{
	unsigned n;

	step_enter("mp-services");
	n = firmware_cpus();
	for (unsigned k = 1; k < n; k++)
		for (unsigned i = 1; i < processors.n; i++)
			if (processors.list[i].id == m->cpu_id(k))
				processors.list[i].mp_number = k;
	for (unsigned i = 1; i < processors.most; i++) {
		struct processor *p = &processors.list[i];
		bool skip = processors.skip_last && i == processors.n - 1;

		if (!p->mp_number || skip || !start(p))
			p->state = PROCESSOR_UNRESPONSIVE;
	}
	step_left();
}
