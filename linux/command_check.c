/* SPDX-License-Identifier: MIT */
/* anechoic check: what results of an unknown machine should make one suspicious of. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "infer/card.h"
#include "lib/result_keys.h"
#include "linux/command_line.h"
#include "linux/commands.h"
#include "linux/show_row.h"
#include "report/check/findings.h"
#include "report/wrap.h"

#define ME "check"

static const struct command_help help = {
	.name = ME,
	.usage = "Usage: anechoic check [OPTION...] FILE...\n\n"
		 "Lists what a result should make one suspicious of before its values are\n"
		 "believed: whether it is whole, whether the machine is what it says, and\n"
		 "whether its values can stand beside one another; of several rooms of one\n"
		 "machine also whether they agree. docs/rent.md explains each subject.",
	.notes = "Exit code: 0 nothing FAILED; 1 something did; 2 a file is damaged (the\n"
		 "rest of it is still checked) or cannot be used, a mistake in the command\n"
		 "line, or the output failed.\n\n"
		 "Example: anechoic check bare.ndjson linux.ndjson",
};

static const char *const verdicts[] = { "pass", "look", "FAIL" };

/* What was asked for, and how many findings of each verdict there were. */
struct checking {
	bool issue;
	size_t n[VERDICT_FAIL + 1];
};

static void print_finding(const struct finding *f)
{
	char start[40];

	snprintf(start, sizeof start, "  %s  %-12s ", verdicts[f->verdict], f->subject);
	print_wrapped(stdout, start, f->text);
}

/* In an issue: what passed is not listed, and a text that quotes what a user wrote is left out. */
static void print_item(const struct finding *f)
{
	char start[40];

	snprintf(start, sizeof start, "- %s, %s: ", verdicts[f->verdict], f->subject);
	if (f->verdict != VERDICT_PASS)
		print_wrapped(stdout, start, f->quotes_user ? "(not shown)" : f->text);
}

static void print_findings(struct checking *what, const struct findings *found)
{
	for (size_t i = 0; i < found->n; i++) {
		(what->issue ? print_item : print_finding)(&found->list[i]);
		what->n[found->list[i].verdict]++;
	}
}

static void print_member(const json_t *object, const char *key)
{
	const char *text = text_of(object, key);

	if (*text)
		printf(", %s", text);
}

static void print_number(const json_t *object, const char *key)
{
	double number = number_of(object, key);

	if (!isnan(number))
		printf(", %s %.0f", key, number);
}

/* Which run of which machine: nothing that tells this machine from others of its model. */
static void print_run(const struct run_data *run)
{
	const json_t *cpu = json_object_get(run->head, KEY_CPU);
	const json_t *smbios = json_object_get(run->head, KEY_SMBIOS);

	printf("room %s, build %s, profile %s\n", run->room, text_of(run->head, KEY_BUILD),
		text_of(run->head, KEY_PROFILE));
	fputs(text_of(cpu, KEY_BRAND), stdout);
	print_number(cpu, KEY_FAMILY);
	print_number(cpu, KEY_MODEL);
	print_number(cpu, KEY_STEPPING);
	if (number_of(cpu, "microcode") > 0)
		printf(", microcode 0x%x", (unsigned)number_of(cpu, "microcode"));
	print_member(smbios, "board");
	print_member(smbios, "firmware_vendor");
	print_member(smbios, "firmware_version");
	putchar('\n');
}

static void print_text(void *to, const char *text, size_t n)
{
	fwrite(text, 1, n, to);
}

static void check_one(struct checking *what, const struct run_data *run)
{
	struct findings found = { .n = 0 };
	struct card card;

	putchar('\n');
	print_run(run);
	findings_of_run(&found, run);
	print_findings(what, &found);
	findings_free(&found);
	if (what->issue) {
		show_row_card(&card, run);
		puts("```");
		card_print(&card, print_text, stdout);
		puts("```");
	}
}

/* Each pair of runs in different rooms. */
static void check_pairs(struct checking *what, const struct run_data **runs, size_t n)
{
	struct findings found = { .n = 0 };

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			if (strcmp(runs[i]->room, runs[j]->room) != 0)
				findings_between(&found, runs[i], runs[j]);
	if (found.n)
		puts("\nBetween the rooms");
	print_findings(what, &found);
	findings_free(&found);
}

/* -1: nothing can be used in one of the files; else how many runs there are, in *runs. */
static ssize_t open_all(struct results *files, char **paths, size_t n,
	const struct run_data ***runs, bool *damaged)
{
	size_t nruns = 0;
	bool usable = true;

	*runs = NULL;
	for (size_t i = 0; i < n; i++) {
		usable = open_result(&files[i], paths[i], damaged) && usable;
		for (size_t r = 0; r < files[i].nruns; r++)
			*(const struct run_data **)grow((void **)runs, &nruns, sizeof **runs) =
				&files[i].runs[r];
	}
	return usable ? (ssize_t)nruns : -1;
}

static int check_files(struct checking *what, char **paths, size_t n)
{
	struct results *files = new_array(n, sizeof *files);
	const struct run_data **runs;
	bool damaged = false;
	ssize_t nruns = open_all(files, paths, n, &runs, &damaged);

	if (what->issue)
		puts("anechoic check --issue: no UUID, serial number, MAC address, host or file "
		     "name is in it.");
	for (ssize_t i = 0; i < nruns; i++)
		check_one(what, runs[i]);
	if (nruns > 0)
		check_pairs(what, runs, (size_t)nruns);
	if (nruns > 0 && !what->issue)
		printf("\n%zu passed, %zu to look at, %zu FAILED\n", what->n[VERDICT_PASS],
			what->n[VERDICT_LOOK], what->n[VERDICT_FAIL]);
	for (size_t i = 0; i < n; i++)
		results_free(&files[i]);
	free(files);
	free(runs);
	return nruns < 0 || damaged ? EXIT_FAILED : what->n[VERDICT_FAIL] ? EXIT_NO : EXIT_OK;
}

static int check_main(int argc, char **argv)
{
	struct checking what = { .issue = false };
	const struct command_option options[] = {
		{ .name = "issue",
			.argument = "",
			.flag = &what.issue,
			.help = "a short text to send to the project: what did not pass,\n"
				"and the card; nothing in it tells which machine it was" },
	};
	int code = parse_options(&help, options, sizeof options / sizeof *options, argc, argv);

	if (code >= 0)
		return code;
	if (optind == argc)
		return command_error(ME, "no file; see `anechoic check --help`");
	code = check_files(&what, argv + optind, (size_t)(argc - optind));
	return finish_output(ME, stdout, code);
}

const struct command command_check = { ME, check_main,
	"lists what a result should make one suspicious of" };
