/* SPDX-License-Identifier: MIT */
#include "kernel/cpu/encrypted_guest.h"

#include <stddef.h>

#define HYPERVISOR (1U << 31) /* CPUID 1 ECX */
#define HAS_SEV    (1U << 1)  /* CPUID 8000001Fh EAX */
#define SEV_STATUS 0xc0010131 /* bit 0: SEV is on in this guest */

const char *encrypted_guest(const struct cpu_ops *cpu)
{
	struct cpuid tdx = cpu_leaf(cpu, 0x21);
	uint64_t status;

	if (!(cpu_leaf(cpu, 1).ecx & HYPERVISOR))
		return NULL;
	if (tdx.ebx == 0x65746e49 && tdx.edx == 0x5844546c && tdx.ecx == 0x20202020)
		return "a guest with encrypted memory (Intel TDX)";
	if ((cpu_leaf(cpu, 0x8000001f).eax & HAS_SEV) && cpu->read(SEV_STATUS, &status) == 0 &&
		(status & 1))
		return "a guest with encrypted memory (AMD SEV)";
	return NULL;
}
