/* SPDX-License-Identifier: MIT */
#include "kernel/cpu/time_counter.h"

#include "kernel/cpu/x86.h"

#define MOVE_TICKS    200000
#define MOVE_READINGS 1000
#define WAIT_TICKS    (1ULL << 33) /* of the TSC: 1.4 s at 6 GHz, 8 s at 1 GHz */

#define PERIOD_MIN 1000000 /* femtoseconds */
#define PERIOD_MAX 100000000

uint64_t counter_elapsed(uint64_t first, uint64_t last, unsigned bits)
{
	return (last - first) & (bits == 64 ? ~0ULL : (1ULL << bits) - 1);
}

bool counter_moves(const struct counter *c)
{
	uint64_t first = c->read(c), since = rdtsc();

	for (unsigned i = 0; i < MOVE_READINGS || rdtsc() - since < MOVE_TICKS; i++)
		if (c->read(c) != first)
			return true;
	return false;
}

bool counter_wait(const struct counter *c, double microseconds)
{
	uint64_t first = c->read(c), since = rdtsc();
	double wanted = c->hz * microseconds / 1e6;

	for (unsigned i = 0; i < MOVE_READINGS || rdtsc() - since < WAIT_TICKS; i++) {
		if ((double)counter_elapsed(first, c->read(c), c->bits) >= wanted)
			return true;
		pause();
	}
	return false;
}

bool hpet_is_plausible(const struct hpet *h)
{
	return h->period >= PERIOD_MIN && h->period <= PERIOD_MAX && h->configuration != UINT32_MAX;
}
