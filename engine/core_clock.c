/* SPDX-License-Identifier: MIT */
#include "engine/core_clock.h"

#include "engine/probe_api.h"
#include "lib/math.h"
#include "lib/stats.h"

#define TURN_ADDS        64
#define CLOCK_TURNS      32    /* the chain on either side of a sample, at least */
#define CLOCK_GRAINS     600.0 /* and so many steps of the TSC */
#define DIFFERENCE_TURNS 512   /* in a measurement by the difference of two chains */
#define PAIRS_MOST       8     /* of chains, until two of each kind agree */
#define PAIRS_TRIES      4     /* of so many, where all of the shorter chains were interrupted */
#define GRAIN_CALLS      64
#define GRAIN_TURNS      16 /* of a call, below: a long one adds up what is missing in its steps */
#define GRAIN_PART       0.75 /* of the calls, at least, whose ticks are whole steps */
#define OVERHEAD_TIMES   31
#define TURN_TIMES       15
#define TURN_CHAINS      4 /* as long as the chain around a sample */
#define WARM_TIMES       7
#define WARM_RISE        1.002 /* a clock that was this much lower rose, */
#define WARM_STILL_NS    25e6  /* and may rise again within this time: it rises in steps */
#define WARM_POLL_NS     2.5e6 /* between two measurements */
#define WARM_POLLS       16    /* in that time, at most */
#define WARM_MOST_NS     200e6
#define TURN_CYCLES_MOST 96   /* a count and a mispredicted jump take less than 32 cycles */
#define CLOCK_MOVED      0.02 /* of a chain: what two alike differ by at most */

static double ticks_of(struct bench *b, loop_fn *loop, uint64_t turns)
{
	const uint64_t args[LOOP_ARGS] = { turns };

	return (double)call_loop(b, loop, args).ticks;
}

/* The ticks that pairs of chains took: of 64 adds a turn, and of 128. */
struct chain_pairs {
	double ticks[2][PAIRS_MOST];
	unsigned n;
};

/*
 * Returns the shortest of n >= 1 durations that another one agrees with, to CLOCK_MOVED and two
 * steps, or the shortest; sorts them. A disturbance can only lengthen a chain: the median of
 * disturbed ones tells the disturbance, and the shortest alone may be a clock that was higher for
 * a moment. Clears *sure where the two shortest do not agree: longer ones do so also where gaps
 * are alike.
 */
static double shortest_agreed(double *ticks, unsigned n, double step, bool *sure)
{
	stats_sort(ticks, n);
	for (unsigned i = 0; i + 1 < n; i++) {
		if (ticks[i + 1] - ticks[i] <= CLOCK_MOVED * ticks[i] + 2 * step)
			return ticks[i];
		*sure = false;
	}
	return ticks[0];
}

static void time_pair(struct bench *b, uint64_t turns, struct chain_pairs *p)
{
	p->ticks[1][p->n] = ticks_of(b, loop_add_chain_double, turns);
	p->ticks[0][p->n++] = ticks_of(b, loop_add_chain, turns);
}

/* The ticks of the adds by which the chains of a pair differ; 0 if the TSC does not tell. */
static double adds_of_pairs(const struct bench *b, struct chain_pairs *p, bool *sure)
{
	double once = shortest_agreed(p->ticks[0], p->n, b->tsc_step_ticks, sure);
	double twice = shortest_agreed(p->ticks[1], p->n, b->tsc_step_ticks, sure);

	return math_max(twice - once, 0);
}

static double adds_hz(const struct bench *b, uint64_t turns, double ticks)
{
	return ticks > 0 ? TURN_ADDS * (double)turns / ticks * b->room->facts.tsc_hz : 0;
}

struct clock_reading core_clock_by_difference(struct bench *b, uint64_t turns)
{
	double ticks = 0;
	bool sure = false;

	for (unsigned tries = 0; tries < PAIRS_TRIES && !(ticks > 0); tries++) {
		struct chain_pairs p = { .n = 0 };

		time_pair(b, turns, &p);
		do {
			time_pair(b, turns, &p);
			sure = true;
			ticks = adds_of_pairs(b, &p, &sure);
		} while (!sure && p.n < PAIRS_MOST);
	}
	return (struct clock_reading){ adds_hz(b, turns, ticks), !sure || !(ticks > 0) };
}

/* The ticks of DIFFERENCE_TURNS turns of adds, by WARM_TIMES pairs; 0 if it cannot be told. */
static double adds_measure(struct bench *b)
{
	struct chain_pairs p = { .n = 0 };
	struct event_counts q;
	bool sure;

	while (p.n < WARM_TIMES) {
		b->room->timed_begin(b->room, &q);
		time_pair(b, DIFFERENCE_TURNS, &p);
		b->room->timed_end(b->room, &q);
	}
	return adds_of_pairs(b, &p, &sure);
}

static bool divides_most(const uint64_t ticks[GRAIN_CALLS], uint64_t grain)
{
	unsigned whole = 0;

	for (unsigned i = 0; i < GRAIN_CALLS; i++)
		whole += ticks[i] % grain == 0;
	return whole >= GRAIN_PART * GRAIN_CALLS;
}

/*
 * By how much the TSC advances at a time: the largest number that divides most differences seen.
 * Not all: where a hypervisor scales a counter that advances by 26, every 70th step or so is 25 or
 * 27. The smallest difference would not do: reading the TSC takes longer than a fine step.
 */
static uint64_t tsc_grain(struct bench *b)
{
	uint64_t ticks[GRAIN_CALLS], grain = 1;

	for (uint64_t i = 0; i < GRAIN_CALLS; i++) {
		const uint64_t args[LOOP_ARGS] = { i % GRAIN_TURNS };

		ticks[i] = call_loop(b, loop_add_chain, args).ticks;
	}
	for (unsigned i = 1; i < GRAIN_CALLS; i++) {
		uint64_t both = math_common_divisor(ticks[i], ticks[i - 1]);

		if (both > grain && divides_most(ticks, both))
			grain = both;
	}
	return grain;
}

/* A mean that neither disturbances nor the steps of a coarse TSC move far; sorts n >= 4 values. */
static double middle_half(double *values, unsigned n)
{
	double sum = 0;

	stats_sort(values, n);
	for (unsigned i = n / 4; i < n - n / 4; i++)
		sum += values[i];
	return sum / (n - n / 4 * 2);
}

/*
 * Returns the ticks of a chain beyond its turns: N turns twice less 2 N turns once. Beside the
 * stamps they contain the jump out of the loop, which is mispredicted if the loop is long for the
 * predictor: 20 cycles of 2048.
 */
static double chain_overhead(struct bench *b)
{
	double ticks[OVERHEAD_TIMES];

	for (unsigned i = 0; i < OVERHEAD_TIMES; i++)
		ticks[i] = 2 * ticks_of(b, loop_add_chain, b->clock_turns) -
			ticks_of(b, loop_add_chain, 2 * b->clock_turns);
	return middle_half(ticks, OVERHEAD_TIMES);
}

/*
 * Core cycles of a turn: 64 and, where the count and the jump do not run beside the adds, what
 * these take. A loop settles into a whole number of cycles, so that rounding removes the noise.
 */
static double turn_cycles(struct bench *b, double overhead)
{
	uint64_t turns = TURN_CHAINS * b->clock_turns;
	double cycles[TURN_TIMES];

	for (unsigned i = 0; i < TURN_TIMES; i++) {
		double one = ticks_of(b, loop_add_chain, turns);
		double adds = ticks_of(b, loop_add_chain_double, turns) - one;

		cycles[i] = adds > 0 ? TURN_ADDS * (one - overhead) / adds : TURN_ADDS;
	}
	double whole = (double)(int64_t)(stats_median(cycles, TURN_TIMES) + 0.5);

	return whole > TURN_ADDS && whole <= TURN_CYCLES_MOST ? whole : TURN_ADDS;
}

static double ns_since(struct bench *b, uint64_t start)
{
	return ticks_to_ns(b, (double)(b->room->now(b->room) - start));
}

static void keep_busy(struct bench *b, double ns)
{
	uint64_t start = b->room->now(b->room);

	while (ns_since(b, start) < ns)
		;
}

/*
 * Works until the clock has not risen for a while, which is longer than two steps of Linux's
 * intel_pstate: 10 ms each (INTEL_PSTATE_SAMPLING_INTERVAL in drivers/cpufreq/intel_pstate.c).
 * Returns the clock in Hz: the highest since it rose last that was measured twice. The last one
 * alone may be of a moment at which somebody else had most of the core.
 */
static double rise(struct bench *b)
{
	uint64_t start = b->room->now(b->room), risen = start;
	double least = 0, since[WARM_POLLS]; /* ticks of adds */
	unsigned n = 0;
	bool sure;

	do {
		double ticks = adds_measure(b);

		if (ticks > 0 && (!n || ticks * WARM_RISE < least)) {
			risen = b->room->now(b->room);
			least = ticks;
			n = 0;
		}
		if (ticks > 0 && n < WARM_POLLS)
			since[n++] = ticks;
		keep_busy(b, WARM_POLL_NS);
	} while (ns_since(b, risen) < WARM_STILL_NS && ns_since(b, start) < WARM_MOST_NS);
	return n ? adds_hz(b, DIFFERENCE_TURNS, shortest_agreed(since, n, 0, &sure)) : 0;
}

/* The overhead is the core's work: kept in cycles, it holds for whatever clock comes later. */
void core_clock_warm(struct bench *b)
{
	double hz = rise(b), overhead, turns;

	b->core_hz = hz;
	b->tsc_step_ticks = (double)tsc_grain(b);
	turns = CLOCK_GRAINS * b->tsc_step_ticks * hz / b->room->facts.tsc_hz / TURN_ADDS;
	b->clock_turns = turns > CLOCK_TURNS ? (uint64_t)turns : CLOCK_TURNS;
	overhead = chain_overhead(b);
	b->turn_cycles = turn_cycles(b, overhead);
	b->adds_overhead = overhead * hz / b->room->facts.tsc_hz;
}

double core_clock_ticks(struct bench *b, uint64_t turns)
{
	double cycles = (double)turns * b->turn_cycles;

	return ticks_of(b, loop_add_chain, turns) * cycles / (cycles + b->adds_overhead);
}

double core_clock_of(const struct bench *b, double turns, double ticks)
{
	return ticks > 0 ? turns * b->turn_cycles / ticks * b->room->facts.tsc_hz : 0;
}

double core_clock_now(struct bench *b)
{
	return core_clock_of(b, (double)b->clock_turns, core_clock_ticks(b, b->clock_turns));
}

static bool moved(const struct bench *b, double before, double after)
{
	double apart = math_abs(before - after);

	return apart > CLOCK_MOVED * (before + after) / 2 + 2 * b->tsc_step_ticks;
}

void core_clock_around(const struct bench *b, double before, double after, struct sample *s)
{
	double turns = (double)b->clock_turns;

	s->disturbed = moved(b, before, after);
	s->core_hz = s->disturbed ? core_clock_of(b, turns, math_min(before, after))
				  : core_clock_of(b, 2 * turns, before + after);
}
