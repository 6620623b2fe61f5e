/* SPDX-License-Identifier: MIT */
/*
 * Layer A: set-up, statistics and inference are this program's own; every kernel that they call is
 * run by Unicorn from the bytes of the shipped image.
 */
#ifndef TESTS_KAM_RUN_LAYER_A_H
#define TESTS_KAM_RUN_LAYER_A_H

#include <stdio.h>

#include "engine/options.h"
#include "tests/kam/cpu/cpu.h"

struct request {
	const char *cpu, *image, *out;
	const char *rooms; /* of the whole image: bare, firmware or both */
	struct options options;
	uint64_t cost_ns; /* what each instruction takes off the profile's time */
	bool verbose;
	bool brief; /* layer a leaves out the rows that no parameter rests on */
};

/* Runs the probes and writes the result; returns bench_run's code. */
int host_run(const struct request *, const struct cpu *, FILE *out);

#endif
