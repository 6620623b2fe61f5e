/* SPDX-License-Identifier: MIT */
#include "kernel/cpu/prefetch_msr.h"

enum {
	INTEL_MISC_FEATURE_CONTROL = 0x1a4,
	AMD_PREFETCH_CONTROL = 0xc0000108,
};

#define AMP (1 << 5) /* adaptive multipath probability */

#define SMALL_CORE 0x20 /* CPUID 1Ah EAX[31:24] */

/*
 * Intel's bit 5 came with Golden Cove. Its processors, and all since, have CPUID's leaf 20h; Ice
 * Lake and Tiger Lake end at 1Bh.
 */
static bool may_have_amp(const struct cpu_ops *cpu)
{
	return cpu_vendor(cpu) == VENDOR_INTEL && cpu_has_leaf(cpu, 0x20);
}

static const char *find(const struct cpu_ops *cpu, uint32_t *msr, uint64_t *all)
{
	switch (cpu_vendor(cpu)) {
	case VENDOR_INTEL:
		*msr = INTEL_MISC_FEATURE_CONTROL;
		*all = 0xf;
		if (cpu_leaf(cpu, 0x1a).eax >> 24 == SMALL_CORE)
			return "an E-core: its module shares the prefetchers and sets them itself";
		return NULL;
	case VENDOR_AMD:
		*msr = AMD_PREFETCH_CONTROL;
		*all = 0x2f;
		if (!(cpu_leaf(cpu, 0x80000021).eax & 1 << 13))
			return "CPUID 80000021h does not list this MSR";
		return NULL;
	default:
		return "not known for this vendor";
	}
}

const char *prefetch_set(struct msr_journal *j, bool on)
{
	enum msr_result r;
	uint64_t all;
	uint32_t msr;
	const char *why = find(j->cpu, &msr, &all);

	if (why)
		return on ? NULL : why;
	if (on) {
		msr_undo(j, msr);
		return NULL;
	}
	/* First with the bit that the processor may yet refuse. */
	if (may_have_amp(j->cpu) && msr_change(j, msr, all | AMP, all | AMP) == MSR_CHANGED)
		return NULL;
	r = msr_change(j, msr, all, all);
	return r == MSR_CHANGED ? NULL : msr_why(r);
}
