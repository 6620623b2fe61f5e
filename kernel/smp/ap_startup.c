/* SPDX-License-Identifier: MIT */
#include "kernel/smp/ap_startup.h"

#include <string.h>

#include "kernel/console/console.h"
#include "kernel/cpu/boot_cpu.h"
#include "kernel/memory/address_space.h"
#include "kernel/smp/apic.h"
#include "kernel/smp/processors.h"
#include "kernel/steps.h"

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
	uint32_t cr3, cr4, id;
	uint64_t gdt[3];
	uint64_t stack, arg, fn;
};

_Static_assert(offsetof(struct start, far_offset) == 0x10, "START_FAR");
_Static_assert(offsetof(struct start, cr0) == 0x20, "START_CR0");
_Static_assert(offsetof(struct start, id) == 0x2c, "START_ID");
_Static_assert(offsetof(struct start, stack) == 0x48, "START_STACK");
_Static_assert(offsetof(struct start, fn) == 0x58, "START_FN");

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
	s->fn = (uint64_t)ap_main;
	page_map(&address_space.tables, code, PAGE_4K, ACCESS_READ | ACCESS_EXECUTE, PAGE_4K);
	address_space_flush();
	return s;
}

static bool responds(struct processor *p, double seconds, double tsc_hz)
{
	uint64_t since = rdtsc(), ticks = (uint64_t)(seconds * tsc_hz);

	while (p->state != PROCESSOR_READY && rdtsc() - since < ticks)
		pause();
	return p->state == PROCESSOR_READY;
}

static void start_one(struct processor *p, struct start *s, uint64_t page, double tsc_hz)
{
	s->id = p->id;
	s->stack = (uint64_t)p->stack_top;
	s->arg = (uint64_t)p;
	__asm__ volatile("mfence" ::: "memory");
	apic_send_sipi(p->id, page);
	if (responds(p, RETRY_SECONDS, tsc_hz))
		return;
	apic_send_sipi(p->id, page);
	if (!responds(p, RESPONSE_SECONDS, tsc_hz))
		p->state = PROCESSOR_UNRESPONSIVE;
}

static bool is_to_start(const struct processor *p)
{
	return p->state == PROCESSOR_NOT_STARTED && apic_reaches(p->id) &&
		!(processors.skip_last && p == &processors.list[processors.n - 1]);
}

void ap_startup_all(const struct span *low, double tsc_hz)
{
	struct start *s;

	if (low->bytes < PAGES * PAGE_4K) {
		console_printf("no memory below 1 MiB: the other CPUs cannot be started\n");
		return;
	}
	step_enter("cpus");
	s = prepare_trampoline(low);
	for (unsigned i = 1; i < processors.most; i++)
		if (is_to_start(&processors.list[i]))
			apic_send_init(processors.list[i].id);
	wait_seconds(INIT_SECONDS, tsc_hz);
	for (unsigned i = 1; i < processors.most; i++)
		if (is_to_start(&processors.list[i]))
			start_one(&processors.list[i], s, low->base, tsc_hz);
}
