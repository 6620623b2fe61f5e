/* SPDX-License-Identifier: MIT */
/*
 * Layer A, loops only: set-up, statistics and inference are compiled into this program; every loop
 * that they call is run by Unicorn from the bytes of the shipped image.
 */
#ifndef TESTS_KAM_RUN_LOOPS_ONLY_H
#define TESTS_KAM_RUN_LOOPS_ONLY_H

#include <stdio.h>

#include "engine/options.h"
#include "tests/kam/cpu/cpu.h"

/* A display of layer b, in pixels; a width of 0: none. */
struct display_request {
	unsigned width, height;
	bool blt; /* without a framebuffer */
};

struct request {
	const char *cpu, *image, *out;
	const char *rooms;   /* of the whole image: bare, firmware or both */
	const char *hostile; /* misbehaviours of the machine, or NULL: layer b, see hostile.h */
	unsigned cpus;       /* of the machine in layer b */
	const char *load;    /* more load options for the image, or NULL */
	struct display_request display;
	const char *screendump; /* where what the display shows at the end goes, or NULL */
	struct options options;
	uint64_t cost_ns; /* what each instruction takes off the profile's time */
	bool verbose;
	bool cold;  /* in layer b, after output: the next loop finds nothing cached */
	bool brief; /* layer a leaves out the rows that no parameter rests on */
};

/* Runs the probes and writes the result; returns bench_run's code. */
int loops_only_run(const struct request *, const struct cpu *, FILE *out);

#endif
