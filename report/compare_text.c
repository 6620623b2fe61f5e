/* SPDX-License-Identifier: MIT */
/* A comparison for people: circumstances, rows, disturbances, verdict. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare.h"
#include "report/noise.h"

#define WORST_SHOWN 10
#define LABEL 46

/* By which a set is called: SETS_MOST is the alphabet. */
static char letter(size_t set)
{
	return (char)('A' + set);
}

static void print_sets(const struct comparison *c, FILE *out)
{
	for (size_t i = 0; i < c->sets.n; i++) {
		const struct set *s = &c->sets.set[i];
		const json_t *head = s->runs[0]->head;
		fprintf(out, "%c  %s, room %s: %s, %zu run%s, %zu rows%s%s\n", letter(i), s->group,
			s->room, text_of(json_object_get(head, "cpu"), "brand"), s->nruns,
			s->nruns == 1 ? "" : "s pooled", s->nrows, *text_of(head, "time_utc") ? ", " : "",
			text_of(head, "time_utc"));
	}
}

static bool rooms_differ(const struct sets *sets)
{
	for (size_t i = 1; i < sets->n; i++)
		if (strcmp(sets->set[i].room, sets->set[0].room))
			return true;
	return false;
}

static void print_environment(const struct comparison *c, FILE *out)
{
	const struct environment *env = &c->environment;
	const char *none = rooms_differ(&c->sets) ? ": no difference but the room" : ": no difference";

	for (size_t i = 0; i < env->nwarnings; i++)
		fprintf(out, "\n*** %s ***\n", env->warnings[i]);
	fprintf(out, "\nCircumstances%s\n", env->n ? " that differ:" : none);
	for (size_t i = 0; i < env->n; i++) {
		fprintf(out, "  %s\n", env->differences[i].key);
		for (size_t s = 0; s < c->sets.n; s++)
			fprintf(out, "    %c  %s\n", letter(s), env->differences[i].values[s]);
	}
}

static const char *answer(const struct cell *cell)
{
	if (isnan(cell->ratio))
		return "no ratio";
	if (cell->clock)
		return "same within noise and the core clock";
	if (cell->edge)
		return "same within noise and a grid step";
	if (cell->same)
		return "same within noise";
	if (isnan(cell->slower))
		return cell->ratio > 1 ? "more" : "less";
	return cell->slower > 1 ? "SLOWER" : "faster";
}

static void number(char out[16], double value)
{
	if (isnan(value))
		strcpy(out, "-");
	else
		snprintf(out, 16, "%.4g", value);
}

/* "1.160..1.162" */
static void interval(char out[32], const struct cell *cell)
{
	if (isnan(cell->low) || isnan(cell->high))
		strcpy(out, "-");
	else
		snprintf(out, 32, "%.3f..%.3f", cell->low, cell->high);
}

static void print_pair(const struct compared *row, FILE *out)
{
	const struct cell *cell = &row->cells[1];
	const struct pooled *base = row->cells[0].row;
	char a[16], b[16], tail_a[16], tail_b[16], ratio[16] = "-", range[32];

	number(a, base->median);
	number(b, cell->row->median);
	number(tail_a, spread_of(base));
	number(tail_b, spread_of(cell->row));
	interval(range, cell);
	if (!isnan(cell->ratio))
		snprintf(ratio, sizeof ratio, "%.3f", cell->ratio);
	fprintf(out, "  %-*s %9s %9s %-10s %6s %14s %7s %7s  %s%s\n", LABEL, row->label, a, b,
		row->unit, ratio, range, tail_a, tail_b, answer(cell),
		cell->exact ? "" : " (other size or pages)");
}

static void print_pairs(const struct comparison *c, FILE *out)
{
	fprintf(out, "\n  %-*s %9s %9s %-10s %6s %14s %7s %7s  %s\n", LABEL, "row", "A median",
		"B median", "unit", "B/A", "95 % interval", "A p99/", "B p99/", "");
	fprintf(out, "  %-*s %9s %9s %-10s %6s %14s %7s %7s\n", LABEL, "", "", "", "", "", "", "min",
		"min");
	for (size_t i = 0; i < c->nrows; i++)
		if (c->rows[i].cells[1].row)
			print_pair(&c->rows[i], out);
}

static void print_cell(const struct cell *cell, FILE *out)
{
	char median[16] = "-";

	if (cell->row)
		number(median, cell->row->median);
	fprintf(out, " %9s", median);
	if (cell->row && !isnan(cell->ratio))
		fprintf(out, " %6.3f%c", cell->ratio, !cell->exact ? '?' : cell->same ? '=' : ' ');
	else
		fprintf(out, " %7s", "");
}

/* More than two sets: medians and ratios to the first one. */
static void print_table(const struct comparison *c, FILE *out)
{
	fprintf(out, "\nMedians, and their ratio to A (=: same within noise; ?: other size or pages)\n"
		     "  %-*s %-10s %9s", LABEL, "row", "unit", "A");
	for (size_t s = 1; s < c->sets.n; s++)
		fprintf(out, " %9c %5c/A ", letter(s), letter(s));
	fputc('\n', out);
	for (size_t i = 0; i < c->nrows; i++) {
		char median[16];
		number(median, c->rows[i].cells[0].row->median);
		fprintf(out, "  %-*s %-10s %9s", LABEL, c->rows[i].label, c->rows[i].unit, median);
		for (size_t s = 1; s < c->sets.n; s++)
			print_cell(&c->rows[i].cells[s], out);
		fputc('\n', out);
	}
}

static void print_disturbance(const struct comparison *c, size_t s, FILE *out)
{
	const struct disturbance *d = &c->disturbances[s];
	bool worse = was_disturbed(d) || (s && more_disturbed(&c->disturbances[0], d));

	for (size_t i = 1; !s && i < c->sets.n; i++)
		worse |= more_disturbed(&c->disturbances[i], d);
	fprintf(out, "  %c  %.0f of %.0f samples disturbed (%.1f %%)", letter(s), d->disturbed,
		d->samples, 100 * disturbed_part(d));
	for (int i = 0; i < HAPPENINGS; i++)
		if (!isnan(d->happened[i]))
			fprintf(out, ", %.0f %s", d->happened[i], happening_words[i]);
	if (!isnan(d->involuntary))
		fprintf(out, "; %.0f forced switches in the whole run", d->involuntary);
	if (!isnan(d->waited_s))
		fprintf(out, "; %.2f s waiting while others ran", d->waited_s);
	if (!isnan(d->steal_s))
		fprintf(out, "; %.2f s taken by the hypervisor", d->steal_s);
	if (!isnan(d->stolen_part))
		fprintf(out, "; %.2f %% of the noise scan stolen", 100 * d->stolen_part);
	fprintf(out, "%s\n", worse ? "  <- DISTURBED: somebody else was at work here" : "");
}

static void print_disturbances(const struct comparison *c, FILE *out)
{
	fputs("\nDisturbances\n", out);
	for (size_t i = 0; i < c->sets.n; i++)
		print_disturbance(c, i, out);
}

static void print_stolen(const struct comparison *c, size_t s, FILE *out)
{
	const struct disturbance *a = &c->disturbances[0], *b = &c->disturbances[s];

	if (isnan(a->stolen_part) && isnan(b->stolen_part))
		return;
	fputs("  stolen time:  ", out);
	if (isnan(a->stolen_part))
		fputs("A not watched", out);
	else
		fprintf(out, "A %.4f %% (longest %.1f us)", 100 * a->stolen_part, a->longest_ns / 1e3);
	if (isnan(b->stolen_part))
		fprintf(out, ", %c not watched\n", letter(s));
	else
		fprintf(out, ", %c %.4f %% (longest %.1f us)\n", letter(s), 100 * b->stolen_part,
			b->longest_ns / 1e3);
}

static void print_above(const struct disturbance *d, char who, FILE *out)
{
	fprintf(out, " %c", who);
	for (int i = 0; i < VERDICTS; i++)
		fprintf(out, isnan(d->above[i]) ? "%s-" : "%s%.3g", i ? " / " : " ", d->above[i]);
}

/* How often each room was late by more than the field lets pass. */
static void print_ladder(const struct comparison *c, size_t s, FILE *out)
{
	const struct disturbance *a = &c->disturbances[0], *b = &c->disturbances[s];

	if (isnan(a->stolen_part) || isnan(b->stolen_part))
		return;
	fputs("  gaps/s above  ", out);
	for (int i = 0; i < VERDICTS; i++)
		fprintf(out, "%s%s", i ? " / " : "", verdict_us[i]);
	fputs(" us:", out);
	print_above(a, 'A', out);
	fputc(',', out);
	print_above(b, letter(s), out);
	fputc('\n', out);
}

static void print_worst(const struct comparison *c, size_t s, FILE *out)
{
	size_t *worst = calloc(c->nrows + 1, sizeof *worst);
	size_t n = worst ? worst_rows(c, s, worst) : 0;

	if (n)
		fputs("  worst rows:\n", out);
	for (size_t i = 0; i < n && i < WORST_SHOWN; i++) {
		const struct compared *row = &c->rows[worst[i]];
		fprintf(out, "    %-*s %+8.1f %%\n", LABEL, row->label,
			100 * (row->cells[s].slower - 1));
	}
	if (n > WORST_SHOWN)
		fprintf(out, "    and %zu more\n", n - WORST_SHOWN);
	free(worst);
}

static void print_cost(const struct comparison *c, size_t s, FILE *out)
{
	const struct cost *cost = &c->costs[s];

	fprintf(out, "\nVerdict: what %s/%s (%c) costs against %s/%s (A)\n",
		set_name(&c->sets.set[s]), c->sets.set[s].room, letter(s), set_name(&c->sets.set[0]),
		c->sets.set[0].room);
	if (!cost->rows && cost->events)
		fputs("  no time or rate is the same measurement in both; what is above are events\n", out);
	else if (!cost->rows)
		fputs("  no row is the same measurement in both\n", out);
	else
		fprintf(out, "  median:       %+.2f %% time, over %zu rows: %zu same within noise "
			     "(%.0f %%), %zu slower, %zu faster\n", 100 * (cost->median_effect - 1),
			cost->rows, cost->same, 100.0 * (double)cost->same / (double)cost->rows,
			cost->slower, cost->faster);
	if (cost->clock)
		fprintf(out, "  core clock:   it moved; %zu of the same rows differ by no more than it\n",
			cost->clock);
	if (cost->edge)
		fprintf(out, "  grid steps:   %zu of the same rows lie on an edge of their curve, "
			     "which\n                moved by no more than a step of its grid\n",
			cost->edge);
	if (c->sets.set[0].nruns == 1 || c->sets.set[s].nruns == 1)
		fprintf(out, "  single runs:  they cannot tell how far runs scatter; %.0f %% is assumed, "
			     "%.0f %% in what a\n                virtual machine shares, more where a curve scatters more\n                (repeat them: "
			     "NAME-1, NAME-2, ... are pooled)\n",
			100 * NOISE_ASSUMED, 100 * NOISE_SHARED);
	if (!isnan(cost->tail_effect))
		fprintf(out, "  tail:         p99/min is %.3f times that of A\n", cost->tail_effect);
	print_stolen(c, s, out);
	print_ladder(c, s, out);
	if (cost->loose)
		fprintf(out, "  left out:     %zu rows with another page size or other bytes\n",
			cost->loose);
	if (cost->alone)
		fprintf(out, "  alone:        %zu rows that only one of them has\n", cost->alone);
	print_worst(c, s, out);
}

void comparison_print(const struct comparison *c, FILE *out)
{
	print_sets(c, out);
	print_environment(c, out);
	if (c->sets.n == 2)
		print_pairs(c, out);
	else
		print_table(c, out);
	print_disturbances(c, out);
	for (size_t s = 1; s < c->sets.n; s++)
		print_cost(c, s, out);
}
