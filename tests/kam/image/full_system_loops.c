/* SPDX-License-Identifier: MIT */
/* Plain C calls a loop: the other Unicorn runs it, with the model, until it returns. */
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/full_system.h"
#include "tests/kam/image/full_system_others.h"

/* Core cycles that pass between two calls, for whatever plain C does there. */
#define BETWEEN_CALLS 500

#define GENERAL 16
#define COPIED  (GENERAL + 17)

static int copied[COPIED] = {
	UC_X86_REG_RSP,
	UC_X86_REG_RAX,
	UC_X86_REG_RCX,
	UC_X86_REG_RDX,
	UC_X86_REG_RBX,
	UC_X86_REG_RBP,
	UC_X86_REG_RSI,
	UC_X86_REG_RDI,
	UC_X86_REG_R8,
	UC_X86_REG_R9,
	UC_X86_REG_R10,
	UC_X86_REG_R11,
	UC_X86_REG_R12,
	UC_X86_REG_R13,
	UC_X86_REG_R14,
	UC_X86_REG_R15,
	UC_X86_REG_MXCSR,
	UC_X86_REG_XMM0,
	UC_X86_REG_XMM1,
	UC_X86_REG_XMM2,
	UC_X86_REG_XMM3,
	UC_X86_REG_XMM4,
	UC_X86_REG_XMM5,
	UC_X86_REG_XMM6,
	UC_X86_REG_XMM7,
	UC_X86_REG_XMM8,
	UC_X86_REG_XMM9,
	UC_X86_REG_XMM10,
	UC_X86_REG_XMM11,
	UC_X86_REG_XMM12,
	UC_X86_REG_XMM13,
	UC_X86_REG_XMM14,
	UC_X86_REG_XMM15,
};

static void copy_registers(uc_engine *from, uc_engine *to)
{
	static uint64_t values[COPIED][2];
	static void *at[COPIED];
	unsigned i;

	for (i = 0; i < COPIED; i++)
		at[i] = values[i];
	unicorn_check(uc_reg_read_batch(from, copied, at, COPIED), "reading registers");
	unicorn_check(uc_reg_write_batch(to, copied, at, COPIED), "writing registers");
}

/* The page tables may be others now, and code that was run may have been written anew. */
static void take_over_tables(struct full_system *w)
{
	uc_x86_mmr idt;

	unicorn_check(uc_reg_read(w->uc, UC_X86_REG_IDTR, &idt), "reading the IDT");
	unicorn_check(uc_reg_write(w->timed.uc, UC_X86_REG_IDTR, &idt), "writing the IDT");
	w->root = register_of(w->uc, UC_X86_REG_CR3);
	if (!w->tables_changed)
		return;
	w->tables_changed = false;
	memory_flush_tlbs(&w->model.memory);
	emulator_invalidate_code(&w->timed, IMAGE_AT + w->loops.address, w->loops.memory_bytes);
}

static void on_loop(uc_engine *uc, uint64_t address, uint32_t bytes, void *priv)
{
	struct full_system *w = priv;
	uint64_t before = w->model.instructions, rsp = register_of(uc, UC_X86_REG_RSP);
	uint64_t back = *(uint64_t *)ram_at(&w->ram, rsp, 8);

	if (w->boot_watchdog)
		system_wrong(w, "it measures while the watchdog of the boot manager is on");
	if (w->in_loop)
		w->in_loop(w);
	if (w->refuses && w->refuses(w, address))
		return;
	take_over_tables(w);
	others_loop(w);
	if (w->request->cold && w->output)
		model_forget(&w->model);
	w->output = false;
	w->waited_ns = 0;
	copy_registers(uc, w->timed.uc);
	model_idle(&w->model, BETWEEN_CALLS);
	model_divide(&w->model, w->cpu, others_sibling_executes(w));
	emulator_run(&w->timed, address, back);
	copy_registers(w->timed.uc, uc);
	if (register_of(uc, UC_X86_REG_RSP) != rsp + 8)
		fatal("%#lx: the loop returned with another stack", address);
	unicorn_check(uc_reg_write(uc, UC_X86_REG_RIP, &back), "returning");
	/* A core that rises with work would fall in the time beside it: its own is told. */
	if (!w->cpu->hz_start)
		system_pass_time(w,
			(w->model.instructions - before + BETWEEN_CALLS) * w->request->cost_ns);
}

uint64_t system_loop(const struct full_system *w, loop_fn *loop)
{
	return IMAGE_AT + w->loops.address +
		((uint64_t)(uintptr_t)loop - (uint64_t)(uintptr_t)loops_start);
}

void system_loops_init(struct full_system *w)
{
	uint64_t loops = IMAGE_AT + w->loops.address;

	system_hook(w, UC_HOOK_CODE, (void *)on_loop, loops, loops + w->loops.memory_bytes - 1);
}
