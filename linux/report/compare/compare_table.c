/* SPDX-License-Identifier: MIT */
/* Every row of a comparison, in tables of a probe each; the parameters are columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "lib/text.h"
#include "linux/report/compare/compare_parts.h"
#include "linux/report/reading/results.h"
#include "linux/report/compare/effects.h"

#define CELL 20 /* bytes of a parameter's text */

/* A table of consecutive rows with the same parameters, in the same unit. */
struct compared_table {
	size_t from, to;
	struct parameter columns[PARAMETERS_MOST];
	int widths[PARAMETERS_MOST], variant;
	size_t ncolumns;
	char unit[24];
};

static void unit_of(const struct compared *row, char out[24])
{
	const struct cell *cell = &row->cells[1];

	if (cell->row && cell->cycles)
		cycle_unit(row->unit, out);
	else
		snprintf(out, 24, "%s", row->unit);
}

static const json_t *json_of(const struct compared *row)
{
	return row->cells[0].row->row->json;
}

static const char *column_name(const struct parameter *p)
{
	return strcmp(p->name, KEY_PAGE_BYTES) ? p->name : "page";
}

static void parameter_text(const struct parameter *p, char out[CELL])
{
	char size[SIZE_TEXT];

	size_text(p->value, size);
	if (!strcmp(p->name, "bytes") || !strcmp(p->name, KEY_PAGE_BYTES))
		snprintf(out, CELL, "%s", size);
	else
		snprintf(out, CELL, "%.10g", p->value);
}

static void widen(int *width, const char *text)
{
	int n = (int)strlen(text);

	*width = n > *width ? n : *width;
}

/* Returns true if the row has the table's probe, parameters and unit. */
static bool fits_table(const struct comparison *c, const struct compared_table *t, size_t at)
{
	const struct compared *first = &c->rows[t->from], *row = &c->rows[at];
	struct parameter p[PARAMETERS_MOST];
	char unit[24];

	unit_of(row, unit);
	if (strcmp(first->probe, row->probe) || strcmp(t->unit, unit) ||
		row_parameters(json_of(row), p) != t->ncolumns)
		return false;
	for (size_t i = 0; i < t->ncolumns; i++)
		if (strcmp(p[i].name, t->columns[i].name))
			return false;
	return true;
}

static void take_row(const struct comparison *c, struct compared_table *t, size_t at)
{
	struct parameter p[PARAMETERS_MOST];
	size_t n = row_parameters(json_of(&c->rows[at]), p);
	char text[CELL];

	widen(&t->variant, c->rows[at].cells[0].row->row->variant);
	for (size_t i = 0; i < n; i++) {
		parameter_text(&p[i], text);
		widen(&t->widths[i], text);
	}
	t->to = at + 1;
}

/* The table that begins with the row `from`. */
static struct compared_table table_from(const struct comparison *c, size_t from)
{
	struct compared_table t = { .from = from, .to = from, .variant = (int)strlen("variant") };

	unit_of(&c->rows[from], t.unit);
	t.ncolumns = row_parameters(json_of(&c->rows[from]), t.columns);
	for (size_t i = 0; i < t.ncolumns; i++)
		widen(&t.widths[i], column_name(&t.columns[i]));
	for (size_t at = from; at < c->nrows && fits_table(c, &t, at); at++)
		take_row(c, &t, at);
	return t;
}

static void four_digits(char out[16], double value)
{
	if (isnan(value))
		strcpy(out, "-");
	else
		snprintf(out, 16, "%.4g", value);
}

static void print_table_head(const struct comparison *c, const struct compared_table *t, FILE *out)
{
	fprintf(out, "  %-*s", t->variant, "variant");
	for (size_t i = 0; i < t->ncolumns; i++)
		fprintf(out, " %*s", t->widths[i], column_name(&t->columns[i]));
	fprintf(out, " %8s", "A");
	if (c->sets.n == 2)
		fprintf(out, " %8s %6s %14s  %s\n", "B", "B/A", "95 %", t->unit);
	for (size_t s = 1; c->sets.n > 2 && s < c->sets.n; s++)
		fprintf(out, " %8c %4c/A  ", set_letter(s), set_letter(s));
	if (c->sets.n > 2)
		fprintf(out, " %s\n", t->unit);
}

/* Write "SLOWER"; "? (9 runs)". */
static void verdict_text(char out[24], const struct cell *cell)
{
	static const char *const words[VERDICTS] = { "?", "same", "SLOWER", "faster", "more",
		"less" };

	if (isnan(cell->effect.size))
		strcpy(out, "no ratio");
	else if (cell->because == BECAUSE_CLOCK)
		strcpy(out, "? (clock)");
	else if (cell->because == BECAUSE_EDGE)
		strcpy(out, "? (grid step)");
	else if (cell->verdict == VERDICT_UNKNOWN && !isnan(cell->runs))
		snprintf(out, 24, "? (%.0f runs)", cell->runs);
	else
		strcpy(out, words[cell->verdict]);
}

/* Write "1.160..1.162"; for a difference "-0.1..+0.2". */
static void interval(char out[32], const struct cell *cell)
{
	if (isnan(cell->low) || isnan(cell->high))
		strcpy(out, "-");
	else if (cell->difference)
		snprintf(out, 32, "%+.3g..%+.3g", cell->low, cell->high);
	else
		snprintf(out, 32, cell->high < 10 ? "%.3f..%.3f" : "%.2g..%.2g", cell->low,
			cell->high);
}

/* Write B/A; for a difference B-A. */
static void against(char out[16], const struct cell *cell)
{
	if (isnan(cell->effect.size))
		strcpy(out, "-");
	else if (cell->difference)
		snprintf(out, 16, "%+.3g", cell->change);
	else
		snprintf(out, 16, "%.3f", cell->ratio);
}

static double shown(const struct compared *row, const struct pooled *p)
{
	const struct cell *cell = &row->cells[1];

	return cell->row && cell->cycles ? in_cycles(row->unit, p->median, p->core_hz) : p->median;
}

static void print_pair(const struct compared *row, FILE *out)
{
	const struct cell *cell = &row->cells[1];
	char b[16] = "-", ratio[16], range[32], verdict[24];

	if (!cell->row) {
		fprintf(out, " %8s %6s %14s  only A has it\n", b, "-", "-");
		return;
	}
	four_digits(b, shown(row, cell->row));
	interval(range, cell);
	against(ratio, cell);
	verdict_text(verdict, cell);
	fprintf(out, " %8s %6s %14s  %s%s\n", b, ratio, range, verdict,
		cell->exact ? "" : " (other size)");
}

/* Print the median, and the ratio to the first set with a sign. */
static void print_cell(const struct cell *cell, FILE *out)
{
	char median[16] = "-";

	if (cell->row)
		four_digits(median, cell->row->median);
	fprintf(out, " %8s", median);
	if (cell->row && !isnan(cell->ratio))
		fprintf(out, " %6.3f%c%c", cell->ratio,
			!cell->exact                               ? '~'
				: cell->verdict == VERDICT_SAME    ? '='
				: cell->verdict == VERDICT_UNKNOWN ? '?'
								   : ' ',
			cell->cycles ? 'c' : ' ');
	else
		fprintf(out, " %8s", "");
}

static void print_table_row(const struct comparison *c, const struct compared_table *t, size_t at,
	FILE *out)
{
	const struct compared *row = &c->rows[at];
	struct parameter p[PARAMETERS_MOST];
	char a[16], text[CELL];

	row_parameters(json_of(row), p);
	fprintf(out, "  %-*s", t->variant, row->cells[0].row->row->variant);
	for (size_t i = 0; i < t->ncolumns; i++) {
		parameter_text(&p[i], text);
		fprintf(out, " %*s", t->widths[i], text);
	}
	four_digits(a, c->sets.n == 2 ? shown(row, row->cells[0].row) : row->cells[0].row->median);
	fprintf(out, " %8s", a);
	if (c->sets.n == 2) {
		print_pair(row, out);
		return;
	}
	for (size_t s = 1; s < c->sets.n; s++)
		print_cell(&row->cells[s], out);
	fputc('\n', out);
}

void print_tables(const struct comparison *c, FILE *out)
{
	const char *probe = "";

	fputs("\nEvery row. ?: cannot tell (so many runs a side would); c, cy: in core cycles;\n"
	      "=: same; ~: other size or pages.\n",
		out);
	for (size_t at = 0; at < c->nrows;) {
		struct compared_table t = table_from(c, at);
		if (strcmp(probe, c->rows[at].probe))
			fprintf(out, "\n%s\n", c->rows[at].probe);
		probe = c->rows[at].probe;
		print_table_head(c, &t, out);
		for (; at < t.to; at++)
			print_table_row(c, &t, at, out);
	}
}

/* Differences on the first screen: one line for each probe, then the rows that differ most. */

#define PROBES_MOST 40
#define RANGE_MOST  1.4 /* half of an interval, a logarithm: wider ones say nothing */
#define ROWS_MOST   5   /* rows that are named */
#define LABEL       36

struct probe_groups {
	struct effect_group group[PROBES_MOST];
	size_t n;
};

static bool is_known(const struct effect_group *g)
{
	return g->high - g->low <= 2 * RANGE_MOST;
}

/* Print "+1.2 %", and "-0.3..+2.7". */
static void print_mean(const struct effect_group *g, FILE *out)
{
	char size[16] = "-", range[32] = "not known";

	if (is_known(g)) {
		snprintf(size, sizeof size, "%+.1f %%", 100 * expm1(g->size));
		snprintf(range, sizeof range, "%+.1f..%+.1f", 100 * expm1(g->low),
			100 * expm1(g->high));
	}
	fprintf(out, " %8s %13s", size, range);
}

/* Print "latency        +1.2 %  -0.3..+2.7     45   3   1  10   +12.5 % pointer 16K". */
static void print_probe(const struct effect_group *g, FILE *out)
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

static size_t differing(const struct effect_group *g)
{
	return g->verdicts[VERDICT_SLOWER] + g->verdicts[VERDICT_FASTER];
}

/*
 * Print probes with rows that differ first, then the others, as they were measured. Returns the
 * number of lines.
 */
static size_t print_probes(const struct comparison *c, size_t lines, FILE *out)
{
	struct probe_groups all;
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

static const struct effect_group *find_probe(const struct probe_groups *all, const char *probe)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->group[i].kind, probe))
			return &all->group[i];
	return NULL;
}

static void print_beside(const struct probe_groups *all, size_t sets, const char *probe, FILE *out)
{
	fprintf(out, "%-10.10s", probe);
	for (size_t s = 1; s < sets; s++) {
		const struct effect_group *g = find_probe(&all[s], probe);
		if (g)
			print_mean(g, out);
		else
			fprintf(out, " %8s %13s", "-", "-");
	}
	fputc('\n', out);
}

/* Write the names of the probes that any set has in common with the first; returns how many. */
static size_t all_probes(const struct comparison *c, const struct probe_groups *all, size_t sets,
	const char *names[PROBES_MOST])
{
	size_t n = 0;

	for (size_t i = 0; i < c->nrows && n < PROBES_MOST; i++) {
		const char *probe = c->rows[i].probe;
		bool wanted = false;
		for (size_t s = 1; s < sets; s++)
			wanted |= find_probe(&all[s], probe) != NULL;
		for (size_t j = 0; j < n; j++)
			wanted &= strcmp(names[j], probe) != 0;
		if (wanted)
			names[n++] = probe;
	}
	return n;
}

/* Print the means of several sets side by side. Returns the number of lines. */
static size_t print_sets_beside(const struct comparison *c, size_t lines, FILE *out)
{
	size_t sets = sets_on_screen(c), printed = 0;
	struct probe_groups *all = new_array(sets, sizeof *all);
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

/* All rows that differ in any set; the caller frees them. */
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

/* Print "B latency pointer-padded 16M 4K-pages   66.7 -> 77.5 ns/load  +16.2 % (+13..+19)". */
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
