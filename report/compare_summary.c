/* SPDX-License-Identifier: MIT */
/* A comparison on one screen: cards side by side, the noise, one line for each probe. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/compare_parts.h"
#include "report/groups.h"

#define SETS_BESIDE  4  /* that fit beside each other */
#define COLUMN       15 /* of one of them */
#define PROBES_MOST  40
#define PROBES_SHOWN 8
#define RANGE_MOST   1.4 /* half of an interval, a logarithm: wider ones say nothing */

/* What of the card is worth a line here, and in which unit. */
static const struct {
	const char *name, *label, *unit;
	double times;
} shown[] = {
	{ "core_clock_hz", "core clock", "GHz", 1e-9 },
	{ "l1d_latency_cycles", "L1 latency", "cycles", 1 },
	{ "l2_latency_cycles", "L2 latency", "cycles", 1 },
	{ "l3_latency_cycles", "L3 latency", "cycles", 1 },
	{ "memory_latency_ns", "memory latency", "ns", 1 },
	{ "parallel_misses", "misses in parallel", "", 1 },
	{ "read_bytes_per_cycle_memory", "reading memory", "B/cycle", 1 },
	{ "mispredict_cycles", "mispredicted branch", "cycles", 1 },
};

#define SHOWN (sizeof shown / sizeof *shown)

/* "12.1 cycles"; "?" where it is not resolved; "-" where it was not measured. */
static void value_text(const struct run_data *run, size_t i, char out[40])
{
	const json_t *line = run_summary(run, shown[i].name);
	double value = number_of(line, KEY_VALUE);

	if (!line)
		strcpy(out, "-");
	else if (isnan(value))
		strcpy(out, "?");
	else
		snprintf(out, 40, "%.4g %s", value * shown[i].times, shown[i].unit);
}

static size_t beside(const struct comparison *c)
{
	return c->sets.n < SETS_BESIDE ? c->sets.n : SETS_BESIDE;
}

static void print_cards(const struct comparison *c, FILE *out)
{
	fprintf(out, "\n%-20s", "As measured (run 1)");
	for (size_t s = 0; s < beside(c); s++)
		fprintf(out, "%*c", COLUMN, set_letter(s));
	fputc('\n', out);
	for (size_t i = 0; i < SHOWN; i++) {
		fprintf(out, "%-20s", shown[i].label);
		for (size_t s = 0; s < beside(c); s++) {
			char text[40];
			value_text(c->sets.set[s].runs[0], i, text);
			fprintf(out, "%*s", COLUMN, text);
		}
		fputc('\n', out);
	}
}

static void number(char out[16], const char *format, double value)
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
	for (size_t s = 0; s < c->sets.n; s++) {
		const struct disturbance *d = &c->disturbances[s];
		fprintf(out, "%c  %-16.16s", set_letter(s), c->sets.set[s].room);
		for (int i = 0; i < NOISE_THRESHOLDS; i++) {
			number(text, "%.3g", d->above[i]);
			fprintf(out, "%8s", text);
		}
		number(text, "%.3g", 100 * d->stolen_part);
		fprintf(out, "%9s", text);
		number(text, "%.1f", d->longest_ns / 1e3);
		fprintf(out, "%12s\n", text);
	}
}

/* "latency        +1.2 %  -0.3..+2.7     45   3   1  10   12.5 pointer 16K" */
static void print_probe(const struct group *g, FILE *out)
{
	char size[16], range[32] = "-";

	number(size, "%+.1f %%", 100 * expm1(g->size));
	if (g->high - g->low > 2 * RANGE_MOST)
		strcpy(range, "not known");
	else if (!isnan(g->size))
		snprintf(range, sizeof range, "%+.1f..%+.1f", 100 * expm1(g->low),
			100 * expm1(g->high));
	fprintf(out, "%-11.11s %8s %14s %5zu %5zu %5zu %5zu", g->name, size, range,
		g->verdicts[VERDICT_SAME], g->verdicts[VERDICT_SLOWER], g->verdicts[VERDICT_FASTER],
		g->verdicts[VERDICT_UNKNOWN]);
	if (g->worst)
		fprintf(out, "  %+.3g %% %.14s", 100 * (g->worst_slower - 1),
			g->worst->label + strlen(g->worst->probe) + 1);
	fputc('\n', out);
}

static size_t differing(const struct group *g)
{
	return g->verdicts[VERDICT_SLOWER] + g->verdicts[VERDICT_FASTER];
}

/* Those with rows that differ first; else as they were measured. */
static void print_probes(const struct comparison *c, size_t s, FILE *out)
{
	struct group groups[PROBES_MOST];
	size_t n = groups_of_probes(c, s, groups, PROBES_MOST), printed = 0;

	if (!n)
		return;
	fprintf(out, "\n%c/A, time %26s  same  slow  fast     ?  furthest row\n", set_letter(s),
		"mean over rows, 95 %");
	for (int differ = 1; differ >= 0; differ--)
		for (size_t i = 0; i < n && printed < PROBES_SHOWN; i++)
			if ((differing(&groups[i]) > 0) == differ) {
				print_probe(&groups[i], out);
				printed++;
			}
	if (n > printed)
		fprintf(out, "and %zu more probes\n", n - printed);
}

void print_summary(const struct comparison *c, FILE *out)
{
	print_cards(c, out);
	print_noise(c, out);
	for (size_t s = 1; s < c->sets.n; s++)
		print_probes(c, s, out);
}
