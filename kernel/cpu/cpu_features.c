/* SPDX-License-Identifier: MIT */
#include "kernel/cpu/cpu_features.h"
#include "kernel/cpu/safe.h"
#include "kernel/cpu/world.h"
#include "engine/cpu_identity.h"

#define XCR0_SSE    0x3ULL /* x87 and SSE */
#define XCR0_AVX    0x4ULL
#define XCR0_AVX512 0xe0ULL /* opmask, upper halves, upper registers */

int cpu_leaf(uint32_t leaf, struct cpuid *out)
{
	if (cpuid(leaf & 0x80000000, 0).eax < leaf)
		return -1;
	*out = cpuid(leaf, 0);
	return 0;
}

bool cpu_gigabyte_pages(void)
{
	struct cpuid c;

	return cpu_leaf(0x80000001, &c) == 0 && (c.edx & 1 << 26);
}

uint64_t cpu_vector_state(void)
{
	struct cpuid one, seven, states;
	uint64_t chosen = XCR0_SSE, offered;

	if (cpu_leaf(1, &one) || !(one.ecx & 1 << 26) || cpu_leaf(0xd, &states))
		return 0;
	offered = (uint64_t)states.edx << 32 | states.eax;
	if ((one.ecx & 1 << 28) && (offered & XCR0_AVX))
		chosen |= XCR0_AVX;
	if ((chosen & XCR0_AVX) && cpu_leaf(7, &seven) == 0 && (seven.ebx & 1 << 16) &&
		(offered & XCR0_AVX512) == XCR0_AVX512)
		chosen |= XCR0_AVX512;
	return chosen;
}

bool cpu_is_intel(void)
{
	struct cpuid c = cpuid(0, 0);

	return c.ebx == 0x756e6547 && c.edx == 0x49656e69 && c.ecx == 0x6c65746e; /* GenuineIntel */
}

#define LFENCE_SERIALISING (1 << 1)

void cpu_serialise_lfence(void)
{
	struct cpuid c = cpuid(0, 0), always;
	uint64_t value;
	bool amd = c.ebx == 0x68747541 && c.edx == 0x69746e65; /* AuthenticAMD */

	if (!amd || (cpu_leaf(0x80000021, &always) == 0 && (always.eax & 1 << 2)))
		return;
	if (safe_rdmsr(MSR_AMD_DE_CFG, &value) == 0 && !(value & LFENCE_SERIALISING))
		safe_wrmsr(MSR_AMD_DE_CFG, value | LFENCE_SERIALISING);
}

struct cpuid cpu_ask(struct env *env, uint32_t leaf, uint32_t subleaf)
{
	(void)env;
	return cpuid(leaf, subleaf);
}

/* SDM vol. 3A 9.11.7.1: clear it, CPUID 1, read it; Intel in the upper half, AMD in the lower. */
static void read_microcode(struct facts *f)
{
	uint64_t value = 0;

	if (cpu_is_intel() && safe_wrmsr(MSR_MICROCODE, 0))
		return;
	cpuid(1, 0);
	if (safe_rdmsr(MSR_MICROCODE, &value))
		return;
	f->microcode = (uint32_t)(cpu_is_intel() ? value >> 32 : value);
	f->microcode_known = f->microcode != 0;
}

void cpu_describe(struct env *env)
{
	static char hypervisor[13];
	struct facts *f = &env->facts;

	identity_hypervisor(env, hypervisor);
	f->hypervisor = hypervisor;
	f->emulated = identity_emulated(hypervisor);
	f->tsc_invariant = identity_tsc_invariant(env);
	f->xcr0 = world.xcr0;
	f->ring0 = true;
	read_microcode(f);
}
