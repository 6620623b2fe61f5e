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
#define LINE            64
#define NMI             2
#define HLT             0xf4

#define INTERRUPTS   0x200u /* in the flags */
#define APIC_LISTENS 0x100u /* of SPURIOUS */
#define WAKE_LOOP    128    /* bytes, of a loop of wake_loops.S */
#define VAIN         1000
#define WAITS        8 /* loads of one word in a row: a loop that waits for it to change */

enum { APIC_ID = 0x02, SPURIOUS = 0x0f }; /* registers: offset / 16 */
enum { DELIVER_FIXED = 0, DELIVER_NMI = 4, DELIVER_INIT = 5, DELIVER_SIPI = 6 };

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
	unsigned vector; /* of an interrupt that it has not taken; 0: none */
	unsigned late;   /* of one that comes behind the next NMI */
	uint64_t hint;   /* of its MWAIT */
	uint64_t slept;  /* cycle at which it was executed */
	uint64_t looked; /* for what was stored in this cycle, while it ran */
	uint64_t woken;  /* cycle */
	bool ramps;      /* since then no loop of it was run */
};

struct other_cpus {
	unsigned n;
	struct other *running; /* NULL: the boot processor */
	uint64_t wakes;        /* how many writes more are seen by one that sleeps */
	uint64_t late_of;      /* of so many interrupts all but the last come late; 0: none */
	uint64_t sent;
	bool nmi_before_hlt;
	uint64_t stray_nmis;
	bool beside; /* a loop of the boot processor, that waits: */
	uint64_t at; /* from this cycle on the one that is running */
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

bool others_running(const struct full_system *w)
{
	return w->others->running;
}

bool others_sibling_executes(const struct full_system *w)
{
	const struct other *o = w->others->cpu;

	return w->cpu->threads > 1 && w->others->n && (o->state == STARTS || o->state == RUNS);
}

static void own_id(struct full_system *w, uint32_t leaf, uint32_t subleaf, struct cpuid *c)
{
	uint32_t id = w->others->running ? w->others->running->id : 0;

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

void others_late_interrupts(struct full_system *w, uint64_t n)
{
	w->others->late_of = n;
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

/* Set TSC_ADJUST to the value that an earlier start or the firmware has written. */
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
	system_apic_reset(w);
	if (system_msr(w, X2_BASE + APIC_ID))
		system_msr(w, X2_BASE + APIC_ID)->value = o->id;
	become_boot(w);
	o->state = WAITS_FOR_SIPI;
}

static void on_block(uc_engine *uc, uint64_t address, uint32_t bytes, void *priv)
{
	struct full_system *w = priv;

	if (++w->others->running->blocks < SILENT_BLOCKS)
		return;
	fprintf(stderr, "another CPU hangs at image+%#llx\n", address - IMAGE_AT);
	system_wrong(w, "another CPU hangs");
	w->others->running->state = HALTED;
	uc_emu_stop(uc);
}

/*
 * Checks a read by another CPU: without EFER.NXE, bit 63 of a page table's entry is reserved, and
 * no IDT takes the fault.
 */
static bool can_read(struct full_system *w, uint64_t root, uint64_t address)
{
	struct walked_page page;

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

/* Returns true if its APIC accepts interrupts (SDM vol. 3A, 11.9). */
static bool listens(struct full_system *w, struct other *o)
{
	uint32_t spurious;

	exchange(w, o);
	spurious = system_apic_register(w, SPURIOUS);
	exchange(w, o);
	return spurious & APIC_LISTENS;
}

static bool is_late(struct full_system *w)
{
	return w->others->late_of && ++w->others->sent % w->others->late_of;
}

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
		o->vector = o->late ? o->late : o->vector;
		o->late = 0;
		break;
	case DELIVER_FIXED:
		if (!listens(w, o))
			system_wrong(w, "an interrupt is sent to a CPU whose APIC is off");
		*(is_late(w) ? &o->late : &o->vector) = command & 0xff;
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

static uint64_t cycles_of(const struct full_system *w, uint64_t ns)
{
	return (uint64_t)((unsigned __int128)ns * w->cpu->hz / 1000000000);
}

static uint64_t now(const struct full_system *w)
{
	return model_cycle(&w->model) + cycles_of(w, w->pending_ns);
}

/* The line that it watches, and it notices. */
static bool written(struct full_system *w, const struct other *o)
{
	return w->others->wakes && memcmp(o->line, ram_at(&w->ram, o->monitored, LINE), LINE) != 0;
}

/* Returns true if an interrupt is pending for a processor that does not run. */
static bool is_interrupted(struct other *o)
{
	return o->nmi || (o->vector && (register_of(o->uc, UC_X86_REG_EFLAGS) & INTERRUPTS));
}

/* Returns true if a write ends its MWAIT. */
static bool wakes(struct full_system *w, struct other *o)
{
	if (!written(w, o))
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

static void interrupt(struct full_system *w, struct other *o)
{
	unsigned vector = o->nmi ? NMI : o->vector;

	if (o->nmi)
		o->nmi = false;
	else
		o->vector = 0;
	system_raise(w, vector, 0);
	o->rip = register_of(w->uc, UC_X86_REG_RIP);
}

static void run(struct full_system *w, struct other *o, bool interrupted)
{
	uc_err err;

	set(w, UC_X86_REG_RIP, o->rip);
	if (interrupted)
		interrupt(w, o);
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
	bool interrupted = o->state >= RUNS && o->state < HALTED && is_interrupted(o);

	become(w, o);
	if (o->state == STARTS)
		begin(w, o);
	if (interrupted || (o->state == SLEEPS && wakes(w, o)))
		o->state = RUNS;
	if (o->state == RUNS)
		run(w, o, interrupted);
	for (; o->state == WAITS_FOR_NMI && w->others->stray_nmis; w->others->stray_nmis--) {
		o->nmi = true;
		run(w, o, true);
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
	struct other *o = w->others->running;

	if (!o) {
		others_pause(w, after);
		return;
	}
	o->hint = register_of(w->uc, UC_X86_REG_RAX);
	o->slept = now(w);
	yield_at(w, after, true);
}

/* --- beside a loop that waits --- */

/* Until it executes again. */
static uint64_t exit_ns(const struct full_system *w, const struct other *o, uint64_t at)
{
	bool settled = at >= o->slept + cycles_of(w, 1000 * w->cpu->wake.settle_us);

	if (o->state == SLEEPS)
		return cpu_exit_ns(w->cpu, settled ? o->hint : 0);
	return o->state == WAITS_FOR_NMI ? w->cpu->wake.hlt : 0;
}

static uint64_t hop_ns(const struct full_system *w, const struct other *o)
{
	return w->cpu->threads > 1 && o->id == 1 ? w->cpu->wake.hop_thread : w->cpu->wake.hop;
}

/* The cycle at which it next does something because of the last store; UINT64_MAX: it does not. */
static uint64_t acts_at(struct full_system *w, struct other *o)
{
	uint64_t stored = w->timed.stored, ns;

	if (o->state < RUNS || o->state == HALTED)
		return UINT64_MAX;
	if (is_interrupted(o))
		ns = o->nmi ? w->cpu->wake.nmi : w->cpu->wake.ipi;
	else if (o->state == SLEEPS ? written(w, o) : o->state == RUNS && o->looked != stored)
		ns = hop_ns(w, o);
	else
		return UINT64_MAX;
	return stored + cycles_of(w, ns + exit_ns(w, o, stored));
}

/* It runs from that cycle on, until it gives its turn away, by a time of its own. */
static void run_beside(struct full_system *w, struct other *o, uint64_t at)
{
	uint64_t pending = w->pending_ns;

	o->looked = w->timed.stored;
	o->ramps = w->cpu->wake.ramp_us && o->state != RUNS;
	o->woken = at;
	w->pending_ns = 0;
	w->others->beside = true;
	w->others->at = at;
	turn(w, o);
	w->others->beside = false;
	w->pending_ns = pending;
}

/* Nobody will ever write: what is left of the loop's patience, in r8, is not waited for. */
static void leave_vain_wait(struct full_system *w)
{
	const uint64_t one = 1;
	uint64_t rip = register_of(w->timed.uc, UC_X86_REG_RIP);

	if (w->timed.again > VAIN &&
		(rip - system_loop(w, loop_wake_store) < WAKE_LOOP ||
			rip - system_loop(w, loop_wake_wrmsr) < WAKE_LOOP))
		unicorn_check(uc_reg_write(w->timed.uc, UC_X86_REG_R8, &one), "hurrying");
}

void others_beside(void *priv)
{
	struct full_system *w = priv;
	struct other *o, *first = NULL;
	uint64_t at = UINT64_MAX, before;

	if (w->timed.again < WAITS)
		return;
	for (o = w->others->cpu; o < w->others->cpu + w->others->n; o++)
		if (acts_at(w, o) < at) {
			first = o;
			at = acts_at(w, o);
		}
	if (!first) {
		leave_vain_wait(w);
		return;
	}
	model_wait_until(&w->model, at);
	before = *(uint64_t *)ram_at(&w->ram, w->timed.word, 8);
	run_beside(w, first, at);
	if (*(uint64_t *)ram_at(&w->ram, w->timed.word, 8) != before)
		model_wait_until(&w->model, at + cycles_of(w, hop_ns(w, first)));
}

void others_wrmsr(void *priv, uint32_t number, uint64_t value)
{
	struct full_system *w = priv;
	struct msr *m = system_msr(w, number);

	if (m && m->write)
		m->write(w, m, value);
}

bool others_own_tsc(struct full_system *w, uint64_t *tsc)
{
	if (!w->others || !w->others->beside)
		return false;
	*tsc = tsc_read(&w->model.clock, w->others->at + cycles_of(w, w->pending_ns));
	return true;
}

void others_loop(struct full_system *w)
{
	struct other *o = w->others->running;
	uint64_t ramp = cycles_of(w, 1000 * w->cpu->wake.ramp_us);

	if (w->others->beside)
		fatal("a loop of another CPU beside one that waits");
	if (!o || !o->ramps)
		return;
	o->ramps = false;
	system_tsc(w);
	if (now(w) < o->woken + ramp)
		tsc_slow(&w->model.clock, now(w), w->cpu->hz * w->cpu->wake.ramp_percent / 100,
			o->woken + ramp - now(w));
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
