/* SPDX-License-Identifier: MIT */
/*
 * The state that a processor runs with: control registers, page tables, descriptor tables, vector
 * state. GDT, TSS and IDT belong to one processor: flat segments, all 256 vectors, separate stacks
 * (IST) for some.
 */
#ifndef KERNEL_CPU_CPU_STATE_H
#define KERNEL_CPU_CPU_STATE_H

#include <stdbool.h>

#include "kernel/cpu/x86.h"
#include "kernel/memory/address_space.h"

/* Exceptions that cannot rely on the current stack; each has its own. */
enum ist { IST_NONE, IST_DOUBLE_FAULT, IST_NMI, IST_MACHINE_CHECK, IST_PAGE_FAULT, ISTS };

/*
 * If the firmware has no task, the task register cannot be emptied again. EDK II restores the task
 * register of other processors if its selector lies within the GDT's limit; so the task's selector
 * here lies beyond any firmware's GDT (found with OVMF: #GP on the other processors at
 * ExitBootServices).
 */
#define GDT_ENTRIES 256
#define GDT_TASK    (GDT_ENTRIES - 2)

/* Tables of one processor, static or in work memory; they must not move once loaded. */
struct descriptors {
	uint64_t gdt[GDT_ENTRIES]; /* null, code, data; of ring 3 ... TSS in the last two */
	uint64_t idt[256][2];
	uint8_t tss[104] __attribute__((aligned(16)));
};

#define TASK_BUSY (1ULL << 41) /* in a task descriptor: ltr refuses it if set */

/* SYSRET wants data and code of ring 3 in this order: loop_sysret_syscall. */
enum {
	SELECT_CODE = 0x08,
	SELECT_DATA = 0x10,
	SELECT_DATA_3 = 0x20,
	SELECT_CODE_3 = 0x28,
	SELECT_TASK = GDT_TASK * 8
};

/* Fill the tables; stack_top[i] is the upper end of IST stack i (0 is not used). */
void descriptors_make(struct descriptors *, const uint64_t stack_top[ISTS]);
/* Load them, with the segment and task registers. */
void descriptors_load(struct descriptors *);

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

/* Read the state that this processor has loaded now. */
void cpu_state_read(struct cpu_state *);
/* Set XCR0, or leave it as it is if the value is refused; 0: do nothing. */
void cpu_set_xcr0(uint64_t xcr0);
/*
 * Note the firmware's state, and call fn in it, but with the kernel's descriptor tables: a fault of
 * kernel/cpu/safe.h is caught. Call it between fault_open and boot_cpu_open. The task register
 * keeps the kernel's task where the firmware had none.
 */
void cpu_with_handlers(void (*fn)(void));
/* The steps of a switch to the kernel's state behind that of CR4. */
void cpu_state_enter_rest(const struct control_registers *kernel);
/* The steps of a switch back before that of CR4, and behind it. */
void cpu_state_restore_begin(const struct cpu_state *);
void cpu_state_restore_rest(const struct cpu_state *);

/*
 * Switch between the firmware's state and the kernel's, on any processor. CR4 is written inline, so
 * that a firmware with a shadow stack (CR4.CET) sees calls and returns in pairs.
 *
 * Page tables change only while the kernel's descriptor tables are loaded, which both page tables
 * map: an NMI at any moment finds a handler that can be executed.
 */
static inline __attribute__((always_inline)) void
cpu_state_enter_kernel(const struct control_registers *kernel, struct descriptors *tables)
{
	cli();
	descriptors_load(tables);
	/*
	 * This clears PCIDE, which the CR3 of the rest must not have, and CET, which must go before
	 * CR0.WP.
	 */
	write_cr4(kernel->cr4);
	cpu_state_enter_rest(kernel);
}

static inline __attribute__((always_inline)) void cpu_state_restore(const struct cpu_state *s)
{
	cpu_state_restore_begin(s);
	write_cr4(s->control.cr4);
	cpu_state_restore_rest(s);
}

/*
 * The boot processor, on which everything is measured, and its two states. In the firmware's state
 * its page tables and descriptor tables are loaded and interrupts are on. In the kernel's state our
 * own tables are loaded and interrupts are off. Before ExitBootServices the kernel runs in its own
 * state and switches to the firmware's for the length of a call (kernel/firmware/firmware_calls.c);
 * afterwards it stays in its own. Both use the same stack: it is ordinary memory to the firmware.
 */

struct boot_cpu {
	struct cpu_state firmware;       /* as found */
	struct control_registers kernel; /* other processors use the same */
	struct descriptors descriptors;
	bool boot_services; /* true before ExitBootServices */
};
extern struct boot_cpu boot_cpu;

/* Prepare the kernel's state, with the stacks of the layout; do not enter it. */
void boot_cpu_open(const struct memory_layout *, uint64_t page_table_root);

/* Both do nothing after ExitBootServices. */
static inline __attribute__((always_inline)) void switch_to_kernel(void)
{
	if (boot_cpu.boot_services)
		cpu_state_enter_kernel(&boot_cpu.kernel, &boot_cpu.descriptors);
}

static inline __attribute__((always_inline)) void switch_to_firmware(void)
{
	if (boot_cpu.boot_services)
		cpu_state_restore(&boot_cpu.firmware);
}

#endif
