/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/run/system_insns.h"

#define STAR           0xc0000081
#define LSTAR          0xc0000082
#define NO_SUCH_FILE   9    /* Linux: EBADF */
#define INTERRUPT_GATE 0x8e /* present, ring 0 */

#define SMI_COUNT     0x34
#define AMD_SMI_COUNT 0xc0010207 /* the fourth counter: kernel/cpu/cpu_controls.c */

#define LEGACY 512 /* bytes of x87 and SSE; then comes which components there are */
#define MXCSR  24
#define XMM    160
#define SSE    2ull

static void check(uc_err err, const char *what)
{
	if (err != UC_ERR_OK)
		fatal("Unicorn: %s: %s", what, uc_strerror(err));
}

static uint64_t get(uc_engine *uc, int id)
{
	uint64_t value = 0;

	check(uc_reg_read(uc, id, &value), "reading a register");
	return value;
}

static void set(uc_engine *uc, int id, uint64_t value)
{
	check(uc_reg_write(uc, id, &value), "writing a register");
}

bool is_system_insn(const struct insn *i)
{
	return i->kind == INSN_SERIAL &&
		((i->cost >= COST_INTERRUPT && i->cost <= COST_XRSTOR) || i->cost == COST_RDMSR ||
			i->cost == COST_PORT_OUT);
}

/* Returns the target of the gate of the INT at an address: SDM vol. 3A, figure 6-8. */
static uint64_t gate(uc_engine *uc, uint64_t address)
{
	uc_x86_mmr idt = { 0 };
	uint64_t entry[2];
	uint8_t vector;

	check(uc_reg_read(uc, UC_X86_REG_IDTR, &idt), "reading the IDT");
	check(uc_mem_read(uc, address + 1, &vector, 1), "reading a vector");
	check(uc_mem_read(uc, idt.base + 16u * vector, entry, sizeof(entry)), "reading a gate");
	if ((entry[0] >> 40 & 0xff) != INTERRUPT_GATE)
		fatal("%#lx: gate %u is none of an interrupt", address, vector);
	return (entry[0] & 0xffff) | (entry[0] >> 32 & 0xffff0000) | entry[1] << 32;
}

static uint64_t msr(uc_engine *uc, uint32_t number)
{
	uc_x86_msr m = { .rid = number };

	check(uc_reg_read(uc, UC_X86_REG_MSR, &m), "reading an MSR");
	return m.value;
}

/*
 * The processor takes the selectors as they are, and looks at no table: an IRET would fault later.
 * SYSCALL takes that of our code; SYSRET those 24 and 32 behind it, where the kernel's GDT has data
 * and code of ring 3, 8 and 16 behind the one that it is given (SDM vol. 2B).
 */
static void expect_segments(uc_engine *uc)
{
	uint64_t code = get(uc, UC_X86_REG_CS), star = msr(uc, STAR);

	if ((star >> 32 & 0xffff) != code || star >> 48 != ((code + 16) | 3))
		fatal("STAR is %#lx, and our code's selector %#lx", star, code);
}

/* Answer a SYSCALL for which no entry is set, as a system does: there is no such file. */
static uint64_t call_system(uc_engine *uc, uint64_t back)
{
	uint64_t entry = msr(uc, LSTAR);

	set(uc, UC_X86_REG_RCX, back);
	set(uc, UC_X86_REG_R11, get(uc, UC_X86_REG_EFLAGS));
	if (entry) {
		expect_segments(uc);
		return entry;
	}
	set(uc, UC_X86_REG_RAX, -(uint64_t)NO_SUCH_FILE);
	return back;
}

static uint64_t components(uc_engine *uc)
{
	return (uint32_t)get(uc, UC_X86_REG_RAX) | get(uc, UC_X86_REG_RDX) << 32;
}

static void save(uc_engine *uc, uint64_t area, const struct system_state *s)
{
	uint64_t has = components(uc) & s->in_use;
	uint32_t mxcsr = (uint32_t)get(uc, UC_X86_REG_MXCSR);
	uint8_t xmm[16];
	int i;

	check(uc_mem_write(uc, area + MXCSR, &mxcsr, sizeof(mxcsr)), "saving");
	check(uc_mem_write(uc, area + LEGACY, &has, sizeof(has)), "saving");
	for (i = 0; i < 16 && (has & SSE); i++) {
		check(uc_reg_read(uc, UC_X86_REG_XMM0 + i, xmm), "reading a register");
		check(uc_mem_write(uc, area + XMM + 16 * (uint64_t)i, xmm, 16), "saving");
	}
}

static void restore(uc_engine *uc, uint64_t area, struct system_state *s)
{
	uint8_t xmm[16] = { 0 };
	uint32_t mxcsr;
	int i;

	check(uc_mem_read(uc, area + MXCSR, &mxcsr, sizeof(mxcsr)), "restoring");
	set(uc, UC_X86_REG_MXCSR, mxcsr);
	check(uc_mem_read(uc, area + LEGACY, &s->in_use, sizeof(s->in_use)), "restoring");
	s->in_use &= components(uc);
	for (i = 0; i < 16; i++) {
		if (s->in_use & SSE)
			check(uc_mem_read(uc, area + XMM + 16 * (uint64_t)i, xmm, 16), "restoring");
		check(uc_reg_write(uc, UC_X86_REG_XMM0 + i, xmm), "writing a register");
	}
}

static void read_msr(uc_engine *uc, struct system_state *s)
{
	uint32_t number = (uint32_t)get(uc, UC_X86_REG_RCX);
	uint64_t value;

	if (number == SMI_COUNT || number == AMD_SMI_COUNT) {
		if (s->asked_in && !--s->asked_in)
			tsc_ask_smi(&s->model->clock, s->model->cpu.smi.asked);
		model_ticks(s->model); /* those until now */
		value = tsc_smis(&s->model->clock);
	} else {
		value = msr(uc, number);
	}
	set(uc, UC_X86_REG_RAX, (uint32_t)value);
	set(uc, UC_X86_REG_RDX, value >> 32);
}

/* A firmware takes registers for arguments: those that it may take are to be 0. */
static void ask(uc_engine *uc, struct system_state *s)
{
	const struct cpu *c = &s->model->cpu;

	if (get(uc, UC_X86_REG_RDX) != c->smi.port)
		fatal("OUT to port %lx, not to %lx", get(uc, UC_X86_REG_RDX), c->smi.port);
	if (get(uc, UC_X86_REG_RBX) | get(uc, UC_X86_REG_RCX) | get(uc, UC_X86_REG_RSI) |
		get(uc, UC_X86_REG_RDI))
		fatal("an SMI is asked for with arguments in registers");
	s->asked_in = c->smi.deaf ? 0 : c->smi.late;
	if (!c->smi.deaf && !c->smi.late)
		tsc_ask_smi(&s->model->clock, c->smi.asked);
}

uint64_t system_insn(uc_engine *uc, const struct insn *i, uint64_t operand, struct system_state *s)
{
	uint64_t next = i->address + i->bytes;

	switch (i->cost) {
	case COST_INTERRUPT:
		s->interrupted = next;
		return gate(uc, i->address);
	case COST_RDMSR:
		read_msr(uc, s);
		return next;
	case COST_PORT_OUT:
		ask(uc, s);
		return next;
	case COST_IRET:
		return s->interrupted;
	case COST_SYSCALL:
		return call_system(uc, next);
	case COST_SYSRET:
		expect_segments(uc);
		return get(uc, UC_X86_REG_RCX);
	case COST_XRSTOR:
		restore(uc, operand, s);
		return next;
	default:
		save(uc, operand, s);
		return next;
	}
}
