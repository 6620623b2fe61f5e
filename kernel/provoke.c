/* SPDX-License-Identifier: MIT */
#include "kernel/provoke.h"

#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/fault.h"
#include "kernel/memory/address_space.h"

/* Endless recursion; the volatile array gives each call a frame. */
static __attribute__((noinline)) uint64_t recurse(uint64_t depth)
{
	volatile uint64_t frame[64];

	frame[depth % 64] = depth;
	if (depth == UINT64_MAX)
		return 0;
	return recurse(depth + 1) + frame[(depth + 1) % 64];
}

static void execute_data(void)
{
	static unsigned char data[16] = { 0xc3 };

	((void (*)(void))(uintptr_t)data)();
}

/* A page fault on a stack that is not mapped, which cannot be delivered without an IST stack. */
static void double_fault(void)
{
	uint64_t guard = address_space.layout.stack[0].base;

	boot_cpu.descriptors.idt[14][0] &=
		~(7ULL << 32); /* #PF on the current stack, as if it had no IST */
	__asm__ volatile("mov %0, %%rsp; push %%rax; push %%rax" ::"r"(guard) : "memory");
}

void provoke(enum provoke what)
{
	switch (what) {
	case PROVOKE_NONE:
	case PROVOKE_CPU: /* a CPU that does not respond: kernel/smp/processors.h */
		return;
	case PROVOKE_PF:
		__asm__ volatile("movl $1, 8" ::: "memory");
		break;
	case PROVOKE_UD:
		__asm__ volatile("ud2");
		break;
	case PROVOKE_GP:
		__asm__ volatile("movabs 0x8000000000000000, %%al" ::: "rax", "memory");
		break;
	case PROVOKE_DE:
		__asm__ volatile("xor %%ecx, %%ecx; div %%ecx" ::: "eax", "ecx", "edx");
		break;
	case PROVOKE_NX:
		execute_data();
		break;
	case PROVOKE_STACK:
		recurse(0);
		break;
	case PROVOKE_DF:
		double_fault();
		break;
	case PROVOKE_PANIC:
		break;
	}
	panic("provoked: %d", (int)what);
}
