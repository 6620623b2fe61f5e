/* SPDX-License-Identifier: MIT */
/*
 * The boot processor, on which everything is measured, and its two states. The firmware's: its page
 * tables and descriptor tables, interrupts on. The kernel's: our own tables, interrupts off. Before
 * ExitBootServices the kernel runs in its own state and switches to the firmware's for the length
 * of a call (kernel/firmware/firmware_calls.c); afterwards it stays in its own. The stack is the
 * same in both: it is ordinary memory to the firmware.
 */
#ifndef KERNEL_CPU_BOOT_CPU_H
#define KERNEL_CPU_BOOT_CPU_H

#include "kernel/cpu/cpu_state.h"
#include "kernel/memory/layout.h"

struct boot_cpu {
	struct cpu_state firmware;       /* as found */
	struct control_registers kernel; /* other processors use the same */
	struct descriptors descriptors;
	bool boot_services; /* true before ExitBootServices */
};
extern struct boot_cpu boot_cpu;

/*
 * Notes the firmware's state and prepares the kernel's, with the stacks of the layout; enters
 * neither.
 */
void boot_cpu_open(const struct layout *, uint64_t page_table_root);

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
