/* SPDX-License-Identifier: MIT */
#include "tests/kam/cpu/chip.h"
#include "tests/kam/cpu/coherence.h"

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A core's, or a domain's, caches of a line: what is in them. */
struct line_copy {
	bool held, dirty;
	uint64_t ready;
};

/* Looks at a line in a cache; with clean or drop, changes it. */
enum change { LOOK, CLEAN, DROP };

static void visit(struct cache *c, uint64_t line, enum change change, struct line_copy *found)
{
	uint64_t at = cache_find(c, line);

	if (at == CACHE_MISS)
		return;
	found->held = true;
	found->dirty |= c->lines[at].dirty;
	found->ready = max_u64(found->ready, c->lines[at].ready);
	if (change == CLEAN)
		c->lines[at].dirty = 0;
	if (change == DROP)
		cache_invalidate(c, at);
}

static struct line_copy in_core(struct memory *m, uint64_t line, enum change change)
{
	struct line_copy found = { false, false, 0 };
	unsigned i;

	for (i = 0; i < cpu_private_levels(m->cpu); i++)
		visit(&m->own[i], line, change, &found);
	return found;
}

static struct line_copy in_domain(struct uncore *u, uint64_t line, enum change change)
{
	struct line_copy found = { false, false, 0 };

	if (cpu_levels(u->cpu) > cpu_private_levels(u->cpu))
		visit(&u->last, line, change, &found);
	return found;
}

/* Cycles between two domains: the stated cost, and that of a home that is neither's. */
static uint64_t distance(struct chip *c, uint64_t line, const struct uncore *a,
	const struct uncore *b)
{
	const struct cpu *p = c->cpu;
	uint64_t cycles = a == b     ? p->transfer
		: a->node == b->node ? p->transfer_far
				     : p->transfer_node;
	unsigned home = p->home ? chip_home(c, line, a->domain) : a->domain;

	return cycles + (home == a->domain || home == b->domain ? 0 : p->home_cost);
}

/* A modified line of another is written back: to the last cache that both share, or to memory. */
static void write_back(struct memory *m, struct uncore *from, uint64_t line, uint64_t t)
{
	uint64_t at = CACHE_MISS;

	if (from == m->uncore && m->levels > cpu_private_levels(m->cpu))
		at = cache_find(&from->last, line);
	if (at != CACHE_MISS)
		from->last.lines[at].dirty = 1;
	else
		uncore_channel(from, line, t);
}

/* An access and what it waits for so far. */
struct access {
	struct memory *by;
	uint64_t line, t;
	bool write;
	struct transfer needs;
};

/* Caches at `at` have, or had, the line so. */
static void wait_for(struct access *a, struct uncore *at, struct line_copy found)
{
	if (!found.held || !(a->write || found.dirty))
		return;
	a->needs.wait =
		max_u64(a->needs.wait, distance(a->by->uncore->chip, a->line, a->by->uncore, at));
	a->needs.ready = max_u64(a->needs.ready, found.ready);
	a->needs.supplied |= found.dirty;
	if (!a->write)
		write_back(a->by, at, a->line, a->t);
}

struct transfer coherence_request(struct memory *m, uint64_t line, bool write, uint64_t t)
{
	struct access a = { m, line, t, write, { 0, 0, false } };
	enum change change = write ? DROP : CLEAN;
	struct chip *c = m->uncore->chip;
	struct line_copy own = in_core(m, line, LOOK);
	unsigned i;

	if (own.held && (own.dirty || !write))
		return a.needs;
	if (write && c->cpu->home)
		chip_home(c, line, m->uncore->domain);
	for (i = 0; i < c->cpu->cpus; i++)
		if (c->core[i] != m)
			wait_for(&a, c->core[i]->uncore, in_core(c->core[i], line, change));
	for (i = 0; i < c->cpu->l3_domains; i++)
		if (&c->domain[i] != m->uncore)
			wait_for(&a, &c->domain[i], in_domain(&c->domain[i], line, change));
	return a.needs;
}

bool coherence_modified_elsewhere(struct memory *m, uint64_t line)
{
	struct chip *c = m->uncore->chip;
	unsigned i;

	for (i = 0; i < c->cpu->cpus; i++)
		if (c->core[i] != m && in_core(c->core[i], line, LOOK).dirty)
			return true;
	for (i = 0; i < c->cpu->l3_domains; i++)
		if (&c->domain[i] != m->uncore && in_domain(&c->domain[i], line, LOOK).dirty)
			return true;
	return false;
}

bool coherence_drop(struct memory *m, uint64_t line)
{
	struct chip *c = m->uncore->chip;
	bool dirty = false;
	unsigned i;

	for (i = 0; i < c->cpu->cpus; i++)
		if (c->core[i] != m)
			dirty |= in_core(c->core[i], line, DROP).dirty;
	for (i = 0; i < c->cpu->l3_domains; i++)
		if (&c->domain[i] != m->uncore)
			dirty |= in_domain(&c->domain[i], line, DROP).dirty;
	chip_forget_home(c, line);
	return dirty;
}
