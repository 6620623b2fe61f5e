/* SPDX-License-Identifier: MIT */
/* A comparison for people: circumstances and rows; compare_verdict.c has what comes after. */
#include <math.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/compare_parts.h"

static void print_sets(const struct comparison *c, FILE *out)
{
	for (size_t i = 0; i < c->sets.n; i++) {
		const struct set *s = &c->sets.set[i];
		const json_t *head = s->runs[0]->head;
		fprintf(out, "%c  %s, room %s: %s, %zu run%s, %zu rows%s%s\n", set_letter(i),
			s->group, s->room, text_of(json_object_get(head, KEY_CPU), KEY_BRAND),
			s->nruns, s->nruns == 1 ? "" : "s pooled", s->nrows,
			*text_of(head, KEY_TIME_UTC) ? ", " : "", text_of(head, KEY_TIME_UTC));
	}
}

static bool rooms_differ(const struct sets *sets)
{
	for (size_t i = 1; i < sets->n; i++)
		if (strcmp(sets->set[i].room, sets->set[0].room))
			return true;
	return false;
}

static void print_differences(const struct comparison *c, size_t from, size_t to, FILE *out)
{
	for (size_t i = from; i < to; i++) {
		const struct difference *d = &c->environment.differences[i];
		fprintf(out, "  %s\n", d->key);
		for (size_t s = 0; s < c->sets.n; s++)
			fprintf(out, "    %c  %s\n", set_letter(s), d->values[s]);
	}
}

/* "    A  3.500 GHz (rows 3.491..3.502)" and how far each is from the first. */
static void print_clocks(const struct comparison *c, FILE *out)
{
	fputs("  core clock\n", out);
	for (size_t s = 0; s < c->sets.n; s++) {
		const struct set_clock *clock = &c->clocks[s], *first = &c->clocks[0];
		double more = 100 * (clock->median / first->median - 1);
		fprintf(out, "    %c  ", set_letter(s));
		if (isnan(clock->median)) {
			fputs("not known\n", out);
			continue;
		}
		fprintf(out, "%.3f GHz (rows %.3f..%.3f)", clock->median / 1e9, clock->low / 1e9,
			clock->high / 1e9);
		if (clocks_differ(first, clock))
			fprintf(out, ": %.1f %% %s than A's", fabs(more),
				more < 0 ? "lower" : "higher");
		fputc('\n', out);
	}
}

static void print_environment(const struct comparison *c, FILE *out)
{
	const struct environment *env = &c->environment;
	const char *none =
		rooms_differ(&c->sets) ? ": no difference but the room" : ": no difference";

	for (size_t i = 0; i < env->nwarnings; i++)
		fprintf(out, "\n*** %s ***\n", env->warnings[i]);
	fputs("\nWhat decides the speed\n", out);
	print_clocks(c, out);
	print_differences(c, 0, env->nspeed, out);
	fprintf(out, "\nOther circumstances%s\n", env->n > env->nspeed ? " that differ:" : none);
	print_differences(c, env->nspeed, env->n, out);
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

static void print_pair(const struct compared *row, int width, FILE *out)
{
	const struct cell *cell = &row->cells[1];
	const struct pooled *base = row->cells[0].row;
	char a[16], b[16], tail_a[16], tail_b[16], ratio[16] = "-", range[32], unit[24];
	const struct pooled *other = cell->row;

	if (cell->cycles) {
		cycle_unit(row->unit, unit);
		number(a, in_cycles(row->unit, base->median, base->core_hz));
		number(b, in_cycles(row->unit, other->median, other->core_hz));
	} else {
		snprintf(unit, sizeof unit, "%s", row->unit);
		number(a, base->median);
		number(b, other->median);
	}
	number(tail_a, spread_of(base));
	number(tail_b, spread_of(cell->row));
	interval(range, cell);
	if (!isnan(cell->ratio))
		snprintf(ratio, sizeof ratio, "%.3f", cell->ratio);
	fprintf(out, "  %-*s %9s %9s %-10s %6s %14s %7s %7s  %s%s\n", width, row->label, a, b, unit,
		ratio, range, tail_a, tail_b, answer(cell),
		cell->exact ? "" : " (other size or pages)");
}

static void print_pairs(const struct comparison *c, FILE *out)
{
	int width = label_width(c);

	fprintf(out, "\n  %-*s %9s %9s %-10s %6s %14s %7s %7s  %s\n", width, "row", "A median",
		"B median", "unit", "B/A", "95 % interval", "A p99/", "B p99/", "");
	fprintf(out, "  %-*s %9s %9s %-10s %6s %14s %7s %7s\n", width, "", "", "", "", "", "",
		"min", "min");
	for (size_t i = 0; i < c->nrows; i++)
		if (c->rows[i].cells[1].row)
			print_pair(&c->rows[i], width, out);
}

static void print_cell(const struct cell *cell, FILE *out)
{
	char median[16] = "-";

	if (cell->row)
		number(median, cell->row->median);
	fprintf(out, " %9s", median);
	if (cell->row && !isnan(cell->ratio))
		fprintf(out, " %6.3f%c%c", cell->ratio,
			!cell->exact         ? '?'
				: cell->same ? '='
					     : ' ',
			cell->cycles ? 'c' : ' ');
	else
		fprintf(out, " %8s", "");
}

/* More than two sets: medians and ratios to the first one. */
static void print_table(const struct comparison *c, FILE *out)
{
	int width = label_width(c);

	fprintf(out,
		"\nMedians, and their ratio to A (=: same within noise; ?: other size or pages; c: "
		"in "
		"core cycles)\n"
		"  %-*s %-10s %9s",
		width, "row", "unit", "A");
	for (size_t s = 1; s < c->sets.n; s++)
		fprintf(out, " %9c %5c/A  ", set_letter(s), set_letter(s));
	fputc('\n', out);
	for (size_t i = 0; i < c->nrows; i++) {
		char median[16];
		number(median, c->rows[i].cells[0].row->median);
		fprintf(out, "  %-*s %-10s %9s", width, c->rows[i].label, c->rows[i].unit, median);
		for (size_t s = 1; s < c->sets.n; s++)
			print_cell(&c->rows[i].cells[s], out);
		fputc('\n', out);
	}
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
		print_verdict(c, s, out);
}
