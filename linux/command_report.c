/* SPDX-License-Identifier: MIT */
/* anechoic report, anechoic plot: results as a page, and a picture of them as a file. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "linux/boot/whole_file.h"
#include "linux/commands.h"
#include "linux/command_line.h"
#include "linux/show_row.h"
#include "page/pictures.h"
#include "report/reading/hosted_page.h"

static const struct command_help report_command = {
	.name = "report",
	.usage = "Usage: anechoic report [OPTION...] FILE...\n\n"
		 "Writes results as one page of HTML that needs nothing else: pictures, the\n"
		 "card, what was not measured and why, and with several files or rooms what\n"
		 "one costs against the first, as `compare` says it.",
	.notes = "Exit code: 0 written; 2 a file is damaged (the rest of it is still shown)\n"
		 "or cannot be used, a mistake in the command line, or the output failed.\n\n"
		 "Example: anechoic report metal.ndjson linux.ndjson --out report.html",
};

static const struct command_help plot_command = {
	.name = "plot",
	.usage = "Usage: anechoic plot --probe PICTURE [OPTION...] FILE...\n\n"
		 "Writes one picture of the report as SVG.",
	.notes = "Exit code: 0 written; 1 the files have nothing of that picture; 2 a file\n"
		 "is damaged or cannot be used, a mistake in the command line, or the\n"
		 "output failed.\n\n"
		 "Example: anechoic plot --probe latency metal.ndjson linux.ndjson --out x.svg",
};

struct arguments {
	const char *me, *out, *docs, *picture;
	struct row_filter filter;
};

/* Written whole, or not at all: what was there stays where nothing came of it. */
static int write_out(const struct arguments *arguments, const char *text, size_t n)
{
	bool to_stdout = !strcmp(arguments->out, "-");
	FILE *out = to_stdout ? stdout : fopen(arguments->out, "wb");

	if (!out)
		return command_error(arguments->me, "cannot write '%s': %s", arguments->out,
			strerror(errno));
	fwrite(text, 1, n, out);
	int code = finish_output(arguments->me, out, EXIT_OK);
	if (!to_stdout && fclose(out) && code == EXIT_OK)
		code = command_error(arguments->me, "cannot write '%s': %s", arguments->out,
			strerror(errno));
	return code;
}

static const char *what_of(const char *probe)
{
	const char *what = show_probe(probe)->what;

	return what ? what : "";
}

static void write_page(const struct comparison *c, const struct arguments *arguments, FILE *out)
{
	struct page page = {
		.subjects = hosted_subjects(&c->sets),
		.what = what_of,
		.section = method_section,
		.docs = arguments->docs,
	};

	struct sink to = sink_to(out);

	hosted_machines(&page, &c->sets);
	hosted_answer(&page, c);
	page_write(&page, &to);
	hosted_machines_free(&page);
	hosted_subjects_free(&page.subjects);
}

static int write_plot(const struct comparison *c, const struct arguments *arguments, FILE *out)
{
	struct subjects subjects = hosted_subjects(&c->sets);
	int code = plot_write(&subjects, arguments->picture, out) ? EXIT_NO : EXIT_OK;

	if (code)
		command_error(arguments->me, "the files have nothing of picture '%s'",
			arguments->picture);
	hosted_subjects_free(&subjects);
	return code;
}

static int write_sets(struct sets sets, const struct arguments *arguments)
{
	struct comparison c;
	char *text;
	size_t bytes;
	int code = EXIT_OK;

	if (!sets.n || sets.n > SETS_MOST) {
		sets_free(&sets);
		return command_error(arguments->me, "%s rooms or groups of files",
			sets.n ? "more than 26" : "no");
	}
	sets_pool(&sets);
	compare_sets(&c, sets, MARGIN_DEFAULT);
	FILE *out = text_stream(&text, &bytes);
	if (arguments->picture)
		code = write_plot(&c, arguments, out);
	else
		write_page(&c, arguments, out);
	fclose(out);
	if (code == EXIT_OK)
		code = write_out(arguments, text, bytes);
	free(text);
	comparison_free(&c);
	return code;
}

static int write_files(int n, char **paths, const struct arguments *arguments)
{
	struct results *files = calloc((size_t)n, sizeof *files);
	bool damaged = false, usable = files;
	int code = EXIT_FAILED;

	for (int i = 0; files && i < n; i++)
		usable &= open_result(&files[i], paths[i], &damaged);
	if (usable && !filter_rows(arguments->me, files, (size_t)n, &arguments->filter))
		code = write_sets(sets_group(files, (size_t)n), arguments);
	for (int i = 0; files && i < n; i++)
		results_free(&files[i]);
	free(files);
	return damaged ? EXIT_FAILED : code;
}

/* Where the build and where `make install` have the documents; "docs": the program is alone. */
static const char *docs_find(char folder[PATH_MAX])
{
	static const char *const folders[] = { "../docs", "../share/doc/anechoic/docs" };

	return program_folder(folder, folders, sizeof folders / sizeof *folders, "method.md")
		? folder
		: "docs";
}

static int report_main(int argc, char **argv)
{
	char docs[PATH_MAX];
	struct arguments arguments = {
		.me = "report", .out = "-", .docs = docs_find(docs), .filter = ROW_FILTER_ALL
	};
	const struct command_option options[] = {
		{ .name = "out",
			.argument = " FILE",
			.value = &arguments.out,
			.help = "the page (default: -, standard output)" },
		{ .name = "docs",
			.argument = " WHERE",
			.value = &arguments.docs,
			.help = "folder or address that has method.md, for the page's links\n"
				"(default: those beside this program, else docs)" },
		ROW_FILTER_OPTIONS(&arguments.filter)
	};
	int code = parse_options(&report_command, options, sizeof(options) / sizeof(*options), argc,
		argv);

	if (code >= 0)
		return code;
	if (optind == argc)
		return command_error("report", "no file; see `anechoic report --help`");
	return write_files(argc - optind, argv + optind, &arguments);
}

const struct command command_report = { "report", report_main,
	"writes results as a page: pictures, card, comparison" };

/* Of no picture: those that there are. */
static int no_picture(const char *name)
{
	fprintf(stderr,
		"anechoic plot: %s%s%s; --probe is one of:", name ? "no picture '" : "no picture",
		name ? name : "", name ? "'" : "");
	for (size_t i = 0; i < pictures_count; i++)
		fprintf(stderr, " %s", pictures[i].name);
	fputc('\n', stderr);
	return EXIT_FAILED;
}

static int plot_main(int argc, char **argv)
{
	struct arguments arguments = { .me = "plot", .out = "-", .filter = ROW_FILTER_ALL };
	const struct command_option options[] = {
		{ .name = "probe",
			.argument = " PICTURE",
			.value = &arguments.picture,
			.help = "a probe, for its first picture, or a picture by its name,\n"
				"such as latency-methods (a wrong name lists them)" },
		{ .name = "out",
			.argument = " FILE",
			.value = &arguments.out,
			.help = "the picture (default: -, standard output)" },
		{ .name = "room",
			.argument = " R,...",
			.value = &arguments.filter.rooms,
			.help = row_filter_room_help },
	};
	int code = parse_options(&plot_command, options, sizeof(options) / sizeof(*options), argc,
		argv);

	if (code >= 0)
		return code;
	if (!arguments.picture || !picture_find(arguments.picture))
		return no_picture(arguments.picture);
	if (optind == argc)
		return command_error("plot", "no file; see `anechoic plot --help`");
	return write_files(argc - optind, argv + optind, &arguments);
}

const struct command command_plot = { "plot", plot_main, "writes one picture of results as SVG" };
