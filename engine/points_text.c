/* SPDX-License-Identifier: MIT */
#include "engine/points_text.h"

#include <string.h>

#include "engine/plan.h"
#include "engine/probe_api.h"
#include "engine/table.h"
#include "lib/text.h"

#define INDENT "     "

static double x_of(const struct result *r)
{
	return r->row->nparams ? r->row->params[0].value : 0;
}

/* Of one curve, which differ in their first parameter only. */
static bool together(const struct result *a, const struct result *b)
{
	const struct row *p = a->row, *q = b->row;

	if (p->probe != q->probe || p->unit != q->unit || a->page_bytes != b->page_bytes ||
		strcmp(p->variant, q->variant) != 0)
		return false;
	for (unsigned i = 1; i < p->nparams; i++)
		if (strcmp(p->params[i].name, PARAM_AGAIN) != 0 &&
			row_get(q, p->params[i].name, p->params[i].value) != p->params[i].value)
			return false;
	return true;
}

/* The next of a curve's results after `last` in the order of x, then of time; NULL: none. */
static const struct result *next_of(const struct bench *b, unsigned lead, const struct result *last)
{
	const struct result *best = NULL;

	for (unsigned i = lead; i < b->nresults; i++) {
		const struct result *r = &b->results[i];
		bool after = !last || x_of(r) > x_of(last) || (x_of(r) == x_of(last) && r > last);

		if (after && together(&b->results[lead], r) && (!best || x_of(r) < x_of(best)))
			best = r;
	}
	return best;
}

static void say_curve(struct bench *b, unsigned lead)
{
	const struct result *r = &b->results[lead];
	char line[TABLE_LINE], page[SIZE_TEXT], point[2 * TABLE_CELL];
	int n;

	say(b, "  %s", r->row->variant);
	if (r->page_bytes) {
		size_text((double)r->page_bytes, page);
		say(b, ", pages of %s", page);
	}
	for (unsigned i = 1; i < r->row->nparams; i++)
		if (strcmp(r->row->params[i].name, "stride_bytes") == 0)
			size_text(r->row->params[i].value, page), say(b, ", stride %s", page);
	say(b, " (%s, %s):\n", r->row->nparams ? r->row->params[0].name : "", r->row->unit->name);
	n = text_format(line, sizeof line, INDENT);
	for (r = next_of(b, lead, NULL); r; r = next_of(b, lead, r)) {
		int more = table_point(r, point);

		if (n + more > TABLE_WIDEST) {
			say(b, "%s\n", line);
			n = text_format(line, sizeof line, INDENT);
		}
		n += text_format(line + n, sizeof line - (size_t)n, "%s", point);
	}
	say(b, "%s\n", line);
}

void say_points(struct bench *b, unsigned first, const char *what)
{
	if (first == b->nresults)
		return;
	say(b, "%s\n", what);
	for (unsigned i = first; i < b->nresults; i++) {
		unsigned lead = first;

		while (!together(&b->results[lead], &b->results[i]))
			lead++;
		if (lead == i)
			say_curve(b, i);
	}
}
