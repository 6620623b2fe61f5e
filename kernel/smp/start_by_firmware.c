/* SPDX-License-Identifier: MIT */
#include "kernel/smp/start_by_firmware.h"

#include "kernel/console/console.h"
#include "kernel/cpu/context.h"
#include "kernel/cpu/cpu_features.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/x86.h"
#include "kernel/firmware/efi_status.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/journal.h"
#include "kernel/smp/calls.h"
#include "kernel/watchdog/watchdog.h"
#include "lib/text.h"

#define START_SECONDS 0.02 /* each alone; longer where the firmware or an emulator is slow: */
#define ALL_SECONDS   5    /* all those together that are not ready by then */
#define BLOCK_SECONDS 3    /* that StartupThisAP may take, as it should return at once */
#define LEAVE_SECONDS 10   /* since the last one has returned */
#define LEAVE_STALL   1000 /* us */

/* The reason why the firmware started no other processor in this room; "": it did. */
static char refused[64];

/* On its own stack: signal that it is ready, and serve calls. */
static void serve(void *arg)
{
	struct processor *p = arg;

	p->idle = processor_idle(p);
	processor_init(p);
	processor_serve(p);
}

/*
 * Some firmware has no call that returns at once: it waits until the procedure has ended (AMI's
 * CpuMpDxe where it has no timer). A procedure that waits for work would then hang both.
 */
static bool call_has_returned(struct processor *p)
{
	uint64_t since = rdtsc();
	enum mp_call waits = MP_CALLED;

	while (p->mp_call == MP_CALLED && rdtsc() - since < BLOCK_SECONDS * tsc_per_second)
		pause();
	return !__atomic_compare_exchange_n(&p->mp_call, &waits, MP_GIVEN_UP, false,
		__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
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

	if (!call_has_returned(p))
		return;
	cpu_state_read(&firmware);
	no_execute_enable(&this_cpu, &found);
	cpu_state_enter_kernel(&boot_cpu.kernel, &p->descriptors);
	on_stack(p->stack_top, serve, p);
	cpu_state_restore(&firmware);
	no_execute_restore(&this_cpu, &found);
}

/* Start one processor. Returns NULL, or why the firmware does not. */
static const char *give_work(struct processor *p)
{
	enum mp_call called = MP_CALLED;

	p->mp_call = MP_CALLED;
	uint64_t status = firmware_cpu_start(p->mp_number, ap_procedure, p);

	if (status)
		return efi_status_text(status);
	p->inside = true;
	if (!__atomic_compare_exchange_n(&p->mp_call, &called, MP_RETURNED, false, __ATOMIC_SEQ_CST,
		    __ATOMIC_SEQ_CST)) {
		p->inside = false;
		return "its StartupThisAP waits for the CPU";
	}
	for (uint64_t since = rdtsc(); p->state != PROCESSOR_READY &&
		(double)(rdtsc() - since) < START_SECONDS * (double)tsc_per_second;)
		pause();
	return NULL;
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

static bool all_ready(void)
{
	for (unsigned i = 1; i < processors.most; i++)
		if (processors.list[i].inside && processors.list[i].state == PROCESSOR_NOT_STARTED)
			return false;
	return true;
}

/* Wait for those that were asked, up to number `asked`. */
static void wait_for_all(unsigned asked)
{
	uint64_t since = rdtsc();

	while (!all_ready() && rdtsc() - since < ALL_SECONDS * tsc_per_second) {
		watchdog_feed();
		pause();
	}
	for (unsigned i = 1; i <= asked; i++)
		if (processors.list[i].state == PROCESSOR_NOT_STARTED)
			processors.list[i].state = PROCESSOR_UNRESPONSIVE;
}

/* A firmware refuses all; one that cannot be started is one that does not respond. */
static void give_each_work(void)
{
	const char *why = NULL;
	bool any = false, waits = false;
	unsigned asked = 0;

	while (asked + 1 < processors.most && !waits) {
		struct processor *p = &processors.list[++asked];

		watchdog_feed();
		if (!p->mp_number || p->inside)
			continue;
		const char *refusal = give_work(p);

		any |= !refusal;
		why = refusal ? refusal : why;
		waits = p->mp_call == MP_GIVEN_UP;
	}
	if (any || !why)
		wait_for_all(asked);
	else
		text_format(refused, sizeof refused, "%s", why);
	if (any && waits)
		console_printf("the firmware is asked for no more CPUs: %s\n", why);
}

void start_by_firmware(const struct machine *m)
{
	refused[0] = 0;
	step_enter("mp-services");
	console_printf("starting the other CPUs by the firmware's MP Services\n");
	if (number_all(m))
		give_each_work();
	else
		console_printf("the firmware has no MP Services for the other CPUs: one is used\n");
	if (*refused)
		console_printf("the firmware starts no other CPU once a boot option runs:\n"
			       "  %s; room firmware has one CPU\n",
			refused);
	step_left();
}

const char *firmware_refused_cpus(void)
{
	return *refused ? refused : NULL;
}

/*
 * Ask each processor that has no work to return, and count those that have not. After a fault of
 * the boot processor one may still be at work.
 */
static unsigned ask_all(void)
{
	unsigned inside = 0;

	for (unsigned i = 1; i < processors.most; i++) {
		struct processor *p = &processors.list[i];

		if (!p->inside || p->state != PROCESSOR_READY)
			continue;
		if (p->mp_call == MP_RETURNED && p->requested == p->completed) {
			p->mp_call = MP_LEAVES;
			p->fn = NULL;
			processor_call(p);
		}
		p->inside = !firmware_cpu_done(p->mp_number);
		inside += p->inside;
	}
	return inside;
}

void leave_to_firmware(void)
{
	unsigned inside = ask_all(), before = inside;
	uint64_t since = rdtsc();

	if (inside)
		console_printf("%u CPU(s) return to the firmware\n", inside);
	while (inside && rdtsc() - since < LEAVE_SECONDS * tsc_per_second) {
		firmware_stall(LEAVE_STALL);
		watchdog_feed();
		inside = ask_all();
		if (inside != before)
			since = rdtsc();
		before = inside;
	}
}

unsigned stuck_in_firmware(void)
{
	for (unsigned i = 1; processors.list && i < processors.n; i++)
		if (processors.list[i].inside)
			return i;
	return 0;
}
