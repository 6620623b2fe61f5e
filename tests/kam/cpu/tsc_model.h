/* SPDX-License-Identifier: MIT */
/*
 * The time stamp counter: core cycles times a ratio, in steps, plus time stolen by jitter and
 * SMI-like spikes. Stolen time is seen by the counter and not by the pipeline.
 */
#ifndef TESTS_KAM_CPU_TSC_MODEL_H
#define TESTS_KAM_CPU_TSC_MODEL_H

#include <stdint.h>

struct stolen_time {
	uint64_t every, ticks; /* mean distance in core cycles; length */
	uint64_t next;         /* cycle of the next one */
	uint64_t count;        /* so far */
};

struct clock {
	uint64_t core_hz, tsc_hz, step;
	uint64_t stolen; /* ticks so far */
	uint64_t random;
	struct stolen_time jitter, spike;
};

struct cpu;

void tsc_init(struct clock *, const struct cpu *);
/* Ticks at a core cycle. */
uint64_t tsc_read(struct clock *, uint64_t cycle);
/* The other way, without what was stolen. */
uint64_t tsc_to_cycles(const struct clock *, uint64_t ticks);

#endif
