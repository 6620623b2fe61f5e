/* SPDX-License-Identifier: MIT */
#include "engine/again.h"

#include "engine/plan.h"

#define AGAIN_USUAL 1 /* times that the rows at an edge are measured again */
#define AGAIN_MOVED 8 /* the same where one time said something else */

static bool any_moved(const struct found_values *lower, const struct found_values *upper)
{
	for (unsigned i = 0; i < lower->n; i++)
		if (lower->list[i].edge &&
			!same_place(&lower->list[i], value_named(upper, lower->list[i].name)))
			return true;
	return false;
}

unsigned plan_again(struct bench *b, const struct probe *probe)
{
	size_t mark = b->work.used;
	struct found_values *lower = row_alloc(b, sizeof *lower);
	struct found_values *upper = row_alloc(b, sizeof *upper);
	struct edge_rows edges = { 0 };
	unsigned planned = 0, most;

	b->edges = &edges;
	if (find_as(b, READ_LOWER, probe, lower) && find_as(b, READ_UPPER, probe, upper)) {
		most = any_moved(lower, upper) ? AGAIN_MOVED : AGAIN_USUAL;
		for (unsigned i = 0; i < edges.n; i++)
			if (edges.row[i]->row->probe == probe)
				planned += plan_repeat(b, edges.row[i]->row, most);
	}
	b->edges = NULL;
	b->work.used = mark;
	return planned;
}
