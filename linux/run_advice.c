/* SPDX-License-Identifier: MIT */
#include "linux/run_advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "linux/sysfs.h"

#define LIST_BYTES 4096

static bool is_listed(const char *root, const char *file, unsigned cpu)
{
	char path[LIST_BYTES], list[LIST_BYTES];
	snprintf(path, sizeof(path), "%s" CPU_DIR "%s", root, file);
	return read_line(path, list, sizeof(list)) && list_has(list, cpu);
}

/* Turbo off or on: intel_pstate says no_turbo, the others boost. */
static bool turbo_is_on(const char *root)
{
	char path[LIST_BYTES];
	uint64_t value;
	snprintf(path, sizeof(path), "%s" CPU_DIR "intel_pstate/no_turbo", root);
	if (read_number(path, &value))
		return !value;
	snprintf(path, sizeof(path), "%s" CPU_DIR "cpufreq/boost", root);
	return read_number(path, &value) && value;
}

/* A clock that nothing can set, as in a virtual machine, is no reason for advice. */
static bool clock_is_fixed(const char *root, unsigned cpu)
{
	char path[LIST_BYTES];
	uint64_t low, high;
	snprintf(path, sizeof(path), "%s" CPU_DIR "cpu%u/cpufreq/scaling_min_freq", root, cpu);
	if (!read_number(path, &low))
		return true;
	snprintf(path, sizeof(path), "%s" CPU_DIR "cpu%u/cpufreq/scaling_max_freq", root, cpu);
	return read_number(path, &high) && low == high && !turbo_is_on(root);
}

void advice_read(struct advice *a, const char *root)
{
	char path[LIST_BYTES];
	a->isolated = is_listed(root, "isolated", a->cpu) && is_listed(root, "nohz_full", a->cpu);
	a->fixed_clock |= clock_is_fixed(root, a->cpu);
	snprintf(path, sizeof(path), "%s" THP_ENABLED, root);
	a->thp_there = access(path, F_OK) == 0;
}

unsigned advice_lines(const struct advice *a, char out[ADVICE_LINES][ADVICE_LINE])
{
	unsigned n = 0;
	if (!a->root)
		snprintf(out[n++], ADVICE_LINE,
			"root would add: priority (nice -20), locked memory, SMI counts (sudo)");
	if (!a->isolated && !a->cpu) /* the boot CPU: nohz_full leaves it out */
		snprintf(out[n++], ADVICE_LINE,
			"CPU 0 has Linux's own work: boot with isolcpus=N nohz_full=N, then --cpu "
			"N");
	else if (!a->isolated)
		snprintf(out[n++], ADVICE_LINE,
			"isolation would keep others off CPU %u: boot with isolcpus=%u "
			"nohz_full=%u",
			a->cpu, a->cpu, a->cpu);
	if (!a->large_pages)
		snprintf(out[n++], ADVICE_LINE, "no 2 MiB pages: echo %s",
			a->thp_there ? "madvise >" THP_ENABLED : "2048 >" POOL_2M);
	if (!a->fixed_clock)
		snprintf(out[n++], ADVICE_LINE,
			"a fixed clock would make times repeat: --clock fixed (as root)");
	return n;
}

unsigned limit_lines(const struct cgroup_limits *l, char out[ADVICE_LINES][ADVICE_LINE])
{
	unsigned n = 0;
	if (l->cpus > 0)
		snprintf(out[n++], ADVICE_LINE,
			"control group: at most %.4g CPUs' time, so that a run may be throttled",
			l->cpus);
	if (*l->cpuset)
		snprintf(out[n++], ADVICE_LINE, "control group: CPUs %.40s only", l->cpuset);
	if (l->memory_bytes)
		snprintf(out[n++], ADVICE_LINE, "control group: %" PRIu64 " MiB of memory",
			l->memory_bytes >> 20);
	return n;
}
