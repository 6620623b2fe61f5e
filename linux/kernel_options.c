/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "lib/jsonl_write.h"
#include "linux/kernel_options.h"
#include "linux/sysfs.h"

/* Names, or beginnings that end with '*' (Linux, admin-guide/kernel-parameters). */
static const char *const deciding[] = { "mitigations", "nopti", "pti", "nospectre_*", "spectre_*",
	"spec_*", "retbleed", "l1tf", "mds", "tsx*", "srbds", "mmio_stale_data", "gather_data_*",
	"reg_file_*", "indirect_target_*", "isolcpus", "nohz", "nohz_full", "rcu_nocbs",
	"irqaffinity", "preempt", "threadirqs", "skew_tick", "highres", "nowatchdog",
	"nmi_watchdog", "nosmt", "idle", "processor.max_cstate", "intel_idle.*", "cpuidle*",
	"intel_pstate", "amd_pstate", "tsc", "clocksource", "transparent_hugepage", "hugepages",
	"hugepagesz", "default_hugepagesz", "numa_balancing", "init_on_alloc", "init_on_free",
	"randomize_kstack_offset" };

static bool decides(const char *word, size_t n)
{
	n = strcspn(word, "=") < n ? strcspn(word, "=") : n;
	for (size_t i = 0; i < sizeof(deciding) / sizeof(*deciding); i++) {
		size_t length = strcspn(deciding[i], "*");
		bool fits = deciding[i][length] ? n >= length : n == length;
		if (fits && !strncmp(word, deciding[i], length))
			return true;
	}
	return false;
}

void kernel_options_choose(const char *line, char *out, size_t bytes)
{
	size_t used = 0;
	*out = '\0';
	for (line += strspn(line, " \n"); *line; line += strspn(line, " \n")) {
		size_t n = strcspn(line, " \n");
		if (n == 2 && !strncmp(line, "--", 2))
			return;
		if (decides(line, n) && used + (used > 0) + n < bytes)
			used += (size_t)sprintf(out + used, "%s%.*s", used ? " " : "", (int)n,
				line);
		line += n;
	}
}

void kernel_preemption(const char *version, const char *mode, char *out, size_t bytes)
{
	const char *at = strchr(mode, '(');
	if (strstr(version, "PREEMPT_RT"))
		snprintf(out, bytes, "real-time");
	else if (strstr(version, "PREEMPT_DYNAMIC") && at)
		snprintf(out, bytes, "dynamic: %.*s", (int)strcspn(at + 1, ")"), at + 1);
	else if (strstr(version, "PREEMPT_DYNAMIC"))
		snprintf(out, bytes, "dynamic");
	else if (strstr(version, "PREEMPT"))
		snprintf(out, bytes, "full");
	else
		snprintf(out, bytes, "none or voluntary");
}

/* The coarse clocks are stepped by the tick: their resolution is its period. */
static void put_hz(struct jsonl *j)
{
	struct timespec tick;
	if (!clock_getres(CLOCK_MONOTONIC_COARSE, &tick) && tick.tv_sec == 0 && tick.tv_nsec > 0)
		jsonl_integer(j, "hz", (uint64_t)(1e9 / (double)tick.tv_nsec + 0.5));
}

void kernel_options_put(struct jsonl *j)
{
	char line[4096], text[1024], mode[80];
	struct utsname name;
	bool known = read_line("/proc/cmdline", line, sizeof(line));
	kernel_options_choose(line, text, sizeof(text));
	jsonl_string(j, "options", known ? text : "unknown");
	read_line("/sys/kernel/debug/sched/preempt", mode, sizeof(mode));
	if (!uname(&name)) {
		kernel_preemption(name.version, mode, text, sizeof(text));
		jsonl_string(j, "preemption", text);
	}
	put_hz(j);
}
