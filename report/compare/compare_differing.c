/* SPDX-License-Identifier: MIT */
/* What differs, on the first screen: one line for each probe, then the rows that differ most. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/compare_parts.h"
#include "report/compare/groups.h"

#define PROBES_MOST 40
#define RANGE_MOST  1.4 /* half of an interval, a logarithm: wider ones say nothing */
#define ROWS_MOST   5   /* rows that are named */
#define LABEL       36

struct probes {
	struct group group[PROBES_MOST];
	size_t n;
};

static bool is_known(const struct group *g)
{
	return g->high - g->low <= 2 * RANGE_MOST;
}

/* "+1.2 %", and "-0.3..+2.7" */
static void print_mean(const struct group *g, FILE *out)
{
	char size[16] = "-", range[32] = "not known";

	if (is_known(g)) {
		snprintf(size, sizeof size, "%+.1f %%", 100 * expm1(g->size));
		snprintf(range, sizeof range, "%+.1f..%+.1f", 100 * expm1(g->low),
			100 * expm1(g->high));
	}
	fprintf(out, " %8s %13s", size, range);
}

/* "latency        +1.2 %  -0.3..+2.7     45   3   1  10   +12.5 % pointer 16K" */
static void print_probe(const struct group *g, FILE *out)
{
	fprintf(out, "%-10.10s", g->kind);
	print_mean(g, out);
	fprintf(out, " %5zu %5zu %5zu %5zu", g->verdicts[VERDICT_SAME], g->verdicts[VERDICT_SLOWER],
		g->verdicts[VERDICT_FASTER], g->verdicts[VERDICT_UNKNOWN]);
	if (g->worst)
		fprintf(out, "  %+.3g %% %.12s", 100 * (g->worst_slower - 1),
			g->worst->label + strlen(g->worst->probe) + 1);
	fputc('\n', out);
}

static size_t differing(const struct group *g)
{
	return g->verdicts[VERDICT_SLOWER] + g->verdicts[VERDICT_FASTER];
}

/* Those with rows that differ first; else as they were measured. Returns how many lines. */
static size_t print_probes(const struct comparison *c, size_t lines, FILE *out)
{
	struct probes all;
	size_t printed = 0;

	all.n = costs_mean_something(c, 1) ? groups_of_probes(c, 1, all.group, PROBES_MOST) : 0;
	if (!all.n || lines <= 3)
		return 0;
	size_t most = all.n <= lines - 2 ? all.n : lines - 3;
	fputs("\nB/A, time   mean over rows, 95 %  same  slow  fast     ?  furthest row\n", out);
	for (int differ = 1; differ >= 0; differ--)
		for (size_t i = 0; i < all.n && printed < most; i++)
			if ((differing(&all.group[i]) > 0) == differ) {
				print_probe(&all.group[i], out);
				printed++;
			}
	if (all.n > printed)
		fprintf(out, "and %zu more probes\n", all.n - printed);
	return 2 + printed + (all.n > printed);
}

static const struct group *find(const struct probes *all, const char *probe)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->group[i].kind, probe))
			return &all->group[i];
	return NULL;
}

static void print_beside(const struct probes *all, size_t sets, const char *probe, FILE *out)
{
	fprintf(out, "%-10.10s", probe);
	for (size_t s = 1; s < sets; s++) {
		const struct group *g = find(&all[s], probe);
		if (g)
			print_mean(g, out);
		else
			fprintf(out, " %8s %13s", "-", "-");
	}
	fputc('\n', out);
}

/* The probes that some set has in common with the first, into names; returns how many. */
static size_t all_probes(const struct comparison *c, const struct probes *all, size_t sets,
	const char *names[PROBES_MOST])
{
	size_t n = 0;

	for (size_t i = 0; i < c->nrows && n < PROBES_MOST; i++) {
		const char *probe = c->rows[i].probe;
		bool wanted = false;
		for (size_t s = 1; s < sets; s++)
			wanted |= find(&all[s], probe) != NULL;
		for (size_t j = 0; j < n; j++)
			wanted &= strcmp(names[j], probe) != 0;
		if (wanted)
			names[n++] = probe;
	}
	return n;
}

/* Several sets: the means alone, beside each other. Returns how many lines. */
static size_t print_sets_beside(const struct comparison *c, size_t lines, FILE *out)
{
	size_t sets = sets_on_screen(c), printed = 0;
	struct probes *all = new_array(sets, sizeof *all);
	const char *names[PROBES_MOST];

	for (size_t s = 1; s < sets; s++)
		if (costs_mean_something(c, s))
			all[s].n = groups_of_probes(c, s, all[s].group, PROBES_MOST);
	size_t n = all_probes(c, all, sets, names);
	if (n && lines > 3) {
		fputs("\nTime, mean", out);
		for (size_t s = 1; s < sets; s++)
			fprintf(out, " %6c/A %13s", set_letter(s), "95 %");
		fputc('\n', out);
		size_t most = n <= lines - 2 ? n : lines - 3;
		for (; printed < most; printed++)
			print_beside(all, sets, names[printed], out);
		if (n > printed)
			fprintf(out, "and %zu more probes\n", n - printed);
	}
	free(all);
	return printed ? 2 + printed + (n > printed) : 0;
}

struct differing {
	const struct compared *row;
	size_t set;
	double away;
};

static int furthest_first(const void *a, const void *b)
{
	const struct differing *x = a, *y = b;

	return (x->away < y->away) - (x->away > y->away);
}

static bool differs(const struct compared *row, const struct cell *cell)
{
	return row_counts(row, cell) && cell->exact &&
		(cell->verdict == VERDICT_SLOWER || cell->verdict == VERDICT_FASTER);
}

/* All that differ, in any set; to be freed. */
static struct differing *rows_that_differ(const struct comparison *c, size_t *n)
{
	struct differing *all = NULL;

	*n = 0;
	for (size_t i = 0; i < c->nrows; i++)
		for (size_t s = 1; s < c->sets.n; s++) {
			const struct cell *cell = &c->rows[i].cells[s];
			if (!differs(&c->rows[i], cell) || !costs_mean_something(c, s))
				continue;
			struct differing *d = grow((void **)&all, n, sizeof *all);
			*d = (struct differing){ &c->rows[i], s, fabs(log(cell->slower)) };
		}
	if (*n)
		qsort(all, *n, sizeof *all, furthest_first);
	return all;
}

/* "B latency pointer-padded 16M 4K-pages   66.7 -> 77.5 ns/load  +16.2 % (+13..+19)" */
static void print_differing_row(const struct differing *d, FILE *out)
{
	const struct compared *row = d->row;
	const struct cell *cell = &row->cells[d->set];

	fprintf(out, "%c %-*.*s %.4g -> %.4g %s", set_letter(d->set), LABEL, LABEL, row->label,
		row->cells[0].row->median, cell->row->median, row->unit);
	if (cell->difference)
		fprintf(out, " (%+.2g..%+.2g)\n", cell->low, cell->high);
	else
		fprintf(out, " x %.3f (%.3g..%.3g)%s\n", cell->ratio, cell->low, cell->high,
			cell->cycles ? " cy" : "");
}

void print_differing(const struct comparison *c, size_t lines, FILE *out)
{
	size_t n, shown;
	struct differing *rows = rows_that_differ(c, &n);

	shown = n < ROWS_MOST ? n : ROWS_MOST;
	size_t wanted = n ? shown + 2 : 0;
	size_t least = wanted < lines / 2 ? wanted : lines / 2;
	size_t used = c->sets.n == 2 ? print_probes(c, lines - least, out)
				     : print_sets_beside(c, lines - least, out);
	if (n && lines - used >= 3) {
		shown = shown < lines - used - 2 ? shown : lines - used - 2;
		fprintf(out, "\nRows that differ (%zu), the furthest first:\n", n);
		for (size_t i = 0; i < shown; i++)
			print_differing_row(&rows[i], out);
	}
	free(rows);
}
