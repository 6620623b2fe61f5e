/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tests/kam/cpu/uncore.h"

unsigned cpu_private_levels(const struct cpu *cpu)
{
	return cpu_levels(cpu) > 2 ? cpu_levels(cpu) - 1 : cpu_levels(cpu);
}

void uncore_init(struct uncore *u, const struct cpu *cpu, const uint64_t *now)
{
	unsigned last = cpu_levels(cpu) - 1;

	memset(u, 0, sizeof(*u));
	u->cpu = cpu;
	if (last >= cpu_private_levels(cpu))
		cache_init(&u->last, cpu->level[last].bytes / cpu->line, cpu->level[last].ways,
			(enum policy)cpu->level[last].policy, cpu->seed * 77 + last);
	reservations_init(&u->channel, 1, now);
}

void uncore_free(struct uncore *u)
{
	cache_free(&u->last);
	reservations_free(&u->channel);
}

uint64_t uncore_channel(struct uncore *u, uint64_t t)
{
	return reserve(&u->channel, t, u->cpu->memory_gap);
}
