/* SPDX-License-Identifier: MIT */
/* A comparison for people: what disturbed each set, and the verdict. */
#include <math.h>
#include <stdlib.h>

#include "report/compare/compare_parts.h"
#include "lib/text.h"
#include "report/compare/assumed_noise.h"

#define WORST_SHOWN 10

/* Disturbed by what the set says of itself, else in comparison with another. */
static const char *disturbed_word(const struct comparison *c, size_t s)
{
	const struct disturbance *d = &c->disturbances[s];

	if (was_disturbed(d))
		return "  <- DISTURBED: other work ran on this CPU";
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
	for (int i = 0; i < DISTURBERS; i++)
		if (!isnan(d->events[i]))
			fprintf(out, ", %.0f %s", d->events[i], disturber_words[i]);
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
		fputs("A not scanned", out);
	else
		fprintf(out, "A %.4f %% (longest %.1f us)", 100 * a->stolen_part,
			a->longest_ns / 1e3);
	if (isnan(b->stolen_part))
		fprintf(out, ", %c not scanned\n", set_letter(s));
	else
		fprintf(out, ", %c %.4f %% (longest %.1f us)\n", set_letter(s),
			100 * b->stolen_part, b->longest_ns / 1e3);
}

static void print_above(const struct disturbance *d, char who, FILE *out)
{
	fprintf(out, " %c", who);
	for (int i = 0; i < NOISE_THRESHOLDS; i++)
		fprintf(out, isnan(d->above[i]) ? "%s-" : "%s%.3g", i ? " / " : " ", d->above[i]);
}

/* Gaps a second above each limit. */
static void print_gaps_above(const struct comparison *c, size_t s, FILE *out)
{
	const struct disturbance *a = &c->disturbances[0], *b = &c->disturbances[s];

	if (isnan(a->stolen_part) || isnan(b->stolen_part))
		return;
	fputs("  gaps/s above  ", out);
	for (int i = 0; i < NOISE_THRESHOLDS; i++)
		fprintf(out, "%s%s", i ? " / " : "", noise_threshold_us[i]);
	fputs(" us:", out);
	print_above(a, 'A', out);
	fputc(',', out);
	print_above(b, set_letter(s), out);
	fputc('\n', out);
}

static void print_worst(const struct comparison *c, size_t s, FILE *out)
{
	size_t *worst = new_array(c->nrows + 1, sizeof *worst);
	size_t n = worst_rows(c, s, worst);

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

static void print_counts(const struct cost *cost, FILE *out)
{
	size_t same = cost->verdicts[VERDICT_SAME];

	fprintf(out, "%zu row%s: %zu same (%.0f %%), %zu slower, %zu faster, %zu cannot tell\n",
		cost->rows, text_plural(cost->rows), same,
		100.0 * (double)same / (double)cost->rows, cost->verdicts[VERDICT_SLOWER],
		cost->verdicts[VERDICT_FASTER], cost->verdicts[VERDICT_UNKNOWN]);
}

/* Where the clocks differ, no single number says what one set costs against the other. */
static void print_effects(const struct comparison *c, size_t s, FILE *out)
{
	const struct cost *cost = &c->costs[s];
	const struct set_clock *a = &c->clocks[0], *b = &c->clocks[s];

	if (!clocks_differ(a, b)) {
		fprintf(out, "  median:       %+.2f %% time, over ",
			100 * (cost->median_effect - 1));
		print_counts(cost, out);
		return;
	}
	fprintf(out,
		"  THE CORE CLOCKS DIFFER: A %.3f GHz, %c %.3f GHz (%+.1f %%). That is the "
		"clock's\n                work, not the room's.\n  ",
		a->median / 1e9, set_letter(s), b->median / 1e9, 100 * (b->median / a->median - 1));
	print_counts(cost, out);
	if (cost->rows_cycles)
		fprintf(out,
			"  core cycles:  %+.2f %% median of %zu rows that the core's clock paces\n",
			100 * (cost->median_cycles - 1), cost->rows_cycles);
	if (cost->rows > cost->rows_cycles)
		fprintf(out,
			"  time:         %+.2f %% median of the other %zu, of which the clock may "
			"be "
			"%+.1f %%\n",
			100 * (cost->median_time - 1), cost->rows - cost->rows_cycles,
			100 * (a->median / b->median - 1));
}

void print_verdict(const struct comparison *c, size_t s, FILE *out)
{
	const struct cost *cost = &c->costs[s];

	fprintf(out, "\nVerdict: what %s/%s (%c) costs against %s/%s (A)\n",
		set_name(&c->sets.set[s]), c->sets.set[s].room, set_letter(s),
		set_name(&c->sets.set[0]), c->sets.set[0].room);
	if (!costs_mean_something(c, s)) {
		fputs("  one of them is EMULATED: no cost is stated\n", out);
		return;
	}
	if (!cost->rows && cost->events)
		fputs("  no time or rate was measured in both; the rows above are counts of "
		      "events\n",
			out);
	else if (!cost->rows)
		fputs("  no row was measured in both\n", out);
	else
		print_effects(c, s, out);
	if (cost->clock)
		fprintf(out,
			"  core clock:   %zu rows differ by no more than the core clock does: "
			"cannot "
			"tell\n",
			cost->clock);
	if (cost->edge)
		fprintf(out,
			"  grid steps:   %zu rows lie on an edge of their curve, which moved by "
			"no\n"
			"                more than one step of the grid: cannot tell\n",
			cost->edge);
	if (c->sets.set[0].nruns == 1 || c->sets.set[s].nruns == 1)
		fprintf(out,
			"  single runs:  how far runs scatter is not known; %.0f %% is assumed, "
			"%.0f %% in what a\n                virtual machine shares, more where a "
			"curve scatters more\n                (files NAME-1, NAME-2, ... are "
			"repeated runs)\n",
			100 * NOISE_ASSUMED, 100 * NOISE_SHARED);
	if (!isnan(cost->tail_effect))
		fprintf(out, "  tail:         p99/min is %.3f times that of A\n",
			cost->tail_effect);
	print_stolen(c, s, out);
	print_gaps_above(c, s, out);
	if (cost->loose)
		fprintf(out, "  left out:     %zu row%s with another page size or other bytes\n",
			cost->loose, text_plural(cost->loose));
	if (cost->alone)
		fprintf(out, "  unmatched:    %zu row%s that only one of them has\n", cost->alone,
			text_plural(cost->alone));
	print_worst(c, s, out);
}
