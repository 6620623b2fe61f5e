/* SPDX-License-Identifier: MIT */
/* The local APIC (SDM vol. 3A, 11.4): its registers hold what is written, and commands are sent. */
#include "tests/kam/image/acpi_maker.h"
#include "tests/kam/image/full_system_others.h"

#define APIC_BYTES        4096
#define X2_BASE           0x800u
#define APIC_X2           (1u << 10) /* of MSR 1Bh */
#define MSR_BASE          0x1b
#define LVT_MASKED        0x10000u
#define VERSION           0x60015u   /* seven entries of the local vector table */
#define TIMER_MODE        (3u << 17) /* of the timer's entry */
#define BY_DEADLINE       (2u << 17)
#define MSR_DEADLINE      0x6e0
#define LISTENS           0x100u /* of SPURIOUS */
#define INTERRUPTS        0x200u /* in the flags */
#define ALL_ONES          0xffffffffu
#define SPURIOUS_AT_RESET 0xffu /* off */
enum {
	APIC_VERSION = 0x30,
	SPURIOUS = 0xf0,
	ICR_LOW = 0x300,
	ICR_HIGH = 0x310,
	LVT_FIRST = 0x320,
	LVT_LAST = 0x370
};

static bool is_x2(struct full_system *w)
{
	return system_msr(w, MSR_BASE)->value & APIC_X2;
}

static uint64_t apic_read(uc_engine *uc, uint64_t offset, unsigned bytes, void *priv)
{
	struct full_system *w = priv;

	if (is_x2(w)) {
		system_wrong(w, "the APIC's memory is read in its x2 mode");
		return ALL_ONES;
	}
	return offset / 16 < APIC_REGISTERS ? w->apic[offset / 16] : 0;
}

/* A register, in the mode that the APIC is in. */
static void set_register(struct full_system *w, unsigned n, uint32_t value)
{
	struct msr *m = system_msr(w, X2_BASE + n);

	if (m)
		m->value = value;
	else
		w->apic[n] = value;
}

/* While software has it off, all local vectors stay masked (SDM vol. 3A, 11.4.7.2). */
static void write_register(struct full_system *w, unsigned n, uint32_t value)
{
	bool on = system_apic_register(w, SPURIOUS / 16) & LISTENS;
	unsigned at;

	if (n >= LVT_FIRST / 16 && n <= LVT_LAST / 16 && !on)
		value |= LVT_MASKED;
	set_register(w, n, value);
	if (n != SPURIOUS / 16 || (value & LISTENS))
		return;
	for (at = LVT_FIRST / 16; at <= LVT_LAST / 16; at++)
		set_register(w, at, system_apic_register(w, at) | LVT_MASKED);
}

bool system_apic_write(struct full_system *w, struct msr *m, uint64_t value)
{
	write_register(w, m->number - X2_BASE, (uint32_t)value);
	return true;
}

void system_apic_reset(struct full_system *w)
{
	write_register(w, SPURIOUS / 16, SPURIOUS_AT_RESET);
	for (unsigned at = LVT_FIRST / 16; at <= LVT_LAST / 16; at++)
		set_register(w, at, LVT_MASKED);
}

static void apic_write(uc_engine *uc, uint64_t offset, unsigned bytes, uint64_t value, void *priv)
{
	struct full_system *w = priv;

	if (is_x2(w))
		system_wrong(w, "the APIC's memory is written in its x2 mode");
	else if (offset == ICR_LOW) /* sent at once */
		others_command(w, w->apic[ICR_HIGH / 16] >> 24, (uint32_t)value);
	else if (offset / 16 < APIC_REGISTERS)
		write_register(w, (unsigned)offset / 16, (uint32_t)value);
}

static void map(struct full_system *w, uc_engine *uc)
{
	unicorn_check(uc_mmio_map(uc, APIC_AT, APIC_BYTES, apic_read, w, apic_write, w),
		"mapping the APIC");
}

static bool set_deadline(struct full_system *w, struct msr *m, uint64_t value)
{
	m->value = w->deadline = value;
	return true;
}

void system_apic_init(struct full_system *w)
{
	unsigned at;

	w->apic[APIC_VERSION / 16] = VERSION;
	if (w->cpu->wake.timer)
		system_add_msr(w, MSR_DEADLINE, 0, false)->write = set_deadline;
	for (at = LVT_FIRST; at <= LVT_LAST; at += 16)
		w->apic[at / 16] = LVT_MASKED;
	system_apic_attach(w);
	map(w, w->timed.uc); /* loops send commands, too */
}

uint32_t system_apic_register(struct full_system *w, unsigned n)
{
	struct msr *m = system_msr(w, X2_BASE + n);

	return m ? (uint32_t)m->value : w->apic[n];
}

bool system_timer_due(struct full_system *w, uint64_t address, uint64_t more)
{
	uint32_t entry = system_apic_register(w, LVT_FIRST / 16);
	uint64_t now;

	if (!w->deadline || (entry & (LVT_MASKED | TIMER_MODE)) != BY_DEADLINE ||
		!(system_apic_register(w, SPURIOUS / 16) & LISTENS) ||
		!(register_of(w->uc, UC_X86_REG_EFLAGS) & INTERRUPTS))
		return false;
	now = system_tsc(w);
	if (now < w->deadline)
		model_idle(&w->model,
			(uint64_t)((double)(w->deadline - now) * (double)w->cpu->hz /
				(double)w->cpu->tsc_hz));
	system_pass_time(w, w->cpu->wake.timer + more);
	w->deadline = 0;
	unicorn_check(uc_reg_write(w->uc, UC_X86_REG_RIP, &address), "going on");
	system_raise(w, entry & 0xff, 0);
	return true;
}

bool system_apic_command(struct full_system *w, struct msr *m, uint64_t value)
{
	others_command(w, (uint32_t)(value >> 32), (uint32_t)value);
	return true;
}

void system_apic_attach(struct full_system *w)
{
	map(w, w->uc);
}
