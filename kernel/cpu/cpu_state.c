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

/*
 * SMEP and SMAP are off: they concern user pages, of which there are none. CET is off because there
 * is no shadow stack. PCIDE and PGE are off so that loading CR3 flushes the whole TLB. LA57 cannot
 * change in long mode, and MCE stays as the firmware has it.
 */
struct control_registers cpu_kernel_control(const struct cpu_state *found, uint64_t cr3,
	uint64_t xcr0)
{
	struct control_registers c = { .cr3 = cr3, .xcr0 = xcr0 };

	c.cr0 = (found->control.cr0 | CR0_MP | CR0_NE | CR0_WP) &
		~(uint64_t)(CR0_EM | CR0_TS | CR0_AM | CR0_CD | CR0_NW);
	c.cr4 = found->control.cr4 &
		~(CR4_PGE | CR4_PCIDE | CR4_SMEP | CR4_SMAP | CR4_CET | CR4_PKE | CR4_PKS |
			CR4_TSD);
	c.cr4 |= CR4_PAE | CR4_DE | CR4_OSFXSR | CR4_OSXMMEXCPT;
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
