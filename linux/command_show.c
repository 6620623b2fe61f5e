/* SPDX-License-Identifier: MIT */
/* anechoic show: the console's tables, from a file, and the run's sentences beside them. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/levels.h"
#include "engine/plan.h"
#include "engine/run_text.h"
#include "engine/infer/infer.h"
#include "engine/infer/since.h"
#include "lib/machine_id.h"
#include "lib/published.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "linux/commands.h"
#include "linux/command_line.h"
#include "linux/show_json.h"
#include "linux/show_row.h"
#include "linux/report/reading/results.h"
#include "linux/report/sources/source_table.h"
#include "linux/report/sources/sources.h"
#include "engine/options.h"
#include "engine/skipped.h"

/* Print the canonical sizes and their origin; nothing if the file lacks them. */
static void show_levels(const struct run_data *run)
{
	const json_t *all = json_object_get(run->end, KEY_LEVELS);
	struct level_size levels[LEVELS];
	char text[LEVELS_TEXT];

	if (!all)
		return;
	for (unsigned i = 0; i < LEVELS; i++) {
		const json_t *one = json_object_get(all, level_names[i]);

		levels[i] = (struct level_size){ level_names[i],
			(uint64_t)number_or(one, KEY_BYTES, 0), text_of(one, KEY_ORIGIN) };
	}
	levels_text(levels, (size_t)number_or(all, KEY_PAGE_BYTES, 0), text);
	fputs(text, stdout);
}

static void show_values(const struct run_data *run, const struct card *card, const char *probe)
{
	char text[CARD_TEXT];

	for (size_t i = 0; i < run->summaries.n; i++) {
		const json_t *line = run->summaries.list[i].json;
		const struct card_value *v = card_value(card, text_of(line, KEY_NAME));

		if (!v || strcmp(text_of(line, KEY_PROBE), probe) != 0)
			continue;
		card_value_text(v, text);
		printf(CARD_VALUE_LINE, v->name, text);
	}
}

static void show_sentences(const json_t *lines)
{
	const json_t *line;
	size_t i;

	json_array_foreach(lines, i, line)
		if (json_is_string(line))
			puts(json_string_value(line));
}

/*
 * Print the findings of each probe: the values by their names, and the probe's sentences; for the
 * probes that `probes` selects ("": all). Nothing if the file has none.
 */
static void show_found(const struct run_data *run, const struct card *card, const char *probes)
{
	const json_t *said = json_object_get(run->end, KEY_SAID), *one;
	size_t i;

	if (!said)
		return;
	fputs(FOUND_TITLE, stdout);
	json_array_foreach(said, i, one) {
		const char *probe = text_of(one, KEY_PROBE);

		if (!probe_selected(probes, probe))
			continue;
		puts(probe);
		show_values(run, card, probe);
		show_sentences(json_object_get(one, KEY_TEXT));
	}
}

#define ME "show"

static const struct command_help command = {
	.name = ME,
	.usage = "Usage: anechoic show [OPTION...] FILE...\n\n"
		 "Prints the tables that the console showed, the skipped rows, the summary\n"
		 "and the card of the machine; or the tables of a source of the experiments,\n"
		 "its published figures beside those of the file.",
	.notes = "Exit code: 0 shown; 2 a file is damaged (the rest of it is still shown)\n"
		 "or cannot be used, a mistake in the command line, or the output failed.\n\n"
		 "Example: anechoic show --probe latency metal.ndjson\n"
		 "         anechoic show --since monday.ndjson tuesday.ndjson",
};

static void show_clock(const char *what, double hz)
{
	if (isnan(hz))
		printf("%s unknown", what);
	else
		printf("%s %.6f GHz", what, hz / 1e9);
}

static void show_head(const struct run_data *run)
{
	const json_t *head = run->head, *cpu = json_object_get(head, KEY_CPU);
	const char *mark = result_mark(run->head_line), *why = text_of(head, KEY_MAY_BE_WHY);
	char plan[PLAN_TEXT];

	run_plan_text(head, plan);
	printf("\nroom %s, %.0f CPU(s), %s\n", run->room, number_or(head, KEY_CPUS, NAN),
		text_of(cpu, KEY_BRAND));
	printf("build %s, %s, %s\n", text_of(head, KEY_BUILD), plan,
		*text_of(head, KEY_TIME_UTC) ? text_of(head, KEY_TIME_UTC) : "no date");
	show_clock("TSC", number_of(head, KEY_TSC_HZ));
	printf(" by %s, ", text_of(head, KEY_TSC_SOURCE));
	show_clock("core clock", number_of(head, KEY_CORE_HZ));
	putchar('\n');
	if (*mark)
		printf("%s\n", result_mark_text(mark));
	while (*why) {
		const char *reason = why;
		size_t n = text_clause(&why);

		printf("  %.*s\n", (int)n, reason);
	}
}

/* Print the head for the rows from `at` on that share a table; returns the table's end. */
static size_t show_table_head(const struct run_data *run, struct show_row *rows, size_t at,
	struct table *table, const char *mark)
{
	char line[TABLE_LINE];
	size_t end = at;

	table_begin(table, mark);
	while (end < run->nrows && !strcmp(run->rows[end].probe, run->rows[at].probe) &&
		table_fit(table, &rows[end].row))
		end++;
	table_head(table, line);
	puts(line);
	return end;
}

static void show_title(const char *probe, const char *mark)
{
	char line[TABLE_LINE];
	struct table table;

	table_begin(&table, mark);
	table_title(&table, probe, show_probe(probe)->what, line);
	printf("\n%s\n", line);
}

static void show_rows(const struct run_data *run)
{
	struct show_row *rows = calloc(run->nrows + 1, sizeof *rows);
	const char *mark = result_mark(run->head_line), *heading = "";
	char line[TABLE_LINE];
	struct table table;
	size_t end = 0;

	for (size_t i = 0; rows && i < run->nrows; i++)
		show_row_init(&rows[i], &run->rows[i]);
	for (size_t i = 0; rows && i < run->nrows; i++) {
		if (strcmp(heading, run->rows[i].probe)) {
			heading = run->rows[i].probe;
			show_title(heading, mark);
			end = i;
		}
		if (i >= end)
			end = show_table_head(run, rows, i, &table, mark);
		table_row(&table, &rows[i].result, line);
		puts(line);
	}
	free(rows);
}

static void print_text(void *to, const char *text, size_t n)
{
	fwrite(text, 1, n, to);
}

static void show_skips(const struct run_data *run)
{
	struct skipped *all = calloc(1, sizeof *all);

	for (size_t i = 0; all && i < run->skips.n; i++) {
		const json_t *skip = run->skips.list[i].json;
		skipped_add(all, text_of(skip, KEY_PROBE), text_of(skip, KEY_VARIANT),
			text_of(skip, KEY_REASON));
	}
	if (all)
		skipped_print(all, print_text, stdout);
	free(all);
}

/* Columns: name, value, claim, unit and whether they agree; the longest names and units fit. */
#define SUMMARY_COLUMNS "  %-28s %11s %11s %-12s %-7s "
#define SUMMARY_OTHERS  "  %-28s %11s published%s: %s\n"
#define SUMMARY_FLOOR   "  %-28s %11s in quiet moments (%.0f %% of the samples disturbed)\n"

#define WHOLE_FROM 1e6  /* bytes and Hz are written in full from here on */
#define WHOLE_TO   1e11 /* as far as the column is wide enough */

static void number(char out[24], const json_t *line, const char *key)
{
	double value = number_of(line, key);
	bool whole = value >= WHOLE_FROM && value < WHOLE_TO;

	if (isnan(value))
		strcpy(out, "-");
	else
		snprintf(out, 24, whole ? "%.0f" : "%.6g", value);
}

/* Print what others publish of a value, with its source, and whether ours is elsewhere. */
static void show_published(const struct card *card, const struct published_core *core,
	const char *name)
{
	const struct published_fact *fact = published_fact(core, value_by_name(name));
	const struct card_value *v = card_value(card, name);
	char figure[SIZE_TEXT];

	if (!fact || !v || !isfinite(v->value))
		return;
	card_published_text(fact, figure);
	printf(SUMMARY_OTHERS, "", figure, card_value_unlike(v, fact) ? ", unlike ours" : "",
		fact->source);
}

static void show_summary(const json_t *line)
{
	const json_t *agrees = json_object_get(line, KEY_AGREES);
	char value[24], claimed[24], floor[24];

	number(value, line, KEY_VALUE);
	number(claimed, line, KEY_CLAIMED);
	number(floor, line, KEY_FLOOR);
	printf(SUMMARY_COLUMNS "%4.2f%s%s\n", text_of(line, KEY_NAME), value, claimed,
		text_of(line, KEY_UNIT),
		!agrees                        ? ""
			: json_is_true(agrees) ? "agrees"
					       : "DIFFERS",
		number_or(line, KEY_CONFIDENCE, 0), *text_of(line, KEY_REASON) ? "  " : "",
		text_of(line, KEY_REASON));
	if (isfinite(number_of(line, KEY_FLOOR)))
		printf(SUMMARY_FLOOR, "", floor, 100 * number_or(line, KEY_DISTURBED_SHARE, 0));
}

/*
 * Print the values of the probes that `probes` selects ("": all). Values that nothing was measured
 * of have one line together.
 */
static void show_summaries(const struct run_data *run, const struct card *card,
	const struct published_core *core, const char *probes)
{
	size_t shown = 0, unmeasured = 0;

	for (size_t i = 0; i < run->summaries.n; i++) {
		const json_t *line = run->summaries.list[i].json;

		if (!probe_selected(probes, text_of(line, KEY_PROBE)))
			continue;
		if (!strcmp(text_of(line, KEY_REASON), NOT_MEASURED)) {
			unmeasured++;
			continue;
		}
		if (!shown++)
			printf("\n" SUMMARY_COLUMNS "%s\n", "summary", "measured", "claimed",
				"unit", "", "confidence");
		show_summary(line);
		show_published(card, core, text_of(line, KEY_NAME));
	}
	if (unmeasured)
		printf("%s  %zu value%s not measured in this run\n", shown ? "" : "\n", unmeasured,
			text_plural(unmeasured));
}

/* The last run of the same room and machine in the file; NULL: there is none. */
static const struct run_data *earlier_run(const struct run_data *run, const struct results *before)
{
	const struct run_data *found = NULL;

	for (size_t i = 0; i < before->nruns; i++)
		if (!strcmp(before->runs[i].room, run->room) &&
			machine_same(run->head_line, before->runs[i].head_line))
			found = &before->runs[i];
	return found;
}

static void show_since(const struct run_data *run, const struct card *card,
	const struct results *before)
{
	const struct run_data *earlier = earlier_run(run, before);
	const char *slash = strrchr(before->name, '/'), *name = slash ? slash + 1 : before->name;
	struct card earlier_card;

	if (!earlier) {
		printf("%s has no run of room %s of this machine\n", name, run->room);
		return;
	}
	show_row_card(&earlier_card, earlier);
	since_print(&(struct since){ run->head_line, card },
		&(struct since){ earlier->head_line, &earlier_card }, name, print_text, stdout);
}

/* The request: which parts of a file are shown. */
struct showing {
	struct row_filter filter;
	const char *letter;      /* letter of a source; "": the tables of the console */
	bool as_json, card, all; /* card: nothing else; all: every value below it */
	const char *since;       /* file of an earlier result; "": none */
	struct results before;   /* contents of that file */
	json_t *sources, *json;  /* all sources; what was shown so far, with as_json */
};

static void show_card(const struct card *card, const struct showing *what)
{
	const struct card_beside beside = { .core_of = published_core_of };

	card_print(card, &beside, print_text, stdout);
	if (what->all)
		card_print_all(card, print_text, stdout);
}

/* Print the findings as the run itself did, with their confidence. */
static void show_end(const struct run_data *run, const struct showing *what)
{
	struct card card;

	show_row_card(&card, run);
	const struct published_core *core =
		published_core_of(card.vendor, card.family, card.model, card.core_type);

	show_found(run, &card, what->filter.probes);
	show_summaries(run, &card, core, what->filter.probes);
	show_card(&card, what);
	if (*what->since)
		show_since(run, &card, &what->before);
	if (run->end)
		printf("\n%s: %zu row%s, %zu skipped, %.1f s\n", text_of(run->end, KEY_STATUS),
			run->nrows, text_plural(run->nrows), run->skips.n,
			number_of(run->end, KEY_SECONDS));
	else
		printf("\nCUT: %zu rows are left of this run\n", run->nrows);
}

static void show_run_json(const struct showing *what, const struct results *file,
	const struct run_data *run)
{
	json_t *out = run_json(file, run);

	if (!what->card)
		add_lines_json(out, run);
	add_card_json(out, run);
	json_array_append_new(what->json, out);
}

static void show_run(const struct run_data *run, const struct showing *what)
{
	show_head(run);
	show_levels(run);
	show_rows(run);
	show_skips(run);
	show_end(run, what);
}

static void show_source(const struct showing *what, const struct run_data *run)
{
	const json_t *source = source_of(what->sources, what->letter);

	if (what->as_json) {
		json_array_append_new(what->json, source_json(source, run));
		return;
	}
	show_head(run);
	source_print(source, run, result_mark(run->head_line), stdout);
}

static bool show_file(const char *path, const struct showing *what, bool *damaged)
{
	struct results results;
	struct card card;
	bool usable = open_result(&results, path, damaged) &&
		!filter_rows(ME, &results, 1, &what->filter);

	for (size_t i = 0; usable && i < results.nruns; i++) {
		const struct run_data *run = &results.runs[i];

		if (*what->letter)
			show_source(what, run);
		else if (what->as_json)
			show_run_json(what, &results, run);
		else if (!what->card)
			show_run(run, what);
		else {
			show_row_card(&card, run);
			show_card(&card, what);
		}
	}
	results_free(&results);
	return usable;
}

/* Check the request. Returns EXIT_OK, or the exit code of its error. */
static int check(const struct showing *what)
{
	if (*what->letter && (*what->since || what->card))
		return command_error(ME, "--source has no card: leave --%s out",
			what->card ? "card" : "since");
	if (*what->since && (what->as_json || what->card))
		return command_error(ME, "--since is for people, below all tables: leave --%s out",
			what->as_json ? "json" : "card");
	return check_source(ME, what->sources, what->letter, &what->filter);
}

static int show_files(struct showing *what, char **files)
{
	bool damaged = false;
	int code = check(what);

	if (code)
		return code;
	if (*what->since && !open_result(&what->before, what->since, &damaged))
		return EXIT_FAILED;
	while (*files)
		damaged |= !show_file(*files++, what, &damaged);
	if (what->as_json)
		print_json(what->json);
	return finish_output(ME, stdout, damaged ? EXIT_FAILED : EXIT_OK);
}

static int show_main(int argc, char **argv)
{
	struct showing what = { .filter = ROW_FILTER_ALL, .letter = "", .since = "" };
	const struct command_option options[] = {
		ROW_FILTER_OPTIONS(&what.filter),
		{ .name = "source",
			.argument = " S",
			.value = &what.letter,
			.help = "the tables of " SOURCE_LETTERS },
		{ .name = "since",
			.argument = " OLD",
			.value = &what.since,
			.help = "below the card: what changed since this result" },
		{ .name = "all",
			.letter = 'v',
			.argument = "",
			.flag = &what.all,
			.help = "below the card: every main value, a line of them after another" },
		{ .name = "verbose", .flag = &what.all },
		{ .name = "json",
			.argument = "",
			.flag = &what.as_json,
			.help = "the same as JSON (docs/format.md, \"As JSON\")" },
		{ .name = "card",
			.argument = "",
			.flag = &what.card,
			.help = "only the card; with --json its values" },
	};
	int code = parse_options(&command, options, sizeof(options) / sizeof(*options), argc, argv);

	if (code >= 0)
		return code;
	if (optind == argc)
		return no_file(ME);
	what.sources = sources_load();
	what.json = json_array();
	code = show_files(&what, argv + optind);
	results_free(&what.before);
	json_decref(what.sources);
	json_decref(what.json);
	return code;
}

const struct command command_show = { "show", show_main, "prints the tables of a result" };
