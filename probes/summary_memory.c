/* SPDX-License-Identifier: MIT */
/* What lies around the caches: lines, ways, misses at once, translation, bandwidth. */
#include "engine/find.h"
#include "probes/lanes.h"
#include "lib/math.h"

/* Speed-up over one chain of independent misses, with pages of one size. */
static struct estimate misses_at_once(const struct bench *b, size_t page, struct curve *c)
{
	const struct pick pick = {
		.probe = "mlp",
		.variant = "chains",
		.x = "lanes",
		.page_bytes = page,
		.place = "memory",
	};
	struct estimate misses, window;
	double one;

	if (!take_curve(b, &pick, c))
		return not_resolved(NOT_MEASURED);
	if (c->point[0].x != 1)
		return not_resolved("one chain alone was not measured");
	one = c->point[0].y;
	for (unsigned i = 0; i < c->n; i++)
		c->point[i].y = one / c->point[i].y;
	misses = infer_saturation(c->point, c->n);
	window = read_window(b, c);
	/* Chains that no register holds take three instructions each. */
	if (misses.value > LANES_REGISTERS && misses.value * 3 > window.value * 0.97)
		return not_resolved("the window was full before");
	return misses;
}

static void find_parallel(struct findings *f, struct curve *c)
{
	size_t page = main_page(f->b, "mlp", "chains");

	found(f, "parallel_misses", "misses", misses_at_once(f->b, page, c), NOT_A_NUMBER,
		"mlp chains over lanes, place memory");
	found(f, "parallel_misses_4k", "misses",
		page == PAGE_4K ? not_resolved("there were no other pages")
				: misses_at_once(f->b, PAGE_4K, c),
		NOT_A_NUMBER, "mlp chains over lanes, place memory, 4 KiB pages");
}

/* Bytes per core cycle of the fastest row at a canonical size. */
static struct estimate peak(const struct bench *b, const char *variant, const struct level_size *p)
{
	const struct result *best = NULL;
	double most = NOT_A_NUMBER;

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];
		double rate = r->median * 1e9 / r->core_hz;

		if (belongs(r, "bandwidth", variant) && r->row->level &&
			same(r->row->level, p->name) && r->core_hz > 0 && !(rate <= most)) {
			most = rate;
			best = r;
		}
	}
	if (!best)
		return not_resolved(NOT_MEASURED);
	return plain_estimate(most, math_clamp(1 - 3 * best->mad / best->median, 0.1, 0.95));
}

const char *const rate_names[3][LEVELS] = {
	{ "read_bytes_per_cycle_l1", "read_bytes_per_cycle_l2", "read_bytes_per_cycle_l3",
		"read_bytes_per_cycle_memory" },
	{ "write_bytes_per_cycle_l1", "write_bytes_per_cycle_l2", "write_bytes_per_cycle_l3",
		"write_bytes_per_cycle_memory" },
	{ "copy_bytes_per_cycle_l1", "copy_bytes_per_cycle_l2", "copy_bytes_per_cycle_l3",
		"copy_bytes_per_cycle_memory" },
};

static void find_bandwidth(struct findings *f)
{
	static const char *const variants[] = { "read", "write", "copy" };

	for (unsigned v = 0; v < 3; v++)
		for (unsigned level = 0; level < LEVELS; level++) {
			const struct level_size *p = &f->b->levels[level];

			found(f, rate_names[v][level], "bytes/cycle",
				p->bytes ? peak(f->b, variants[v], p)
					 : not_resolved("this machine has no such level"),
				NOT_A_NUMBER, "bandwidth at the canonical sizes, the best width");
		}
}

/* Memory latency with 4 KiB pages over that with the largest there were. */
static void find_page_effect(struct findings *f)
{
	const struct result *small = NULL, *large = NULL;
	struct estimate e = not_resolved(NOT_MEASURED);

	for (unsigned i = 0; i < f->b->nresults; i++) {
		const struct result *r = &f->b->results[i];

		if (!belongs(r, "latency", "pointer-padded") || !r->row->level ||
			!same(r->row->level, "memory"))
			continue;
		if (r->page_bytes == PAGE_4K)
			small = r;
		else if (!large || r->page_bytes > large->page_bytes)
			large = r;
	}
	if (small && large)
		e = plain_estimate(small->median / large->median, 0.9);
	else if (small || large)
		e = not_resolved("only one page size was measured");
	found(f, "page_size_effect", "ratio", e, NOT_A_NUMBER,
		"latency pointer-padded, place memory: 4 KiB pages over the largest");
}

void find_memory_system(struct findings *f)
{
	struct curve *c = row_alloc(f->b, sizeof *c);

	if (!c)
		return;
	find_parallel(f, c);
	find_page_effect(f);
	find_bandwidth(f);
}
