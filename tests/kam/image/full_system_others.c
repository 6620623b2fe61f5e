/* SPDX-License-Identifier: MIT */
#include "tests/kam/image/full_system_others.h"

#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/acpi_maker.h"
#include "tests/kam/image/real_mode.h"
#include "tests/kam/image/walk.h"

#define SILENT_BLOCKS 20000000 /* without a pause: it hangs */

#define MSR_APIC_BASE   0x1bu
#define MSR_TSC_ADJUST  0x3bu
#define APIC_BOOT       (1u << 8)
#define X2_BASE         0x800u
#define MSR_EFER        0xc0000080u
#define EFER_NO_EXECUTE 0x800ull
#define LVT_MASKED      0x10000u
#define LINE            64
#define NMI             2
#define HLT             0xf4

enum { APIC_ID = 0x02, LVT_FIRST = 0x32, LVT_LAST = 0x37 }; /* registers: offset / 16 */
enum { DELIVER_NMI = 4, DELIVER_INIT = 5, DELIVER_SIPI = 6 };

struct other {
	uc_engine *uc; /* NULL: not in long mode */
	uint32_t id;
	enum { WAITS_FOR_INIT, WAITS_FOR_SIPI, STARTS, RUNS, SLEEPS, WAITS_FOR_NMI, HALTED } state;
	uint64_t page; /* of SIPI */
	uint64_t rip;  /* where it goes on */
	uint64_t blocks;
	struct msr msrs[MSRS];
	unsigned nmsrs;
	uint32_t apic[APIC_REGISTERS], apic_at_reset[APIC_REGISTERS];
	uint64_t monitored;
	uint8_t line[LINE]; /* as it was at MONITOR */
	bool nmi;
};

struct others {
	unsigned n;
	struct other *running; /* NULL: the boot processor */
	uint64_t wakes;        /* how many writes more are seen by one that sleeps */
	bool nmi_before_hlt;
	uint64_t stray_nmis;
	struct other cpu[];
};

static void swap(void *a, void *b, size_t bytes)
{
	unsigned char *x = a, *y = b, t;

	while (bytes--) {
		t = *x;
		*x++ = *y;
		*y++ = t;
	}
}

/* Puts the registers of a processor in place of those that are there. */
static void exchange(struct full_system *w, struct other *o)
{
	swap(&w->uc, &o->uc, sizeof(w->uc));
	swap(w->msrs, o->msrs, sizeof(w->msrs));
	swap(&w->nmsrs, &o->nmsrs, sizeof(w->nmsrs));
	swap(w->apic, o->apic, sizeof(w->apic));
}

static void become(struct full_system *w, struct other *o)
{
	exchange(w, o);
	w->others->running = o;
}

static void become_boot(struct full_system *w)
{
	exchange(w, w->others->running);
	w->others->running = NULL;
}

static void set(struct full_system *w, int id, uint64_t value)
{
	unicorn_check(uc_reg_write(w->uc, id, &value), "writing a register");
}

/* --- from reset to long mode --- */

uint32_t others_id(const struct full_system *w, unsigned i)
{
	return w->cpu->threads > 1 ? i : 2 * i;
}

bool others_sibling_executes(const struct full_system *w)
{
	const struct other *o = w->others->cpu;

	return w->cpu->threads > 1 && w->others->n && (o->state == STARTS || o->state == RUNS);
}

static void own_id(struct full_system *w, uint32_t leaf, uint32_t subleaf, struct cpuid *c)
{
	uint32_t id = w->others->running ? w->others->running->id : 0;

	(void)subleaf;
	if (leaf == 1)
		c->ebx = (c->ebx & 0xffffff) | id << 24;
	if (leaf == 0xb)
		c->edx = id;
}

void others_init(struct full_system *w)
{
	unsigned i, n = w->request->cpus > 1 ? w->request->cpus - 1 : 0;

	w->others = calloc(1, sizeof(*w->others) + n * sizeof(struct other));
	if (!w->others)
		fatal("no memory for processors");
	w->others->n = n;
	w->others->wakes = UINT64_MAX;
	for (i = 0; i < n; i++)
		w->others->cpu[i].id = others_id(w, i + 1);
	if (n)
		system_filter_cpuid(w, own_id);
}

void others_free(struct full_system *w)
{
	unsigned i;

	for (i = 0; i < w->others->n; i++)
		if (w->others->cpu[i].uc)
			uc_close(w->others->cpu[i].uc);
	free(w->others);
}

void others_set_id(struct full_system *w, unsigned i, uint32_t id)
{
	if (i - 1 < w->others->n)
		w->others->cpu[i - 1].id = id;
}

void others_miss_writes(struct full_system *w, uint64_t n)
{
	w->others->wakes = n;
}

void others_nmi_before_hlt(struct full_system *w)
{
	w->others->nmi_before_hlt = true;
}

void others_stray_nmis(struct full_system *w, uint64_t n)
{
	w->others->stray_nmis = n;
}

/* What an earlier start, or the firmware, has written there. */
static void adjust_tsc(struct full_system *w, struct other *o, unsigned cpu)
{
	unsigned i;

	for (i = 0; i < o->nmsrs; i++)
		if (o->msrs[i].number == MSR_TSC_ADJUST)
			o->msrs[i].value = (uint64_t)cpu_of_core(w->cpu->skew.adjust, cpu);
}

/* The firmware leaves all processors alike, but for this. */
void others_power_on(struct full_system *w)
{
	unsigned i;

	for (i = 0; i < w->others->n; i++) {
		struct other *o = &w->others->cpu[i];

		memcpy(o->msrs, w->msrs, sizeof(w->msrs));
		memcpy(o->apic_at_reset, w->apic, sizeof(w->apic));
		o->nmsrs = w->nmsrs;
		adjust_tsc(w, o, i + 1);
	}
}

/* INIT masks the local vectors (SDM vol. 3A, 11.4.7.3), and leaves nearly all MSRs as they are. */
static void mask_vectors(struct full_system *w)
{
	uint32_t i;

	for (i = LVT_FIRST; i <= LVT_LAST; i++) {
		w->apic[i] = LVT_MASKED;
		if (system_msr(w, X2_BASE + i))
			system_msr(w, X2_BASE + i)->value = LVT_MASKED;
	}
}

static void reset(struct full_system *w, struct other *o)
{
	if (o->uc)
		uc_close(o->uc);
	o->uc = NULL;
	memcpy(o->apic, o->apic_at_reset, sizeof(o->apic));
	o->apic[APIC_ID] = o->id << 24;
	become(w, o);
	system_msr(w, MSR_EFER)->value = 0;
	system_msr(w, MSR_APIC_BASE)->value &= ~(uint64_t)APIC_BOOT;
	mask_vectors(w);
	if (system_msr(w, X2_BASE + APIC_ID))
		system_msr(w, X2_BASE + APIC_ID)->value = o->id;
	become_boot(w);
	o->state = WAITS_FOR_SIPI;
}

static void on_block(uc_engine *uc, uint64_t address, uint32_t bytes, void *priv)
{
	struct full_system *w = priv;

	(void)bytes;
	if (++w->others->running->blocks < SILENT_BLOCKS)
		return;
	fprintf(stderr, "another CPU hangs at image+%#llx\n", address - IMAGE_AT);
	system_wrong(w, "another CPU hangs");
	w->others->running->state = HALTED;
	uc_emu_stop(uc);
}

/* Without EFER.NXE bit 63 of a page table's entry is reserved: a fault that no IDT takes. */
static bool can_read(struct full_system *w, uint64_t root, uint64_t address)
{
	struct page page;

	if (walk(&w->ram, root, address, &page) &&
		(page.executable || (system_msr(w, MSR_EFER)->value & EFER_NO_EXECUTE)))
		return true;
	system_wrong(w, "another CPU meets a reserved bit: EFER.NXE is off on it");
	return false;
}

/* In long mode, before the far jump's destination. */
static void enter_long_mode(struct full_system *w, struct other *o, const struct left_real_mode *at)
{
	uc_x86_mmr gdt = { .base = at->gdt_base, .limit = (uint32_t)at->gdt_limit };

	unicorn_check(uc_open(UC_ARCH_X86, UC_MODE_64, &w->uc), "starting");
	system_attach(w, o->page);
	system_hook(w, UC_HOOK_BLOCK, (void *)on_block, 1, 0);
	set(w, UC_X86_REG_CR4, at->cr4);
	set(w, UC_X86_REG_CR3, at->cr3);
	set(w, UC_X86_REG_CR0, at->cr0);
	unicorn_check(uc_reg_write(w->uc, UC_X86_REG_GDTR, &gdt), "writing the GDT's register");
	o->rip = at->rip;
}

static void begin(struct full_system *w, struct other *o)
{
	struct left_real_mode at;

	o->state = HALTED;
	if (!real_mode_run(w, o->page, &at) || !can_read(w, at.cr3, o->page + PAGE_4K))
		return;
	enter_long_mode(w, o, &at);
	o->state = RUNS;
}

/* --- commands --- */

static void deliver(struct full_system *w, struct other *o, uint32_t command)
{
	switch (command >> 8 & 7) {
	case DELIVER_INIT:
		reset(w, o);
		break;
	case DELIVER_SIPI:
		if (o->state != WAITS_FOR_SIPI)
			break; /* as the manual says: the second one is without effect */
		o->page = (uint64_t)(command & 0xff) << 12;
		o->state = STARTS;
		break;
	case DELIVER_NMI:
		o->nmi = true;
		break;
	default:
		fatal("an interrupt command %#x that is not understood", command);
	}
}

void others_command(struct full_system *w, uint32_t id, uint32_t command)
{
	unsigned i;

	if (w->others->running)
		fatal("an interrupt command by another CPU than the boot CPU");
	for (i = 0; i < w->others->n; i++)
		if (w->others->cpu[i].id == id)
			deliver(w, &w->others->cpu[i], command);
}

/* --- turns --- */

/* Whether it goes on: by an NMI, or because a write ended its MWAIT. */
static bool wakes(struct full_system *w, struct other *o)
{
	bool written = memcmp(o->line, ram_at(&w->ram, o->monitored, LINE), LINE);

	if (o->nmi)
		return true;
	if (!written || !w->others->wakes)
		return false;
	w->others->wakes--;
	return true;
}

/* It stopped by an instruction, not by a fault of this machine's. */
static bool after_hlt(struct full_system *w)
{
	uint8_t before = 0;

	return uc_mem_read(w->uc, register_of(w->uc, UC_X86_REG_RIP) - 1, &before, 1) ==
		UC_ERR_OK &&
		before == HLT;
}

static void run(struct full_system *w, struct other *o)
{
	uc_err err;

	set(w, UC_X86_REG_RIP, o->rip);
	if (o->nmi) {
		o->nmi = false;
		system_raise(w, NMI, 0);
		o->rip = register_of(w->uc, UC_X86_REG_RIP);
	}
	o->state = HALTED; /* unless it says otherwise */
	o->blocks = 0;
	err = uc_emu_start(w->uc, o->rip, 0, 0, 0);
	if (err != UC_ERR_OK)
		fatal("another CPU stopped at %#lx: %s", register_of(w->uc, UC_X86_REG_RIP),
			uc_strerror(err));
	if (o->state == HALTED && after_hlt(w)) {
		o->rip = register_of(w->uc, UC_X86_REG_RIP) - w->others->nmi_before_hlt;
		o->state = WAITS_FOR_NMI;
	}
}

static void turn(struct full_system *w, struct other *o)
{
	become(w, o);
	if (o->state == STARTS)
		begin(w, o);
	if ((o->state == SLEEPS && wakes(w, o)) || (o->state == WAITS_FOR_NMI && o->nmi))
		o->state = RUNS;
	if (o->state == RUNS)
		run(w, o);
	for (; o->state == WAITS_FOR_NMI && w->others->stray_nmis; w->others->stray_nmis--) {
		o->nmi = true;
		run(w, o);
	}
	become_boot(w);
	if (*w->end) /* a triple fault resets all */
		unicorn_check(uc_emu_stop(w->uc), "stopping");
}

/* It gives its turn away and goes on there at the next one. */
static void yield_at(struct full_system *w, uint64_t after, bool sleeps)
{
	struct other *o = w->others->running;

	o->rip = after;
	o->state = sleeps ? SLEEPS : RUNS;
	unicorn_check(uc_emu_stop(w->uc), "stopping");
}

void others_pause(struct full_system *w, uint64_t after)
{
	unsigned i;

	if (w->others->running) {
		yield_at(w, after, false);
		return;
	}
	for (i = 0; i < w->others->n; i++)
		turn(w, &w->others->cpu[i]);
}

/* SDM vol. 2B, MONITOR: the address is in RAX. */
void others_monitor(struct full_system *w, uint64_t after)
{
	struct other *o = w->others->running;

	if (o) {
		o->monitored = register_of(w->uc, UC_X86_REG_RAX) & ~(uint64_t)(LINE - 1);
		memcpy(o->line, ram_at(&w->ram, o->monitored, LINE), LINE);
	}
	unicorn_check(uc_reg_write(w->uc, UC_X86_REG_RIP, &after), "going on");
}

void others_mwait(struct full_system *w, uint64_t after)
{
	if (w->others->running)
		yield_at(w, after, true);
	else
		others_pause(w, after);
}

void others_each(struct full_system *w, void (*fn)(struct full_system *))
{
	unsigned i;

	for (i = 0; i < w->others->n; i++) {
		if (!w->others->cpu[i].uc)
			continue;
		become(w, &w->others->cpu[i]);
		fn(w);
		become_boot(w);
	}
}
