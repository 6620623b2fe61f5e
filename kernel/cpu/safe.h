/* SPDX-License-Identifier: MIT */
/*
 * Accesses that may fault: each returns 0, or the vector of the exception that it raised (#GP 13,
 * #PF 14, #UD 6). They work while the kernel's descriptor tables are loaded. An emulator
 * may ignore an unknown MSR instead of faulting: success proves nothing by itself.
 */
#ifndef KERNEL_CPU_SAFE_H
#define KERNEL_CPU_SAFE_H

#include <stdbool.h>
#include <stdint.h>

int safe_rdmsr(uint32_t msr, uint64_t *value);
int safe_wrmsr(uint32_t msr, uint64_t value);
int safe_xsetbv(uint32_t index, uint64_t value);
int safe_read32(const void *address, uint32_t *value);

/*
 * For the exception handler: the address at which to continue after a fault at `rip`; 0 if rip is
 * not one of these instructions.
 */
uint64_t fixup_address(uint64_t rip);

/* A line of the fixup table; offsets from the table's start. */
struct fixup {
	int32_t fault, resume;
};
extern const struct fixup fixup_table[], fixup_table_end[];

#endif
