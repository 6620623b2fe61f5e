/* SPDX-License-Identifier: MIT */
/*
 * The other processors while the firmware lives: it starts our function on one of them, which goes
 * over to our world, works there on its own stack, and goes back before it returns.
 */
#include "kernel/firmware/firmware_calls.h"
#include "kernel/smp/processors.h"
#include "kernel/cpu/world.h"

#define MEET_TURNS 3000000 /* of pause, tens of microseconds each under an emulator */

static void work(void *arg)
{
	struct processor *p = arg;

	p->fn(p->arg);
}

/* On the other processor, called by the firmware; interrupts are off and stay so. */
static void visit(void *arg)
{
	struct processor *p = arg;
	struct firmware_state theirs;

	world_read(&theirs);
	cli();
	descriptors_load(&p->descriptors);
	write_cr4(world.cr4);
	write_cr0(world.cr0);
	write_cr3(world.cr3);
	world_set_vectors(world.xcr0);
	on_stack(p->stack_top, work, p);
	write_cr3(theirs.cr3 & ~0xfffULL);
	write_cr0(theirs.cr0);
	write_cr4(theirs.cr4);
	write_cr3(theirs.cr3);
	world_set_vectors(theirs.xcr0);
	world_restore_tables(&theirs);
	if (theirs.interrupts)
		sti();
	p->done = p->asked;
}

int processor_call_firmware(struct processor *p)
{
	p->asked++;
	if (firmware_cpu_start(p->number, visit, p) == 0)
		return 0;
	p->asked--;
	return -1;
}

/* The firmware must have noticed too, or it refuses the next call. */
bool processor_wait_firmware(struct processor *p)
{
	for (unsigned i = 0; i < 10000; i++) {
		if (firmware_cpu_done(p->number))
			return true;
		firmware_stall(100);
	}
	return false;
}

static void settle(void *arg)
{
	processor_settle(arg);
}

static bool meet(struct processor *p)
{
	p->fn = settle;
	p->arg = p;
	if (processor_call_firmware(p))
		return false;
	for (unsigned i = 0; i < MEET_TURNS && p->asked != p->done; i++)
		pause();
	return p->asked == p->done && processor_wait_firmware(p);
}

void processors_meet(const struct machine *m)
{
	unsigned n = m->cpus();

	for (unsigned k = 1; k < n; k++)
		for (unsigned i = 1; i < processors.n; i++)
			if (processors.list[i].id == m->cpu_id(k))
				processors.list[i].number = k;
	for (unsigned i = 1; i < processors.n; i++) {
		struct processor *p = &processors.list[i];
		bool silent = processors.silence_last && i == processors.n - 1;

		if (!p->number || silent || !meet(p))
			p->state = PROCESSOR_SILENT;
	}
}
