/* SPDX-License-Identifier: MIT */
#include "tests/kam/cpu/under_system.h"

/* `cycles` of the core's full clock, in cycles of the lower one. */
static uint64_t lowered(const struct cpu *c, uint64_t cycles)
{
	return (cycles * c->clock_percent + 50) / 100;
}

/* The core sees no time pass in a gap: from one to the next it has what is left. */
static void steal(struct cpu *c)
{
	c->spike_ticks = c->gap_us * c->tsc_hz / 1000000;
	c->spike_every = c->gap_us * c->hz / 1000000 * (1000000 - c->stolen_ppm) / c->stolen_ppm;
}

void system_start(struct cpu *c)
{
	if (c->clock_percent < 100) {
		c->hz = lowered(c, c->hz);
		c->level[2].latency = lowered(c, c->level[2].latency);
		c->level[3].latency = lowered(c, c->level[3].latency);
		c->memory_latency = lowered(c, c->memory_latency);
		c->memory_gap = lowered(c, c->memory_gap);
	}
	if (c->stolen_ppm)
		steal(c);
}
