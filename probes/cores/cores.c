/* SPDX-License-Identifier: MIT */
/*
 * More than one processor: bandwidth together, latency under load, and how long a line takes from
 * one to another.
 */
#include "probes/probe.h"
#include "probes/cores/cores.h"

static void say_topology(struct bench *b)
{
	const struct facts *f = &b->room->facts;

	if (!f->topology || f->topology[0].package == UINT32_MAX ||
		f->topology[0].core == UINT32_MAX)
		say(b, "  %u CPUs; which of them share a core is not known.\n", f->cpus);
	else
		say(b, "  %u CPUs, as claimed: %u package(s), %u core(s)%s.\n", f->cpus,
			cores_packages(f), cores_cores(f),
			cores_cores(f) < f->cpus ? "; SMT siblings come last"
						 : ", no SMT siblings");
}

void probe_cores_plan(struct bench *b)
{
	cores_plan_bounce(b); /* cheap, so first: the rest may take longer than estimated */
	cores_plan_each(b);
	cores_plan_nodes(b);
	cores_plan_bandwidth(b);
	cores_plan_loaded(b);
}

void probe_cores_meaning(struct bench *b)
{
	say_topology(b);
	cores_meaning_each(b);
	cores_meaning_nodes(b);
	cores_meaning_bandwidth(b);
	cores_meaning_loaded(b);
	cores_meaning_bounce(b);
}
