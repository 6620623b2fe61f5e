/* SPDX-License-Identifier: MIT */
/* A comparison for people: who else was in the room, and the verdict. */
#include <math.h>
#include <stdlib.h>

#include "report/compare_text.h"
#include "report/equivalence.h"

#define WORST_SHOWN 10

/* By what a set says of itself, else by what the others say. */
static const char *disturbed_word(const struct comparison *c, size_t s)
{
	const struct disturbance *d = &c->disturbances[s];

	if (was_disturbed(d))
		return "  <- DISTURBED: somebody else was at work here";
	for (size_t i = 0; i < c->sets.n; i++)
		if (more_disturbed(&c->disturbances[i], d))
			return "  <- DISTURBED more than another";
	return "";
}

static void print_disturbance(const struct comparison *c, size_t s, FILE *out)
{
	const struct disturbance *d = &c->disturbances[s];

	fprintf(out, "  %c  %.0f of %.0f samples disturbed (%.1f %%)", set_letter(s), d->disturbed,
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
	fprintf(out, "%s\n", disturbed_word(c, s));
}

void print_disturbances(const struct comparison *c, FILE *out)
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
		fprintf(out, "A %.4f %% (longest %.1f us)", 100 * a->stolen_part,
			a->longest_ns / 1e3);
	if (isnan(b->stolen_part))
		fprintf(out, ", %c not watched\n", set_letter(s));
	else
		fprintf(out, ", %c %.4f %% (longest %.1f us)\n", set_letter(s),
			100 * b->stolen_part, b->longest_ns / 1e3);
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
	print_above(b, set_letter(s), out);
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
		fprintf(out, "    %-*s %+8.1f %%\n", label_width(c), row->label,
			100 * (row->cells[s].slower - 1));
	}
	if (n > WORST_SHOWN)
		fprintf(out, "    and %zu more\n", n - WORST_SHOWN);
	free(worst);
}

void print_cost(const struct comparison *c, size_t s, FILE *out)
{
	const struct cost *cost = &c->costs[s];

	fprintf(out, "\nVerdict: what %s/%s (%c) costs against %s/%s (A)\n",
		set_name(&c->sets.set[s]), c->sets.set[s].room, set_letter(s),
		set_name(&c->sets.set[0]), c->sets.set[0].room);
	if (!cost->rows && cost->events)
		fputs("  no time or rate is the same measurement in both; what is above are "
		      "events\n",
			out);
	else if (!cost->rows)
		fputs("  no row is the same measurement in both\n", out);
	else
		fprintf(out,
			"  median:       %+.2f %% time, over %zu rows: %zu same within noise "
			"(%.0f %%), %zu slower, %zu faster\n",
			100 * (cost->median_effect - 1), cost->rows, cost->same,
			100.0 * (double)cost->same / (double)cost->rows, cost->slower,
			cost->faster);
	if (cost->clock)
		fprintf(out,
			"  core clock:   it moved; %zu of the same rows differ by no more than "
			"it\n",
			cost->clock);
	if (cost->edge)
		fprintf(out,
			"  grid steps:   %zu of the same rows lie on an edge of their curve, "
			"which\n                moved by no more than a step of its grid\n",
			cost->edge);
	if (c->sets.set[0].nruns == 1 || c->sets.set[s].nruns == 1)
		fprintf(out,
			"  single runs:  they cannot tell how far runs scatter; %.0f %% is "
			"assumed, "
			"%.0f %% in what a\n                virtual machine shares, more where a "
			"curve scatters more\n                (repeat them: "
			"NAME-1, NAME-2, ... are pooled)\n",
			100 * NOISE_ASSUMED, 100 * NOISE_SHARED);
	if (!isnan(cost->tail_effect))
		fprintf(out, "  tail:         p99/min is %.3f times that of A\n",
			cost->tail_effect);
	print_stolen(c, s, out);
	print_ladder(c, s, out);
	if (cost->loose)
		fprintf(out, "  left out:     %zu rows with another page size or other bytes\n",
			cost->loose);
	if (cost->alone)
		fprintf(out, "  alone:        %zu rows that only one of them has\n", cost->alone);
	print_worst(c, s, out);
}
