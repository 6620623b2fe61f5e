/* SPDX-License-Identifier: MIT */
/* What lies around the caches: lines, ways, misses at once, translation, bandwidth. */
#include "probes/findings.h"
#include "probes/math.h"

/* Speed-up over one chain of independent misses, with pages of one size. */
static struct estimate misses_at_once(const struct bench *b, size_t page, struct curve *c)
{
	const struct pick pick = { .probe = "mlp", .variant = "chains", .x = "lanes",
		.page_bytes = page, .place = "memory" };
	double one;

	if (!take_curve(b, &pick, c))
		return not_resolved(NOT_MEASURED);
	if (c->point[0].x != 1)
		return not_resolved("one chain alone was not measured");
	one = c->point[0].y;
	for (unsigned i = 0; i < c->n; i++)
		c->point[i].y = one / c->point[i].y;
	return infer_saturation(c->point, c->n);
}

static void find_parallel(struct findings *f, struct curve *c)
{
	size_t page = main_page(f->b, "mlp", "chains");

	found(f, "parallel_misses", "misses", misses_at_once(f->b, page, c), NOT_A_NUMBER,
		"mlp chains over lanes, place memory");
	found(f, "parallel_misses_4k", "misses",
		page == PAGE_4K ? not_resolved("there were no other pages") :
				  misses_at_once(f->b, PAGE_4K, c),
		NOT_A_NUMBER, "mlp chains over lanes, place memory, 4 KiB pages");
}

void find_memory_system(struct findings *f)
{
	struct curve *c = scratch(f->b, sizeof *c);

	if (!c)
		return;
	find_parallel(f, c);
}
