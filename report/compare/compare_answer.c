/* SPDX-License-Identifier: MIT */
/* The answer of a comparison: one sentence, before anything else. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/compare_parts.h"
#include "report/compare/answer_groups.h"
#include "report/wrap.h"

#define NAMED_MOST 5    /* of one kind, in a sentence */
#define CERTAIN    0.05 /* per cent: what is less is printed as that */

struct subjects {
	struct group group[ANSWER_GROUPS_MOST];
	size_t n;
};

static double percent_of(double logarithm)
{
	return 100 * expm1(logarithm);
}

static bool is_clock(const struct group *g)
{
	return !strcmp(g->kind, CLOCK_KIND);
}

static const struct group *clock_of(const struct subjects *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (is_clock(&all->group[i]))
			return &all->group[i];
	return NULL;
}

/* Of the subjects that are rows, those of that verdict. */
static size_t count(const struct subjects *all, enum verdict verdict)
{
	size_t found = 0;

	for (size_t i = 0; i < all->n; i++)
		found += all->group[i].verdict == verdict && !is_clock(&all->group[i]);
	return found;
}

/* "+16.0 % time in memory latency with 4K pages (+13.1..+19.2)", the largest first. */
static void print_sizes(const struct subjects *all, enum verdict verdict, FILE *out)
{
	size_t total = count(all, verdict), printed = 0;
	bool done[ANSWER_GROUPS_MOST] = { false };

	for (; printed < total && printed < NAMED_MOST; printed++) {
		const struct group *largest = NULL;
		char name[GROUP_NAME];
		for (size_t i = 0; i < all->n; i++) {
			const struct group *g = &all->group[i];
			if (g->verdict == verdict && !is_clock(g) && !done[i] &&
				(!largest || fabs(g->size) > fabs(largest->size)))
				largest = g;
		}
		done[largest - all->group] = true;
		group_name(largest, name);
		fprintf(out, "%s%+.1f %%%s in %s (%+.1f..%+.1f)", printed ? "; " : " ",
			percent_of(largest->size), largest->cycles ? " core cycles" : " time", name,
			percent_of(largest->low), percent_of(largest->high));
	}
	if (total > printed)
		fprintf(out, "; and more in %zu others", total - printed);
}

/* Whether the two differ in their level only. */
static bool together(const struct group *a, const struct group *b)
{
	return *a->level && !strcmp(a->kind, b->kind) && !strcmp(a->pages, b->pages);
}

/* The next one of that verdict from i on, or n. */
static size_t next(const struct subjects *all, size_t i, enum verdict verdict)
{
	while (i < all->n && (all->group[i].verdict != verdict || is_clock(&all->group[i])))
		i++;
	return i;
}

/* "L1, L2 and L3 latency with 2M pages; memory bandwidth" */
static void print_names(const struct subjects *all, enum verdict verdict, FILE *out)
{
	size_t i = next(all, 0, verdict), lists = 0;

	while (i < all->n && lists < NAMED_MOST) {
		const struct group *first = &all->group[i];
		fprintf(out, "%s%s", lists++ ? "; " : " ", first->level);
		size_t then = next(all, i + 1, verdict);
		while (then < all->n && together(first, &all->group[then])) {
			size_t after = next(all, then + 1, verdict);
			bool last = after == all->n || !together(first, &all->group[after]);
			fprintf(out, "%s%s", last ? " and " : ", ", all->group[then].level);
			then = after;
		}
		fprintf(out, "%s%s%s%s", *first->level ? " " : "", first->kind,
			*first->pages ? " with " : "", first->pages);
		i = then;
	}
	size_t more = 0;
	for (; i < all->n; i = next(all, i + 1, verdict))
		more++;
	if (more)
		fprintf(out, "; and %zu more", more);
}

/* The furthest that the same groups may be away, in per cent. */
static double furthest(const struct subjects *all)
{
	double most = 0;

	for (size_t i = 0; i < all->n; i++)
		if (all->group[i].verdict == VERDICT_SAME && !is_clock(&all->group[i]))
			most = fmax(most, fmax(-all->group[i].low, all->group[i].high));
	return fmax(CERTAIN, percent_of(most));
}

/* "Linux 6.1 (B) costs, against no system (A): ..." */
static void print_cost(const struct comparison *c, size_t s, const struct subjects *all, FILE *out)
{
	size_t slower = count(all, VERDICT_SLOWER), same = count(all, VERDICT_SAME);

	print_who(c, s, s, out);
	if (same && !slower)
		fprintf(out, " costs nothing beyond %.1f %%, against ", furthest(all));
	else if (slower)
		fputs(" costs, against ", out);
	else
		fputs(" against ", out);
	print_who(c, 0, s, out);
	fputs(same && !slower ? ", in" : ":", out);
	if (slower)
		print_sizes(all, VERDICT_SLOWER, out);
	if (slower && same)
		fprintf(out, "; nothing beyond %.1f %% in", furthest(all));
	print_names(all, VERDICT_SAME, out);
	if (slower || same)
		fputc('.', out);
}

static void print_faster(const struct subjects *all, FILE *out)
{
	if (!count(all, VERDICT_FASTER))
		return;
	fputs(" It needs less in some:", out);
	print_sizes(all, VERDICT_FASTER, out);
	fputc('.', out);
}

/* "Its core clock is 20.0 % lower (19.6..20.4)": a lower clock is slower. */
static void print_clock(const struct comparison *c, size_t s, const struct subjects *all, FILE *out)
{
	const struct group *g = clock_of(all);

	if (!g || (g->verdict != VERDICT_SLOWER && g->verdict != VERDICT_FASTER))
		return;
	bool lower = g->verdict == VERDICT_SLOWER;
	double a = fabs(percent_of(-g->low)), b = fabs(percent_of(-g->high));
	fprintf(out,
		" Its core clock is %.1f %% %s (%.1f..%.1f), %.2f GHz for %.2f: that is %+.1f %% "
		"time where the core sets the pace, which is compared in core cycles.",
		fabs(percent_of(-g->size)), lower ? "lower" : "higher", fmin(a, b), fmax(a, b),
		c->clocks[s].median / 1e9, c->clocks[0].median / 1e9, percent_of(g->size));
}

/* Runs a side with which half of the unknown subjects would be told; NAN: more than RUNS_MOST. */
static double runs_wanted(const struct subjects *all)
{
	size_t unknown = count(all, VERDICT_UNKNOWN);

	for (double runs = RUNS_LEAST; runs <= RUNS_MOST; runs++) {
		size_t told = 0;
		for (size_t i = 0; i < all->n; i++)
			told += all->group[i].verdict == VERDICT_UNKNOWN &&
				!is_clock(&all->group[i]) && all->group[i].runs <= runs;
		if (2 * told >= unknown)
			return runs;
	}
	return NAN;
}

static void print_unknown(const struct comparison *c, size_t s, const struct subjects *all,
	FILE *out)
{
	size_t a = c->sets.set[0].nruns, b = c->sets.set[s].nruns;
	double runs = runs_wanted(all);

	if (!count(all, VERDICT_UNKNOWN))
		return;
	fprintf(out, " Undecided%s:", a == 1 && b == 1 ? " by single runs" : "");
	print_names(all, VERDICT_UNKNOWN, out);
	if (!isnan(runs))
		fprintf(out, " (about %.0f runs a side in all would decide half of these)", runs);
	fputc('.', out);
}

/* "lost 0.31 % of the time (0.28..0.34), longest gap 84 us" */
static void print_lost(const struct disturbance *d, FILE *out)
{
	if (isnan(d->stolen_part)) {
		fputs("was not watched for gaps", out);
	} else if (!(d->stolen_part > 0)) {
		fprintf(out, "lost none of %.3g s to gaps above %s us", d->scanned_s,
			noise_threshold_us[0]);
	} else {
		fprintf(out, "lost %.3g %% of the time", 100 * d->stolen_part);
		if (!isnan(d->stolen_low))
			fprintf(out, " (%.3g..%.3g)", 100 * d->stolen_low, 100 * d->stolen_high);
		fprintf(out,
			d->longest_ns < 1e6 ? ", longest gap %.3g us" : ", longest gap %.3g ms",
			d->longest_ns / (d->longest_ns < 1e6 ? 1e3 : 1e6));
	}
}

static void print_gaps(const struct comparison *c, size_t s, FILE *out)
{
	const struct disturbance *a = &c->disturbances[0], *b = &c->disturbances[s];

	if (isnan(a->stolen_part) && isnan(b->stolen_part)) {
		fputs(" Stolen time was not measured.", out);
		return;
	}
	if (a->stolen_part == 0 && b->stolen_part == 0) {
		fprintf(out, " Neither lost any of %.3g s to gaps above %s us.",
			fmin(a->scanned_s, b->scanned_s), noise_threshold_us[0]);
		return;
	}
	fprintf(out, " %c ", set_letter(s));
	print_lost(b, out);
	fputs("; A ", out);
	print_lost(a, out);
	fputc('.', out);
}

/* The sentence, without line breaks. */
static void print_sentence(const struct comparison *c, size_t s, FILE *out)
{
	struct subjects all;

	if (!costs_mean_something(c, s)) {
		print_who(c, s, s, out);
		fputs(" against ", out);
		print_who(c, 0, s, out);
		fputs(": no cost is stated, because one of them is EMULATED: its times are not "
		      "those of hardware.",
			out);
		return;
	}
	all.n = answer_groups(c, s, all.group);
	if (is_simulated(&c->sets.set[s]))
		fputs("On a simulated machine, ", out);
	print_cost(c, s, &all, out);
	if (!count(&all, VERDICT_SAME) && !count(&all, VERDICT_SLOWER) &&
		!count(&all, VERDICT_FASTER) && !count(&all, VERDICT_UNKNOWN))
		fputs(" no time or rate was measured in both.", out);
	print_faster(&all, out);
	print_clock(c, s, &all, out);
	print_unknown(c, s, &all, out);
	print_gaps(c, s, out);
}

void print_answer(const struct comparison *c, size_t s, FILE *out)
{
	char *text;
	size_t bytes;
	FILE *sentence = text_stream(&text, &bytes);

	print_sentence(c, s, sentence);
	fclose(sentence);
	print_wrapped(out, "", text);
	free(text);
}
