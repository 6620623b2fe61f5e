/* SPDX-License-Identifier: MIT */
#include "tests/kam/cpu/tsc_model.h"
#include "tests/kam/cpu/cpu.h"

static uint64_t random64(struct clock *c)
{
	c->random ^= c->random << 13;
	c->random ^= c->random >> 7;
	c->random ^= c->random << 17;
	return c->random;
}

/* Distances are uniform between half and one and a half times the mean. */
static void plan(struct clock *c, struct stolen_time *t, uint64_t from)
{
	t->next = t->every ? from + t->every / 2 + random64(c) % (t->every + 1) : UINT64_MAX;
}

void tsc_init(struct clock *c, const struct cpu *cpu)
{
	c->core_hz = cpu->hz;
	c->tsc_hz = cpu->tsc_hz;
	c->step = cpu->tsc_step;
	c->stolen = 0;
	c->random = cpu->seed * 0x9e3779b97f4a7c15ull | 1;
	c->jitter = (struct stolen_time){ cpu->jitter_every, cpu->jitter_ticks, 0, 0 };
	c->spike = (struct stolen_time){ cpu->spike_every, cpu->spike_ticks, 0, 0 };
	plan(c, &c->jitter, 0);
	plan(c, &c->spike, 0);
}

uint64_t tsc_read(struct clock *c, uint64_t cycle)
{
	uint64_t ticks;

	while (cycle >= c->jitter.next) {
		c->stolen += random64(c) % (c->jitter.ticks + 1);
		c->jitter.count++;
		plan(c, &c->jitter, c->jitter.next);
	}
	while (cycle >= c->spike.next) {
		c->stolen += c->spike.ticks;
		c->spike.count++;
		plan(c, &c->spike, c->spike.next);
	}
	ticks = (uint64_t)((unsigned __int128)cycle * c->tsc_hz / c->core_hz) + c->stolen;
	return ticks - ticks % c->step;
}

uint64_t tsc_to_cycles(const struct clock *c, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * c->core_hz / c->tsc_hz);
}
