/* SPDX-License-Identifier: MIT */
/* A section for each probe in the results, measured or skipped. */
#include <string.h>

#include "lib/result_keys.h"
#include "lib/text.h"
#include "page/html.h"
#include "page/page_memory.h"
#include "page/page_parts.h"
#include "page/pictures.h"
#include "lib/math.h"

/* Findings of a run's summary values, as in the card: for the card, and for titles of pictures. */

#define FINDING_TEXT 512

#define PARTS     8 /* most parts of a title */
#define PART_TEXT 128
#define NAME      40  /* of a value */
#define SURE      0.5 /* a value of less confidence is shown with its confidence */

struct card *card_of(const struct shown_run *run)
{
	struct card *card = page_new(1, sizeof *card);

	card_begin(card);
	card_read(card, run->head);
	for (size_t i = 0; i < run->summaries.n; i++)
		card_read(card, run->summaries.line[i]);
	return card;
}

static void append(char *out, size_t bytes, const char *text)
{
	size_t used = strlen(out);

	text_format(out + used, bytes - used, "%s", text);
}

/* Write the card's notes on a value: that it is hardly sure, or what CPUID claims instead. */
static void put_notes(const struct card_value *v, char *out, size_t bytes)
{
	char text[48], claim[16];

	if (v->confidence < SURE) {
		text_format(text, sizeof text, " (%.0f %% sure)", 100 * v->confidence);
		append(out, bytes, text);
	}
	if (!math_finite(v->claimed) || v->agrees)
		return;
	if (strcmp(v->unit, "bytes"))
		text_format(claim, sizeof claim, "%.0f", v->claimed);
	else
		size_text(v->claimed, claim);
	text_format(text, sizeof text, " (CPUID claims %s)", claim);
	append(out, bytes, text);
}

static bool put_value(const struct card *card, const char *name, char *out, size_t bytes)
{
	const struct card_value *v = card_value(card, name);
	char text[CARD_TEXT];

	if (!v || !math_finite(v->value))
		return false;
	card_value_brief(v, text);
	append(out, bytes, text);
	put_notes(v, out, bytes);
	return true;
}

/* Write the text of the part at `at`; "" if the card lacks one of its values. */
static void put_part(const struct card *card, const char *at, char out[PART_TEXT])
{
	char name[NAME];
	bool has = true;
	size_t n;

	for (*out = 0; *at && *at != '|'; at += n) {
		for (n = 1; *at == '{' && at[n - 1] != '}'; n++)
			;
		text_format(name, sizeof name, "%.*s", (int)n, at);
		if (*at == '{') {
			text_format(name, sizeof name, "%.*s", (int)n - 2, at + 1);
			has = has && put_value(card, name, out, PART_TEXT);
		} else {
			append(out, PART_TEXT, name);
		}
	}
	if (!has)
		*out = 0;
}

/* Parts of a title for each run: text[run][part]. */
struct title_parts {
	char text[MARKS_SETS][PARTS][PART_TEXT];
	size_t n;
};

static void read_parts(const char *says, const struct subject *subject, size_t run,
	struct title_parts *parts)
{
	struct card *card = card_of(subject->run);
	bool first = false;

	parts->n = 0;
	for (const char *at = says; *at && parts->n < PARTS; parts->n++) {
		bool more = *at == '&'; /* it means nothing without the first */
		char *text = parts->text[run][parts->n];

		at += more;
		if (more && !first)
			*text = 0;
		else
			put_part(card, at, text);
		first |= !more && *text;
		while (*at && *at++ != '|')
			;
	}
	page_free(card);
}

static bool is_same_of_all(const struct title_parts *parts, size_t part, size_t runs)
{
	for (size_t i = 1; i < runs; i++)
		if (strcmp(parts->text[i][part], parts->text[0][part]))
			return false;
	return true;
}

/* Add a part only if it fits whole: half a number would be another number. */
static void add(char out[FINDING_TEXT], const char *between, const char *tag, const char *text)
{
	if (strlen(out) + strlen(between) + strlen(tag) + strlen(text) + 3 > FINDING_TEXT)
		return;
	append(out, FINDING_TEXT, *out ? between : "");
	append(out, FINDING_TEXT, tag);
	append(out, FINDING_TEXT, *tag ? ": " : "");
	append(out, FINDING_TEXT, text);
}

/* Write first the parts that are the same in all runs, then the others with the runs' names. */
static void put_parts(const struct title_parts *parts, const struct subjects *subjects, char *out)
{
	for (size_t p = 0; p < parts->n; p++)
		if (*parts->text[0][p] && is_same_of_all(parts, p, subjects->n))
			add(out, ", ", "", parts->text[0][p]);
	if (*out >= 'a' && *out <= 'z')
		*out += 'A' - 'a';
	for (size_t i = 0; i < subjects->n; i++) {
		const char *tag = subjects->list[i].tag;

		for (size_t p = 0; p < parts->n; p++) {
			if (!*parts->text[i][p] || is_same_of_all(parts, p, subjects->n))
				continue;
			add(out, *tag ? "; " : ", ", tag, parts->text[i][p]);
			tag = "";
		}
	}
}

/*
 * The picture's finding: "L1 ends at 44K..52K, memory takes 138.3 ns". For several runs, first the
 * parts that all share, then each run's own with its name. "": it has no value, or runs of one set
 * are repeated and their values differ.
 */
static void picture_finding(const struct picture *picture, const struct subjects *subjects,
	char out[FINDING_TEXT])
{
	struct title_parts *parts;

	*out = 0;
	if (!picture->says || subjects->n > subjects->sets || subjects->n > MARKS_SETS)
		return;
	parts = page_new(1, sizeof *parts);
	for (size_t i = 0; i < subjects->n; i++)
		read_parts(picture->says, &subjects->list[i], i, parts);
	put_parts(parts, subjects, out);
	page_free(parts);
}

void page_key(const struct subject *subject, struct sink *out)
{
	sink_put(out, "<b class=\"key k%u\">%c</b> ", subject->colour % COLOURS, subject->letter);
}

/* Skips of a probe: all rows with one reason in one line. */

/* Write "read (27 rows)" for the skips with the variant and the reason of the first; clear them. */
static void put_variant(struct line *skips, size_t n, struct sink *out)
{
	struct line skip = skips[0];
	char first[2];
	size_t rows = 0;

	for (size_t i = 0; i < n; i++)
		if (skips[i].text && line_same(skips[i], skip, KEY_REASON) &&
			line_same(skips[i], skip, KEY_VARIANT)) {
			skips[i].text = NULL;
			rows++;
		}
	if (line_string(skip, KEY_VARIANT, first, sizeof first) && *first)
		html_member(out, skip, KEY_VARIANT);
	else
		html_put(out, "all");
	if (rows > 1)
		sink_put(out, " (%u rows)", (unsigned)rows);
}

static void put_reason(const struct subject *subject, struct line *skips, size_t n,
	struct sink *out)
{
	struct line skip = skips[0];

	html_put(out, "<li>");
	page_key(subject, out);
	html_member(out, skip, KEY_REASON);
	html_put(out, ": ");
	put_variant(skips, n, out);
	for (size_t i = 1; i < n; i++)
		if (skips[i].text && line_same(skips[i], skip, KEY_REASON)) {
			html_put(out, ", ");
			put_variant(skips + i, n - i, out);
		}
	html_put(out, "</li>\n");
}

/* Write the probe's skip lines of one run. */
static void put_skips(const struct subject *subject, const char *probe, struct sink *out)
{
	const struct shown_lines *skips = &subject->run->skips;
	struct line *of = page_new(skips->n, sizeof *of);
	size_t n = 0;

	for (size_t i = 0; i < skips->n; i++)
		if (line_is(skips->line[i], KEY_PROBE, probe))
			of[n++] = skips->line[i];
	for (size_t i = 0; i < n; i++)
		if (of[i].text)
			put_reason(subject, of + i, n - i, out);
	page_free(of);
}

#define PROBES_MOST 64
#define PROBE_NAME  128
#define UNITS_MOST  16 /* most pictures of other rows of a probe */

/* Names of probes, each once. */
struct probe_names {
	char name[PROBES_MOST][PROBE_NAME];
	size_t n;
};

static void add_probe(struct probe_names *probes, const char *name)
{
	for (size_t i = 0; i < probes->n; i++)
		if (!strcmp(probes->name[i], name))
			return;
	if (probes->n < PROBES_MOST && *name)
		text_format(probes->name[probes->n++], PROBE_NAME, "%s", name);
}

static void add_probes_of(struct probe_names *probes, const struct shown_run *run)
{
	char name[PROBE_NAME];

	for (size_t i = 0; i < run->nrows; i++)
		if (!i || run->rows[i].probe != run->rows[i - 1].probe)
			add_probe(probes, run->rows[i].probe);
	for (size_t i = 0; i < run->skips.n; i++) {
		line_string(run->skips.line[i], KEY_PROBE, name, sizeof name);
		add_probe(probes, name);
	}
}

/* List the probes in the order of the pictures, then the rest in the order of the runs. */
static void probes_of(const struct subjects *subjects, struct probe_names *probes)
{
	struct probe_names *met = page_new(1, sizeof *met);

	for (size_t i = 0; i < subjects->n; i++)
		add_probes_of(met, subjects->list[i].run);
	for (size_t i = 0; i < pictures_count; i++)
		for (size_t j = 0; j < met->n; j++)
			if (!strcmp(pictures[i].probe, met->name[j]))
				add_probe(probes, met->name[j]);
	for (size_t j = 0; j < met->n; j++)
		add_probe(probes, met->name[j]);
	page_free(met);
}

/* Write " A B": the sets in a picture. */
static void put_keys(const struct subjects *of, struct sink *out)
{
	for (size_t i = 0; i < of->n; i++) {
		if (i && of->list[i].colour == of->list[i - 1].colour)
			continue;
		html_put(out, i ? "" : " ");
		page_key(&of->list[i], out);
	}
}

void page_figure(const char *name, const char *title, const char *general, const char *about,
	const struct subjects *of, struct drawing *drawing, struct sink *out)
{
	html_put(out, "<figure id=\"picture-");
	html_text(out, name);
	if (of)
		sink_put(out, "-%u", of->list[0].index);
	html_put(out, "\"><h3>");
	html_text(out, title);
	if (of)
		put_keys(of, out);
	html_put(out, "</h3><p>");
	html_text(out, general);
	html_put(out, *general ? ". " : "");
	html_text(out, about);
	if (drawing->left_out)
		sink_put(out, " %u rows are left out, for lack of room: the table has them.",
			(unsigned)drawing->left_out);
	html_put(out, "</p>\n");
	drawing_svg(drawing, out, 0);
	drawing_free(drawing);
	html_put(out, "</figure>\n");
}

static void put_picture(const struct picture *picture, const struct subjects *subjects,
	const struct subjects *of, struct drawing *drawing, struct sink *out)
{
	char finding[FINDING_TEXT];

	if (drawing->kind == DRAW_NOTHING)
		return;
	picture_finding(picture, subjects, finding);
	page_figure(picture->name, *finding ? finding : picture->title,
		*finding ? picture->title : "", picture->about, of, drawing, out);
}

/* The runs of a machine; NULL: it is the only one. */
static const struct subjects *machine_of(const struct report_page *page, size_t which)
{
	return page->nmachines > 1 ? &page->machines[which] : NULL;
}

/* Write the rows that no other picture has, folded: single rows answer less than pictures do. */
static void put_others(const char *probe, const struct report_page *page, struct sink *out)
{
	struct drawing drawing;
	char name[64], title[64];
	bool any = false;

	for (size_t i = 0; i < page->nmachines; i++)
		for (unsigned n = 0;
			n < UNITS_MOST && picture_others(probe, n, &page->machines[i], &drawing);
			n++) {
			if (!any)
				html_put(out,
					"<details class=\"others\"><summary>The other rows, one "
					"by one</summary><div class=\"pictures\">\n");
			any = true;
			text_format(name, sizeof name, "%.40s-others-%u", probe, n);
			text_format(title, sizeof title, "%.40s: other rows, %.20s", probe,
				drawing.dots.axis.name);
			page_figure(name, title, "",
				"Median; the line is minimum to 90th percentile, cut where it "
				"leaves the picture.",
				machine_of(page, i), &drawing, out);
		}
	if (any)
		html_put(out, "</div></details>\n");
}

/* Give pictures that are compared by eye one scale: that of a picture of all runs. */
static void share_axes(const struct picture *picture, const struct report_page *page,
	struct drawing *drawings)
{
	struct drawing all = picture_drawing(picture, &page->subjects);

	if (all.kind != DRAW_CHART)
		return;
	for (size_t i = 0; i < page->nmachines; i++)
		if (drawings[i].kind == DRAW_CHART)
			picture_cover(&all.chart, &drawings[i].chart);
	for (size_t i = 0; i < page->nmachines; i++)
		if (drawings[i].kind == DRAW_CHART) {
			drawings[i].chart.x = all.chart.x;
			drawings[i].chart.y = all.chart.y;
		}
	drawing_free(&all);
}

/* Write a picture of each machine, side by side. */
static void put_machines(const struct picture *picture, const struct report_page *page,
	struct sink *out)
{
	struct drawing *drawings = page_new(page->nmachines, sizeof *drawings);

	for (size_t i = 0; i < page->nmachines; i++)
		drawings[i] = picture_drawing(picture, &page->machines[i]);
	if (page->nmachines > 1) {
		share_axes(picture, page, drawings);
		html_put(out, "<div class=\"machines\">");
	}
	for (size_t i = 0; i < page->nmachines; i++)
		put_picture(picture, &page->machines[i], machine_of(page, i), &drawings[i], out);
	html_put(out, page->nmachines > 1 ? "</div>\n" : "");
	page_free(drawings);
}

static void put_pictures(const struct report_page *page, const char *probe, struct sink *out)
{
	for (size_t i = 0; i < pictures_count; i++) {
		if (strcmp(pictures[i].probe, probe))
			continue;
		if (!pictures[i].each_run)
			put_machines(&pictures[i], page, out);
		for (size_t j = 0; pictures[i].each_run && j < page->subjects.n; j++) {
			struct subjects one = subject_alone(&page->subjects, j);
			struct drawing drawing = picture_drawing(&pictures[i], &one);

			put_picture(&pictures[i], &one, &one, &drawing, out);
		}
	}
}

static size_t rows_of(const struct shown_run *run, const char *probe)
{
	size_t n = 0;

	for (size_t i = 0; i < run->nrows; i++)
		n += !strcmp(run->rows[i].probe, probe);
	return n;
}

static size_t skips_of(const struct shown_run *run, const char *probe)
{
	size_t n = 0;

	for (size_t i = 0; i < run->skips.n; i++)
		n += line_is(run->skips.line[i], KEY_PROBE, probe);
	return n;
}

static void put_rest(const struct report_page *page, const char *probe, struct sink *out)
{
	size_t skips = 0, rows = 0;

	for (size_t i = 0; i < page->subjects.n; i++) {
		rows += rows_of(page->subjects.list[i].run, probe);
		skips += skips_of(page->subjects.list[i].run, probe);
	}
	if (skips) {
		sink_put(out, "<details%s><summary>Not measured: %u, and why</summary><ul>\n",
			rows ? "" : " open", (unsigned)skips);
		for (size_t i = 0; i < page->subjects.n; i++)
			put_skips(&page->subjects.list[i], probe, out);
		html_put(out, "</ul></details>\n");
	}
	if (rows) {
		html_put(out, "<details class=\"rows\" data-probe=\"");
		html_text(out, probe);
		sink_put(out, "\"><summary>All %u rows</summary></details>\n", (unsigned)rows);
	}
}

static void put_method(const struct report_page *page, const char *probe, struct sink *out)
{
	const char *what = page->what(probe);

	html_put(out, "<p>");
	html_text(out, what ? what : "unknown to this program");
	if (what && page->docs) {
		html_put(out, "; <a href=\"");
		html_text(out, page->docs);
		sink_put(out, "/probes/%s/README.md\">how it is measured</a>", probe);
	}
	html_put(out, "</p>\n");
}

bool page_has_card(const struct report_page *page)
{
	for (size_t i = 0; i < page->subjects.n; i++)
		if (page->subjects.list[i].run->summaries.n)
			return true;
	return false;
}

static void put_contents(const struct report_page *page, const struct probe_names *probes,
	struct sink *out)
{
	html_put(out, "<nav>");
	html_put(out, page->links ? page->links : "");
	for (size_t i = 0; i < probes->n; i++) {
		html_put(out, "<a href=\"#probe-");
		html_text(out, probes->name[i]);
		html_put(out, "\">");
		html_text(out, probes->name[i]);
		html_put(out, "</a>\n");
	}
	html_put(out,
		page_has_card(page) && !page->sections_alone
			? "<a href=\"#values\">all values</a></nav>\n"
			: "</nav>\n");
}

static void put_section(const struct report_page *page, const char *probe, struct sink *out)
{
	html_put(out, "<section class=\"probe\" id=\"probe-");
	html_text(out, probe);
	html_put(out, "\"><h2>");
	html_text(out, probe);
	html_put(out, "</h2>");
	put_method(page, probe, out);
	html_put(out, "<div class=\"pictures\">\n");
	put_pictures(page, probe, out);
	html_put(out, "</div>\n");
	put_others(probe, page, out);
	put_rest(page, probe, out);
	html_put(out, "</section>\n");
}

void page_probes(const struct report_page *page, struct sink *out)
{
	struct probe_names *probes = page_new(1, sizeof *probes);

	if (!page->sections_alone)
		probes_of(&page->subjects, probes);
	put_contents(page, probes, out);
	if (page->sections && page->sections_first)
		html_put(out, page->sections);
	for (size_t i = 0; i < probes->n; i++)
		put_section(page, probes->name[i], out);
	if (page->sections && !page->sections_first)
		html_put(out, page->sections);
	page_free(probes);
}
