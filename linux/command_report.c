/* SPDX-License-Identifier: MIT */
/* anechoic report, anechoic plot: results as a page, and a picture of them as a file. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux/boot/whole_file.h"
#include "linux/commands.h"
#include "linux/command_line.h"
#include "linux/show_row.h"
#include "page/pictures.h"
#include "engine/infer/card.h"
#include "lib/machine_id.h"
#include "lib/published.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "page/page_memory.h"
#include "page/page.h"
#include "page/html.h"
#include "linux/report/compare/compare_parts.h"
#include "linux/report/sources/source_pictures.h"
#include "linux/report/sources/sources.h"

static void *take(size_t bytes)
{
	return new_array(bytes, 1);
}

static void say(void *to, const char *text, size_t n)
{
	fwrite(text, 1, n, to);
}

/* A sink that writes to a stream. If it fails, the caller must notice by ferror. */
static struct sink sink_to(FILE *out)
{
	return (struct sink){ say, out };
}

/* The lines that are left of a run, as they stand in the file. */
static const struct shown_run *show(const struct run_data *run)
{
	struct shown_run *shown = new_array(1, sizeof *shown);

	shown_run_take(shown, run->head_line);
	for (size_t i = 0; i < run->nrows; i++)
		shown_run_take(shown, run->rows[i].line);
	for (size_t i = 0; i < run->summaries.n; i++)
		shown_run_take(shown, run->summaries.list[i].line);
	for (size_t i = 0; i < run->skips.n; i++)
		shown_run_take(shown, run->skips.list[i].line);
	if (run->end)
		shown_run_take(shown, run->end_line);
	return shown;
}

/* All runs of the sets, which must stay. hosted_subjects_free frees them. */
static struct subjects hosted_subjects(const struct sets *sets)
{
	struct subjects subjects = { .sets = sets->n };

	page_memory_use(take, free);
	for (size_t s = 0; s < sets->n; s++)
		for (size_t i = 0; i < sets->set[s].nruns; i++) {
			unsigned index = (unsigned)subjects.n;
			struct subject *subject =
				grow((void **)&subjects.list, &subjects.n, sizeof *subject);

			*subject = (struct subject){ .run = show(sets->set[s].runs[i]),
				.name = set_name(&sets->set[s]),
				.index = index,
				.colour = (unsigned)s,
				.letter = set_letter(s) };
		}
	subjects_name(&subjects);
	return subjects;
}

static void hosted_subjects_free(struct subjects *subjects)
{
	for (size_t i = 0; i < subjects->n; i++) {
		struct shown_run *shown = (struct shown_run *)subjects->list[i].run;

		shown_run_free(shown);
		free(shown);
	}
	free(subjects->list);
}

/* The machine of a run; a new one if it is none of those so far. */
static struct subjects *machine_of(struct report_page *page, struct line *heads, struct line head)
{
	size_t m = 0;

	while (m < page->nmachines && !machine_same_cpu(heads[m], head))
		m++;
	if (m == page->nmachines)
		heads[page->nmachines++] = head;
	return (struct subjects *)&page->machines[m];
}

/*
 * Fill the page with its subjects, which are all of the sets, by machine. hosted_machines_free
 * frees them.
 */
static void hosted_machines(struct report_page *page, const struct sets *sets)
{
	struct line *heads = new_array(page->subjects.n, sizeof *heads);
	size_t at = 0;

	page->machines = new_array(page->subjects.n, sizeof *page->machines);
	for (size_t s = 0; s < sets->n; s++)
		for (size_t i = 0; i < sets->set[s].nruns; i++) {
			struct subjects *machine =
				machine_of(page, heads, sets->set[s].runs[i]->head_line);
			const struct subject *subject = &page->subjects.list[at++];

			machine->sets += !machine->n ||
				machine->list[machine->n - 1].colour != subject->colour;
			*(struct subject *)grow((void **)&machine->list, &machine->n,
				sizeof *subject) = *subject;
		}
	for (size_t m = 0; m < page->nmachines; m++)
		subjects_name((struct subjects *)&page->machines[m]);
	free(heads);
}

static void hosted_machines_free(struct report_page *page)
{
	for (size_t m = 0; m < page->nmachines; m++)
		free(page->machines[m].list);
	free((struct subjects *)page->machines);
}

static void put_paragraph(const char *begin, const char *text, struct sink *out)
{
	html_put(out, begin);
	html_text(out, text);
	html_put(out, "</p>\n");
}

static double per_cent(double logarithm)
{
	return 100 * expm1(logarithm);
}

static void put_group(const struct effect_group *g, struct sink *out)
{
	static const char *const words[VERDICTS] = { [VERDICT_SLOWER] = "more",
		[VERDICT_FASTER] = "less",
		[VERDICT_SAME] = "same",
		[VERDICT_UNKNOWN] = "undecided" };
	bool decided = g->verdict == VERDICT_SLOWER || g->verdict == VERDICT_FASTER;
	char name[GROUP_NAME];

	group_name(g, name);
	html_put(out, decided ? "<tr class=\"differs\"><th>" : "<tr><th>");
	html_text(out, name);
	sink_put(out, "</th><td>%s%s</td><td>", words[g->verdict],
		g->verdict == VERDICT_UNKNOWN ? ""
			: g->cycles           ? " core cycles"
					      : " time");
	if (decided)
		sink_put(out, "%+.1f", per_cent(g->size));
	sink_put(out, "</td><td>%+.1f..%+.1f</td></tr>\n", per_cent(g->low), per_cent(g->high));
}

/* Write what differs, in groups of rows, the decided ones first; what is noise has no number. */
static void put_groups(const struct comparison *c, size_t s, struct sink *out)
{
	static const enum verdict order[] = { VERDICT_SLOWER, VERDICT_FASTER, VERDICT_SAME,
		VERDICT_UNKNOWN };
	struct effect_group groups[ANSWER_GROUPS_MOST];
	size_t n = costs_mean_something(c, s) ? answer_groups(c, s, groups) : 0;

	if (!n)
		return;
	html_put(out, c->sets.n > 2 ? "<details><summary>By groups of rows</summary>" : "");
	sink_put(out,
		"<table><thead><tr><th>%c against A</th><th></th><th>per cent</th>"
		"<th>95 %% interval</th></tr></thead><tbody>\n",
		set_letter(s));
	for (size_t v = 0; v < sizeof order / sizeof *order; v++)
		for (size_t i = 0; i < n; i++)
			if (groups[i].verdict == order[v] && !isnan(groups[i].size) &&
				strcmp(groups[i].kind, CLOCK_KIND))
				put_group(&groups[i], out);
	html_put(out, "</tbody></table>\n");
	html_put(out, c->sets.n > 2 ? "</details>\n" : "");
}

static void put_answer(const struct comparison *c, size_t s, struct sink *out)
{
	size_t bytes;
	char *text;
	FILE *answer = text_stream(&text, &bytes);

	print_answer(c, s, answer);
	fclose(answer);
	put_paragraph("<p>", text, out);
	free(text);
	put_groups(c, s, out);
}

static void put_answers(const void *of, struct sink *out)
{
	const struct comparison *c = of;

	html_put(out, "<section id=\"answer\">\n");
	html_put(out, c->environment.nwarnings ? "<div class=\"warn\">" : "");
	for (size_t i = 0; i < c->environment.nwarnings; i++)
		put_paragraph("<p>", c->environment.warnings[i], out);
	html_put(out, c->environment.nwarnings ? "</div>\n" : "");
	for (size_t s = 1; s < c->sets.n; s++)
		put_answer(c, s, out);
	html_put(out, "</section>\n");
}

/* Set the page's `answer` and `answer_of` for a comparison of two sets or more. */
static void hosted_answer(struct report_page *page, const struct comparison *c)
{
	page->answer = c->sets.n > 1 ? put_answers : NULL;
	page->answer_of = c;
}

/* One picture as a file: a title, the machines, and the page's drawing. */

#define TITLE_HEIGHT 22.0
#define LINE_HEIGHT  14.0
#define MARGIN       10.0

/* Draw the mark of a run, if it has one: VIRTUAL. Returns the x of what stands behind it. */
static double put_mark(struct sink *svg, const char *mark, double x, double y)
{
	double wide = 1.15 * svg_text_width(mark) + 8; /* bold letters are wider */

	if (!*mark)
		return x;
	sink_put(svg, "<rect class=\"warn\" x=\"%.0f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\"/>",
		x, y - 10, wide, LINE_HEIGHT - 1);
	svg_label(svg, x + 4, y, "warn", "", mark);
	return x + wide + 5;
}

static void put_subject(struct sink *svg, const struct subject *subject, double y)
{
	struct line head = subject->run->head;
	char time[32], brand[49], text[160];

	sink_put(svg, "<g class=\"c%u d0\"><path class=\"l\" d=\"M0 %.1fh14\"/></g>",
		subject->colour % COLOURS, y - 4);
	line_string(head, KEY_TIME_UTC, time, sizeof time);
	line_string(line_object(head, KEY_CPU), KEY_BRAND, brand, sizeof brand);
	snprintf(text, sizeof text, "%c  %s: %s%s%s", subject->letter, subject->run->room, brand,
		*time ? ", " : "", time);
	svg_label(svg, put_mark(svg, result_mark(head), 20, y), y, "f", "", text);
}

/* Draw the picture, if the runs have rows for it. Returns its height. */
static double draw_one(const struct picture *picture, const struct subjects *subjects,
	struct sink *svg, double y)
{
	struct drawing drawing = picture_drawing(picture, subjects);
	double height = drawing_svg(&drawing, svg, y);
	char text[80];

	if (height > 0 && drawing.left_out) {
		snprintf(text, sizeof text, "%zu rows are left out, for lack of room",
			drawing.left_out);
		height += LINE_HEIGHT;
		svg_label(svg, 0, y + height - 3, "f", "", text);
	}
	drawing_free(&drawing);
	return height;
}

/* Draw the picture, once for each run if it shows a single run. Returns its lower end. */
static double draw_picture(const struct picture *picture, const struct subjects *subjects,
	struct sink *svg, double y)
{
	if (!picture->each_run)
		return y + draw_one(picture, subjects, svg, y);
	for (size_t i = 0; i < subjects->n; i++) {
		struct subjects one = subject_alone(subjects, i);
		y += draw_one(picture, &one, svg, y);
	}
	return y;
}

static void put_style(FILE *out)
{
	const char *files[PAGE_FILES];
	char *texts = page_texts(files);

	fputs(files[PICTURE_CSS], out);
	page_free(texts);
}

/*
 * Write a picture by its name as a file of SVG. Returns 0, or -1: the results have no rows for it.
 */
static int plot_write(const struct subjects *subjects, const char *name, FILE *out)
{
	const struct picture *picture = picture_find(name);
	double top = TITLE_HEIGHT + LINE_HEIGHT * (double)subjects->n + 4, end;
	size_t bytes;
	char *text;
	FILE *body = text_stream(&text, &bytes);
	struct sink svg = sink_to(body);

	end = picture ? draw_picture(picture, subjects, &svg, top) : top;
	fclose(body);
	if (end > top) {
		svg = sink_to(out);
		sink_put(&svg,
			"<svg class=\"pic\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%.0f "
			"%.0f "
			"%.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n<style>",
			-MARGIN, -MARGIN, PICTURE_WIDTH + 2 * MARGIN, end + 2 * MARGIN,
			1.5 * (PICTURE_WIDTH + 2 * MARGIN), 1.5 * (end + 2 * MARGIN));
		put_style(out);
		sink_put(&svg,
			"</style>\n<rect class=\"paper\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" "
			"height=\"%.0f\"/>\n",
			-MARGIN, -MARGIN, PICTURE_WIDTH + 2 * MARGIN, end + 2 * MARGIN);
		svg_label(&svg, 0, 13, "title", "", picture->title);
		for (size_t i = 0; i < subjects->n; i++)
			put_subject(&svg, &subjects->list[i],
				TITLE_HEIGHT + LINE_HEIGHT * ((double)i + 1) - 5);
		fwrite(text, 1, bytes, out);
		fputs("</svg>\n", out);
	}
	free(text);
	return end > top ? 0 : -1;
}

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

struct report_arguments {
	const char *me, *out, *docs, *picture;
	json_t *sources;
	const char *source; /* letter of the only source that is shown; "": everything */
	struct row_filter filter;
	const char *beside; /* keys of cores, separated by commas; "": none */
};

/* Published figures beside the values of the runs. */

#define CORES_MOST 8

/* The cores that were asked for. */
struct cores {
	const struct published_core *list[CORES_MOST];
	size_t n;
};

static int unknown_core(const char *key, size_t n)
{
	const struct published_core *core;

	fprintf(stderr, "anechoic report: beside = '%.*s': must be at most %d of", (int)n, key,
		CORES_MOST);
	for (size_t i = 0; (core = published_core_at(i)); i++)
		fprintf(stderr, "%s %s", i ? "," : "", core->key);
	fputc('\n', stderr);
	return EXIT_FAILED;
}

static int cores_read(const char *keys, struct cores *out)
{
	out->n = 0;
	while (*keys) {
		size_t n = strcspn(keys, ",");
		char *key = strndup(keys, n);
		const struct published_core *core = key ? published_core_named(key) : NULL;

		free(key);
		if (!core || out->n == CORES_MOST)
			return unknown_core(keys, n);
		out->list[out->n++] = core;
		keys += n + (keys[n] == ',');
	}
	return EXIT_OK;
}

/* Write a figure, with its source as a title, and a sign if a run's value is elsewhere. */
static void put_figure(const struct published_fact *fact, const struct card *cards, size_t n,
	struct sink *out)
{
	char figure[SIZE_TEXT];
	bool unlike = false;

	if (!fact) {
		html_put(out, "<td></td>");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct card_value *v = card_value(&cards[i], value_facts(fact->id).name);

		unlike |= v && card_value_unlike(v, fact);
	}
	card_published_text(fact, figure);
	html_put(out, unlike ? "<td class=\"differs\" title=\"" : "<td title=\"");
	html_text(out, fact->source);
	html_put(out, "\">");
	html_text(out, figure);
	html_put(out, unlike ? "!</td>" : "</td>");
}

/* Write the row of a value of which at least one of the cores has a figure. */
static void put_published_row(enum value_id id, const struct card *cards, size_t n,
	const struct cores *cores, struct sink *out)
{
	char text[CARD_TEXT];
	bool any = false;

	for (size_t i = 0; i < cores->n; i++)
		any |= published_fact(cores->list[i], id) != NULL;
	if (!any)
		return;
	html_put(out, "<tr><th scope=\"row\">");
	html_text(out, value_facts(id).name);
	html_put(out, "</th>");
	for (size_t i = 0; i < n; i++) {
		const struct card_value *v = card_value(&cards[i], value_facts(id).name);

		*text = 0;
		if (v)
			card_value_brief(v, text);
		html_put(out, "<td>");
		html_text(out, text);
		html_put(out, "</td>");
	}
	for (size_t i = 0; i < cores->n; i++)
		put_figure(published_fact(cores->list[i], id), cards, n, out);
	html_put(out, "<td>");
	html_text(out, value_facts(id).unit);
	html_put(out, "</td></tr>\n");
}

static void put_published(const struct sets *sets, const struct subjects *subjects,
	const struct cores *cores, struct sink *out)
{
	struct card *cards = new_array(subjects->n, sizeof *cards);
	size_t n = 0;

	html_put(out,
		"<section id=\"published\"><h2>Published figures</h2>\n<p>The source of each "
		"stands behind it; ! where a value here is elsewhere.</p>\n"
		"<div class=\"wide\"><table><thead><tr><th></th>");
	for (size_t s = 0; s < sets->n; s++)
		for (size_t i = 0; i < sets->set[s].nruns; i++) {
			show_row_card(&cards[n], sets->set[s].runs[i]);
			html_put(out, "<th scope=\"col\">");
			html_text(out, subjects->list[n].name);
			sink_put(out, ", %s</th>", cards[n].room);
			n++;
		}
	for (size_t i = 0; i < cores->n; i++) {
		html_put(out, "<th scope=\"col\">");
		html_text(out, cores->list[i]->name);
		html_put(out, "</th>");
	}
	html_put(out, "<th scope=\"col\">unit</th></tr></thead>\n<tbody>\n");
	for (unsigned id = VALUE_none + 1; id < VALUES_KNOWN; id++)
		put_published_row((enum value_id)id, cards, n, cores, out);
	html_put(out, "</tbody></table></div></section>\n");
	free(cards);
}

/* The section as markup, which the caller frees; NULL: no core was asked for. */
static char *published_section(const struct sets *sets, const struct subjects *subjects,
	const char *keys)
{
	struct cores cores;
	char *text;
	size_t bytes;

	if (!*keys || cores_read(keys, &cores))
		return NULL;
	FILE *stream = text_stream(&text, &bytes);
	struct sink out = sink_to(stream);

	put_published(sets, subjects, &cores, &out);
	fclose(stream);
	return text;
}

/* Write the whole file, or nothing: the old contents stay if there is no result. */
static int write_out(const struct report_arguments *arguments, const char *text, size_t n)
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
	if (!to_stdout && code == EXIT_OK && isatty(STDOUT_FILENO))
		printf("%s is written\n", arguments->out);
	return code;
}

static const char *what_of(const char *probe)
{
	const struct probe *known = show_probe(probe);

	return *known->name ? known->what : NULL;
}

/* Set the page's sections of sources; none if only some probes are shown. */
static void hosted_sections(struct report_page *page, const struct sets *sets,
	const struct report_arguments *arguments)
{
	const struct run_data **runs = new_array(page->subjects.n, sizeof *runs);
	struct source_asked asked = { arguments->sources, arguments->source, &page->subjects,
		runs };
	char *sections = NULL, *links = NULL;
	size_t at = 0;

	for (size_t s = 0; s < sets->n; s++)
		for (size_t i = 0; i < sets->set[s].nruns; i++) {
			runs[at] = sets->set[s].runs[i];
			page->sections_first |= *text_of(runs[at++]->head, KEY_SOURCE);
		}
	if (!*arguments->filter.probes)
		source_sections(&asked, &sections, &links);
	page->sections = sections;
	page->links = links;
	page->sections_alone = *arguments->source;
	free(runs);
}

static void write_page(const struct comparison *c, const struct report_arguments *arguments,
	FILE *out)
{
	struct report_page page = {
		.beside = &(struct card_beside){ .core_of = published_core_of },
		.subjects = hosted_subjects(&c->sets),
		.what = what_of,
		.docs = arguments->docs,
	};

	struct sink to = sink_to(out);

	hosted_machines(&page, &c->sets);
	hosted_answer(&page, c);
	hosted_sections(&page, &c->sets, arguments);
	page.published = published_section(&c->sets, &page.subjects, arguments->beside);
	page_write(&page, &to);
	free((char *)page.published);
	free((char *)page.sections);
	free((char *)page.links);
	hosted_machines_free(&page);
	hosted_subjects_free(&page.subjects);
}

static int write_plot(const struct comparison *c, const struct report_arguments *arguments,
	FILE *out)
{
	struct subjects subjects = hosted_subjects(&c->sets);
	int code = plot_write(&subjects, arguments->picture, out) ? EXIT_NO : EXIT_OK;

	if (code)
		command_error(arguments->me, "the files have nothing of picture '%s'",
			arguments->picture);
	hosted_subjects_free(&subjects);
	return code;
}

static int write_sets(struct sets sets, const struct report_arguments *arguments)
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

static int write_files(int n, char **paths, const struct report_arguments *arguments)
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

/* The tree of this build, or the documents of `make install`; "." if the program is alone. */
static const char *docs_find(char folder[PATH_MAX])
{
	static const char *const folders[] = { "..", "../share/doc/anechoic" };

	return program_folder(folder, folders, sizeof folders / sizeof *folders,
		       "probes/clock/README.md")
		? folder
		: ".";
}

/*
 * Where the output goes if --out does not say: standard output; a terminal shows no page, so there
 * "FOLDER/RESULT.ndjson" becomes `RESULT` and `ending` in this folder, which is said at the end.
 */
static const char *out_by_default(const char *result, const char *ending, char name[PATH_MAX])
{
	const char *slash = strrchr(result, '/'), *base = slash ? slash + 1 : result;
	const char *end = strrchr(base, '.');

	if (!isatty(STDOUT_FILENO))
		return "-";
	if (!strcmp(base, "-"))
		base = "result";
	snprintf(name, PATH_MAX, "%.*s%s", (int)(end > base ? end - base : (int)strlen(base)), base,
		ending);
	return name;
}

static int report_main(int argc, char **argv)
{
	char docs[PATH_MAX], name[PATH_MAX];
	struct report_arguments arguments = { .me = "report",
		.docs = docs_find(docs),
		.source = "",
		.beside = "",
		.filter = ROW_FILTER_ALL };
	struct cores cores;
	const struct command_option options[] = {
		{ .name = "out",
			.letter = 'o',
			.argument = " FILE",
			.value = &arguments.out,
			.help = "the page (default: RESULT.html in this folder on a "
				"terminal, else -, standard output)" },
		{ .name = "docs",
			.argument = " WHERE",
			.value = &arguments.docs,
			.help = "folder or address that has probes/NAME/README.md, for the "
				"page's links (default: the one of this program, else .)" },
		{ .name = "source",
			.argument = " S",
			.value = &arguments.source,
			.help = "only the pictures of " SOURCE_LETTERS },
		{ .name = "beside",
			.argument = " CORE,...",
			.value = &arguments.beside,
			.help = "a table of the figures that others publish of these cores,\n"
				"such as zen5,golden-cove (a wrong name lists them)" },
		ROW_FILTER_OPTIONS(&arguments.filter)
	};
	int code = parse_options(&report_command, options, sizeof(options) / sizeof(*options), argc,
		argv);

	if (code >= 0)
		return code;
	if (optind == argc)
		return no_file("report");
	if (!arguments.out)
		arguments.out = out_by_default(argv[optind], ".html", name);
	if (cores_read(arguments.beside, &cores))
		return EXIT_FAILED;
	arguments.sources = sources_load();
	code = check_source("report", arguments.sources, arguments.source, &arguments.filter);
	if (code == EXIT_OK)
		code = write_files(argc - optind, argv + optind, &arguments);
	json_decref(arguments.sources);
	return code;
}

const struct command command_report = { "report", report_main,
	"writes results as a page: pictures, card, comparison" };

/* Print the picture that a wrong name is nearest to, else the names of all. */
static int no_picture(const char *name)
{
	const char *near = NULL;
	size_t least = 0;

	for (size_t i = 0; name && i < pictures_count; i++)
		if (text_nearer(name, pictures[i].name, &least))
			near = pictures[i].name;
	if (near)
		return command_error("plot", "no picture '%s': did you mean '%s'?", name, near);
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
	struct report_arguments arguments = { .me = "plot", .filter = ROW_FILTER_ALL };
	char ending[NAME_MAX], name[PATH_MAX];
	const struct command_option options[] = {
		{ .name = "probe",
			.argument = " PICTURE",
			.value = &arguments.picture,
			.help = "a probe, for its first picture, or a picture by its name, "
				"such as latency-methods (an empty name lists them)" },
		{ .name = "out",
			.letter = 'o',
			.argument = " FILE",
			.value = &arguments.out,
			.help = "the picture (default: RESULT-PICTURE.svg in this folder on "
				"a terminal, else -, standard output)" },
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
		return no_file("plot");
	snprintf(ending, sizeof ending, "-%s.svg", arguments.picture);
	if (!arguments.out)
		arguments.out = out_by_default(argv[optind], ending, name);
	return write_files(argc - optind, argv + optind, &arguments);
}

const struct command command_plot = { "plot", plot_main, "writes one picture of results as SVG" };
