/* SPDX-License-Identifier: MIT */
#include "kernel/cpu/boot_cpu.h"

#include "kernel/cpu/cpu_features.h"

struct boot_cpu boot_cpu;

_Static_assert(LAYOUT_STACKS == ISTS, "a stack for each IST, and the main one");

void boot_cpu_open(const struct layout *l, uint64_t page_table_root)
{
	struct boot_cpu *b = &boot_cpu;
	uint64_t stack_top[ISTS] = { 0 };

	for (unsigned i = 1; i < ISTS; i++)
		stack_top[i] = l->stack[i].base + l->stack[i].bytes;
	cpu_state_read(&b->firmware);
	b->kernel = cpu_kernel_control(&b->firmware, page_table_root, cpu_vector_state());
	descriptors_make(&b->descriptors, stack_top);
	b->boot_services = true;
}
