/* SPDX-License-Identifier: MIT */
/*
 * The time stamp counter: core cycles times a ratio, in steps, plus time stolen by jitter and
 * SMI-like spikes. Stolen time is seen by the counter and not by the pipeline. The core clock may
 * rise while the core works; the counter has one rate.
 */
#ifndef TESTS_KAM_CPU_TSC_MODEL_H
#define TESTS_KAM_CPU_TSC_MODEL_H

#include <stdbool.h>
#include <stdint.h>

struct stolen_time {
	uint64_t every, ticks; /* mean distance in core cycles; length */
	uint64_t next;         /* cycle of the next one */
	uint64_t count;        /* so far */
};

struct clock {
	uint64_t tsc_hz, step;
	uint64_t last;                    /* reading */
	uint64_t short_of_step;           /* ticks that one reading of SHORT_EVERY lacks */
	uint64_t core_hz;                 /* now */
	uint64_t since, ticks;            /* core cycle from which it has been so; ticks then */
	uint64_t until;                   /* core cycle at which it changes */
	uint64_t first_hz, last_hz;       /* of the ramp */
	uint64_t ramp_us, steps, idle_us; /* as in struct cpu */
	uint64_t steps_done;
	uint64_t stolen; /* ticks so far */
	uint64_t ahead;  /* of the cycles' ticks, as [skew] has it */
	int64_t ppb;
	uint64_t random;
	struct stolen_time jitter, spike, smi;
	struct stolen_time unseen; /* at equal distances; no event tells of them */
	bool smi_irregular;
	uint64_t smi_random; /* their own, so that all cores have the same ones */
	uint64_t smi_long_of, smi_long_ticks;
	uint64_t asked; /* SMIs that were asked for */
};

struct cpu;

void tsc_init(struct clock *, const struct cpu *);
/* The counter is that of core number `core`. */
void tsc_of_core(struct clock *, const struct cpu *, unsigned core);
/* Ticks at a core cycle, which is not before a change of the clock that was already seen. */
uint64_t tsc_read(struct clock *, uint64_t cycle);
/* SMIs up to the last reading: spikes are some, too. */
uint64_t tsc_smis(const struct clock *);
/* One that is asked for, and takes so many ticks. */
void tsc_ask_smi(struct clock *, uint64_t ticks);
/* From a cycle on the core has another rate, for as long as `cycles` of its own take; then that. */
void tsc_slow(struct clock *, uint64_t from, uint64_t hz, uint64_t cycles);
/* The core did nothing for so many cycles, up to `end`. */
void tsc_idle(struct clock *, uint64_t cycles, uint64_t end);

#endif
