/* SPDX-License-Identifier: MIT */
/* A comparison for people: its parts in order, sets, warnings, circumstances and the verdict. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "linux/report/compare/compare_parts.h"
#include "lib/text.h"
#include "linux/report/wrap.h"
#include "linux/report/compare/effects.h"
#include "linux/report/compare/sets.h"

#define LABEL_WIDEST 64

static int label_width(const struct comparison *c)
{
	size_t most = 0;

	for (size_t i = 0; i < c->nrows; i++) {
		size_t n = strlen(c->rows[i].label);
		most = n > most && n <= LABEL_WIDEST ? n : most;
	}
	return (int)most;
}

/* The circumstances of a comparison in words. */

#define NAMED_MOST 5  /* circumstances named on the first screen */
#define VALUE_MOST 32 /* characters of a value shown there */

/* Print "microcode 0x1 / 0x2". */
static void name_difference(const struct comparison *c, const struct difference *d, FILE *out)
{
	char words[DIFFERENCE_WORDS];
	bool brief = c->sets.n <= 3;

	difference_words(d, words);
	fputs(words, out);
	for (size_t s = 0; s < c->sets.n; s++)
		brief &= strlen(d->values[s]) <= VALUE_MOST && !strpbrk(d->values[s], "{[");
	for (size_t s = 0; brief && s < c->sets.n; s++)
		fprintf(out, "%s%s", s ? " / " : " ", d->values[s]);
}

static bool any_clock_differs(const struct comparison *c)
{
	for (size_t s = 1; s < c->sets.n; s++)
		if (clocks_differ(&c->clocks[0], &c->clocks[s]))
			return true;
	return false;
}

static void name_clocks(const struct comparison *c, FILE *out)
{
	fputs("core clock ", out);
	for (size_t s = 0; s < c->sets.n; s++)
		if (isnan(c->clocks[s].median))
			fprintf(out, "%s?", s ? " / " : "");
		else
			fprintf(out, "%s%.2f", s ? " / " : "", c->clocks[s].median / 1e9);
	fputs(" GHz (touches all that is not in core cycles)", out);
}

/*
 * Print differences that touch the same rows in one go: "governor a / b, turbo on / off (touch core
 * clock)". Returns the next one.
 */
static size_t name_alike(const struct comparison *c, size_t from, FILE *out)
{
	const struct environment *env = &c->environment;
	const char *touches = difference_touches(&env->differences[from]);
	size_t i = from;

	do
		name_difference(c, &env->differences[i++], out);
	while (i < env->nspeed && i < NAMED_MOST &&
		!strcmp(difference_touches(&env->differences[i]), touches) && fputs(", ", out) > 0);
	fprintf(out, " (touch%s %s)", i - from == 1 ? "es" : "", touches);
	return i;
}

static void print_circumstances(const struct comparison *c, FILE *out)
{
	const struct environment *env = &c->environment;
	size_t bytes, i = 0, printed = 0;
	char *text;
	FILE *line = text_stream(&text, &bytes);

	if (any_clock_differs(c)) {
		name_clocks(c, line);
		printed++;
	}
	while (i < env->nspeed && i < NAMED_MOST) {
		fputs(printed++ ? "; " : "", line);
		i = name_alike(c, i, line);
	}
	if (env->n > i)
		fprintf(line, "%s%zu other circumstance%s, which --all names",
			printed ? "; and " : "", env->n - i, text_plural(env->n - i));
	fclose(line);
	print_wrapped(out, "What differs: ", *text ? text : "no circumstance that is known.");
	free(text);
}

/* The cards of a comparison side by side, and the noise of each set. */

#define COLUMN 15 /* width of a card */

/* The card's values that get a line here, with their unit. */
static const struct {
	enum value_id id;
	const char *label, *unit;
	double times;
} shown[] = {
	{ VALUE_core_clock_hz, "core clock", "GHz", 1e-9 },
	{ VALUE_l1d_latency_cycles, "L1 latency", "cycles", 1 },
	{ VALUE_l2_latency_cycles, "L2 latency", "cycles", 1 },
	{ VALUE_l3_latency_cycles, "L3 latency", "cycles", 1 },
	{ VALUE_memory_latency_ns, "memory latency", "ns", 1 },
	{ VALUE_parallel_misses, "misses in parallel", "", 1 },
	{ VALUE_read_bytes_per_cycle_memory, "reading memory", "B/cycle", 1 },
	{ VALUE_mispredict_cycles, "mispredicted branch", "cycles", 1 },
};

#define SHOWN (sizeof shown / sizeof *shown)

/* Returns true if the card says "?" on the line of a value: the first value there has no number. */
static bool is_open_on_card(const struct run_data *run, enum value_id id)
{
	enum value_id of[LINE_VALUES];
	unsigned n = values_on_line(value_facts(id).line, of);
	const json_t *first = n ? run_summary(run, of[0]) : NULL;

	return first && isnan(number_of(first, KEY_VALUE));
}

/* Write "12.1 cycles"; "?" if it is not resolved, or on the card; "-" if it was not measured. */
static void value_text(const struct run_data *run, size_t i, char out[40])
{
	const json_t *line = run_summary(run, shown[i].id);
	double value = number_of(line, KEY_VALUE);

	if (!line)
		strcpy(out, "-");
	else if (isnan(value) || is_open_on_card(run, shown[i].id))
		strcpy(out, "?");
	else
		snprintf(out, 40, "%.4g%s%s", value * shown[i].times, *shown[i].unit ? " " : "",
			shown[i].unit);
}

/* Returns true if any set has a line for it. */
static bool was_asked(const struct comparison *c, size_t i)
{
	for (size_t s = 0; s < sets_on_screen(c); s++)
		if (run_summary(c->sets.set[s].runs[0], shown[i].id))
			return true;
	return false;
}

static void print_cards(const struct comparison *c, FILE *out)
{
	size_t any = 0;

	for (size_t i = 0; i < SHOWN; i++)
		any += was_asked(c, i);
	if (!any)
		return;
	fprintf(out, "\n%-20s", "Run 1, not tested");
	for (size_t s = 0; s < sets_on_screen(c); s++)
		fprintf(out, "%*c", COLUMN, set_letter(s));
	fputc('\n', out);
	for (size_t i = 0; i < SHOWN; i++) {
		if (!was_asked(c, i))
			continue;
		fprintf(out, "%-20s", shown[i].label);
		for (size_t s = 0; s < sets_on_screen(c); s++) {
			char text[40];
			value_text(c->sets.set[s].runs[0], i, text);
			fprintf(out, "%*s", COLUMN, text);
		}
		fputc('\n', out);
	}
}

static void noise_number(char out[16], const char *format, double value)
{
	if (isnan(value))
		strcpy(out, "-");
	else
		snprintf(out, 16, format, value);
}

static void print_noise(const struct comparison *c, FILE *out)
{
	char text[16];

	fputs("\nGaps a second over ", out);
	for (int i = 0; i < NOISE_THRESHOLDS; i++)
		fprintf(out, "%6sus", noise_threshold_us[i]);
	fputs("   lost %  longest us\n", out);
	for (size_t s = 0; s < sets_on_screen(c); s++) {
		const struct disturbance *d = &c->disturbances[s];
		fprintf(out, "%c  %-16.16s", set_letter(s), c->sets.set[s].room);
		for (int i = 0; i < NOISE_THRESHOLDS; i++) {
			noise_number(text, d->above[i] < 999.5 ? "%.3g" : "%.0f", d->above[i]);
			fprintf(out, "%8s", text);
		}
		noise_number(text, "%.3g", 100 * d->stolen_part);
		fprintf(out, "%9s", text);
		noise_number(text, "%.1f", d->longest_ns / 1e3);
		fprintf(out, "%12s\n", text);
	}
}

/* A comparison for people: disturbances of each set, and the verdict. */

#define WORST_SHOWN 10

/* The part of the samples that were disturbed, 0..1. */
static double disturbed_part(const struct disturbance *d)
{
	return d->samples > 0 ? d->disturbed / d->samples : 0;
}

/*
 * Returns true if others' work ran on the CPU, by the run's own counts: more than 1 % of the
 * scanned time was stolen (the timer tick of an untuned Linux and the like take 0.3 %), or the
 * thread waited for more than 1 % of the run, or more than 10 context switches were counted during
 * the samples and these are more than 5 per 1000 samples.
 */
static bool was_disturbed(const struct disturbance *d)
{
	double switches = d->events[DISTURBER_SWITCHES];

	return d->stolen_part > 0.01 || d->waited_s > 0.01 * d->seconds ||
		(switches > 10 && switches > 0.005 * d->samples);
}

/*
 * Returns true for more than twice as many events per sample, and more than 10, which chance does
 * not explain.
 */
static bool many_more(double a, double a_samples, double b, double b_samples)
{
	return b > 10 && b / b_samples > 2 * (isnan(a) ? 0 : a) / a_samples;
}

/* Returns true if b was so much more disturbed than a that its numbers may come from that. */
static bool more_disturbed(const struct disturbance *a, const struct disturbance *b)
{
	if (!(a->samples > 0) || !(b->samples > 0))
		return false;
	return disturbed_part(b) > 2 * disturbed_part(a) + 0.01 ||
		many_more(a->events[DISTURBER_SWITCHES], a->samples, b->events[DISTURBER_SWITCHES],
			b->samples);
}

/* The remark on a disturbed set: by its own counts, else in comparison with another set. */
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

/* Print the gaps a second above each limit. */
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

static void print_counts(const struct set_cost *cost, FILE *out)
{
	size_t same = cost->verdicts[VERDICT_SAME];

	fprintf(out, "%zu row%s: %zu same (%.0f %%), %zu slower, %zu faster, %zu cannot tell\n",
		cost->rows, text_plural(cost->rows), same,
		100.0 * (double)same / (double)cost->rows, cost->verdicts[VERDICT_SLOWER],
		cost->verdicts[VERDICT_FASTER], cost->verdicts[VERDICT_UNKNOWN]);
}

/* Print the median slowdown. If the clocks differ, no single number describes the cost of a set. */
static void print_effects(const struct comparison *c, size_t s, FILE *out)
{
	const struct set_cost *cost = &c->costs[s];
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

static void print_verdict(const struct comparison *c, size_t s, FILE *out)
{
	const struct set_cost *cost = &c->costs[s];

	fprintf(out, "\nVerdict: what %s/%s (%c) costs against %s/%s (A)\n",
		set_name(&c->sets.set[s]), c->sets.set[s].room, set_letter(s),
		set_name(&c->sets.set[0]), c->sets.set[0].room);
	if (!costs_mean_something(c, s)) {
		fprintf(out, "  one of them is %s: no cost is stated\n", costs_forbidden_by(c, s));
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

/* The costs in the line on Linux, and their rows. */
static const struct {
	const char *words, *variant;
} told[] = {
	{ "system call", "syscall" },
	{ "context switch", "switch-futex" },
	{ "minor fault", "minor-fault" },
	{ "thread", "thread-create" },
};

static const struct pooled *request_row(const struct set *set, const char *variant)
{
	for (size_t i = 0; i < set->nrows; i++)
		if (!strcmp(set->rows[i].row->probe, "oscost") &&
			!strcmp(set->rows[i].row->variant, variant))
			return &set->rows[i];
	return NULL;
}

static int digits(double value)
{
	return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

/* Write "system call 112 ns", "thread 14.2 us"; if the runs differ, "system call 108..117 ns". */
static int item_text(const char *words, const struct pooled *row, char out[96])
{
	double low = row->runs[0].median, high = low;
	char from[24], to[24];

	for (size_t i = 1; i < row->nruns; i++) {
		low = fmin(low, row->runs[i].median);
		high = fmax(high, row->runs[i].median);
	}
	double unit = high < 999.5 ? 1 : 1e3;

	snprintf(from, sizeof from, "%.*f", digits(low / unit), low / unit);
	snprintf(to, sizeof to, "%.*f", digits(high / unit), high / unit);
	return snprintf(out, 96, "%s %s%s%s %s", words, from, strcmp(from, to) ? ".." : "",
		strcmp(from, to) ? to : "", unit > 1 ? "us" : "ns");
}

/*
 * Print the beginning with the number of runs. A run may have had no time for some of the rows: the
 * largest number for any row counts.
 */
static int print_asking_head(const struct set *set, char letter, FILE *out)
{
	size_t runs = 0;

	for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
		const struct pooled *row = request_row(set, told[i].variant);
		runs = row && row->nruns > runs ? row->nruns : runs;
	}
	if (runs == 1)
		return fprintf(out, "Asking Linux (%c, one run): ", letter);
	return fprintf(out, "Asking Linux (%c, lowest..highest of %zu runs): ", letter, runs);
}

/*
 * Print "Asking Linux (B, one run): system call 112 ns, context switch 1.90 us, ..." for a set,
 * from the medians that its runs measured with probe `oscost`; for several runs the lowest and the
 * highest. Nothing if they did not measure it, or if the set is EMULATED. letter: of the set. Lines
 * break between items only.
 */
static void print_asking(const struct set *set, char letter, FILE *out)
{
	int column = 0;

	for (size_t i = 0; i < sizeof told / sizeof *told && !is_emulated(set); i++) {
		const struct pooled *row = request_row(set, told[i].variant);
		char text[96];
		if (!row)
			continue;
		int n = item_text(told[i].words, row, text);
		if (!column)
			column = print_asking_head(set, letter, out) + fprintf(out, "%s", text);
		else if (column + 2 + n + 1 > WRAP_WIDTH)
			column = fprintf(out, ",\n  %s", text) - 2;
		else
			column += fprintf(out, ", %s", text);
	}
	if (column)
		fputc('\n', out);
}

#define SCREEN_LINES 39 /* and the hint below */

static void print_sets(const struct comparison *c, FILE *out)
{
	size_t shown = sets_on_screen(c);

	for (size_t i = 0; i < shown; i++) {
		const struct set *s = &c->sets.set[i];
		const json_t *head = s->runs[0]->head;
		char line[256];
		snprintf(line, sizeof line, "%c  %s, room %s: %.40s, %zu run%s, %zu row%s",
			set_letter(i), s->group, s->room,
			text_of(json_object_get(head, KEY_CPU), KEY_BRAND), s->nruns,
			text_plural(s->nruns), s->nrows, text_plural(s->nrows));
		print_wrapped(out, "", line);
	}
	if (c->sets.n > shown)
		fprintf(out, "and %zu more, which --all compares\n", c->sets.n - shown);
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

/* Print "    A  3.500 GHz (rows 3.491..3.502)" and its distance from the first. */
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

static void print_warning(const char *text, FILE *out)
{
	print_wrapped(out, "WARNING: ", text);
}

static void print_warnings(const struct comparison *c, FILE *out)
{
	for (size_t i = 0; i < c->environment.nwarnings; i++)
		print_warning(c->environment.warnings[i], out);
	size_t n = 0;
	for (size_t s = 0; s < c->sets.n; s++)
		if (was_disturbed(&c->disturbances[s]))
			fprintf(out, "%s%c", n++ ? ", " : "WARNING: ", set_letter(s));
	if (n)
		fprintf(out, " DISTURBED: other work ran on %s CPU\n", n > 1 ? "their" : "its");
}

/* Print every circumstance, row and disturbance. */
static void print_all(const struct comparison *c, FILE *out)
{
	for (size_t s = sets_on_screen(c); s < c->sets.n; s++)
		print_answer(c, s, out);
	print_environment(c, out);
	print_tables(c, out);
	print_disturbances(c, out);
	for (size_t s = 1; s < c->sets.n; s++)
		print_verdict(c, s, out);
}

/* A part of the first screen, and its number of lines. */
struct screen_part {
	char *text;
	size_t lines;
};

typedef void print_fn(const struct comparison *, FILE *out);

static struct screen_part part_of(const struct comparison *c, print_fn *print)
{
	struct screen_part p = { 0 };
	size_t bytes;
	FILE *out = text_stream(&p.text, &bytes);

	print(c, out);
	fclose(out);
	for (const char *at = p.text; *at; at++)
		p.lines += *at == '\n';
	return p;
}

static void print_answers(const struct comparison *c, FILE *out)
{
	for (size_t s = 1; s < sets_on_screen(c); s++) {
		if (s > 1)
			fputc('\n', out);
		print_answer(c, s, out);
	}
	for (size_t s = 0; s < sets_on_screen(c); s++)
		print_asking(&c->sets.set[s], set_letter(s), out);
	fputc('\n', out);
}

static void print_who_is_who(const struct comparison *c, FILE *out)
{
	print_sets(c, out);
	print_warnings(c, out);
}

/*
 * The parts of the first screen in order. If lines are short, the last part that may be missing
 * goes first.
 */
static const struct {
	print_fn *print;
	bool needed;
	size_t besides; /* lines that must be left for the differences, else the part is left out */
} parts[] = { { print_answers, true }, { print_who_is_who, true }, { print_circumstances },
	{ print_cards, false, 5 }, { print_noise, true } };

#define PARTS (sizeof parts / sizeof *parts)

static void print_screen(const struct comparison *c, FILE *out)
{
	struct screen_part part[PARTS];
	size_t used = 0;

	for (size_t i = 0; i < PARTS; i++) {
		part[i] = part_of(c, parts[i].print);
		used += parts[i].needed ? part[i].lines : 0;
	}
	for (size_t i = 0; i < PARTS; i++) {
		bool fits = used + part[i].lines + parts[i].besides <= SCREEN_LINES;
		if (parts[i].needed || fits)
			fputs(part[i].text, out);
		if (!parts[i].needed && fits)
			used += part[i].lines;
		free(part[i].text);
	}
	if (used < SCREEN_LINES)
		print_differing(c, SCREEN_LINES - used, out);
}

void comparison_print(const struct comparison *c, bool all, FILE *out)
{
	print_screen(c, out);
	if (all)
		print_all(c, out);
	else
		fputs("(compare --all prints every row and every circumstance)\n", out);
}
