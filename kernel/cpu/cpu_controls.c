/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/cpu/cpu_controls.h"
#include "kernel/cpu/x86.h"
#include "kernel/console/console.h"
#include "kernel/smp/processors.h"

enum {
	PMC0 = 0xc1,
	EVENT_SELECT0 = 0x186,
	FIXED_INSTRUCTIONS = 0x309,
	FIXED_CYCLES = 0x30a,
	FIXED_CONTROL = 0x38d,
	GLOBAL_CONTROL = 0x38f,
	AMD_EVENT_SELECT0 = 0xc0010200, /* its counter is the next MSR, then comes the next pair */
	AMD_GLOBAL_CONTROL = 0xc0000301,
};

#define COUNT_ALWAYS (0x43ULL << 16) /* enabled, in user and in supervisor mode */
#define PRESET       0x5a5a0000ULL   /* a counter must read this back before it counts */

static uint64_t bits(unsigned n)
{
	return n < 64 ? (1ULL << n) - 1 : UINT64_MAX;
}

static bool set_intel_counters(struct msr_journal *j, bool branches)
{
	const uint64_t used = 3ULL << 32 | 1;

	/*
	 * The global control: stopped first and started last, so that counters read back; restored
	 * in the other order.
	 */
	return !msr_change(j, GLOBAL_CONTROL, used, 0) &&
		!msr_preset(j, FIXED_INSTRUCTIONS, PRESET) &&
		!msr_preset(j, FIXED_CYCLES, PRESET) &&
		(!branches ||
			(!msr_preset(j, PMC0, PRESET) &&
				!msr_change(j, EVENT_SELECT0, 0xffffffff, COUNT_ALWAYS | 0xc5))) &&
		!msr_change(j, FIXED_CONTROL, 0xff, 0x33) &&
		!msr_change(j, GLOBAL_CONTROL, used, used);
}

static void start_intel(struct counters *c, struct msr_journal *j)
{
	struct cpuid a = cpu_leaf(j->cpu, 0xa);
	unsigned width = a.eax >> 16 & 0xff, fixed_width = a.edx >> 5 & 0xff;
	bool branches = (a.eax >> 8 & 0xff) && a.eax >> 24 > 6 && !(a.ebx & 1 << 6);

	if ((a.eax & 0xff) < 2 || (a.edx & 31) < 2 || !set_intel_counters(j, branches))
		return;
	c->of[COUNT_INSTRUCTIONS] = (struct pmu_counter){ FIXED_INSTRUCTIONS, bits(fixed_width) };
	c->of[COUNT_CYCLES] = (struct pmu_counter){ FIXED_CYCLES, bits(fixed_width) };
	if (branches)
		c->of[COUNT_MISPREDICTS] = (struct pmu_counter){ PMC0, bits(width) };
}

/* Cycles not halted, retired instructions, retired mispredicted branches, SMIs received. */
static const uint8_t amd_events[COUNTS] = { 0x76, 0xc0, 0xc3, 0x2b };

static void start_amd(struct counters *c, struct msr_journal *j)
{
	bool global = cpu_leaf(j->cpu, 0x80000022).eax & 1;

	if (!(cpu_leaf(j->cpu, 0x80000001).ecx & 1 << 23)) /* the six core counters */
		return;
	if (global && msr_change(j, AMD_GLOBAL_CONTROL, bits(COUNTS), bits(COUNTS)))
		return;
	for (unsigned i = 0; i < COUNTS; i++) {
		uint32_t select = AMD_EVENT_SELECT0 + 2 * i;

		if (msr_change(j, select, UINT64_MAX, 0) || msr_preset(j, select + 1, PRESET + i) ||
			msr_change(j, select, UINT64_MAX, COUNT_ALWAYS | amd_events[i]))
			continue;
		c->of[i] = (struct pmu_counter){ select + 1, bits(48) };
	}
}

/*
 * An emulator that ignores unknown MSRs reads 0. Any machine's firmware has raised SMIs before we
 * run, so 0 means that this machine does not count them.
 */
static void find_intel_smis(struct counters *c, const struct cpu_ops *cpu)
{
	uint64_t count;

	if (cpu->read(MSR_SMI_COUNT, &count) == 0 && count != 0)
		c->of[COUNT_SMIS] = (struct pmu_counter){ MSR_SMI_COUNT, bits(32) };
}

static bool advances(const struct cpu_ops *cpu, uint32_t msr, void (*work)(void))
{
	uint64_t before, after;

	if (cpu->read(msr, &before))
		return false;
	work();
	return cpu->read(msr, &after) == 0 && after != before;
}

static void find_aperf(struct counters *c, const struct cpu_ops *cpu, void (*work)(void))
{
	if (!c->of[COUNT_CYCLES].msr && (cpu_leaf(cpu, 6).ecx & 1) &&
		advances(cpu, MSR_APERF, work))
		c->of[COUNT_CYCLES] = (struct pmu_counter){ MSR_APERF, UINT64_MAX };
}

/*
 * Start the counters of this processor and find out which of them count. work() must make them
 * advance: it executes instructions and mispredicts branches. All changes are in the journal.
 */
static void counters_start(struct counters *c, struct msr_journal *j, void (*work)(void))
{
	enum cpu_vendor vendor = cpu_vendor(j->cpu);

	*c = (struct counters){ 0 };
	if (vendor == VENDOR_INTEL)
		start_intel(c, j);
	else if (vendor == VENDOR_AMD)
		start_amd(c, j);
	for (unsigned i = COUNT_CYCLES; i <= COUNT_MISPREDICTS; i++)
		if (c->of[i].msr && !advances(j->cpu, c->of[i].msr, work))
			c->of[i].msr = 0;
	if (vendor == VENDOR_AMD && !c->of[COUNT_CYCLES].msr)
		c->of[COUNT_SMIS].msr = 0; /* it reads back but does not count */
	if (vendor == VENDOR_INTEL)
		find_intel_smis(c, j->cpu);
	find_aperf(c, j->cpu, work);
}

/* A `work` function: it executes branches that no predictor foresees. */
static void counters_exercise(void)
{
	uint64_t x = rdtsc();

	for (unsigned i = 0; i < 4096; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		if (x >> 63)
			__asm__ volatile("" ::: "memory");
		else
			__asm__ volatile("nop" ::: "memory");
	}
}

/*
 * The hardware prefetchers. Intel: MSR 1A4h bits 0-3 (L2 stream, adjacent line, L1 next line, L1 by
 * instruction), SDM vol. 4, as likwid uses it; from Golden Cove on bit 5 too (L2, "adaptive
 * multipath probability": SDM vol. 4, the 12th generation's table; CoreFreq, discussion 466);
 * shared by the threads of a core. E-cores have more, in other MSRs (Intel 357930). AMD Zen 3 to 5:
 * MSR C000_0108h bits 0-3 and 5, if CPUID 8000_0021h EAX[13] is set. Zen 5's bits 9:6 choose how
 * eager the others are (PPR for family 1Ah); they are not changed.
 */

enum {
	INTEL_MISC_FEATURE_CONTROL = 0x1a4,
	AMD_PREFETCH_CONTROL = 0xc0000108,
};

#define AMP (1 << 5) /* adaptive multipath probability */

#define SMALL_CORE 0x20 /* CPUID 1Ah EAX[31:24] */

/*
 * Intel's bit 5 came with Golden Cove. Its processors, and all since, have CPUID leaf 20h; Ice Lake
 * and Tiger Lake end at 1Bh.
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

/*
 * Switch the prefetchers off on this processor, or back to their old state. Returns NULL, or why
 * not.
 */
static const char *prefetch_set(struct msr_journal *j, bool on)
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
	/* Try with AMP first: the processor may still refuse this bit. */
	if (may_have_amp(j->cpu) && msr_change(j, msr, all | AMP, all | AMP) == MSR_CHANGED)
		return NULL;
	r = msr_change(j, msr, all, all);
	return r == MSR_CHANGED ? NULL : msr_why(r);
}

/*
 * Each sets this processor to `choice`, a value of the setting other than its first, and notes the
 * old values in the journal. Returns NULL, or why it cannot; then nothing is changed. *how names
 * the means, in a word.
 */
#define CPU_CONTROL(key)                                                                           \
	static const char *control_##key(struct msr_journal *, uint64_t choice, const char **how);
#include "engine/cpu_controls.inc"
#undef CPU_CONTROL

#define CPU_CONTROL(key) { offsetof(struct options, key), control_##key },

static const struct {
	size_t option;
	const char *(*apply)(struct msr_journal *, uint64_t choice, const char **how);
} controls[CPU_CONTROLS] = {
#include "engine/cpu_controls.inc"
};

static const struct options *options;
static struct cpu_controls boot_controls;
static struct counters counters;

const struct counters *cpu_controls_counters(void)
{
	return &counters;
}

struct msr_journal *cpu_controls_journal(void)
{
	return &boot_controls.journal;
}

static struct cpu_controls *controls_of(unsigned cpu)
{
	return cpu ? &processors.list[processors.ready[cpu]].controls : &boot_controls;
}

/* Runs on the processor that these controls belong to. */
static void apply(void *arg)
{
	struct cpu_controls *c = arg;

	for (unsigned i = 0; i < CPU_CONTROLS; i++)
		if (c->wanted[i])
			c->why[i] = controls[i].apply(&c->journal, c->wanted[i], &c->how[i]);
	if (c->prefetch_off)
		prefetch_set(&c->journal, false); /* engine/calibration.c reports it */
}

static void restore(void *arg)
{
	struct cpu_controls *c = arg;

	c->lost = msr_restore(&c->journal, 0);
}

static void run(struct room *room, unsigned cpu, void (*fn)(void *))
{
	if (cpu == 0)
		fn(controls_of(0));
	else if (room->run_on(room, cpu, fn, controls_of(cpu)) == 0)
		room->run_wait(room, cpu);
}

static int set_prefetch(struct room *room, bool on, const char **why)
{
	(void)room;
	*why = prefetch_set(&boot_controls.journal, on);
	return *why ? -1 : 0;
}

static struct cpu_controls wanted(void)
{
	struct cpu_controls c = { .journal.cpu = &this_cpu,
		.prefetch_off = options->prefetch == PREFETCH_OFF };

	for (unsigned i = 0; i < CPU_CONTROLS; i++) {
		c.wanted[i] = *(const uint64_t *)((const char *)options + controls[i].option);
		c.why[i] = "it did not respond";
		c.how[i] = "";
	}
	return c;
}

static bool wants_any(const struct cpu_controls *c)
{
	bool any = c->prefetch_off;

	for (unsigned i = 0; i < CPU_CONTROLS; i++)
		any |= c->wanted[i] != 0;
	return any;
}

void cpu_controls_apply(struct room *room, const struct config *config)
{
	unsigned not_changed[CPU_CONTROLS] = { 0 }; /* processors without the wanted change */

	options = &config->options;
	room->prefetch = set_prefetch;
	for (unsigned cpu = 0; cpu < room->facts.cpus; cpu++) {
		struct cpu_controls *c = controls_of(cpu);

		*c = wanted();
		if (wants_any(c))
			run(room, cpu, apply);
		for (unsigned i = 0; i < CPU_CONTROLS; i++)
			not_changed[i] += c->wanted[i] && c->why[i];
	}
	for (unsigned i = 0; i < CPU_CONTROLS; i++)
		room->controls[i] = (struct control_answer){ boot_controls.how[i], not_changed[i],
			boot_controls.why[i] };
	counters_start(&counters, &boot_controls.journal, counters_exercise);
	room->smi.counter = counters.of[COUNT_SMIS].msr;
}

/*
 * Restore the boot processor last: if two processors share an MSR, the one changed first has its
 * original value.
 */
void cpu_controls_restore(struct room *room)
{
	unsigned changed = 0, lost = 0;

	counters = (struct counters){ 0 };
	for (unsigned cpu = room->facts.cpus; cpu--;) {
		struct cpu_controls *c = controls_of(cpu);
		unsigned n = c->journal.n;

		if (!n)
			continue;
		changed += n;
		run(room, cpu, restore);
		lost += c->journal.n ? n : c->lost;
	}
	if (changed)
		console_printf("%u MSRs were changed, %u of them could not be restored\n", changed,
			lost);
}

/*
 * Set the core clock. `fixed`: each core at its base frequency, turbo off. `max`: the highest
 * frequency is requested, as Linux's governor "performance" does; turbo stays on or off as the
 * firmware set it, as under Linux, and the processor decides what it grants.
 *
 * Intel: by hardware-managed states where the firmware enabled them (MSR 774h; 770h stays as found,
 * because it can only be set once), else by PERF_CTL 199h, which needs 1A0h[16]; turbo by 1A0h[38]
 * and, for one processor, 199h[32]; the highest ratio from 1ADh; 1B0h is the preference for saving
 * power (SDM vol. 3B 15, vol. 4). AMD: by CPPC where it is enabled (C001_02B3h), else P-state 0
 * (C001_0062h); boost by C001_0015h[25] (PPR of family 19h, 2.1.14).
 */

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

/*
 * Request `level` as minimum, maximum and desired performance, with no preference for saving
 * energy.
 */
static enum msr_result request(struct msr_journal *j, uint32_t msr, uint64_t level, uint64_t clear)
{
	return msr_change(j, msr, 0xffffffff | clear, level << 16 | level << 8 | level);
}

/* A byte of an MSR; 0 if it cannot be read. */
static uint64_t level_of(const struct cpu_ops *cpu, uint32_t msr, unsigned shift)
{
	uint64_t v;

	return cpu->read(msr, &v) ? 0 : v >> shift & 0xff;
}

/* The highest ratio, turbo included: 1ADh has a byte for each number of active cores. */
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
	/* This is a preference: if it cannot be set, the request above still holds. */
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

static const char *control_clock(struct msr_journal *j, uint64_t choice, const char **how)
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
		msr_restore(j, before); /* undo the part that was done: all of it or nothing */
	return why;
}
