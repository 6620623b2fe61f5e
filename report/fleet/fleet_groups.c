/* SPDX-License-Identifier: MIT */
/* The groups of a fleet for people: their medians, and how those of one model differ. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "report/fleet/fleet_parts.h"
#include "report/wrap.h"

/* The values whose medians stand in the line of a group. */
static const struct {
	const char *name, *head;
} main_values[] = {
	{ "core_clock_hz", "core clock" },
	{ "l1d_latency_cycles", "L1 latency" },
	{ "memory_latency_ns", "memory latency" },
	{ "read_bytes_per_cycle_memory", "memory read" },
};
#define MAIN_VALUES (sizeof main_values / sizeof *main_values)

/* "cycles/tick" -> "cy/tick", "bytes/cycle" -> "B/cycle" */
static void unit_text(const char *unit, char out[FLEET_NUMBER])
{
	static const char *const shorter[][2] = { { "cycles", "cy" }, { "bytes", "B" } };

	snprintf(out, FLEET_NUMBER, "%.16s", unit);
	for (size_t i = 0; i < sizeof shorter / sizeof *shorter; i++) {
		size_t n = strlen(shorter[i][0]);
		if (!strncmp(unit, shorter[i][0], n))
			snprintf(out, FLEET_NUMBER, "%s%.12s", shorter[i][1], unit + n);
	}
}

void fleet_number_text(const struct fleet_value *value, double number, char out[FLEET_NUMBER])
{
	char text[FLEET_NUMBER];

	if (!strcmp(value->unit, "Hz")) {
		snprintf(out, FLEET_NUMBER, "%.3f GHz", number / 1e9);
	} else if (!strcmp(value->unit, "bytes")) {
		size_text(number, text);
		snprintf(out, FLEET_NUMBER, "%s", text);
	} else if (value->scale == FLEET_COUNTED) {
		snprintf(out, FLEET_NUMBER, "%.0f", number);
	} else {
		unit_text(value->unit, text);
		snprintf(out, FLEET_NUMBER,
			fabs(number) < 1000          ? "%#.4g %.16s"
				: fabs(number) < 1e7 ? "%.0f %.16s"
						     : "%.4g %.16s",
			number, text);
	}
}

void fleet_part_text(double part, char out[FLEET_NUMBER])
{
	if (!isfinite(part))
		snprintf(out, FLEET_NUMBER, "-");
	else if (part > 1)
		snprintf(out, FLEET_NUMBER, part < 999 ? "x %.3g" : "x %.0e", part + 1);
	else
		snprintf(out, FLEET_NUMBER, "%+.1f %%", 100 * part);
}

/* The median of a main value, in the pages that most machines have; "-": not judged. */
static void main_text(const struct fleet *f, size_t group, const char *name,
	char text[FLEET_NUMBER])
{
	size_t most = 0;

	snprintf(text, FLEET_NUMBER, "-");
	for (size_t i = 0; i < f->ncolumns; i++) {
		const struct fleet_column *c = &f->columns[i];
		const struct fleet_value *value = &f->values[c->value];
		if (c->group != group || c->machines <= most || strcmp(value->name, name))
			continue;
		most = c->machines;
		fleet_number_text(value, fleet_unscaled(value, c->median), text);
	}
}

void fleet_print_group(const struct fleet *f, size_t g, FILE *out)
{
	char text[FLEET_NUMBER], *what = fleet_group_text(&f->groups[g]);

	fprintf(out, "%5zu %8zu", g + 1, f->groups[g].machines);
	for (size_t i = 0; i < MAIN_VALUES; i++) {
		main_text(f, g, main_values[i].name, text);
		fprintf(out, "  %14s", text);
	}
	fputc('\n', out);
	print_wrapped(out, "      ", what);
	free(what);
}

/* Every value of a judged group: the median, and the range in which no machine is named. */
static void print_columns(const struct fleet *f, size_t g, FILE *out)
{
	for (size_t i = 0; i < f->ncolumns; i++) {
		const struct fleet_column *c = &f->columns[i];
		const struct fleet_value *value = &f->values[c->value];
		double reach = fleet_reach(f, c);
		char text[3][FLEET_NUMBER];

		if (c->group != g)
			continue;
		for (int k = 0; k < 3; k++)
			fleet_number_text(value,
				fleet_unscaled(value, c->median + (k == 0 ? 0 : 2 * k - 3) * reach),
				text[k]);
		fprintf(out, "     %-28.28s%5zu %13s %13s %13s\n", value->name, c->machines,
			text[0], text[1], text[2]);
	}
}

void fleet_print_groups(const struct fleet *f, const struct fleet_screen *screen, FILE *out)
{
	size_t judged = 0, shown = 0;

	for (size_t g = 0; g < f->ngroups; g++)
		judged += f->groups[g].judged;
	if (!judged)
		return;
	fprintf(out, "\n%5s %8s", "group", "machines");
	for (size_t i = 0; i < MAIN_VALUES; i++)
		fprintf(out, "  %14s", main_values[i].head);
	fputc('\n', out);
	if (screen->all)
		fprintf(out, "     %-28s%5s %13s %13s %13s\n", "value", "of", "median", "not below",
			"not above");
	for (size_t g = 0; g < f->ngroups && shown < screen->groups; g++) {
		if (!f->groups[g].judged)
			continue;
		shown++;
		fleet_print_group(f, g, out);
		if (screen->all)
			print_columns(f, g, out);
	}
	if (shown < judged)
		fprintf(out, "and %zu more group%s, with --all\n", judged - shown,
			text_plural(judged - shown));
}

static void print_pair(const struct fleet *f, size_t with, size_t other, FILE *out)
{
	const struct fleet_group *a = &f->groups[with], *b = &f->groups[other];
	char *from = fleet_revision_text(a, b), *to = fleet_revision_text(b, a), text[512];

	snprintf(text, sizeof text,
		"group %zu, %.160s (n = %zu), against group %zu, %.160s (n = %zu):", other + 1, to,
		b->machines, with + 1, from, a->machines);
	print_wrapped(out, "  ", text);
	free(from);
	free(to);
}

static void print_difference(const struct fleet *f, const struct fleet_difference *d, FILE *out)
{
	const struct fleet_column *a = &f->columns[d->column[0]], *b = &f->columns[d->column[1]];
	const struct fleet_value *value = &f->values[a->value];
	char text[3][FLEET_NUMBER];

	fleet_number_text(value, fleet_unscaled(value, a->median), text[0]);
	fleet_number_text(value, fleet_unscaled(value, b->median), text[1]);
	fleet_part_text(d->part, text[2]);
	fprintf(out, "    %-28.28s %s, %s after %s\n", value->name, text[2], text[1], text[0]);
}

void fleet_print_differences(const struct fleet *f, const struct fleet_screen *screen, FILE *out)
{
	size_t last = f->ngroups, lines = 0;

	if (f->ndifferences)
		fputs("\nOf one model, by firmware and microcode:\n", out);
	for (size_t i = 0; i < f->ndifferences; i++) {
		const struct fleet_difference *d = &f->differences[i];
		size_t other = f->columns[d->column[1]].group;
		lines += 1 + 2 * (other != last);
		if (lines > screen->differences) {
			fprintf(out, "    and %zu more, with --all\n", f->ndifferences - i);
			return;
		}
		if (other != last)
			print_pair(f, f->columns[d->column[0]].group, other, out);
		last = other;
		print_difference(f, d, out);
	}
}
