/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "kernel/cpu/cpu_features.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/safe.h"
#include "kernel/cpu/x86.h"
#include "engine/claims.h"

/*
 * SDM vol. 3A 9.11.7.1: clear the MSR, execute CPUID 1, read it; Intel: upper half, AMD: lower
 * half.
 */
static void read_microcode(struct facts *f)
{
	uint64_t value = 0;
	bool intel = cpu_vendor(&this_cpu) == VENDOR_INTEL;

	if (intel && safe_wrmsr(MSR_MICROCODE, 0))
		return;
	cpuid(1, 0);
	if (safe_rdmsr(MSR_MICROCODE, &value))
		return;
	f->microcode = (uint32_t)(intel ? value >> 32 : value);
	f->microcode_known = f->microcode != 0;
}

void cpu_describe(struct room *room, uint64_t xcr0)
{
	static char hypervisor[13];
	struct facts *f = &room->facts;

	identity_hypervisor(room, hypervisor);
	f->hypervisor = hypervisor;
	f->emulated = identity_emulated(hypervisor);
	f->tsc_invariant = identity_tsc_invariant(room);
	f->xcr0 = xcr0 && !safe_xsetbv(0, xcr0) ? xcr0 : 0; /* a hypervisor may refuse it */
	f->ring0 = true;
	read_microcode(f);
}

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

#define HAS_SEV    (1U << 1)  /* CPUID 8000001Fh EAX */
#define SEV_STATUS 0xc0010131 /* bit 0: SEV is on in this guest */

const char *encrypted_guest(const struct cpu_ops *cpu)
{
	struct cpuid tdx = cpu_leaf(cpu, 0x21);
	uint64_t status;

	if (!(cpu_leaf(cpu, 1).ecx & CPUID_HYPERVISOR))
		return NULL;
	if (tdx.ebx == 0x65746e49 && tdx.edx == 0x5844546c && tdx.ecx == 0x20202020)
		return "a guest with encrypted memory (Intel TDX)";
	if ((cpu_leaf(cpu, 0x8000001f).eax & HAS_SEV) && cpu->read(SEV_STATUS, &status) == 0 &&
		(status & 1))
		return "a guest with encrypted memory (AMD SEV)";
	return NULL;
}
