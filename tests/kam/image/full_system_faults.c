/* SPDX-License-Identifier: MIT */
/* Exceptions, as the processor delivers them in long mode (SDM vol. 3A, 6.14). */
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/full_system.h"
#include "tests/kam/image/walk.h"

#define GATE_PRESENT   0x80
#define GATE_INTERRUPT 0x8e
#define TSS_IST1       36
#define PAGE_PRESENT   1           /* of a page fault's error code */
#define INTERRUPTS_OFF (~0x300ull) /* IF, TF */
#define PAGE_FAULT     14

static void set(struct full_system *w, int id, uint64_t value)
{
	unicorn_check(uc_reg_write(w->uc, id, &value), "writing a register");
}

/* The stack that a gate names; without one, the stack goes on. */
static uint64_t stack_of(struct full_system *w, uint64_t gate, uint64_t rsp)
{
	unsigned ist = gate >> 32 & 7;
	uc_x86_mmr task = { 0 };

	if (!ist)
		return rsp;
	unicorn_check(uc_reg_read(w->uc, UC_X86_REG_TR, &task), "reading the task");
	return *(uint64_t *)ram_at(&w->ram, task.base + TSS_IST1 + 8 * (ist - 1), 8);
}

static void push_frame(struct full_system *w, uint64_t top, bool has_error, uint64_t error)
{
	uint64_t *frame = ram_at(&w->ram, top, 48), *at = frame;

	if (has_error)
		*at++ = error;
	*at++ = register_of(w->uc, UC_X86_REG_RIP);
	*at++ = register_of(w->uc, UC_X86_REG_CS);
	*at++ = register_of(w->uc, UC_X86_REG_EFLAGS);
	*at++ = register_of(w->uc, UC_X86_REG_RSP);
	*at = register_of(w->uc, UC_X86_REG_SS);
}

/* SDM vol. 3A, table 6-1. */
static bool pushes_error(unsigned vector)
{
	return vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21;
}

void system_raise(struct full_system *w, unsigned vector, uint64_t error)
{
	bool has_error = pushes_error(vector);
	uc_x86_mmr idt = { 0 };
	const uint64_t *gate;
	uint64_t top;

	w->raised = true;
	unicorn_check(uc_reg_read(w->uc, UC_X86_REG_IDTR, &idt), "reading the IDT");
	gate = ram_find(&w->ram, idt.base + 16 * vector, 16);
	if (idt.limit < 16 * vector + 15 || !gate || !(gate[0] >> 40 & GATE_PRESENT)) {
		char how[64];

		snprintf(how, sizeof(how), "triple fault after exception %u", vector);
		system_end(w, how);
		return;
	}
	if ((gate[0] >> 40 & 0x9f) != GATE_INTERRUPT)
		fatal("exception %u: gate %#lx is none that is understood", vector, gate[0]);
	top = (stack_of(w, gate[0], register_of(w->uc, UC_X86_REG_RSP)) & ~15ull) -
		(has_error ? 48 : 40);
	push_frame(w, top, has_error, error);
	set(w, UC_X86_REG_RSP, top);
	set(w, UC_X86_REG_EFLAGS, register_of(w->uc, UC_X86_REG_EFLAGS) & INTERRUPTS_OFF);
	set(w, UC_X86_REG_RIP, (gate[0] & 0xffff) | (gate[0] >> 32 & 0xffff0000) | gate[1] << 32);
}

/*
 * Handle an exception of plain C. Unicorn does not tell the error code of a page fault: the tables
 * say whether the page is present, and the access is taken to be a read.
 */
static void on_exception(uc_engine *uc, uint32_t vector, void *priv)
{
	struct full_system *w = priv;
	struct walked_page page;

	system_raise(w, vector,
		vector == PAGE_FAULT &&
			walk(&w->ram, register_of(uc, UC_X86_REG_CR3),
				register_of(uc, UC_X86_REG_CR2), &page));
}

void system_faults_init(struct full_system *w)
{
	system_hook(w, UC_HOOK_INTR, (void *)on_exception, 1, 0);
}

bool system_touch(struct full_system *w, uint64_t address, enum cpu_access how)
{
	uint64_t root = register_of(w->uc, UC_X86_REG_CR3);
	struct walked_page page;
	bool there = walk(&w->ram, root, address, &page);

	if (there && (how != TO_WRITE || page.writable) && (how != TO_EXECUTE || page.executable))
		return true;
	set(w, UC_X86_REG_CR2, address);
	system_raise(w, PAGE_FAULT, (uint64_t)how | (there ? PAGE_PRESENT : 0));
	return false;
}
