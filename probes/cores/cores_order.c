/* SPDX-License-Identifier: MIT */
/* Which CPUs share a core, a die or a package; in which order and numbers CPUs are added. */
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

uint32_t cores_node(const struct facts *f, unsigned cpu)
{
	return f->topology ? f->topology[cpu].node : NODE_UNKNOWN;
}

void cores_node_params(struct row *row, uint32_t cpu_node, uint32_t memory_node)
{
	if (cpu_node != NODE_UNKNOWN)
		row_param(row, "cpu_node", cpu_node);
	if (memory_node != NODE_UNKNOWN)
		row_param(row, "memory_node", memory_node);
}

bool cores_share_cache(const struct facts *f, unsigned a, unsigned b)
{
	const struct cpu_location *p = f->topology ? &f->topology[a] : NULL,
				  *q = p ? &f->topology[b] : NULL;

	if (p && p->l3 != UINT32_MAX && q->l3 != UINT32_MAX)
		return p->l3 == q->l3;
	return !p || (p->package == q->package && p->die == q->die);
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

const struct result *cores_with_cpus(const struct bench *b, const char *variant, unsigned cpus)
{
	const struct param n[] = { { "cpus", cpus } };

	return find_row(b, variant, n, 1);
}

unsigned cores_next_count(unsigned n, unsigned all)
{
	return n == all ? all + 1 : 2 * n < all ? 2 * n : all;
}

unsigned cores_step_drop_order(const struct bench *b, unsigned cpus, unsigned drop_order)
{
	return cpus == 1 || cpus == b->room->facts.cpus ? drop_order : drop_order + 2;
}
