/* SPDX-License-Identifier: MIT */
/*
 * The core's clock and the TSC's: the setting `clock`, by cpufreq's files, which get their old
 * values back at the end; the TSC's rate, and the check that the TSC can be used.
 */
#ifndef LINUX_CLOCKS_H
#define LINUX_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/room.h"
#include "engine/options.h"

struct hosted;

struct clock_setting {
	bool wanted;      /* any choice other than `free` */
	unsigned not_set; /* CPUs that could not be set */
	char why[160];    /* reason for the last of them; "" */
	struct saved_file {
		char *path, *before;
	} * saved;
	size_t n;
};

/*
 * Set the CPUs (`id` is Linux's number) as chosen, by the files below cpu_dir, which is
 * "/sys/devices/system/cpu/". max: governor performance, and no lower limit than the hardware's.
 * fixed: the same without turbo. A CPU is set wholly or not at all; a value counts if it reads
 * back.
 */
void clock_setting_apply(struct clock_setting *, const char *cpu_dir, const struct options *,
	const struct cpu_location *cpus, unsigned ncpus);
/*
 * Switch turbo off, and nothing else, in a setting that is all 0. Returns false with the reason in
 * `why`: there is no file for it, it cannot be written, or turbo is off already.
 */
bool clock_setting_no_turbo(struct clock_setting *, const char *cpu_dir);
/*
 * Write one file of a setting and note its old text. Returns true if it now has that text; else the
 * reason is in `why`.
 */
bool clock_setting_change(struct clock_setting *, const char *path, const char *text);
/* Write the old values back, the last one first. Returns how many files do not have theirs then. */
unsigned clock_setting_restore(struct clock_setting *);

/*
 * Fill room.facts.tsc*, h->tsc_doubt and h->tsc_steady_ppm. The TSC's rate is timed asleep and at
 * work, on this CPU alone: whether CPUs differ is what probe `skew` finds. Returns 0; or -1 with
 * the reason: Linux does not trust it, and the rate is not steady.
 */
int tsc_init(struct hosted *h, char *err, size_t err_bytes);
/* Returns how far the TSC's rate since tsc_init is from that before, in ppm, by Linux's clock. */
double tsc_off_ppm(const struct hosted *h);

#define TSC_TRUSTED_PPM 500 /* a claim further from the kernel's clock is not used */

#endif
