/* SPDX-License-Identifier: MIT */
/*
 * The core's clock and the TSC's: the setting `clock`, by cpufreq's files, which get their old
 * values at the end; the TSC's rate, and whether the TSC can be used.
 */
#ifndef LINUX_CLOCKS_H
#define LINUX_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/room.h"
#include "engine/options.h"

struct hosted;

struct clock_setting {
	bool wanted;      /* any word but free */
	unsigned not_set; /* CPUs that could not be set */
	char why[160];    /* of the last of them; "" */
	struct saved_file {
		char *path, *before;
	} * saved;
	size_t n;
};

/*
 * Sets the CPUs (`id` is Linux's number) as chosen, by the files below cpu_dir, which is
 * "/sys/devices/system/cpu/". max: governor performance, and no lower limit than the hardware's.
 * fixed: the same without turbo. All of a CPU or nothing; what a file reads back counts.
 */
void clock_setting_apply(struct clock_setting *, const char *cpu_dir, const struct options *,
	const struct cpu_location *cpus, unsigned ncpus);
/*
 * Turbo alone, off, in a setting that is all 0. false with the reason in `why`: there is no file
 * for it, it cannot be written, or turbo is off already.
 */
bool clock_setting_no_turbo(struct clock_setting *, const char *cpu_dir);
/*
 * One file of a setting: whether it now has that text, of at most 63 bytes; what it had is noted.
 * Else the reason stands in `why`.
 */
bool clock_setting_change(struct clock_setting *, const char *path, const char *text);
/* Writes the old values back, the last one first. How many files do not have theirs then. */
unsigned clock_setting_restore(struct clock_setting *);

/*
 * Fills room.facts.tsc*. 0, or -1 with the reason why the TSC cannot be used. Where the kernel
 * does not offer it, and was told so (tsc=unstable) or its command line cannot be read, that says
 * nothing of the TSC: its rate is then timed in rounds, which must agree, and h->tsc_steady_ppm is
 * how far apart they were.
 */
int tsc_init(struct hosted *h, char *err, size_t err_bytes);

#endif
