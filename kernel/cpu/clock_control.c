/* SPDX-License-Identifier: MIT */
/*
 * The core clock as asked. `fixed`: each core at its base frequency, turbo off. `max`: the highest
 * frequency is requested, as Linux's governor "performance" does; whether turbo is on stays as the
 * firmware set it, as it does under Linux, and the processor decides what it grants.
 *
 * Intel: by hardware-managed states where the firmware enabled them (MSR 774h; 770h stays as found,
 * because it can only be set once), else by PERF_CTL 199h, which needs 1A0h[16]; turbo by 1A0h[38]
 * and, for one processor, 199h[32]; the highest ratio from 1ADh; 1B0h says how far power is to be
 * saved (SDM vol. 3B 15, vol. 4). AMD: by CPPC where it is enabled (C001_02B3h), else P-state 0
 * (C001_0062h); boost by C001_0015h[25] (PPR of family 19h, 2.1.14).
 */
#include "kernel/cpu/cpu_controls.h"

#include "kernel/cpu/x86.h"

enum {
	PERF_CONTROL = 0x199,
	MISC_ENABLE = 0x1a0,
	TURBO_RATIO_LIMIT = 0x1ad,
	ENERGY_BIAS = 0x1b0,
	HWP_ENABLE = 0x770,
	HWP_CAPABILITIES = 0x771,
	HWP_REQUEST = 0x774,
	AMD_HWCR = 0xc0010015,
	AMD_P_STATE = 0xc0010062,
	AMD_P_STATE_0 = 0xc0010064,
	AMD_CPPC_CAPABILITIES = 0xc00102b0,
	AMD_CPPC_ENABLE = 0xc00102b1,
	AMD_CPPC_REQUEST = 0xc00102b3,
};

#define SPEEDSTEP       (1ULL << 16) /* of MISC_ENABLE */
#define TURBO_OFF       (1ULL << 38) /* of MISC_ENABLE */
#define TURBO_DISENGAGE (1ULL << 32) /* of PERF_CONTROL */
#define BOOST_OFF       (1ULL << 25)
#define P_STATE_VALID   (1ULL << 63) /* of AMD_P_STATE_0 */
#define PACKAGE_REQUEST (1ULL << 42) /* of HWP_REQUEST: 772h decides instead */

#define HAS_SPEEDSTEP   (1 << 7) /* CPUID 1 ECX */
#define HAS_TURBO       (1 << 1) /* CPUID 6 EAX; 0 while 1A0h[38] is set */
#define HAS_HWP         (1 << 7) /* CPUID 6 EAX */
#define HAS_ENERGY_BIAS (1 << 3) /* CPUID 6 ECX */

static bool enabled(const struct cpu_ops *cpu, uint32_t msr)
{
	uint64_t v;

	return cpu->read(msr, &v) == 0 && (v & 1);
}

/* Minimum, maximum and desired performance alike, and no preference for saving energy. */
static enum msr_result request(struct msr_journal *j, uint32_t msr, uint64_t level, uint64_t clear)
{
	return msr_change(j, msr, 0xffffffff | clear, level << 16 | level << 8 | level);
}

/* A byte of an MSR; 0 where it cannot be read. */
static uint64_t level_of(const struct cpu_ops *cpu, uint32_t msr, unsigned shift)
{
	uint64_t v;

	return cpu->read(msr, &v) ? 0 : v >> shift & 0xff;
}

/* With turbo where there is some: 1ADh has a byte for each number of active cores. */
static uint64_t highest_ratio(const struct cpu_ops *cpu)
{
	uint64_t highest = level_of(cpu, MSR_PLATFORM_INFO, 8);

	for (unsigned shift = 0; shift < 64; shift += 8) {
		uint64_t ratio = level_of(cpu, TURBO_RATIO_LIMIT, shift);

		highest = ratio > highest ? ratio : highest;
	}
	return highest;
}

static enum msr_result request_ratio(struct msr_journal *j, uint64_t ratio)
{
	if (cpu_leaf(j->cpu, 1).ecx & HAS_SPEEDSTEP) {
		enum msr_result r = msr_change(j, MISC_ENABLE, SPEEDSTEP, SPEEDSTEP);

		if (r != MSR_CHANGED)
			return r;
	}
	return msr_change(j, PERF_CONTROL, 0xff00 | TURBO_DISENGAGE, ratio << 8);
}

static const char *set_intel(struct msr_journal *j, bool max, const char **how)
{
	uint32_t managed = cpu_leaf(j->cpu, 6).eax & HAS_HWP && enabled(j->cpu, HWP_ENABLE);
	uint64_t level = managed ? level_of(j->cpu, HWP_CAPABILITIES, max ? 0 : 8)
		: max            ? highest_ratio(j->cpu)
				 : level_of(j->cpu, MSR_PLATFORM_INFO, 8);
	enum msr_result r;

	*how = managed ? "hwp" : "perf-ctl";
	if (!level)
		return max ? "the highest frequency is unknown" : "the base frequency is unknown";
	r = managed ? request(j, HWP_REQUEST, level, PACKAGE_REQUEST) : request_ratio(j, level);
	if (r == MSR_CHANGED && !max && (cpu_leaf(j->cpu, 6).eax & HAS_TURBO))
		r = msr_change(j, MISC_ENABLE, TURBO_OFF, TURBO_OFF);
	/* A preference: where it cannot be set, the request above still holds. */
	if (r == MSR_CHANGED && max && (cpu_leaf(j->cpu, 6).ecx & HAS_ENERGY_BIAS))
		msr_change(j, ENERGY_BIAS, 0xf, 0);
	return r == MSR_CHANGED ? NULL : msr_why(r);
}

/* An emulator that ignores unknown MSRs reads 0, which would be P-state 0. */
static bool has_p_states(const struct cpu_ops *cpu)
{
	uint64_t v;

	return cpu->read(AMD_P_STATE_0, &v) == 0 && (v & P_STATE_VALID);
}

static const char *set_amd(struct msr_journal *j, bool max, const char **how)
{
	bool managed = enabled(j->cpu, AMD_CPPC_ENABLE);
	uint64_t level = level_of(j->cpu, AMD_CPPC_CAPABILITIES, max ? 24 : 16);
	enum msr_result r = MSR_CHANGED;

	*how = managed ? "cppc" : "p-state";
	if (managed && !level)
		return max ? "the highest frequency is unknown" : "the base frequency is unknown";
	if (!managed && !has_p_states(j->cpu))
		return "no P-states here";
	if (!max)
		r = msr_change(j, AMD_HWCR, BOOST_OFF, BOOST_OFF);
	if (r == MSR_CHANGED)
		r = managed ? request(j, AMD_CPPC_REQUEST, level, 0)
			    : msr_change(j, AMD_P_STATE, 7, 0);
	return r == MSR_CHANGED ? NULL : msr_why(r);
}

const char *control_clock(struct msr_journal *j, uint64_t choice, const char **how)
{
	unsigned before = j->n;
	const char *why;

	*how = "";
	switch (cpu_vendor(j->cpu)) {
	case VENDOR_INTEL:
		why = set_intel(j, choice == CLOCK_MAX, how);
		break;
	case VENDOR_AMD:
		why = set_amd(j, choice == CLOCK_MAX, how);
		break;
	default:
		return "not known for this vendor";
	}
	if (why)
		msr_restore(j, before); /* all of it or nothing */
	return why;
}
