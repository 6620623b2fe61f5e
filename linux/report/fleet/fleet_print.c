/* SPDX-License-Identifier: MIT */
/*
 * A fleet for people: the machines outside of their group first, on one screen; then the groups,
 * and the differences between groups of one model.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linux/report/fleet/fleet.h"
#include "lib/text.h"
#include "linux/report/wrap.h"

static const char *const key_words[FLEET_KEYS] = {
#define FLEET_KEY(name, words, kind) words,
#include "linux/report/fleet/fleet_keys.inc"
#undef FLEET_KEY
};

/*
 * The keys of the group that differ from the other's; NULL: all that are known. The caller frees
 * the text.
 */
static char *keys_text(const struct fleet_group *group, const struct fleet_group *other)
{
	const char *comma = "";
	size_t bytes;
	char *text;
	FILE *out = text_stream(&text, &bytes);

	for (int k = 0; k < FLEET_KEYS; k++) {
		bool differs = other && strcmp(group->key[k], other->key[k]);
		if (other ? !differs : !*group->key[k])
			continue;
		fprintf(out, "%s%s%s", comma, key_words[k],
			*group->key[k] ? group->key[k] : "unknown");
		comma = ", ";
	}
	fclose(out);
	return text;
}

/* The group as text: "bare, X 1, firmware 1.2". */
static char *group_text(const struct fleet_group *group)
{
	return keys_text(group, NULL);
}

/* The keys of a group that differ from another group of its model. */
static char *revision_text(const struct fleet_group *group, const struct fleet_group *other)
{
	return keys_text(group, other);
}

#define FLEET_NUMBER 32

/* The size of each part that is shown: lines, groups, lines, files. */
struct fleet_screen {
	size_t outliers, groups, differences, faults;
	bool all;
};

/* Values whose medians stand in the line of a group. */
static const struct {
	const char *name, *head;
} main_values[] = {
	{ "core_clock_hz", "core clock" },
	{ "l1d_latency_cycles", "L1 latency" },
	{ "memory_latency_ns", "memory latency" },
	{ "read_bytes_per_cycle_memory", "memory read" },
};
#define MAIN_VALUES (sizeof main_values / sizeof *main_values)

/* Shorten a unit: "cycles/tick" -> "cy/tick", "bytes/cycle" -> "B/cycle". */
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

static void fleet_number_text(const struct fleet_value *value, double number,
	char out[FLEET_NUMBER])
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

static void fleet_part_text(double part, char out[FLEET_NUMBER])
{
	if (!isfinite(part))
		snprintf(out, FLEET_NUMBER, "-");
	else if (part > 1)
		snprintf(out, FLEET_NUMBER, part < 999 ? "x %.3g" : "x %.0e", part + 1);
	else
		snprintf(out, FLEET_NUMBER, "%+.1f %%", 100 * part);
}

/* Write the median of a main value, for the pages that most machines have; "-": not judged. */
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

static void fleet_print_group(const struct fleet *f, size_t g, FILE *out)
{
	char text[FLEET_NUMBER], *what = group_text(&f->groups[g]);

	fprintf(out, "%5zu %8zu", g + 1, f->groups[g].machines);
	for (size_t i = 0; i < MAIN_VALUES; i++) {
		main_text(f, g, main_values[i].name, text);
		fprintf(out, "  %14s", text);
	}
	fputc('\n', out);
	print_wrapped(out, "      ", what);
	free(what);
}

/* Print every value of a judged group: the median, and the range in which no machine is named. */
static void print_columns(const struct fleet *f, size_t g, FILE *out)
{
	for (size_t i = 0; i < f->ncolumns; i++) {
		const struct fleet_column *c = &f->columns[i];
		const struct fleet_value *value = &f->values[c->value];
		char text[3][FLEET_NUMBER];

		if (c->group != g)
			continue;
		for (int k = 0; k < 3; k++)
			fleet_number_text(value,
				fleet_unscaled(value,
					c->median + (k == 0 ? 0 : 2 * k - 3) * c->reach),
				text[k]);
		fprintf(out, "     %-28.28s%5zu %13s %13s %13s\n", value->name, c->machines,
			text[0], text[1], text[2]);
	}
}

static void fleet_print_groups(const struct fleet *f, const struct fleet_screen *screen, FILE *out)
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
	char *from = revision_text(a, b), *to = revision_text(b, a), text[512];

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

static void fleet_print_differences(const struct fleet *f, const struct fleet_screen *screen,
	FILE *out)
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

#define SCREEN_LINES 40
#define NAME_MOST    48
#define TEXT_MOST    512
#define Z_MOST       99999.0 /* largest that is printed */

/* Print the end of a long name, which tells more than its beginning. */
static void print_name(const char *name, bool all, FILE *out)
{
	size_t n = strlen(name);
	bool cut = n > NAME_MOST && !all;

	fprintf(out, "%s%s", cut ? "..." : "", cut ? name + n - NAME_MOST : name);
}

static void print_machine(const struct fleet_machine *m, bool all, FILE *out)
{
	print_name(m->name, all, out);
	if (*m->host)
		fprintf(out, all ? "  (%s)" : "  (%.22s)", m->host);
	fputc('\n', out);
}

static void print_outlier(const struct fleet *f, const struct fleet_outlier *o, FILE *out)
{
	const struct fleet_column *c = &f->columns[o->column];
	const struct fleet_value *value = &f->values[c->value];
	double here = f->numbers[o->number].number, median = fleet_unscaled(value, c->median);
	char text[3][FLEET_NUMBER];

	fleet_number_text(value, here, text[0]);
	fleet_number_text(value, median, text[1]);
	fleet_part_text(median != 0 ? here / median - 1 : NAN, text[2]);
	fprintf(out, "  %-28.28s %13s %13s %8s %+6.*f %5zu\n", value->name, text[0], text[1],
		text[2], fabs(o->z) < 999 ? 1 : 0, fmax(fmin(o->z, Z_MOST), -Z_MOST), c->group + 1);
}

static void print_outliers(const struct fleet *f, const struct fleet_screen *screen, FILE *out)
{
	size_t last = f->nmachines, machines = 0, lines = 0;

	if (!f->noutliers)
		return;
	fprintf(out, "\n  %-28s %13s %13s %8s %6s %5s\n", "value", "here", "median", "differs", "z",
		"group");
	for (size_t i = 0; i < f->noutliers; i++) {
		size_t machine = f->numbers[f->outliers[i].number].machine;
		bool first = machine != last;
		lines += 1 + first;
		if (lines > screen->outliers) {
			fprintf(out, "and %zu more value%s, %zu more machine%s, with --all\n",
				f->noutliers - i, text_plural(f->noutliers - i),
				f->found - machines, text_plural(f->found - machines));
			return;
		}
		if (first)
			print_machine(&f->machines[machine], screen->all, out);
		machines += first;
		last = machine;
		print_outlier(f, &f->outliers[i], out);
	}
}

static void print_answer_line(const struct fleet *f, FILE *out)
{
	size_t groups = 0;

	for (size_t g = 0; g < f->ngroups; g++)
		groups += f->groups[g].judged;
	fprintf(out, "%zu machine%s, %zu run%s in %zu file%s\n", f->nmachines,
		text_plural(f->nmachines), f->runs, text_plural(f->runs), f->files,
		text_plural(f->files));
	if (!f->tests)
		fprintf(out, "No machine can be judged: no group has %d machines with values.\n",
			FLEET_MACHINES_LEAST);
	else if (!f->found)
		fprintf(out, "No machine lies outside of its group (%zu group%s judged).\n", groups,
			text_plural(groups));
	else
		fprintf(out, "%zu machine%s outside of %s group (%zu group%s judged).\n", f->found,
			f->found == 1 ? " lies" : "s lie", f->found == 1 ? "its" : "their", groups,
			text_plural(groups));
}

static void print_fault(const struct fleet_fault *fault, bool all, FILE *out)
{
	size_t bytes;
	char *text;
	FILE *line = text_stream(&text, &bytes);

	print_name(fault->file, all, line);
	fprintf(line, ": %s", fault->reason);
	fclose(line);
	print_wrapped(out, "    ", text);
	free(text);
}

static void print_faults(const struct fleet_faults *faults, const struct fleet_screen *screen,
	FILE *out)
{
	size_t shown = 0;

	if (!faults->n)
		return;
	fprintf(out, "  %zu file%s damaged or no result; what is whole of them was used:\n",
		faults->n, text_plural(faults->n));
	for (; shown < faults->n && shown < screen->faults; shown++)
		print_fault(&faults->fault[shown], screen->all, out);
	if (shown < faults->n)
		fprintf(out, "    and %zu more, with --all\n", faults->n - shown);
}

/* Print groups of too few machines and, separately, emulated ones. */
static void print_not_judged_groups(const struct fleet *f, bool all, FILE *out)
{
	size_t few = 0, machines = 0, emulated = 0;

	for (size_t g = 0; g < f->ngroups; g++) {
		const struct fleet_group *group = &f->groups[g];
		bool real = !group->emulated;
		emulated += real ? 0 : group->runs;
		few += real && !group->judged;
		machines += real && !group->judged ? group->machines : 0;
	}
	if (few)
		fprintf(out,
			"  too few to judge: %zu group%s of fewer than %d machines, %zu in all\n",
			few, text_plural(few), FLEET_MACHINES_LEAST, machines);
	if (emulated)
		fprintf(out, "  %zu run%s EMULATED: the timings mean nothing\n", emulated,
			text_plural(emulated));
	for (size_t g = 0; all && g < f->ngroups; g++)
		if (!f->groups[g].judged)
			fleet_print_group(f, g, out);
}

/* Print what was left out of the answer, and why. */
static void print_not_judged(const struct fleet *f, const struct fleet_faults *faults,
	const struct fleet_screen *screen, FILE *out)
{
	char *text;
	size_t bytes;
	FILE *part = text_stream(&text, &bytes);

	print_not_judged_groups(f, screen->all, part);
	if (f->no_values)
		fprintf(part, "  %zu run%s without a resolved value\n", f->no_values,
			text_plural(f->no_values));
	if (f->alone)
		fprintf(part,
			"  %zu value%s that fewer than %d machines of a group have, or of median "
			"0\n",
			f->alone, text_plural(f->alone), FLEET_MACHINES_LEAST);
	if (faults->others)
		fprintf(part, "  %zu %s no *.ndjson file%s: not read\n", faults->others,
			faults->others == 1 ? "entry that is" : "entries that are",
			text_plural(faults->others));
	print_faults(faults, screen, part);
	fclose(part);
	if (bytes)
		fprintf(out, "\nNot judged:\n%s", text);
	free(text);
}

/* Print how the answer was found, with the numbers of this fleet. */
static void print_how(const struct fleet *f, FILE *out)
{
	double low = INFINITY, high = 0;
	char text[TEXT_MOST], where[80];

	if (json_object_size(f->builds) > 1)
		fprintf(out, "\nThe results are of %zu builds of the program.\n",
			json_object_size(f->builds));
	for (size_t i = 0; i < f->ncolumns; i++) {
		low = fmin(low, f->columns[i].limit);
		high = fmax(high, f->columns[i].limit);
	}
	if (!f->tests)
		return;
	snprintf(where, sizeof where, " where most machines have the value, %.1f where fewest do",
		high);
	snprintf(text, sizeof text,
		"z: deviations from the median of the group (1.4826 MAD). A machine is named from "
		"%.1f on%s, if it differs by more than %g %%: of 100 fleets of equal machines, "
		"whose %zu values differ by normally distributed chance, one has a false name.",
		low, high - low < 0.1 ? "" : where, 100 * f->margin, f->tests);
	fputc('\n', out);
	print_wrapped(out, "", text);
}

/* All parts, each as long as `screen` says; the caller frees the text. */
static char *text_of_parts(const struct fleet *f, const struct fleet_faults *faults,
	const struct fleet_screen *screen)
{
	size_t bytes;
	char *text;
	FILE *out = text_stream(&text, &bytes);

	print_answer_line(f, out);
	print_outliers(f, screen, out);
	fleet_print_groups(f, screen, out);
	fleet_print_differences(f, screen, out);
	print_not_judged(f, faults, screen, out);
	print_how(f, out);
	fclose(out);
	return text;
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	while (*text)
		n += *text++ == '\n';
	return n;
}

/* Shorten one part, the least important first. Returns false if each is as short as it may be. */
static bool shorten(struct fleet_screen *screen)
{
	const struct {
		size_t *part, least;
	} parts[] = { { &screen->faults, 1 }, { &screen->differences, 3 }, { &screen->groups, 1 },
		{ &screen->outliers, 6 } };

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (*parts[i].part > parts[i].least) {
			--*parts[i].part;
			return true;
		}
	return false;
}

void fleet_print(const struct fleet *f, const struct fleet_faults *faults, bool all, FILE *out)
{
	struct fleet_screen screen = { 20, 8, 9, 5, all };

	if (all)
		screen = (struct fleet_screen){ SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, true };
	char *text = text_of_parts(f, faults, &screen);
	while (!all && lines_of(text) > SCREEN_LINES && shorten(&screen)) {
		free(text);
		text = text_of_parts(f, faults, &screen);
	}
	fputs(text, out);
	free(text);
}

/* A fleet for programs: docs/format.md, "compare --fleet --json". */

/* A number, or null if it is unknown. */
static json_t *number_json(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count_json(size_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *column_json(const struct fleet *f, const struct fleet_column *c)
{
	const struct fleet_value *value = &f->values[c->value];

	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "name", value->name, "unit",
		value->unit, "page_bytes",
		value->page_bytes ? number_json(value->page_bytes) : json_null(), "machines",
		count_json(c->machines), "median", number_json(fleet_unscaled(value, c->median)),
		"deviation", number_json(c->deviation), "limit", number_json(c->limit));
}

static json_t *groups_json(const struct fleet *f)
{
	static const char *const keys[FLEET_KEYS] = {
#define FLEET_KEY(name, words, kind) #name,
#include "linux/report/fleet/fleet_keys.inc"
#undef FLEET_KEY
	};
	json_t *all = json_array();

	for (size_t g = 0; g < f->ngroups; g++) {
		const struct fleet_group *group = &f->groups[g];
		json_t *one = json_object(), *values = json_array();
		for (int k = 0; k < FLEET_KEYS; k++)
			json_object_set_new(one, keys[k], json_string(group->key[k]));
		json_object_set_new(one, "machines", count_json(group->machines));
		json_object_set_new(one, "runs", count_json(group->runs));
		json_object_set_new(one, "judged", json_boolean(group->judged));
		for (size_t i = 0; i < f->ncolumns; i++)
			if (f->columns[i].group == g)
				json_array_append_new(values, column_json(f, &f->columns[i]));
		json_object_set_new(one, "values", values);
		json_array_append_new(all, one);
	}
	return all;
}

static json_t *outlier_json(const struct fleet *f, const struct fleet_outlier *o)
{
	const struct fleet_column *c = &f->columns[o->column];
	const struct fleet_value *value = &f->values[c->value];
	const struct fleet_number *n = &f->numbers[o->number];

	return json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:o}", "group", count_json(c->group),
		"name", value->name, "unit", value->unit, "value", number_json(n->number), "median",
		number_json(fleet_unscaled(value, c->median)), "z", number_json(o->z), "runs",
		count_json(n->runs));
}

/* One object for each machine, with all values in which it lies outside. */
static json_t *outliers_json(const struct fleet *f)
{
	json_t *all = json_array(), *values = NULL;
	size_t last = f->nmachines;

	for (size_t i = 0; i < f->noutliers; i++) {
		size_t machine = f->numbers[f->outliers[i].number].machine;
		if (machine != last) {
			values = json_array();
			json_array_append_new(all,
				json_pack("{s:s, s:s, s:o}", "machine", f->machines[machine].name,
					"host", f->machines[machine].host, "values", values));
		}
		last = machine;
		json_array_append_new(values, outlier_json(f, &f->outliers[i]));
	}
	return all;
}

static json_t *differences_json(const struct fleet *f)
{
	json_t *all = json_array();

	for (size_t i = 0; i < f->ndifferences; i++) {
		const struct fleet_difference *d = &f->differences[i];
		const struct fleet_column *a = &f->columns[d->column[0]],
					  *b = &f->columns[d->column[1]];
		const struct fleet_value *value = &f->values[a->value];
		json_array_append_new(all,
			json_pack("{s:s, s:[o,o], s:[o,o], s:o, s:o}", "name", value->name,
				"groups", count_json(a->group), count_json(b->group), "medians",
				number_json(fleet_unscaled(value, a->median)),
				number_json(fleet_unscaled(value, b->median)), "change",
				number_json(d->part), "z", number_json(d->z)));
	}
	return all;
}

static json_t *faults_json(const struct fleet_faults *faults)
{
	json_t *all = json_array();

	for (size_t i = 0; i < faults->n; i++)
		json_array_append_new(all,
			json_pack("{s:s, s:s}", "file", faults->fault[i].file, "reason",
				faults->fault[i].reason));
	return all;
}

void fleet_print_json(const struct fleet *f, const struct fleet_faults *faults, FILE *out)
{
	json_t *all = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "files",
		count_json(f->files), "runs", count_json(f->runs), "machines",
		count_json(f->nmachines), "tests", count_json(f->tests), "values_of_few",
		count_json(f->alone), "runs_without_value", count_json(f->no_values),
		"files_not_read", count_json(faults->others), "groups", groups_json(f), "outliers",
		outliers_json(f), "differences", differences_json(f), "damaged",
		faults_json(faults));

	json_dumpf(all, out, JSON_INDENT(1));
	fputc('\n', out);
	json_decref(all);
}
