/* SPDX-License-Identifier: MIT */
/*
 * Linux's Documentation/admin-guide/pm/cpufreq.rst, intel_pstate.rst (no_turbo), amd-pstate.rst;
 * Documentation/ABI/testing/sysfs-devices-system-cpu (boost, energy_perf_bias).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/jsonl_write.h"
#include "linux/clock_setting.h"
#include "linux/sysfs.h"

#define PATH_BYTES 256

/* 0, or -1 with errno. */
static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), error = 0;
	if (fd < 0)
		return -1;
	if (write(fd, text, strlen(text)) < 0)
		error = errno;
	close(fd);
	errno = error;
	return error ? -1 : 0;
}

/* Whether the file now has that text; notes what it had. The reason stands in c->why otherwise. */
static bool change(struct clock_setting *c, const char *path, const char *text)
{
	char before[64], now[64];
	const char *why = "cannot be read";
	if (read_line(path, before, sizeof(before))) {
		if (!strcmp(before, text))
			return true;
		int failed = write_text(path, text);
		why = failed ? strerror(errno) : "does not keep what is written";
		if (!failed && read_line(path, now, sizeof(now)) && !strcmp(now, text)) {
			struct saved_file *more = realloc(c->saved, (c->n + 1) * sizeof(*more));
			if (!more)
				abort();
			c->saved = more;
			c->saved[c->n++] = (struct saved_file){ strdup(path), strdup(before) };
			return true;
		}
		if (!failed)
			write_text(path, before);
	}
	snprintf(c->why, sizeof(c->why), "%.100s: %s", path, why);
	return false;
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

/* intel_pstate has no_turbo, others boost; a CPU that has neither has no turbo that Linux knows. */
static bool turbo_off(struct clock_setting *c, const char *dir)
{
	char path[PATH_BYTES];
	snprintf(path, sizeof(path), "%sintel_pstate/no_turbo", dir);
	if (exists(path))
		return change(c, path, "1");
	snprintf(path, sizeof(path), "%scpufreq/boost", dir);
	return !exists(path) || change(c, path, "0");
}

bool clock_setting_no_turbo(struct clock_setting *c, const char *cpu_dir)
{
	if (!turbo_off(c, cpu_dir)) {
		size_t n = strlen(c->why);
		snprintf(c->why + n, sizeof(c->why) - n, " (needs root)");
		return false;
	}
	if (c->n)
		return true;
	char path[PATH_BYTES];
	snprintf(path, sizeof(path), "%sintel_pstate/no_turbo", cpu_dir);
	bool known = exists(path);
	snprintf(path, sizeof(path), "%scpufreq/boost", cpu_dir);
	snprintf(c->why, sizeof(c->why), "%s",
		known || exists(path) ? "turbo is off already"
				      : "no cpufreq here: needs the host, not a guest of it");
	return false;
}

static bool set_cpu(struct clock_setting *c, const char *dir, unsigned cpu)
{
	char path[PATH_BYTES], highest[32], why[sizeof(c->why)];
	snprintf(path, sizeof(path), "%scpu%u/cpufreq/scaling_governor", dir, cpu);
	if (!exists(path)) {
		snprintf(c->why, sizeof(c->why), "no cpufreq here");
		return false;
	}
	if (!change(c, path, "performance"))
		return false;
	snprintf(path, sizeof(path), "%scpu%u/cpufreq/cpuinfo_max_freq", dir, cpu);
	bool limited = read_line(path, highest, sizeof(highest));
	snprintf(path, sizeof(path), "%scpu%u/cpufreq/scaling_max_freq", dir, cpu);
	if (limited && !change(c, path, highest))
		return false;
	/* A preference: where it cannot be set, the governor still holds. */
	memcpy(why, c->why, sizeof(why));
	snprintf(path, sizeof(path), "%scpu%u/power/energy_perf_bias", dir, cpu);
	if (exists(path))
		change(c, path, "0");
	memcpy(c->why, why, sizeof(why));
	return true;
}

static unsigned restore_to(struct clock_setting *c, size_t n)
{
	unsigned lost = 0;
	while (c->n > n) {
		struct saved_file *f = &c->saved[--c->n];
		lost += write_text(f->path, f->before) != 0;
		free(f->path);
		free(f->before);
	}
	return lost;
}

void clock_setting_apply(struct clock_setting *c, const char *cpu_dir, const struct options *opt,
	const struct cpu_location *cpus, unsigned ncpus)
{
	*c = (struct clock_setting){ .wanted = opt->clock != CLOCK_FREE };
	settings_choice(option_settings, option_settings_count, opt, "clock", c->asked,
		sizeof(c->asked));
	if (!c->wanted)
		return;
	bool turbo = opt->clock == CLOCK_MAX || turbo_off(c, cpu_dir);
	for (unsigned i = 0; i < ncpus; i++) {
		size_t before = c->n;
		if (turbo && set_cpu(c, cpu_dir, cpus[i].id))
			continue;
		restore_to(c, before);
		c->not_set++;
	}
	if (c->not_set == ncpus)
		restore_to(c, 0); /* turbo */
}

unsigned clock_setting_restore(struct clock_setting *c)
{
	unsigned lost = restore_to(c, 0);
	free(c->saved);
	c->saved = NULL;
	return lost;
}

void clock_setting_describe(const struct clock_setting *c, struct jsonl *j)
{
	jsonl_object(j, "clock");
	jsonl_string(j, "asked", c->asked);
	if (c->wanted) {
		jsonl_bool(j, "set", !c->not_set);
		jsonl_string(j, "how", "cpufreq");
		jsonl_integer(j, "cpus_not_set", c->not_set);
		if (c->not_set)
			jsonl_string(j, "why", c->why);
	}
	jsonl_object_end(j);
}
