/* SPDX-License-Identifier: MIT */
/* A comparison for people: circumstances and rows; compare_verdict.c has what comes after. */
#include <math.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/asking.h"
#include "report/compare_parts.h"
#include "report/wrap.h"

static void print_sets(const struct comparison *c, FILE *out)
{
	for (size_t i = 0; i < c->sets.n; i++) {
		const struct set *s = &c->sets.set[i];
		const json_t *head = s->runs[0]->head;
		char line[256];
		snprintf(line, sizeof line, "%c  %s, room %s: %.40s, %zu run%s, %zu rows",
			set_letter(i), s->group, s->room,
			text_of(json_object_get(head, KEY_CPU), KEY_BRAND), s->nruns,
			s->nruns == 1 ? "" : "s", s->nrows);
		print_wrapped(out, "", line);
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

	fputs("\nWhat decides the speed\n", out);
	print_clocks(c, out);
	print_differences(c, 0, env->nspeed, out);
	fprintf(out, "\nOther circumstances%s\n", env->n > env->nspeed ? " that differ:" : none);
	print_differences(c, env->nspeed, env->n, out);
}

/* "SLOWER"; "cannot tell (9 runs a side would)" */
static void answer(char out[48], const struct cell *cell)
{
	static const char *const words[VERDICTS] = { "cannot tell", "same", "SLOWER", "faster",
		"more", "less" };

	if (isnan(cell->effect.size))
		strcpy(out, "no ratio");
	else if (cell->because == BECAUSE_CLOCK)
		strcpy(out, "cannot tell from the core clock");
	else if (cell->because == BECAUSE_EDGE)
		strcpy(out, "cannot tell from a grid step");
	else if (cell->verdict == VERDICT_UNKNOWN && !isnan(cell->runs))
		snprintf(out, 48, "cannot tell (%.0f runs a side would)", cell->runs);
	else
		strcpy(out, words[cell->verdict]);
}

static void number(char out[16], double value)
{
	if (isnan(value))
		strcpy(out, "-");
	else
		snprintf(out, 16, "%.4g", value);
}

/* "1.160..1.162"; of a difference "-0.1..+0.2" */
static void interval(char out[32], const struct cell *cell)
{
	if (isnan(cell->low) || isnan(cell->high))
		strcpy(out, "-");
	else
		snprintf(out, 32, cell->difference ? "%+.3g..%+.3g" : "%.3f..%.3f", cell->low,
			cell->high);
}

/* B/A; of a difference B-A. */
static void against(char out[16], const struct cell *cell)
{
	if (isnan(cell->effect.size))
		strcpy(out, "-");
	else if (cell->difference)
		snprintf(out, 16, "%+.3g", cell->change);
	else
		snprintf(out, 16, "%.3f", cell->ratio);
}

static void print_pair(const struct compared *row, int width, FILE *out)
{
	const struct cell *cell = &row->cells[1];
	const struct pooled *base = row->cells[0].row;
	const struct pooled *other = cell->row;
	char a[16], b[16], tail_a[16], tail_b[16], ratio[16], range[32], unit[24], verdict[48];

	if (cell->cycles) {
		cycle_unit(row->unit, unit);
		number(a, in_cycles(row->unit, base->median, base->core_hz));
		number(b, in_cycles(row->unit, other->median, other->core_hz));
	} else {
		snprintf(unit, sizeof unit, "%s", row->unit);
		number(a, base->median);
		number(b, other->median);
	}
	number(tail_a, base->tail);
	number(tail_b, other->tail);
	interval(range, cell);
	against(ratio, cell);
	answer(verdict, cell);
	fprintf(out, "  %-*s %9s %9s %-10s %6s %14s %7s %7s  %s%s\n", width, row->label, a, b, unit,
		ratio, range, tail_a, tail_b, verdict, cell->exact ? "" : " (other size or pages)");
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
			!cell->exact                               ? '?'
				: cell->verdict == VERDICT_SAME    ? '='
				: cell->verdict == VERDICT_UNKNOWN ? '~'
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
		"\nMedians, and their ratio to A (=: same; ~: cannot tell; ?: other size or pages; "
		"c: in core cycles)\n"
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

#define NAMED_MOST 8  /* circumstances that are named on the first screen */
#define VALUE_MOST 16 /* characters of a value that is shown there */

/* "os.governor (performance / powersave)"; of long values the name alone. */
static void name_difference(const struct comparison *c, const struct difference *d, FILE *out)
{
	bool brief = c->sets.n <= 3;

	fputs(d->key, out);
	for (size_t s = 0; s < c->sets.n; s++)
		brief &= strlen(d->values[s]) <= VALUE_MOST && !strpbrk(d->values[s], "{[");
	for (size_t s = 0; brief && s < c->sets.n; s++)
		fprintf(out, "%s%s", s ? " / " : " (", d->values[s]);
	if (brief)
		fputc(')', out);
}

static void name_clock(const struct comparison *c, FILE *out)
{
	fputs("core clock (", out);
	for (size_t s = 0; s < c->sets.n; s++)
		if (isnan(c->clocks[s].median))
			fprintf(out, "%s?", s ? " / " : "");
		else
			fprintf(out, "%s%.2f", s ? " / " : "", c->clocks[s].median / 1e9);
	fputs(" GHz)", out);
}

/* What decides the speed and differs, in one paragraph. */
static void name_differences(const struct comparison *c, FILE *out)
{
	const struct environment *env = &c->environment;
	char *text;
	size_t bytes, i;
	FILE *line = text_stream(&text, &bytes);

	name_clock(c, line);
	for (i = 0; i < env->nspeed && i < NAMED_MOST; i++) {
		fputs("; ", line);
		name_difference(c, &env->differences[i], line);
	}
	if (env->n > i)
		fprintf(line, "; and %zu more", env->n - i);
	fclose(line);
	print_wrapped(out, "\nDiffers: ", text);
	free(text);
}

static void print_warnings(const struct comparison *c, FILE *out)
{
	for (size_t i = 0; i < c->environment.nwarnings; i++)
		fprintf(out, "*** %s ***\n", c->environment.warnings[i]);
	for (size_t s = 0; s < c->sets.n; s++)
		if (was_disturbed(&c->disturbances[s]))
			fprintf(out, "*** %c was DISTURBED: other work ran on this CPU ***\n",
				set_letter(s));
}

/* Every circumstance, row and disturbance. */
static void print_all(const struct comparison *c, FILE *out)
{
	print_environment(c, out);
	if (c->sets.n == 2)
		print_pairs(c, out);
	else
		print_table(c, out);
	print_disturbances(c, out);
	for (size_t s = 1; s < c->sets.n; s++)
		print_verdict(c, s, out);
}

void comparison_print(const struct comparison *c, bool all, FILE *out)
{
	print_sets(c, out);
	print_warnings(c, out);
	for (size_t s = 1; s < c->sets.n; s++)
		print_answer(c, s, out);
	for (size_t s = 0; s < c->sets.n; s++)
		print_asking(&c->sets.set[s], set_letter(s), out);
	name_differences(c, out);
	print_summary(c, out);
	if (all)
		print_all(c, out);
	else
		fputs("\n(compare --all prints every row and every circumstance)\n", out);
}
