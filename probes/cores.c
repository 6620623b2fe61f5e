/* SPDX-License-Identifier: MIT */
/*
 * More than one processor: bandwidth together, latency under load, and how long a line takes from
 * one to another.
 */
#include "probes/cores.h"

static bool sibling_taken(const struct facts *f, const unsigned *order, unsigned n, unsigned cpu)
{
	const struct cpu_place *p = &f->places[cpu];

	for (unsigned i = 0; i < n; i++) {
		const struct cpu_place *q = &f->places[order[i]];

		if (p->package == q->package && p->die == q->die && p->core == q->core &&
			p->core != UINT32_MAX)
			return true;
	}
	return false;
}

void cores_order(const struct facts *f, unsigned *order)
{
	unsigned n = 0;

	for (unsigned cpu = 0; cpu < f->cpus; cpu++)
		if (!f->places || !sibling_taken(f, order, n, cpu))
			order[n++] = cpu;
	unsigned cores = n;

	for (unsigned cpu = 0; cpu < f->cpus; cpu++) {
		unsigned i = 0;

		while (i < cores && order[i] != cpu)
			i++;
		if (i == cores)
			order[n++] = cpu;
	}
}

void probe_cores_plan(struct bench *b, unsigned stage)
{
	if (stage == 0)
		return;
	cores_plan_bandwidth(b);
	cores_plan_bounce(b);
}

void probe_cores_meaning(struct bench *b)
{
	cores_meaning_bandwidth(b);
	cores_meaning_bounce(b);
}
