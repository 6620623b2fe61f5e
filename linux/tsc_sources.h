/* SPDX-License-Identifier: MIT */
/* The TSC's rate, and whether the TSC can be used. */
#ifndef LINUX_TSC_SOURCES_H
#define LINUX_TSC_SOURCES_H

#include "linux/hosted.h"

/* What the kernel says of the TSC. */
struct tsc_state {
	bool flags_known; /* /proc/cpuinfo was readable */
	bool constant, nonstop;
	bool clocks_known; /* the list of clock sources was readable */
	bool offered;      /* the kernel offers the TSC as a clock source */
	bool seen;         /* else: by what it saw; not by tsc=unstable on its command line */
	bool hypervisor;
};

/* NULL: it can be used; else why not. */
const char *tsc_verdict(const struct tsc_state *);

/*
 * Fills room.facts.tsc*. 0, or -1 with the reason why the TSC cannot be used. Where the kernel
 * does not offer it, and was told so (tsc=unstable) or its command line cannot be read, that says
 * nothing of the TSC: its rate is then timed in rounds, which must agree, and h->tsc_steady_ppm is
 * how far apart they were.
 */
int tsc_init(struct hosted *h, char *err, size_t err_bytes);

#endif
