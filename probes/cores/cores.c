/* SPDX-License-Identifier: MIT */
/*
 * More than one processor: bandwidth together, latency under load, and how long a line takes from
 * one to another.
 */
#include "probes/probe.h"
#include "probes/cores/cores.h"

static bool one_core(const struct cpu_location *p, const struct cpu_location *q)
{
	return p->package == q->package && p->die == q->die && p->core == q->core &&
		p->core != UINT32_MAX;
}

static bool sibling_taken(const struct facts *f, const unsigned *order, unsigned n, unsigned cpu)
{
	for (unsigned i = 0; i < n; i++)
		if (one_core(&f->topology[cpu], &f->topology[order[i]]))
			return true;
	return false;
}

void cores_order(const struct facts *f, unsigned *order)
{
	unsigned n = 0;

	for (unsigned cpu = 0; cpu < f->cpus; cpu++)
		if (!f->topology || !sibling_taken(f, order, n, cpu))
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

const char *cores_between(const struct facts *f, unsigned a, unsigned b)
{
	const struct cpu_location *p = f->topology ? &f->topology[a] : NULL,
				  *q = p ? &f->topology[b] : NULL;

	if (!p || p->package == UINT32_MAX || q->package == UINT32_MAX)
		return "";
	if (p->package != q->package)
		return ", two packages";
	if (one_core(p, q))
		return ", siblings of one core";
	return p->die == q->die ? ", one die" : ", two dies";
}

/* How many of the CPUs are the first of their package (or of their core). */
static unsigned count_firsts(const struct facts *f, bool cores)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->cpus; i++) {
		const struct cpu_location *p = &f->topology[i];
		unsigned k = 0;

		while (k < i &&
			(cores ? !one_core(p, &f->topology[k])
			       : p->package != f->topology[k].package))
			k++;
		n += k == i;
	}
	return n;
}

static void say_topology(struct bench *b)
{
	const struct facts *f = &b->env->facts;

	if (!f->topology || f->topology[0].package == UINT32_MAX ||
		f->topology[0].core == UINT32_MAX)
		say(b, "  %u CPUs; which of them share a core is not known.\n", f->cpus);
	else
		say(b, "  %u CPUs: %u package(s), %u core(s)%s.\n", f->cpus, count_firsts(f, false),
			count_firsts(f, true),
			count_firsts(f, true) < f->cpus
				? "; the second threads of cores (SMT siblings) come last"
				: ", no SMT siblings");
}

void probe_cores_plan(struct bench *b, unsigned stage)
{
	if (stage == 0)
		return;
	cores_plan_bounce(b); /* cheap: first, should the rest take longer than thought */
	cores_plan_bandwidth(b);
}

void probe_cores_meaning(struct bench *b)
{
	say_topology(b);
	cores_meaning_bandwidth(b);
	cores_meaning_bounce(b);
}
