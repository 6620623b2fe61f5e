/* SPDX-License-Identifier: MIT */
/* What a processor runs with: control registers, page tables, descriptor tables, vector state. */
#ifndef KERNEL_CPU_CPU_STATE_H
#define KERNEL_CPU_CPU_STATE_H

#include <stdbool.h>

#include "kernel/cpu/descriptors.h"

struct control_registers {
	uint64_t cr0, cr3, cr4;
	uint64_t xcr0; /* 0: no XSAVE */
};

struct cpu_state {
	struct control_registers control;
	struct table_register gdt, idt;
	struct segments segments;
	uint16_t task;
	bool interrupts; /* RFLAGS.IF */
};

/* What this processor has loaded now. */
void cpu_state_read(struct cpu_state *);
/*
 * The kernel's control registers for a processor that was found in that state, with page tables at
 * cr3 and the vector state xcr0.
 */
struct control_registers cpu_kernel_control(const struct cpu_state *, uint64_t cr3, uint64_t xcr0);
/* Sets XCR0; 0: does nothing. */
void cpu_set_xcr0(uint64_t xcr0);
/* Loads GDT, segments, task register and IDT again. */
void cpu_state_load_tables(const struct cpu_state *);

/*
 * The two ways between the firmware's state and the kernel's, on any processor. Inlined, so that a
 * firmware with a shadow stack (CR4.CET) sees calls and returns in pairs.
 *
 * Page tables change only while the kernel's descriptor tables are loaded, which both page tables
 * map: an NMI at any moment finds a handler that can be executed.
 */
static inline __attribute__((always_inline)) void
cpu_state_enter_kernel(const struct control_registers *kernel, struct descriptors *tables)
{
	cli();
	descriptors_load(tables);
	/* clears PCIDE, which CR3 below must not have, and CET before CR0.WP */
	write_cr4(kernel->cr4);
	write_cr0(kernel->cr0);
	write_cr3(kernel->cr3);
	cpu_set_xcr0(kernel->xcr0);
}

static inline __attribute__((always_inline)) void cpu_state_restore(const struct cpu_state *s)
{
	write_cr3(s->control.cr3 & ~0xfffULL); /* setting PCIDE demands PCID 0 */
	write_cr0(s->control.cr0);
	write_cr4(s->control.cr4);
	write_cr3(s->control.cr3);
	cpu_set_xcr0(s->control.xcr0);
	cpu_state_load_tables(s);
	if (s->interrupts)
		sti();
}

#endif
