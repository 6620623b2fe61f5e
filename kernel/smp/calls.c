/* SPDX-License-Identifier: MIT */
#include "kernel/smp/calls.h"

#include "kernel/console/console.h"
#include "kernel/cpu/cpu_features.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/safe.h"
#include "kernel/cpu/x86.h"
#include "kernel/smp/apic.h"
#include "lib/exception.h"

void processor_call(struct processor *p)
{
	p->nmi_sent = p->idle.nmi;
	p->requested++;
	if (p->idle.nmi)
		apic_send_nmi(p->id);
}

/*
 * Wait for the NMI of this call. A processor that NMIs wake gets one for each call, and waits for
 * it even if it has seen the call before: the NMI must neither disturb the next measurement nor
 * come to the firmware.
 */
static void take_nmi(const struct processor *p)
{
	while (p->idle.nmi && p->nmi_sent)
		pause();
}

struct idle processor_idle(const struct processor *p)
{
	struct idle i = idle_choose(&this_cpu, processors.idle);

	if (p->kicked)
		return p->idle;
	if (i.nmi && !apic_reaches(p->id))
		i = (struct idle){ IDLE_WAY_PAUSE, 0, false,
			"it needs NMIs, and there is no APIC" };
	return i;
}

void processor_serve(struct processor *p)
{
	for (;;) {
		idle_wait(&p->idle, &p->requested, &p->completed);
		take_nmi(p);
		p->accepted = p->requested;
		if (!p->fn)
			break;
		write_cr3(boot_cpu.kernel.cr3); /* memory may have other pages than before */
		p->fn(p->arg);
		p->completed = p->requested;
	}
	p->completed = p->requested;
}

/*
 * Seconds after which a processor that has not woken for a call is known to sleep on, because of an
 * erratum that we do not know: mwait ends in less than a millisecond, also from the deepest state.
 * A hypervisor's may only be slow; then the NMI does no harm.
 */
#define KICK_SECONDS       0.001
#define KICK_SECONDS_GUEST 0.1

/* A processor that takes longer hangs: a task waits and then works 5 s each at most. */
#define CALL_SECONDS 30

static struct processor *ready(unsigned cpu)
{
	return cpu && cpu < processors.nready ? &processors.list[processors.ready[cpu]] : NULL;
}

int processor_run_on(struct room *room, unsigned cpu, void (*fn)(void *), void *arg)
{
	struct processor *p = ready(cpu);

	if (!p || p->state != PROCESSOR_READY || p->requested != p->completed)
		return -1;
	p->fn = fn;
	p->arg = arg;
	processor_call(p);
	return 0;
}

static void processor_failed(struct processor *p, unsigned cpu)
{
	if (p->failure_reported)
		return;
	p->failure_reported = true;
	if (p->state == PROCESSOR_FAULTED)
		console_printf("CPU %u (APIC id %u): %s at %llx, address %llx: it is not used\n",
			cpu, p->id, exception_name(p->fault.vector),
			(unsigned long long)p->fault.rip, (unsigned long long)p->fault_address);
	else
		console_printf("CPU %u (APIC id %u) does not respond: it is not used\n", cpu,
			p->id);
}

void processor_kick(struct processor *p)
{
	p->kicked = true;
	p->idle.why = "mwait missed a store, or an SMI took long: NMIs end it";
	if (!apic_reaches(p->id)) {
		p->idle.way = IDLE_WAY_PAUSE; /* if it ever wakes */
		return;
	}
	p->idle.nmi = true;
	p->nmi_sent = true;
	apic_send_nmi(p->id);
}

bool processor_sleeps_on(const struct processor *p, double ticks, const struct room *room)
{
	double seconds = room->facts.hypervisor[0] ? KICK_SECONDS_GUEST : KICK_SECONDS;

	return p->accepted != p->requested && p->idle.way != IDLE_WAY_PAUSE && !p->idle.nmi &&
		ticks > seconds * room->facts.tsc_hz;
}

void processors_failed(void)
{
	unsigned n = 0, first = 0;

	for (unsigned i = 1; i < processors.n; i++) {
		struct processor *p = &processors.list[i];

		if (p->state == PROCESSOR_FAULTED)
			processor_failed(p, i);
		if (p->state != PROCESSOR_UNRESPONSIVE || p->failure_reported)
			continue;
		first = n++ ? first : i;
	}
	if (n == 1)
		processor_failed(&processors.list[first], first);
	else if (n)
		console_printf("%u CPUs, the first CPU %u, do not respond: they are not used\n", n,
			first);
	for (unsigned i = first; n && i < processors.n; i++)
		processors.list[i].failure_reported |=
			processors.list[i].state == PROCESSOR_UNRESPONSIVE;
}

/*
 * Returns the SMIs so far; 0 where the processor does not count them. One may take milliseconds, on
 * all processors at once, and is no missed store.
 */
static uint64_t smis_counted(void)
{
	uint64_t n = 0;

	return cpu_vendor(&this_cpu) == VENDOR_INTEL && !safe_rdmsr(MSR_SMI_COUNT, &n) ? n : 0;
}

int processor_run_wait(struct room *room, unsigned cpu)
{
	struct processor *p = ready(cpu);
	uint64_t since = rdtsc(), timeout = (uint64_t)(CALL_SECONDS * room->facts.tsc_hz);

	if (!p)
		return -1;
	for (uint64_t asleep = since, smis = smis_counted(); p->state == PROCESSOR_READY &&
		p->requested != p->completed && rdtsc() - since < timeout;
		pause()) {
		if (!processor_sleeps_on(p, (double)(rdtsc() - asleep), room))
			continue;
		if (smis_counted() == smis) {
			processor_kick(p);
			continue;
		}
		asleep = rdtsc();
		smis = smis_counted();
	}
	if (p->requested == p->completed)
		return 0;
	if (p->state == PROCESSOR_READY)
		p->state = PROCESSOR_UNRESPONSIVE;
	processor_failed(p, cpu);
	return -1;
}

/*
 * The processor that executes this; NULL: none of the table. Each has descriptor tables of its own,
 * so the base of its GDT identifies it: one instruction that cannot fault, and that needs neither
 * its APIC, nor a segment base, nor its stack.
 */
static struct processor *this_processor(void)
{
	struct table_register gdt;

	store_gdt(&gdt);
	for (unsigned i = 0; i < processors.n; i++) {
		struct processor *p = &processors.list[i];

		if (gdt.base == (uint64_t)(i ? &p->descriptors : &boot_cpu.descriptors)->gdt)
			return p;
	}
	return NULL;
}

bool processor_fault(const struct frame *f)
{
	struct processor *p = this_processor();

	if (!p || p == &processors.list[processors.measuring])
		return false;
	p->fault = *f;
	p->fault_address = read_cr2();
	msr_restore(&p->controls.journal, 0);
	p->state = PROCESSOR_FAULTED;
	return true;
}

/*
 * Returns true for the NMI of a call. Any other NMI is a watchdog's, a device's or a machine error:
 * it is counted, and the processor goes on to halt. Two that come together are one (SDM vol. 3A,
 * "Handling Multiple NMIs"), so an NMI that comes while a call is under way is not counted.
 */
bool processor_nmi(struct frame *f)
{
	struct processor *p = this_processor();

	if (!p || !p->nmi_sent)
		return false;
	p->nmi_sent = false;
	idle_nmi(f);
	return true;
}
