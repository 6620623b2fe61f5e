/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "lib/text.h"
#include "lib/stats.h"
#include "report/compare/assumed_noise.h"
#include "report/reading/row_identity.h"
#include "report/compare/answer_groups.h"

static const struct {
	const char *level, *name;
} levels[] = { { "l1", "L1" }, { "l2", "L2" }, { "l3", "L3" }, { "l4", "L4" },
	{ "memory", "memory" } };

#define LEVELS (sizeof levels / sizeof *levels)

static const double page_sizes[] = { 4096, 2097152, 1073741824 };

#define PAGES       (sizeof page_sizes / sizeof *page_sizes)
#define LARGE_PAGES 2097152

/* Which rows are of a subject. */
struct subject {
	const char *probe, *variant, *level; /* NULL: any */
	double page_bytes;                   /* 0: any */
};

static const char curve[] = "pointer-padded"; /* the main one of `latency` */

static bool is_of(const struct row_data *row, const struct subject *subject)
{
	return !strcmp(row->probe, subject->probe) &&
		(!subject->variant || !strcmp(row->variant, subject->variant)) &&
		(!subject->level || !strcmp(row->level, subject->level)) &&
		(!subject->page_bytes ||
			row_parameter(row->json, KEY_PAGE_BYTES) == subject->page_bytes);
}

/* Of a level, the bytes may differ a little between runs; the pages may not. */
static bool alike(const struct compared *row, const struct cell *cell)
{
	const struct row_data *a = row->cells[0].row->row, *b = cell->row->row;

	return cell->exact ||
		(*a->level &&
			row_parameter(a->json, KEY_PAGE_BYTES) ==
				row_parameter(b->json, KEY_PAGE_BYTES));
}

/*
 * The next group, of the rows that both sets have of the subject; n counts it if there are any,
 * also where none of them is in every run: then nothing is known of it.
 */
static void add(const struct comparison *c, size_t s, const struct subject *subject,
	struct group *out, size_t *n)
{
	struct group *g = &out[*n];
	struct gathering all = gather(c, s, g);

	for (size_t i = 0; i < c->nrows; i++) {
		const struct compared *row = &c->rows[i];
		const struct cell *cell = &row->cells[s];
		if (!row_counts(row, cell) || !alike(row, cell) ||
			!is_of(row->cells[0].row->row, subject))
			continue;
		g->rows++;
		gather_row(&all, row->cells[0].row, cell);
	}
	gathered(&all);
	*n += g->rows > 0;
}

static struct group named(const char *level, const char *kind)
{
	struct group g = { 0 };

	snprintf(g.level, sizeof g.level, "%s", level);
	snprintf(g.kind, sizeof g.kind, "%s", kind);
	return g;
}

static void add_latencies(const struct comparison *c, size_t s, struct group *out, size_t *n)
{
	for (size_t page = PAGES; page-- > 0;)
		for (size_t i = 0; i < LEVELS; i++) {
			char size[SIZE_TEXT];
			size_text(page_sizes[page], size);
			out[*n] = named(levels[i].name, "latency");
			snprintf(out[*n].pages, sizeof out[*n].pages, "%s pages", size);
			add(c, s,
				&(struct subject){
					"latency", curve, levels[i].level, page_sizes[page] },
				out, n);
		}
}

/* The row of the main curve at a level with the largest pages; NULL: none. */
static const struct pooled *largest_pages(const struct set *set, const char *level, double *pages)
{
	const struct pooled *found = NULL;

	*pages = 0;
	for (size_t i = 0; i < set->nrows; i++) {
		const struct subject at = { "latency", curve, level, 0 };
		double bytes = row_parameter(set->rows[i].row->json, KEY_PAGE_BYTES);
		if (is_of(set->rows[i].row, &at) && bytes > *pages) {
			found = &set->rows[i];
			*pages = bytes;
		}
	}
	return found;
}

/* Whether any row of the set has such pages. */
static bool has_pages(const struct set *set, double pages)
{
	for (size_t i = 0; i < set->nrows; i++)
		if (row_parameter(set->rows[i].row->json, KEY_PAGE_BYTES) == pages)
			return true;
	return false;
}

/*
 * The group of a level with the largest pages of each, where one set has none as large, and large
 * ones are not common to both. A row that was left out is no lack of pages.
 */
static void add_largest(const struct comparison *c, size_t s, size_t level, struct group *out,
	size_t *n)
{
	const struct set *a = &c->sets.set[0], *b = &c->sets.set[s];
	double pages_a, pages_b;
	const struct pooled *base = largest_pages(a, levels[level].level, &pages_a);
	struct cell cell = { .row = largest_pages(b, levels[level].level, &pages_b) };

	if (!base || !cell.row || pages_a == pages_b ||
		has_pages(pages_a < pages_b ? a : b, fmax(pages_a, pages_b)) ||
		(fmin(pages_a, pages_b) >= LARGE_PAGES &&
			has_pages(pages_a > pages_b ? a : b, fmin(pages_a, pages_b))))
		return;
	char of_a[SIZE_TEXT], of_b[SIZE_TEXT];
	size_text(pages_a, of_a);
	size_text(pages_b, of_b);
	out[*n] = named(levels[level].name, "latency");
	snprintf(out[*n].pages, sizeof out[*n].pages, "%s pages instead of %s", of_b, of_a);
	cell.cycles = both_core_paced(a, base, b, cell.row);
	struct gathering all = gather(c, s, &out[*n]);
	out[*n].rows = 1;
	gather_row(&all, base, &cell);
	gathered(&all);
	*n += !isnan(out[*n].size);
}

/* The logarithm of a run's clock: that around its rows, else at its start; NAN: not known. */
static double run_clock(const struct run_data *run)
{
	double *hz = new_array(run->nrows + 1, sizeof *hz);
	size_t n = 0;

	for (size_t i = 0; i < run->nrows; i++)
		if (run->rows[i].core_hz > 0)
			hz[n++] = run->rows[i].core_hz;
	double clock = n ? stats_median(hz, n) : number_of(run->head, KEY_CORE_HZ);
	free(hz);
	return clock > 0 ? log(clock) : NAN;
}

static void add_clock(const struct comparison *c, size_t s, struct group *out, size_t *n)
{
	struct gathering all;

	out[*n] = named("", CLOCK_KIND);
	all = gather(c, s, &out[*n]);
	out[*n].cycles = false;
	for (int side = 0; side < 2; side++) {
		const struct set *set = &c->sets.set[side ? s : 0];
		for (size_t i = 0; i < set->nruns; i++)
			all.sums[side].run[i] = -run_clock(set->runs[i]);
		all.sums[side].rows = 1;
		all.sums[side].assumed = NOISE_ASSUMED / NOISE_DEVIATIONS;
	}
	gathered(&all);
	*n += !isnan(out[*n].size);
}

/* Subjects without levels. */
static const struct {
	const char *kind;
	struct subject subject;
} whole[] = {
	{ "misses in parallel", { "mlp", "chains", NULL, 0 } },
	{ "branches", { "branch", NULL, NULL, 0 } },
	{ "arithmetic", { "ilp", NULL, NULL, 0 } },
	{ "calls of the system", { "oscost", NULL, NULL, 0 } },
};

#define WHOLE (sizeof whole / sizeof *whole)

size_t answer_groups(const struct comparison *c, size_t s, struct group out[ANSWER_GROUPS_MOST])
{
	size_t n = 0;

	add_clock(c, s, out, &n);
	add_latencies(c, s, out, &n);
	for (size_t level = 0; level < LEVELS; level++)
		add_largest(c, s, level, out, &n);
	for (size_t level = 0; level < LEVELS; level++) {
		out[n] = named(levels[level].name, "bandwidth");
		add(c, s, &(struct subject){ "bandwidth", NULL, levels[level].level, 0 }, out, &n);
	}
	for (size_t i = 0; i < WHOLE; i++) {
		out[n] = named("", whole[i].kind);
		add(c, s, &whole[i].subject, out, &n);
	}
	if (n == (n && !strcmp(out[0].kind, CLOCK_KIND)))
		n += groups_of_probes(c, s, out + n, ANSWER_GROUPS_MOST - n);
	groups_judge(c, out, n);
	return n;
}
