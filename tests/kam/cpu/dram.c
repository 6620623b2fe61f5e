/* SPDX-License-Identifier: MIT */
#include "tests/kam/cpu/dram.h"

void dram_init(struct dram *d, const struct cpu *cpu)
{
	*d = (struct dram){ .cpu = cpu };
}

/* Returns true if the row was open. It is open now. */
static bool row_open(struct dram *d, uint64_t address)
{
	uint64_t row = address / d->cpu->row_bytes, *open = &d->open[row % d->cpu->row_banks];
	bool was = *open == row + 1;

	*open = row + 1;
	return was;
}

uint64_t dram_refresh_left(const struct cpu *c, uint64_t t)
{
	uint64_t since = c->refresh_every ? t % c->refresh_every : 0;

	return since < c->refresh ? c->refresh - since : 0;
}

uint64_t dram_latency(struct dram *d, uint64_t address)
{
	const struct cpu *c = d->cpu;

	return c->memory_latency - (c->row_bytes && row_open(d, address) ? c->row_hit : 0);
}
