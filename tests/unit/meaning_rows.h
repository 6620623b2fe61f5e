/* SPDX-License-Identifier: MIT */
/* What a probe says of rows that it has planned itself: tests give some of them a result. */
#ifndef TESTS_UNIT_MEANING_ROWS_H
#define TESTS_UNIT_MEANING_ROWS_H

#include "engine/find.h"
#include "engine/plan.h"
#include "tests/unit/summary_rows.h"

static struct plan plan;

/* All rows that a probe plans, with no results yet. */
static void plan_of(const char *name)
{
	static const struct level_size levels[LEVELS] = {
		[LEVEL_L1] = { "l1", 24 * KIB, "measured" },
		[LEVEL_L2] = { "l2", MIB, "measured" },
		[LEVEL_MEMORY] = { "memory", 64 * MIB, "measured" },
	};

	memcpy(m.b.levels, levels, sizeof levels);
	m.b.arena.bytes = GIB;
	m.b.node_bytes = 128;
	m.b.plan = &plan;
	plan.n = 0;
	m.b.probe = probe(name);
	m.b.probe->hooks->plan(&m.b);
}

/* The row of a variant with up to two parameters; ns is its median. */
static struct result *measured(const char *variant, const char *a, double x, const char *b,
	double y, double ns)
{
	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];

		if (strcmp(row->variant, variant) || (a && row_get(row, a, -1) != x) ||
			(b && row_get(row, b, -1) != y))
			continue;
		m.results[m.b.nresults] = (struct result){
			.row = row, .median = ns, .page_bytes = row->page_bytes, .cycles = 3 * ns
		};
		return &m.results[m.b.nresults++];
	}
	fail_msg("%s with %s %g, %s %g is not planned", variant, a, x, b, y);
	return NULL;
}

static void expect(const char *text)
{
	if (!strstr(m.said, text))
		fail_msg("expected '%s', was said:\n%s", text, m.said);
}

static void expect_not(const char *text)
{
	if (strstr(m.said, text))
		fail_msg("did not expect '%s', was said:\n%s", text, m.said);
}

#endif
