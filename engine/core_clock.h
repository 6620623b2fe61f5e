/* SPDX-License-Identifier: MIT */
/*
 * The core clock, by chains of dependent adds between registers, which take one cycle each on every
 * x86-64 core. Two chains of as many turns, one with twice the adds, differ by adds alone: their
 * difference is free of what the stamps and the turns themselves cost. probes/clock/README.md.
 */
#ifndef ENGINE_CORE_CLOCK_H
#define ENGINE_CORE_CLOCK_H

#include "engine/bench.h"

/* A clock in Hz, 0: the TSC does not tell the two chains apart; and whether chains disagreed. */
struct clock_reading {
	double hz;
	bool disturbed;
};

/*
 * One measurement by the difference of the two chains, each of `turns` turns: pairs of them until
 * two of each kind agree, at most eight. The shortest that another one agrees with count, since
 * nothing but a higher clock makes a chain shorter. Pairs of which every shorter chain was
 * interrupted are taken anew.
 */
struct clock_reading core_clock_by_difference(struct bench *, uint64_t turns);

/*
 * Runs dependent adds until the core clock has not risen for 25 ms, at most 0.2 s, and calibrates
 * the chain that stands around samples: sets b->core_hz (the highest clock of that time that was
 * measured twice), tsc_step_ticks, clock_turns, turn_cycles and adds_overhead.
 */
void core_clock_warm(struct bench *);

/* Ticks of that chain with `turns` turns, without overhead; 0 when the TSC is too coarse. */
double core_clock_ticks(struct bench *, uint64_t turns);
/* The core clock in Hz from these ticks of so many turns. 0 if ticks <= 0. */
double core_clock_of(const struct bench *, double turns, double ticks);
/* The core clock in Hz by one such chain of b->clock_turns. */
double core_clock_now(struct bench *);

/*
 * Sets the clock of a sample, s->core_hz, by the ticks of the chains of b->clock_turns before and
 * after it. If they differ by more than 2 %, and by more than the TSC's step explains, the clock
 * moved or one of them was disturbed: then s->disturbed is set, and the clock is that of the
 * shorter one. Else s->disturbed is cleared.
 */
void core_clock_around(const struct bench *, double before, double after, struct sample *);

#endif
