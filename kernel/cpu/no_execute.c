/* SPDX-License-Identifier: MIT */
#include "kernel/cpu/no_execute.h"

#include "kernel/cpu/x86.h"

#define NO_EXECUTE    (1U << 20) /* CPUID 80000001h EDX */
#define MISC_DISABLED (1ULL << 34)

bool no_execute_can_be_off(const struct cpu_ops *cpu)
{
	uint32_t signature = cpu_leaf(cpu, 1).eax;
	unsigned family = (signature >> 8 & 15) + (signature >> 20 & 0xff);
	unsigned model = (signature >> 4 & 15) | (signature >> 12 & 0xf0);

	return cpu_vendor(cpu) == VENDOR_INTEL && (family > 6 || (family == 6 && model >= 0x0d));
}

bool no_execute_enable(const struct cpu_ops *cpu, struct no_execute *before)
{
	*before = (struct no_execute){ 0 };
	if (no_execute_can_be_off(cpu) && cpu->read(MSR_MISC_ENABLE, &before->misc_enable) == 0 &&
		(before->misc_enable & MISC_DISABLED)) {
		before->allowed = true;
		cpu->write(MSR_MISC_ENABLE, before->misc_enable & ~MISC_DISABLED);
	}
	if (!(cpu_leaf(cpu, 0x80000001).edx & NO_EXECUTE) || cpu->read(MSR_EFER, &before->efer))
		return false;
	if (!(before->efer & EFER_NXE))
		cpu->write(MSR_EFER, before->efer | EFER_NXE);
	return true;
}

void no_execute_restore(const struct cpu_ops *cpu, const struct no_execute *before)
{
	if (before->efer && !(before->efer & EFER_NXE))
		cpu->write(MSR_EFER, before->efer);
	if (before->allowed)
		cpu->write(MSR_MISC_ENABLE, before->misc_enable);
}
