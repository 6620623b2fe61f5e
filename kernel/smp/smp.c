/* SPDX-License-Identifier: MIT */
#include "kernel/smp/smp.h"

#include "kernel/console/console.h"
#include "kernel/cpu/boot_cpu.h"
#include "kernel/finish.h"
#include "kernel/smp/ap_firmware.h"
#include "kernel/smp/ap_startup.h"
#include "kernel/smp/processors.h"

/* A processor that needs longer hangs: a task waits and then works 5 s each at most. */
#define CALL_SECONDS 30

static struct processor *ready(unsigned cpu)
{
	return cpu && cpu < processors.nready ? &processors.list[processors.ready[cpu]] : NULL;
}

static int run_on(struct env *env, unsigned cpu, void (*fn)(void *), void *arg)
{
	struct processor *p = ready(cpu);

	if (!p || p->state != PROCESSOR_READY || p->requested != p->completed)
		return -1;
	p->fn = fn;
	p->arg = arg;
	if (env->room == ROOM_FIRMWARE)
		return ap_firmware_call(p) ? 0 : -1;
	p->requested++;
	return 0;
}

static void report_failure(struct processor *p, unsigned cpu)
{
	if (p->failure_reported)
		return;
	p->failure_reported = true;
	if (p->state == PROCESSOR_FAULTED)
		console_printf("CPU %u (APIC id %u): exception %llu at %016llx, address %016llx\n",
			cpu, p->id, (unsigned long long)p->fault.vector,
			(unsigned long long)p->fault.rip, (unsigned long long)p->fault_address);
	else
		console_printf("CPU %u (APIC id %u) does not respond: it is not used\n", cpu,
			p->id);
}

static int run_wait(struct env *env, unsigned cpu)
{
	struct processor *p = ready(cpu);
	uint64_t since = rdtsc(), timeout = (uint64_t)(CALL_SECONDS * env->facts.tsc_hz);

	if (!p)
		return -1;
	while (p->state == PROCESSOR_READY && p->requested != p->completed &&
		rdtsc() - since < timeout)
		pause();
	if (p->requested == p->completed && (env->room == ROOM_BARE || ap_firmware_wait(p)))
		return 0;
	if (p->state == PROCESSOR_READY)
		p->state = PROCESSOR_UNRESPONSIVE;
	report_failure(p, cpu);
	return -1;
}

/*
 * Each processor has descriptor tables of its own, so the base of its GDT tells which one this is:
 * by one instruction that cannot fault, without its APIC, a segment base or its stack.
 */
bool smp_fault(const struct frame *f)
{
	struct table_register gdt;

	store_gdt(&gdt);
	for (unsigned i = 0; i < processors.n; i++) {
		struct processor *p = &processors.list[i];
		const struct descriptors *tables = i ? &p->descriptors : &boot_cpu.descriptors;

		if (gdt.base != (uint64_t)tables->gdt)
			continue;
		if (i == processors.measuring)
			return false;
		p->fault = *f;
		p->fault_address = read_cr2();
		msr_restore(&p->controls.journal, 0);
		p->state = PROCESSOR_FAULTED;
		return true;
	}
	return false;
}

static void list_one(struct processors *p, unsigned i)
{
	p->topology[p->nready] = p->list[i].location;
	p->ready[p->nready++] = i;
}

/* The measuring processor first, then the others in the list's order. */
static void list_ready(struct env *env)
{
	struct processors *p = &processors;

	p->nready = 0;
	list_one(p, p->measuring);
	for (unsigned i = 0; i < p->n; i++) {
		if (i == p->measuring)
			continue;
		if (p->list[i].state == PROCESSOR_READY)
			list_one(p, i);
		else
			report_failure(&p->list[i], i);
	}
	env->facts.cpus = p->nready;
	env->facts.topology = p->topology;
	env->run_on = p->nready > 1 ? run_on : NULL;
	env->run_wait = p->nready > 1 ? run_wait : NULL;
}

void smp_enter_room(struct env *env, enum room room, const struct machine *m)
{
	if (!processors.list)
		return;
	for (unsigned i = 1; i < processors.n; i++)
		if (processors.list[i].state != PROCESSOR_FAULTED)
			processors.list[i].state = PROCESSOR_NOT_STARTED;
	if (room == ROOM_FIRMWARE)
		ap_firmware_start_all(m);
	else
		ap_startup_all(&m->low, env->facts.tsc_hz);
	list_ready(env);
}

/* A call on another processor, and the end of what the boot processor does meanwhile. */
struct handed_over {
	void (*fn)(void *);
	void *arg;
};

static void measure_here(void *arg)
{
	const struct handed_over *h = arg;
	struct processor *boot = &processors.list[0];

	h->fn(h->arg);
	if (boot->state != PROCESSOR_READY) {
		console_printf("the boot CPU does not respond: nothing can be stored\n");
		stop_after_fatal_fault();
	}
	boot->fn = NULL;
	boot->requested++;
}

static bool can_measure(const struct env *env, uint64_t cpu)
{
	if (cpu >= processors.n || processors.list[cpu].state != PROCESSOR_READY) {
		console_printf("cpu = %llu: there is no such CPU, or it does not respond\n",
			(unsigned long long)cpu);
		return false;
	}
	if (env->room != ROOM_BARE)
		console_printf("cpu = %llu is for room bare: here the boot CPU measures\n",
			(unsigned long long)cpu);
	return env->room == ROOM_BARE;
}

void smp_measure_on(struct env *env, uint64_t cpu, void (*fn)(void *), void *arg)
{
	struct handed_over h = { fn, arg };

	if (!cpu || !processors.list || !can_measure(env, cpu)) {
		fn(arg);
		return;
	}
	struct processor *p = &processors.list[cpu];

	processors.measuring = (unsigned)cpu;
	list_ready(env);
	p->fn = measure_here;
	p->arg = &h;
	p->requested++;
	ap_serve(&processors.list[0]);
	processors.measuring = 0;
	list_ready(env);
}
