/* SPDX-License-Identifier: MIT */
#include "tests/kam/cpu/dram.h"

void dram_init(struct dram *d, const struct cpu *cpu)
{
	*d = (struct dram){ .cpu = cpu };
}

/* Whether the row was open; it is now. */
static bool row_open(struct dram *d, uint64_t address)
{
	uint64_t row = address / d->cpu->row_bytes, *open = &d->open[row % d->cpu->row_banks];
	bool was = *open == row + 1;

	*open = row + 1;
	return was;
}

/* Cycles until the refresh is over that began last. */
static uint64_t refresh_left(const struct cpu *c, uint64_t t)
{
	uint64_t since = t % c->refresh_every;

	return since < c->refresh ? c->refresh - since : 0;
}

uint64_t dram_latency(struct dram *d, uint64_t address, uint64_t t)
{
	const struct cpu *c = d->cpu;
	uint64_t cycles = c->memory_latency;

	if (c->row_bytes && row_open(d, address))
		cycles -= c->row_hit;
	return cycles + (c->refresh_every ? refresh_left(c, t) : 0);
}
