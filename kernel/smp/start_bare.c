/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "kernel/smp/start_bare.h"

#include "kernel/console/console.h"
#include "kernel/cpu/cpu_features.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/x86.h"
#include "kernel/journal.h"
#include "kernel/memory/address_space.h"
#include "kernel/smp/apic.h"
#include "kernel/smp/calls.h"

/* INIT, 10 ms, SIPI, 200 us, SIPI: Intel SDM vol. 3A 9.4.4. The second only where it is needed. */
#define INIT_SECONDS     0.010
#define RETRY_SECONDS    0.0002
#define RESPONSE_SECONDS 3 /* an emulator's processor may not get to run for long */

#define PE_PG 0x80000011ULL /* CR0: protection, paging, and the bit that is always 1 */

extern const unsigned char ap_start[], ap_long[], ap_end[];

/* In the page after the code; offsets as in kernel/smp/ap_trampoline.S. */
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

/* A started processor executes this from then on. */
static void ap_main(void *arg) __attribute__((noreturn));
static void ap_main(void *arg)
{
	struct processor *p = arg;

	write_cr3(boot_cpu.kernel.cr3);
	descriptors_load(&p->descriptors);
	cpu_set_xcr0(boot_cpu.kernel.xcr0);
	p->idle = processor_idle(p);
	apic_copy_thermal();
	processor_init(p);
	for (;;)
		processor_serve(p);
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

/* Lists those that are not started. Returns how many cannot be reached. */
static unsigned list_all(struct start *s)
{
	unsigned unreachable = 0;

	s->list = processors.starting;
	s->n = 0;
	for (unsigned i = 1; i < processors.most; i++) {
		struct processor *p = &processors.list[i];

		if (p->state != PROCESSOR_NOT_STARTED && p->state != PROCESSOR_WAITS_FOR_SIPI)
			continue;
		p->state = PROCESSOR_UNRESPONSIVE; /* until it says otherwise */
		p->failure_reported |= !apic_reaches(p->id);
		if (!apic_reaches(p->id))
			unreachable++;
		else
			s->list[s->n++] = (struct starting){ p->id, 0, p->stack_top, p };
	}
	return unreachable;
}

/* Start all CPUs, then wait once: many that do not respond cost no more time than one. */
static void start_all(const struct start *s, double tsc_hz)
{
	uint64_t page = (uint64_t)s - START_PAGE * PAGE_4K;

	for (uint64_t i = 0; i < s->n; i++)
		apic_send_init(s->list[i].id);
	wait_seconds(INIT_SECONDS, tsc_hz);
	send_sipi(s, page);
	wait_for_all(s, RETRY_SECONDS, tsc_hz);
	send_sipi(s, page);
	wait_for_all(s, RESPONSE_SECONDS, tsc_hz);
}

/* Set where processors were started by it, and then kept for those that are started once more. */
static struct start *trampoline;

void start_bare(const struct span *low, double tsc_hz)
{
	unsigned unreachable;

	if (low->bytes < PAGES * PAGE_4K) {
		console_printf("no memory below 1 MiB: the other CPUs cannot be started\n");
		return;
	}
	step_enter("cpus");
	trampoline = prepare_trampoline(low);
	unreachable = list_all(trampoline);
	if (unreachable)
		console_printf("%u CPUs have APIC ids that this APIC mode does not reach: they are "
			       "not used\n",
			unreachable);
	start_all(trampoline, tsc_hz);
}

bool start_bare_done(void)
{
	return trampoline;
}

void start_bare_again(double tsc_hz)
{
	list_all(trampoline);
	start_all(trampoline, tsc_hz);
}
