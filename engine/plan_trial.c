/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/levels.h"
#include "engine/plan.h"
#include "engine/source_rows.h"
#include "engine/plan_time.h"
#include "engine/plan_trial.h"

#define NODE 64 /* bytes, as good as any: nothing is measured */

/* In room->work, which no run uses yet. */
struct planning {
	struct bench bench;
	struct plan plan;
	struct options probes; /* one name of the list */
};

#define PLANNING_BYTES ((sizeof(struct planning) + PAGE_4K - 1) / PAGE_4K * PAGE_4K)

static int begin(struct planning *p, struct room *room, const struct options *opt)
{
	struct bench *b = &p->bench;
	struct arena first;

	memset(p, 0, sizeof *p);
	b->room = room;
	b->opt = opt;
	b->plan = &p->plan;
	b->plan->tried = true;
	b->node_bytes = NODE;
	b->work.base = room->work + PLANNING_BYTES;
	b->work.bytes = room->work_bytes - PLANNING_BYTES;
	random_seed(&b->random, opt->seed);
	return bench_arena(b, common_page(b), 0, &first);
}

static void plan_all(struct bench *b)
{
	levels_set(b);
	for (unsigned i = 0; i < probe_count; i++) {
		b->probe = &probes[i];
		if (!probe_asked_for(b->opt, b->probe))
			continue;
		if (b->probe->hooks->plan_first)
			b->probe->hooks->plan_first(b);
		b->probe->hooks->plan(b);
	}
}

double plan_estimate(struct bench *b, unsigned *rows)
{
	struct plan *p = b->plan;
	struct workspace work = b->work;
	double ns = 0;

	p->tried = true;
	plan_all(b);
	*rows = p->n;
	for (unsigned i = 0; i < p->n; i++)
		ns += PLAN_ENOUGH * p->rows[i].cost_ns;
	p->n = 0;
	p->tried = false;
	b->work = work;
	return ns;
}

static bool names_variant(const char *name, size_t n)
{
	while (n && name[n - 1] != ':')
		n--;
	return n;
}

static bool has_rows(struct planning *p, const char *name, size_t n)
{
	memcpy(p->probes.probes, name, n);
	p->probes.probes[n] = 0;
	for (unsigned i = 0; i < p->plan.n; i++)
		if (variant_selected(p->probes.probes, p->plan.rows[i].probe->name,
			    p->plan.rows[i].variant))
			return true;
	return false;
}

struct unplanned selection_unplanned(struct room *room, const struct options *opt)
{
	struct planning *p = (struct planning *)room->work;
	const struct unplanned none = { .any = true };
	size_t n;

	if (!strchr(opt->probes, ':') || room->work_bytes < PLANNING_BYTES + MIB ||
		begin(p, room, opt))
		return none;
	plan_all(&p->bench);
	for (const char *name = opt->probes; *name; name += n + (name[n] == ',')) {
		n = selection_name(name);
		if (names_variant(name, n) && !has_rows(p, name, n))
			return (struct unplanned){ name, n, p->plan.n > 0 };
	}
	return none;
}
