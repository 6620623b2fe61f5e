/* SPDX-License-Identifier: MIT */
/*
 * Sources: Linux's Documentation/admin-guide/pm/cpufreq.rst, intel_pstate.rst (no_turbo),
 * amd-pstate.rst; Documentation/ABI/testing/sysfs-devices-system-cpu (boost, energy_perf_bias).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "lib/ensure.h"
#include "linux/clocks.h"
#include "linux/hosted.h"
#include "linux/report/allocate.h"
#include "linux/sysfs.h"
#include "engine/claims.h"
#include "lib/stats.h"

#define PATH_BYTES 256

/* Returns true if the file can be read and its line is this text, as a whole. */
static bool file_has(const char *path, const char *text)
{
	char *now = file_line(path);
	bool same = now && !strcmp(now, text);

	free(now);
	return same;
}

/*
 * Write a text into a file, if it is not there, and note the old text. Returns true if the file has
 * the text then; else the reason is in c->why.
 */
bool clock_setting_change(struct clock_setting *c, const char *path, const char *text)
{
	char *before = file_line(path);
	const char *why = "cannot be read";
	bool there = before && !strcmp(before, text);
	if (before && !there) {
		keeper_note(path, before);
		int failed = write_line(path, text);
		why = failed ? strerror(errno) : "does not keep what is written";
		if (!failed && file_has(path, text)) {
			struct saved_file *saved = grow((void **)&c->saved, &c->n, sizeof(*saved));
			*saved = (struct saved_file){ copy_text(path), before };
			return true;
		}
		if (!failed)
			write_line(path, before);
	}
	free(before);
	if (!there)
		snprintf(c->why, sizeof(c->why), "%.100s: %s", path, why);
	return there;
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

/*
 * Switch turbo off: intel_pstate has no_turbo, others boost; a CPU with neither has no turbo that
 * Linux knows.
 */
static bool turbo_off(struct clock_setting *c, const char *dir)
{
	char path[PATH_BYTES];
	snprintf(path, sizeof(path), "%sintel_pstate/no_turbo", dir);
	if (exists(path))
		return clock_setting_change(c, path, "1");
	snprintf(path, sizeof(path), "%scpufreq/boost", dir);
	return !exists(path) || clock_setting_change(c, path, "0");
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
	if (!clock_setting_change(c, path, "performance"))
		return false;
	snprintf(path, sizeof(path), "%scpu%u/cpufreq/cpuinfo_max_freq", dir, cpu);
	bool limited = read_line(path, highest, sizeof(highest));
	snprintf(path, sizeof(path), "%scpu%u/cpufreq/scaling_max_freq", dir, cpu);
	if (limited && !clock_setting_change(c, path, highest))
		return false;
	/* This is a preference: if it cannot be set, the governor still holds. */
	memcpy(why, c->why, sizeof(why));
	snprintf(path, sizeof(path), "%scpu%u/power/energy_perf_bias", dir, cpu);
	if (exists(path))
		clock_setting_change(c, path, "0");
	memcpy(c->why, why, sizeof(why));
	return true;
}

static unsigned restore_to(struct clock_setting *c, size_t n)
{
	unsigned lost = 0;
	while (c->n > n) {
		struct saved_file *f = &c->saved[--c->n];
		lost += write_line(f->path, f->before) || !file_has(f->path, f->before);
		free(f->path);
		free(f->before);
	}
	return lost;
}

void clock_setting_apply(struct clock_setting *c, const char *cpu_dir, const struct options *opt,
	const struct cpu_location *cpus, unsigned ncpus)
{
	*c = (struct clock_setting){ .wanted = opt->clock != CLOCK_FREE };
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

#define CLOCK_SOURCES "/sys/devices/system/clocksource/clocksource0/"
#define ROUNDS        7
#define ROUND_NS      20000000
#define CLOSE_READS   9
#define ATTEMPTS      3 /* to see a steady rate: an interruption is no reason to refuse */

static bool has_word(const char *line, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = strstr(line, word); p; p = strstr(p + n, word))
		if ((p == line || p[-1] == ' ' || p[-1] == '\t') && (!p[n] || strchr(" \n", p[n])))
			return true;
	return false;
}

/*
 * The reason why Linux does not trust the TSC; NULL: it does, or nothing can be read. Without /proc
 * CPUID's flag stands for those of /proc/cpuinfo. A guest's idle states do not stop its host's TSC.
 */
static const char *tsc_doubt(const struct facts *f)
{
	char *flags = keyed_line("/proc/cpuinfo", "flags");
	char *clocks = file_line(CLOCK_SOURCES "available_clocksource");
	char *options = file_line("/proc/cmdline");
	const char *why = NULL;
	if (flags ? !has_word(flags, "constant_tsc") : !f->tsc_invariant)
		why = "no constant_tsc";
	else if (flags && !has_word(flags, "nonstop_tsc") && !*f->hypervisor)
		why = "no nonstop_tsc";
	else if (clocks && !has_word(clocks, "tsc"))
		why = options && has_word(options, "tsc=unstable") ? "tsc=unstable"
								   : "no clock source";
	free(flags);
	free(clocks);
	free(options);
	return why;
}

/*
 * Read a clock and the TSC together: the closest of a few pairs, so that no interrupt came between.
 */
static void read_pair(clockid_t clock, double *ns, uint64_t *ticks)
{
	uint64_t narrowest = UINT64_MAX;
	for (int i = 0; i < CLOSE_READS; i++) {
		struct timespec t;
		uint64_t before = __rdtsc();
		clock_gettime(clock, &t);
		uint64_t after = __rdtsc();
		if (after - before < narrowest) {
			narrowest = after - before;
			*ticks = before + (after - before) / 2;
			*ns = (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
		}
	}
}

static double difference_ppm(double a, double b)
{
	return (a > b ? a - b : b - a) / b * 1e6;
}

/* Spend a round asleep, or at work. */
static void spend(bool asleep)
{
	struct timespec pause = { .tv_nsec = ROUND_NS };
	double from, now;
	uint64_t ticks;
	if (asleep) {
		nanosleep(&pause, NULL);
		return;
	}
	read_pair(CLOCK_MONOTONIC_RAW, &from, &ticks);
	do
		read_pair(CLOCK_MONOTONIC_RAW, &now, &ticks);
	while (now - from < ROUND_NS);
}

/*
 * Median rates of ROUNDS rounds against two clocks at once. Returns the spread of the first, ppm: a
 * TSC that follows the core clock, or stops while the CPU is idle, has another rate in the rounds
 * asleep than in those at work.
 */
static double time_clocks(const clockid_t clocks[2], double hz[2])
{
	double rounds[2][ROUNDS];
	for (int r = 0; r < ROUNDS; r++) {
		double ns[2][2];
		uint64_t ticks[2][2];
		for (int c = 0; c < 2; c++)
			read_pair(clocks[c], &ns[c][0], &ticks[c][0]);
		spend(r % 2 == 0);
		for (int c = 0; c < 2; c++) {
			read_pair(clocks[c], &ns[c][1], &ticks[c][1]);
			rounds[c][r] =
				(double)(ticks[c][1] - ticks[c][0]) * 1e9 / (ns[c][1] - ns[c][0]);
		}
	}
	for (int c = 0; c < 2; c++)
		hz[c] = stats_median(rounds[c], ROUNDS); /* this also sorts them */
	return difference_ppm(rounds[0][ROUNDS - 1], rounds[0][0]);
}

/*
 * The rate by the delay loop, which Linux derives from the TSC: bogomips = 2 * tsc_khz / 1000
 * (tsc.c, lpj).
 */
static double hz_of_bogomips(void)
{
	char *text = keyed_line("/proc/cpuinfo", "bogomips");
	double mips = 0;
	if (text && sscanf(text, " : %lf", &mips) != 1)
		mips = 0;
	free(text);
	return mips * 1e6 / 2;
}

/*
 * The rate by the factors with which the kernel converts TSC ticks to time: perf_event_open(2),
 * cap_user_time.
 */
static double hz_of_perf_page(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return 0;
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *page = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	double hz = 0;
	if (page != MAP_FAILED) {
		if (page->cap_user_time && page->time_mult)
			hz = 1e9 * (double)(1ULL << page->time_shift) / page->time_mult;
		munmap(page, bytes);
	}
	close(fd);
	return hz;
}

static void add_source(struct facts *f, const char *name, double hz, bool claimed)
{
	ensure(f->tsc_sources < TSC_SOURCES);
	f->tsc[f->tsc_sources++] =
		(struct tsc_source){ .name = name, .hz = hz, .claimed = claimed };
}

static void choose(struct facts *f, double timed)
{
	bool claim = f->tsc[0].hz > 0 && difference_ppm(f->tsc[0].hz, timed) < TSC_TRUSTED_PPM;
	f->tsc_hz = claim ? f->tsc[0].hz : timed;
	f->tsc_source = claim ? f->tsc[0].name : "clock_monotonic_raw";
	f->tsc_disagree_ppm = 0;
	for (unsigned i = 0; i < f->tsc_sources; i++) {
		double ppm = difference_ppm(f->tsc[i].hz, f->tsc_hz);
		if (f->tsc[i].hz > 0 && !f->tsc[i].claimed && ppm > f->tsc_disagree_ppm)
			f->tsc_disagree_ppm = ppm;
	}
}

int tsc_init(struct hosted *h, char *err, size_t err_bytes)
{
	static const clockid_t clocks[2] = { CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC };
	struct facts *f = &h->room.facts;
	double timed[2];
	f->tsc_invariant = identity_tsc_invariant(&h->room);
	h->tsc_doubt = tsc_doubt(f);
	h->tsc_steady_ppm = time_clocks(clocks, timed);
	for (int i = 1; h->tsc_doubt && h->tsc_steady_ppm > TSC_TRUSTED_PPM && i < ATTEMPTS; i++)
		h->tsc_steady_ppm = time_clocks(clocks, timed);
	if (h->tsc_doubt && h->tsc_steady_ppm > TSC_TRUSTED_PPM) {
		snprintf(err, err_bytes,
			"Linux does not trust the TSC (%s), and its rate is not steady: rounds of "
			"%d ms, asleep and at work, differ by %.0f ppm, more than %d",
			h->tsc_doubt, ROUND_NS / 1000000, h->tsc_steady_ppm, TSC_TRUSTED_PPM);
		return -1;
	}
	h->tsc_at_start.hz = timed[0];
	read_pair(CLOCK_MONOTONIC_RAW, &h->tsc_at_start.ns, &h->tsc_at_start.ticks);
	add_source(f, "cpuid-15h", identity_tsc_15h(&h->room), true);
	add_source(f, "cpuid-16h", identity_tsc_16h(&h->room), true);
	add_source(f, "cpuid-40000010h", identity_tsc_40000010h(&h->room), true);
	add_source(f, "linux-bogomips", hz_of_bogomips(), true);
	add_source(f, "linux-perf", hz_of_perf_page(), true);
	add_source(f, "clock_monotonic_raw", timed[0], false);
	add_source(f, "clock_monotonic", timed[1], false);
	choose(f, timed[0]);
	return 0;
}

double tsc_off_ppm(const struct hosted *h)
{
	double ns;
	uint64_t ticks;
	read_pair(CLOCK_MONOTONIC_RAW, &ns, &ticks);
	double hz = (double)(ticks - h->tsc_at_start.ticks) * 1e9 / (ns - h->tsc_at_start.ns);
	return difference_ppm(hz, h->tsc_at_start.hz);
}
