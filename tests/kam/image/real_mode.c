/* SPDX-License-Identifier: MIT */
#include "tests/kam/image/real_mode.h"

#include "tests/kam/cpu/fatal.h"

#define LOW_MEMORY   0x100000ull
#define INSTRUCTIONS 1000 /* far more than the way into long mode takes */

#define CR0_PAGING 0x80000000u
#define EFER       0xc0000080u
#define EFER_LME   0x100u
#define CR4_PAE    0x20u

enum { OPERAND_SIZE = 0x66, TWO_BYTES = 0x0f, GROUP_5 = 0xff, FAR_JUMP = 0x2e };
enum { TO_CONTROL = 0x22, WRMSR = 0x30, RDMSR = 0x32, EAX_TO_CR0 = 0xc0 };

struct real_mode {
	struct full_system *w;
	struct left_real_mode *left;
	uint64_t next; /* where it goes on after an access to an MSR; 0: it does not */
	bool writes, done;
};

static uint32_t get(uc_engine *uc, int id)
{
	uint32_t value = 0;

	unicorn_check(uc_reg_read(uc, id, &value), "reading a register");
	return value;
}

static void set(uc_engine *uc, int id, uint32_t value)
{
	unicorn_check(uc_reg_write(uc, id, &value), "writing a register");
}

static void wrong(struct real_mode *r, const char *what)
{
	system_wrong(r->w, what);
	r->next = 0;
}

static void read_msr(struct real_mode *r, uc_engine *uc)
{
	const struct msr *m = system_msr(r->w, get(uc, UC_X86_REG_ECX));

	if (!m) {
		wrong(r, "another CPU reads an absent MSR in real mode");
		return;
	}
	set(uc, UC_X86_REG_EAX, (uint32_t)m->value);
	set(uc, UC_X86_REG_EDX, (uint32_t)(m->value >> 32));
}

static void write_msr(struct real_mode *r, uc_engine *uc)
{
	struct msr *m = system_msr(r->w, get(uc, UC_X86_REG_ECX));
	uint64_t value = get(uc, UC_X86_REG_EAX) | (uint64_t)get(uc, UC_X86_REG_EDX) << 32;

	if (!m || m->constant || (m->write && !m->write(r->w, m, value)))
		wrong(r, "another CPU faults in real mode by what it writes into an MSR");
	else if (!m->write)
		m->value = value;
}

/* `code` is what follows mov %eax, %cr0: the far jump through memory. */
static void leave(struct real_mode *r, uc_engine *uc, const uint8_t *code)
{
	uint32_t cr4 = get(uc, UC_X86_REG_CR4);
	uc_x86_mmr gdt = { 0 };
	uint64_t data = (uint64_t)get(uc, UC_X86_REG_DS) << 4;

	if (code[0] != OPERAND_SIZE || code[1] != GROUP_5 || code[2] != FAR_JUMP)
		fatal("real mode: no far jump follows the one into long mode");
	unicorn_check(uc_reg_read(uc, UC_X86_REG_GDTR, &gdt), "reading the GDT's register");
	*r->left = (struct left_real_mode){ get(uc, UC_X86_REG_EAX), get(uc, UC_X86_REG_CR3), cr4,
		gdt.base, gdt.limit,
		*(const uint32_t *)ram_at(&r->w->ram, data + (code[3] | code[4] << 8), 4) };
	if (!(system_msr(r->w, EFER)->value & EFER_LME) || !(cr4 & CR4_PAE))
		wrong(r, "another CPU turns paging on without PAE and EFER.LME");
	else
		r->done = true;
	uc_emu_stop(uc);
}

static void on_instruction(uc_engine *uc, uint64_t address, uint32_t bytes, void *priv)
{
	struct real_mode *r = priv;
	const uint8_t *code = ram_at(&r->w->ram, address, 16);

	if (code[0] != TWO_BYTES)
		return;
	if (code[1] == TO_CONTROL && code[2] == EAX_TO_CR0 &&
		(get(uc, UC_X86_REG_EAX) & CR0_PAGING)) {
		leave(r, uc, code + 3);
		return;
	}
	if (code[1] != RDMSR && code[1] != WRMSR)
		return;
	r->writes = code[1] == WRMSR;
	r->next = address + bytes;
	uc_emu_stop(uc);
}

static bool on_fault(uc_engine *uc, uc_mem_type type, uint64_t address, int bytes, int64_t value,
	void *priv)
{
	fatal("another CPU accesses %#lx in real mode", address);
}

/*
 * Run up to the next access to an MSR, and make it: the result that Unicorn itself gives is
 * overwritten.
 */
static void go_on(struct real_mode *r, uc_engine *uc)
{
	uint64_t from = r->next;

	r->next = 0;
	uc_emu_start(uc, from, LOW_MEMORY, 0, INSTRUCTIONS);
	if (r->next && r->writes)
		write_msr(r, uc);
	else if (r->next)
		read_msr(r, uc);
}

bool real_mode_run(struct full_system *w, uint64_t page, struct left_real_mode *left)
{
	struct real_mode r = { .w = w, .left = left };
	uc_engine *uc;
	uc_hook h;

	unicorn_check(uc_open(UC_ARCH_X86, UC_MODE_16, &uc), "starting in real mode");
	unicorn_check(uc_mem_map_ptr(uc, 0, LOW_MEMORY, UC_PROT_ALL, ram_at(&w->ram, 0, 1)),
		"mapping low memory");
	unicorn_check(uc_hook_add(uc, &h, UC_HOOK_CODE, (void *)on_instruction, &r, 1, 0),
		"adding a hook");
	unicorn_check(uc_hook_add(uc, &h, UC_HOOK_MEM_INVALID, (void *)on_fault, &r, 1, 0),
		"adding a hook");
	set(uc, UC_X86_REG_CS, (uint32_t)(page >> 4));
	r.next = page;
	while (r.next)
		go_on(&r, uc);
	uc_close(uc);
	if (!r.done)
		system_wrong(w, "another CPU does not leave real mode");
	return r.done;
}
