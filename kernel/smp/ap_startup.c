/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/smp/ap_startup.h"
#include "kernel/console/console.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/cpu_features.h"
#include "kernel/memory/address_space.h"
#include "kernel/smp/apic.h"
#include "kernel/smp/processors.h"
#include "kernel/steps.h"
#include "kernel/cpu/context.h"
#include "kernel/firmware/firmware_calls.h"

/* INIT, 10 ms, SIPI, 200 us, SIPI: Intel SDM vol. 3A 9.4.4. The second only where it is needed. */
#define INIT_SECONDS     0.010
#define RETRY_SECONDS    0.0002
#define RESPONSE_SECONDS 3 /* an emulator's processor may not get to run for long */

#define PE_PG 0x80000011ULL /* CR0: protection, paging, and the bit that is always 1 */

extern const unsigned char ap_start[], ap_long[], ap_end[];

/* A processor that is to start; offsets as in kernel/smp/ap_trampoline.S. */
struct starting {
	uint32_t id, taken; /* by the first that has this id */
	void *stack, *arg;
};

_Static_assert(sizeof(struct starting) == 24, "STARTING_BYTES");

/* In the page after the code; offsets likewise. */
struct start {
	struct table_register gdt_register __attribute__((aligned(8)));
	uint32_t far_offset __attribute__((aligned(16)));
	uint16_t far_selector;
	uint32_t cr0 __attribute__((aligned(16)));
	uint32_t cr3, cr4, efer, allow_no_execute;
	uint64_t gdt[3] __attribute__((aligned(8)));
	struct starting *list;
	uint64_t n, fn;
};

_Static_assert(offsetof(struct start, far_offset) == 0x10, "START_FAR");
_Static_assert(offsetof(struct start, cr0) == 0x20, "START_CR0");
_Static_assert(offsetof(struct start, allow_no_execute) == 0x30, "START_ALLOW");
_Static_assert(offsetof(struct start, list) == 0x50, "START_LIST");
_Static_assert(offsetof(struct start, fn) == 0x60, "START_FN");

enum { CODE_PAGE, START_PAGE, ROOT_PAGE, PAGES };

static void wait_seconds(double seconds, double tsc_hz)
{
	uint64_t since = rdtsc(), ticks = (uint64_t)(seconds * tsc_hz);

	while (rdtsc() - since < ticks)
		pause();
}

void ap_serve(struct processor *p)
{
	for (;;) {
		idle_wait(&p->idle, &p->requested, &p->completed);
		p->accepted = p->requested;
		if (!p->fn)
			break;
		write_cr3(boot_cpu.kernel.cr3); /* memory may have other pages than before */
		p->fn(p->arg);
		p->completed = p->requested;
	}
	p->completed = p->requested;
}

/* What a started processor executes from then on. */
static void ap_main(void *arg) __attribute__((noreturn));
static void ap_main(void *arg)
{
	struct processor *p = arg;

	write_cr3(boot_cpu.kernel.cr3);
	descriptors_load(&p->descriptors);
	cpu_set_xcr0(boot_cpu.kernel.xcr0);
	p->idle = idle_choose(&this_cpu, processors.idle);
	apic_copy_thermal();
	processor_init(p);
	for (;;)
		ap_serve(p);
}

/*
 * The first page is made executable after the copy, the second stays data. The root of our page
 * tables may lie above 4 GiB, where CR3 cannot point from real mode: a copy of it lies in the
 * third.
 */
static struct start *prepare_trampoline(const struct span *low)
{
	uint64_t code = low->base, data = code + START_PAGE * PAGE_4K;
	struct start *s = (struct start *)data;

	memset(s, 0, sizeof *s);
	memcpy((void *)code, ap_start, (size_t)(ap_end - ap_start));
	memcpy((void *)(code + ROOT_PAGE * PAGE_4K), address_space.tables.root, PAGE_4K);
	memcpy(s->gdt, boot_cpu.descriptors.gdt, sizeof s->gdt);
	s->gdt_register = (struct table_register){ sizeof s->gdt - 1, (uint64_t)s->gdt };
	s->far_offset = (uint32_t)(code + (uint64_t)(ap_long - ap_start));
	s->far_selector = SELECT_CODE;
	s->cr0 = (uint32_t)(boot_cpu.kernel.cr0 | PE_PG);
	s->cr3 = (uint32_t)(code + ROOT_PAGE * PAGE_4K);
	s->cr4 = (uint32_t)boot_cpu.kernel.cr4;
	s->efer = EFER_LME | (address_space.tables.has.no_execute ? (uint32_t)EFER_NXE : 0);
	s->allow_no_execute = no_execute_can_be_off(&this_cpu);
	s->fn = (uint64_t)ap_main;
	page_map(&address_space.tables, code, PAGE_4K, ACCESS_READ | ACCESS_EXECUTE, PAGE_4K);
	address_space_flush();
	return s;
}

static bool all_respond(const struct start *s)
{
	for (uint64_t i = 0; i < s->n; i++)
		if (((struct processor *)s->list[i].arg)->state != PROCESSOR_READY)
			return false;
	return true;
}

static void wait_for_all(const struct start *s, double seconds, double tsc_hz)
{
	uint64_t since = rdtsc(), ticks = (uint64_t)(seconds * tsc_hz);

	while (!all_respond(s) && rdtsc() - since < ticks)
		pause();
}

/* To those that have not responded yet. */
static void send_sipi(const struct start *s, uint64_t page)
{
	for (uint64_t i = 0; i < s->n; i++)
		if (((struct processor *)s->list[i].arg)->state != PROCESSOR_READY)
			apic_send_sipi(s->list[i].id, page);
}

/* Lists those that are to start. Returns how many cannot be reached. */
static unsigned list_all(struct start *s)
{
	unsigned unreachable = 0;

	for (unsigned i = 1; i < processors.most; i++) {
		struct processor *p = &processors.list[i];
		bool skip = processors.skip_last && i == processors.n - 1;

		if (p->state != PROCESSOR_NOT_STARTED)
			continue;
		p->state = PROCESSOR_UNRESPONSIVE; /* until it says otherwise */
		p->failure_reported |= !apic_reaches(p->id);
		if (!apic_reaches(p->id))
			unreachable++;
		else if (!skip)
			s->list[s->n++] = (struct starting){ p->id, 0, p->stack_top, p };
	}
	return unreachable;
}

/* All at once, and one wait for all: silent ones take no longer together than one alone. */
static void start_all(struct start *s, uint64_t page, double tsc_hz)
{
	for (uint64_t i = 0; i < s->n; i++)
		apic_send_init(s->list[i].id);
	wait_seconds(INIT_SECONDS, tsc_hz);
	send_sipi(s, page);
	wait_for_all(s, RETRY_SECONDS, tsc_hz);
	send_sipi(s, page);
	wait_for_all(s, RESPONSE_SECONDS, tsc_hz);
}

void ap_startup_all(const struct span *low, double tsc_hz)
{
	struct start *s;
	unsigned unreachable;

	if (low->bytes < PAGES * PAGE_4K) {
		console_printf("no memory below 1 MiB: the other CPUs cannot be started\n");
		return;
	}
	step_enter("cpus");
	s = prepare_trampoline(low);
	s->list = work_memory_take(processors.most * sizeof *s->list);
	if (!s->list) {
		console_printf("no memory for a list: the other CPUs are not started\n");
		return;
	}
	unreachable = list_all(s);
	if (unreachable)
		console_printf("%u CPUs have APIC ids that this APIC mode does not reach: they are "
			       "not used\n",
			unreachable);
	start_all(s, low->base, tsc_hz);
}

#define START_PAUSES 3000000 /* an emulator takes tens of microseconds for each */
#define LEAVE_STALLS 10000   /* of 100 us */

/* On its own stack: signals that it is ready, and does what it is asked to. */
static void serve(void *arg)
{
	struct processor *p = arg;

	p->idle = idle_choose(&this_cpu, processors.idle);
	processor_init(p);
	ap_serve(p);
}

/*
 * On the other processor, called by the firmware; interrupts are off and stay so. Some firmware
 * leaves EFER.NXE off there, and then our page tables would fault at once.
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

/* false: the firmware has no MP Services. */
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
		bool skip = processors.skip_last && i == processors.n - 1;

		if (!p->mp_number || skip || p->inside || !give_work(p))
			p->state = PROCESSOR_UNRESPONSIVE;
	}
}

void ap_firmware_start_all(const struct machine *m)
{
	step_enter("mp-services");
	console_printf("starting the other CPUs by the firmware's MP Services\n");
	if (number_all(m))
		give_each_work();
	else
		console_printf("the firmware has no MP Services for the other CPUs: one is used\n");
	step_left();
}

/* After a fault of the boot processor it may still be at work. */
static void leave(struct processor *p)
{
	bool asked = false;

	for (unsigned i = 0; i < LEAVE_STALLS && p->inside && p->state == PROCESSOR_READY; i++) {
		if (!asked && p->requested == p->completed) {
			asked = true;
			p->fn = NULL;
			p->requested++;
		}
		p->inside = !firmware_cpu_done(p->mp_number);
		if (p->inside)
			firmware_stall(100);
	}
}

void ap_firmware_leave_all(void)
{
	for (unsigned i = 1; i < processors.most; i++)
		leave(&processors.list[i]);
}

unsigned ap_firmware_stuck(void)
{
	for (unsigned i = 1; processors.list && i < processors.n; i++)
		if (processors.list[i].inside)
			return i;
	return 0;
}
