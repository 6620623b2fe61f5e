/* SPDX-License-Identifier: MIT */
/* Which CPUs share a core, a die or a package, and in which order the CPUs are added. */
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

unsigned cores_packages(const struct facts *f)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->cpus; i++) {
		unsigned k = 0;

		while (k < i && f->topology[k].package != f->topology[i].package)
			k++;
		n += k == i;
	}
	return n;
}

unsigned cores_cores(const struct facts *f)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->cpus; i++) {
		unsigned k = 0;

		while (k < i && !one_core(&f->topology[k], &f->topology[i]))
			k++;
		n += k == i;
	}
	return n;
}
