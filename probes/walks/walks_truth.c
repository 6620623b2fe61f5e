/* SPDX-License-Identifier: MIT */
/* Rows and values of `walks`: a load that is walked for, and jumps to pages of code. */
#include <math.h>

#include "tests/kam/judge/truth.h"

TOLERANCE(WALKED, 1, "%", "a walk between two stamps: nothing overlaps it")
TOLERANCE(CODE_MISS, 1, "%", "jumps that miss, and the calls of the laps around them")
TOLERANCE(JUMP_SAME, 0.1, "cycles", "of a jump: the same number in as many lines")

#define ALL        4 /* tables, for the smallest pages */
#define CODE_LEAST 8
#define CODE_MOST  1008.0 /* pages of code */
#define CODE_GROUP 4      /* AMD's processors join so many */

/*
 * Returns true if the machine caches entries of this table; table 1 is the last one, of the
 * smallest pages.
 */
static bool is_held(const struct cpu *c, unsigned table)
{
	return table == 2 ? c->walks.pde : table == 3 ? c->walks.pdpte : c->walks.pml4e;
}

/*
 * Core cycles of a walk through so many tables, after one for a page whose entries differ in the
 * lowest `reads` tables alone; upper_lost: after none, and all paging-structure caches are empty.
 * The entry's line comes from memory for the lowest `flushed` tables, else from L1. NAN: no closed
 * form.
 */
static double walk_cycles(const struct cpu *c, unsigned levels, unsigned reads, unsigned flushed,
	bool upper_lost)
{
	unsigned own = ALL + 1 - levels, read = upper_lost ? levels : reads, i;
	double cycles = (double)c->walk;

	if (!c->walks.read) {
		bool lost = c->upper && (upper_lost || reads > 1);

		return c->walk_loads ? NAN : cycles + (lost ? (double)c->walk_upper : 0);
	}
	while (read < levels && !is_held(c, own + read))
		read++;
	for (i = 0; i < read; i++)
		cycles += (double)c->walks.read +
			(i < flushed ? memory_cycles(c) : (double)c->level[0].latency);
	return cycles;
}

static struct wanted walks(const struct judged *j, json_t *row, unsigned upper_lost)
{
	const struct cpu *c = j->cpu;
	unsigned levels = (unsigned)param_of(row, "levels"),
		 reads = (unsigned)param_of(row, "reads");
	double cycles =
		walk_cycles(c, levels, reads, (unsigned)param_of(row, "flushed"), upper_lost);
	double steps = 2 * step_cycles(c); /* two rounds' stamps, of as many as the probe has */

	if (isnan(cycles) || !undisturbed(c))
		return anything();
	return between(less(cycles, WALKED) - steps, more(cycles, WALKED) + steps);
}

/*
 * In ns, since a cost of nothing may be measured as less; the loop around the jumps has a page,
 * too.
 */
static struct wanted code_pages(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double pages = param_of(row, "pages"), all = pages + 1, ns = 1e9 / (double)c->hz;
	double miss = (double)c->itlb.miss;

	if (!undisturbed(c) || c->predictor == PREDICTOR_NEVER)
		return anything();
	if (!c->itlb.entries || all <= (double)c->itlb.entries)
		return between(-JUMP_SAME * ns, JUMP_SAME * ns);
	return between(less(miss, CODE_MISS) * ns, more(all / pages * miss, CODE_MISS) * ns);
}

static void ends_of_code(struct expected *d, const struct cpu *c)
{
	double most = CODE_MOST / (cpu_is_amd(c) ? CODE_GROUP : 1);

	expect_none(d, !c->itlb.entries || !c->itlb.miss,
		"no page of code costs more than another");
	expect_maybe_none(d, (double)c->itlb.entries > most / 2 || c->itlb.entries < 2 * CODE_LEAST,
		"at the end of the numbers that are tried");
	expect_maybe_none(d, (double)c->itlb.miss + ENTRY_OFFSET < ENTRY_RISE * ENTRY_OFFSET,
		"a miss costs nearly nothing");
}

/* A load that is walked for; jumps to pages of code, and to that of the loop around them. */
static void expect_walks(struct expected_list *l)
{
	const struct cpu *c = l->cpu;
	static const char *const names[][3] = {
		{ "walk_leaf_4k_cycles", "walk_root_4k_cycles", "walk_memory_4k_cycles" },
		{ "walk_leaf_2m_cycles", "walk_root_2m_cycles", "walk_memory_2m_cycles" },
		{ "walk_leaf_1g_cycles", "walk_root_1g_cycles", "walk_memory_1g_cycles" },
	};
	double miss = (double)c->itlb.miss, entries = (double)c->itlb.entries;

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		unsigned n = ALL - i;

		expect_percent(l, names[i][0], walk_cycles(c, n, 1, 0, false), WALKED, WALKED_TEXT);
		expect_percent(l, names[i][1], walk_cycles(c, n, n, 0, true), WALKED, WALKED_TEXT);
		expect_percent(l, names[i][2], walk_cycles(c, n, n, n, true), WALKED, WALKED_TEXT);
	}
	ends_of_code(expect_bisected(l, "itlb_4k_entries", entries, 0, 1, "exact"), c);
	ends_of_code(expect(l, "itlb_miss_cycles", miss, less(miss, CODE_MISS),
			     more(miss * (1 + 1 / fmax(1, entries)), CODE_MISS), CODE_MISS_TEXT),
		c);
}

static const struct row_rule rules[] = {
	ROWS("cr3", CYCLES, walks, false),
	ROWS("invlpg", CYCLES, walks, true),
	ROWS("code-pages", MEDIAN, code_pages),
};

const struct truth truth_walks = { RULES(rules), .expect = expect_walks };
