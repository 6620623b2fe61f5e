/* SPDX-License-Identifier: MIT */
/*
 * A fixed core clock: each core is set to its base frequency, turbo off. Intel: by hardware-managed
 * states where the firmware enabled them (MSR 774h; 770h stays as found, because it can only be set
 * once), else by PERF_CTL 199h; turbo by 1A0h[38] (SDM vol. 3B 15.4, vol. 4). AMD: by CPPC where it
 * is enabled (C001_02B3h), else P-state 0 (C001_0062h); boost by C001_0015h[25].
 */
#include "kernel/cpu/cpu_controls.h"

#include "kernel/cpu/x86.h"

enum {
	PERF_CONTROL = 0x199,
	MISC_ENABLE = 0x1a0,
	HWP_ENABLE = 0x770,
	HWP_CAPABILITIES = 0x771,
	HWP_REQUEST = 0x774,
	AMD_HWCR = 0xc0010015,
	AMD_P_STATE = 0xc0010062,
	AMD_CPPC_CAPABILITIES = 0xc00102b0,
	AMD_CPPC_ENABLE = 0xc00102b1,
	AMD_CPPC_REQUEST = 0xc00102b3,
};

#define TURBO_OFF (1ULL << 38)
#define BOOST_OFF (1ULL << 25)

static bool enabled(const struct cpu_ops *cpu, uint32_t msr)
{
	uint64_t v;

	return cpu->read(msr, &v) == 0 && (v & 1);
}

/* Minimum, maximum and desired performance alike, and no preference for saving energy. */
static enum msr_result request(struct msr_journal *j, uint32_t msr, uint64_t level)
{
	return msr_change(j, msr, 0xffffffff, level << 16 | level << 8 | level);
}

/* A byte of an MSR; 0 where it cannot be read. */
static uint64_t level_of(const struct cpu_ops *cpu, uint32_t msr, unsigned shift)
{
	uint64_t v;

	return cpu->read(msr, &v) ? 0 : v >> shift & 0xff;
}

static const char *fix_intel(struct msr_journal *j, const char **how)
{
	bool managed = (cpu_leaf(j->cpu, 6).eax & 1 << 7) && enabled(j->cpu, HWP_ENABLE);
	uint64_t base = managed ? level_of(j->cpu, HWP_CAPABILITIES, 8) /* guaranteed */
				: level_of(j->cpu, MSR_PLATFORM_INFO, 8);
	enum msr_result r;

	*how = managed ? "hwp" : "perf-ctl";
	if (!base)
		return "the base frequency is unknown";
	r = managed ? request(j, HWP_REQUEST, base)
		    : msr_change(j, PERF_CONTROL, 0xff00, base << 8);
	if (r == MSR_CHANGED && (cpu_leaf(j->cpu, 6).eax & 1 << 1))
		r = msr_change(j, MISC_ENABLE, TURBO_OFF, TURBO_OFF);
	return r == MSR_CHANGED ? NULL : msr_why(r);
}

static const char *fix_amd(struct msr_journal *j, const char **how)
{
	bool managed = enabled(j->cpu, AMD_CPPC_ENABLE);
	uint64_t nominal = level_of(j->cpu, AMD_CPPC_CAPABILITIES, 16);
	enum msr_result r;

	*how = managed ? "cppc" : "p-state";
	if (managed && !nominal)
		return "the base frequency is unknown";
	r = msr_change(j, AMD_HWCR, BOOST_OFF, BOOST_OFF);
	if (r == MSR_CHANGED)
		r = managed ? request(j, AMD_CPPC_REQUEST, nominal)
			    : msr_change(j, AMD_P_STATE, 7, 0);
	return r == MSR_CHANGED ? NULL : msr_why(r);
}

const char *control_clock(struct msr_journal *j, const char **how)
{
	unsigned before = j->n;
	const char *why;

	*how = "";
	switch (cpu_vendor(j->cpu)) {
	case VENDOR_INTEL:
		why = fix_intel(j, how);
		break;
	case VENDOR_AMD:
		why = fix_amd(j, how);
		break;
	default:
		return "not known for this vendor";
	}
	if (why)
		msr_restore(j, before); /* all of it or nothing */
	return why;
}
