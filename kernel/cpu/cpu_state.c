/* SPDX-License-Identifier: MIT */
#include "kernel/cpu/cpu_state.h"

#include "kernel/cpu/safe.h"

void cpu_state_read(struct cpu_state *s)
{
	s->control.cr0 = read_cr0();
	s->control.cr3 = read_cr3();
	s->control.cr4 = read_cr4();
	s->control.xcr0 = s->control.cr4 & CR4_OSXSAVE ? xgetbv(0) : 0;
	store_gdt(&s->gdt);
	store_idt(&s->idt);
	s->segments = read_segments();
	s->task = store_task();
	s->interrupts = read_flags() & FLAG_IF;
}

#define CPUID_MCE (1 << 7) /* of leaf 1, EDX */

/*
 * What stays as the firmware has it: bits that change nothing here, and those that cannot be
 * cleared (LA57 in long mode, VMXE in VMX operation). All others are off, known or not: SMEP, SMAP
 * and LASS concern user pages or addresses, PKE and PKS keys that we do not set; there is no shadow
 * stack (CET); FRED would not use our IDT; LAM would ignore address bits; PCIDE and PGE would keep
 * TLB entries when CR3 is loaded.
 */
#define CR4_KEPT (CR4_PSE | CR4_PCE | CR4_UMIP | CR4_LA57 | CR4_VMXE | CR4_SMXE | CR4_FSGSBASE)

/* MCE is on wherever there is one: a machine check shuts a processor down that has it off. */
struct control_registers cpu_kernel_control(const struct cpu_state *found, uint64_t cr3,
	uint64_t xcr0)
{
	struct control_registers c = { .cr3 = cr3, .xcr0 = xcr0 };

	c.cr0 = (found->control.cr0 | CR0_MP | CR0_NE | CR0_WP) &
		~(uint64_t)(CR0_EM | CR0_TS | CR0_AM | CR0_CD | CR0_NW);
	c.cr4 = (found->control.cr4 & CR4_KEPT) | CR4_PAE | CR4_DE | CR4_OSFXSR | CR4_OSXMMEXCPT;
	if (cpuid(1, 0).edx & CPUID_MCE)
		c.cr4 |= CR4_MCE;
	if (xcr0)
		c.cr4 |= CR4_OSXSAVE;
	return c;
}

void cpu_set_xcr0(uint64_t xcr0)
{
	if (xcr0)
		safe_xsetbv(0, xcr0);
}

void cpu_state_load_tables(const struct cpu_state *s)
{
	load_gdt(&s->gdt);
	load_segments(s->segments);
	if (s->task) { /* most firmware has no task loaded */
		((uint64_t *)s->gdt.base)[s->task / 8] &= ~TASK_BUSY;
		load_task(s->task);
	}
	load_idt(&s->idt);
}
