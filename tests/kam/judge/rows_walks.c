/* SPDX-License-Identifier: MIT */
/* Rows of `walks`: a load that is walked for, and jumps to pages of code. */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/row_rules.h"
#include "tests/kam/judge/walk_reads.h"

/* Two rounds' stamps, of which each may be a step off, of as many rounds as the probe has. */
static double steps(const struct cpu *c)
{
	return 2 * (double)c->tsc_step * (double)c->hz / (double)c->tsc_hz;
}

static struct wanted walks(const struct judged *j, json_t *row, bool upper_lost)
{
	const struct cpu *c = j->cpu;
	double levels = param_of(row, "levels"), flushed = param_of(row, "flushed");
	double cycles = walk_reads_cycles(c, (unsigned)levels, (unsigned)param_of(row, "reads"),
		(unsigned)flushed, upper_lost);

	if (isnan(cycles) || !undisturbed(c))
		return anything();
	return between(less(cycles, WALKED) - steps(c), more(cycles, WALKED) + steps(c));
}

static struct wanted after_cr3(const struct judged *j, json_t *row)
{
	return walks(j, row, false);
}

static struct wanted after_invlpg(const struct judged *j, json_t *row)
{
	return walks(j, row, true);
}

/* In ns, as what costs nothing may be less: the loop around the jumps has a page, too. */
static struct wanted code_pages(const struct judged *j, json_t *row)
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

void judge_walks_rows(const struct judged *j)
{
	static const struct row_rule rules[] = {
		{ "walks:cr3", "walks", "cr3", NULL, CYCLES, after_cr3 },
		{ "walks:invlpg", "walks", "invlpg", NULL, CYCLES, after_invlpg },
		{ "walks:code-pages", "walks", "code-pages", NULL, MEDIAN, code_pages },
	};

	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
}
