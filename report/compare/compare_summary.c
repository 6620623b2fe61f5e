/* SPDX-License-Identifier: MIT */
/* Of a comparison: the cards side by side, and the noise of each set. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/compare/compare_parts.h"

#define SETS_BESIDE 4  /* that fit beside each other */
#define COLUMN      15 /* of one of them */

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
		snprintf(out, 40, "%.4g%s%s", value * shown[i].times, *shown[i].unit ? " " : "",
			shown[i].unit);
}

size_t sets_on_screen(const struct comparison *c)
{
	return c->sets.n < SETS_BESIDE ? c->sets.n : SETS_BESIDE;
}

/* Whether some set has a line of it. */
static bool was_asked(const struct comparison *c, size_t i)
{
	for (size_t s = 0; s < sets_on_screen(c); s++)
		if (run_summary(c->sets.set[s].runs[0], shown[i].name))
			return true;
	return false;
}

void print_cards(const struct comparison *c, FILE *out)
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

static void number(char out[16], const char *format, double value)
{
	if (isnan(value))
		strcpy(out, "-");
	else
		snprintf(out, 16, format, value);
}

void print_noise(const struct comparison *c, FILE *out)
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
			number(text, d->above[i] < 999.5 ? "%.3g" : "%.0f", d->above[i]);
			fprintf(out, "%8s", text);
		}
		number(text, "%.3g", 100 * d->stolen_part);
		fprintf(out, "%9s", text);
		number(text, "%.1f", d->longest_ns / 1e3);
		fprintf(out, "%12s\n", text);
	}
}
