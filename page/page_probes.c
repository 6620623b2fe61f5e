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

/* Findings of a run's summary values, for titles of pictures. */

#define FINDING_TEXT 512

#define PARTS 8 /* most parts of a title */

/* Parts of a title for each run: text[run][part]. */
struct title_parts {
	char text[MARKS_SETS][PARTS][CARD_PART];
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
		at = card_part(card, at, CLAIM_LEAST, NULL, text);
		if (more && !first)
			*text = 0;
		first |= !more && *text;
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
	size_t used = strlen(out);

	if (used + strlen(between) + strlen(tag) + strlen(text) + 3 > FINDING_TEXT)
		return;
	text_format(out + used, FINDING_TEXT - used, "%s%s%s%s", used ? between : "", tag,
		*tag ? ": " : "", text);
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
	if (drawing->noise)
		sink_put(out, " Left out as no more than noise: %u; the table has all rows.",
			(unsigned)drawing->noise);
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

/*
 * Write the rows that no other picture has: folded if there are others, since single rows answer
 * less than pictures do.
 */
static void put_others(const char *probe, const struct report_page *page, bool folded,
	struct sink *out)
{
	struct drawing drawing;
	char name[64], title[64];
	bool any = false;

	for (size_t i = 0; i < page->nmachines; i++)
		for (unsigned n = 0;
			n < UNITS_MOST && picture_others(probe, n, &page->machines[i], &drawing);
			n++) {
			if (!any && folded)
				html_put(out,
					"<details class=\"others\"><summary>The other rows, one "
					"by one</summary>");
			html_put(out, any ? "" : "<div class=\"pictures\">\n");
			any = true;
			text_format(name, sizeof name, "%.40s-others-%u", probe, n);
			text_format(title, sizeof title, "Row by row, %.20s",
				drawing.dots.axis.name);
			page_figure(name, title, "",
				"Median; the line is minimum to 90th percentile, cut where it "
				"leaves the picture.",
				machine_of(page, i), &drawing, out);
		}
	html_put(out, !any ? "" : folded ? "</div></details>\n" : "</div>\n");
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

/* Returns true if the list has pictures of the probe. */
static bool has_pictures(const char *probe)
{
	for (size_t i = 0; i < pictures_count; i++)
		if (!strcmp(pictures[i].probe, probe))
			return true;
	return false;
}

/* Write a picture of each machine, side by side. Returns false if there are no rows for any. */
static bool put_machines(const struct picture *picture, const struct report_page *page,
	struct sink *out)
{
	struct drawing *drawings = page_new(page->nmachines, sizeof *drawings);
	bool any = false;

	for (size_t i = 0; i < page->nmachines; i++)
		any |= (drawings[i] = picture_drawing(picture, &page->machines[i])).kind !=
			DRAW_NOTHING;
	if (page->nmachines > 1)
		share_axes(picture, page, drawings);
	html_put(out, any && page->nmachines > 1 ? "<div class=\"machines\">" : "");
	for (size_t i = 0; i < page->nmachines; i++)
		put_picture(picture, &page->machines[i], machine_of(page, i), &drawings[i], out);
	html_put(out, any && page->nmachines > 1 ? "</div>\n" : "");
	page_free(drawings);
	return any;
}

/* Write the probe's pictures. Returns false if there are none. */
static bool put_pictures(const struct report_page *page, const char *probe, struct sink *out)
{
	bool any = false;

	for (size_t i = 0; i < pictures_count; i++) {
		if (strcmp(pictures[i].probe, probe))
			continue;
		if (!pictures[i].each_run)
			any |= put_machines(&pictures[i], page, out);
		for (size_t j = 0; pictures[i].each_run && j < page->subjects.n; j++) {
			struct subjects one = subject_alone(&page->subjects, j);
			struct drawing drawing = picture_drawing(&pictures[i], &one);

			any |= drawing.kind != DRAW_NOTHING;
			put_picture(&pictures[i], &one, &one, &drawing, out);
		}
	}
	return any;
}

/* Returns how many rows, or skip lines, of the probe the runs have. */
static unsigned rows_of(const struct report_page *page, const char *probe)
{
	unsigned n = 0;

	for (size_t i = 0; i < page->subjects.n; i++)
		for (size_t j = 0; j < page->subjects.list[i].run->nrows; j++)
			n += !strcmp(page->subjects.list[i].run->rows[j].probe, probe);
	return n;
}

static unsigned skips_of(const struct report_page *page, const char *probe)
{
	unsigned n = 0;

	for (size_t i = 0; i < page->subjects.n; i++) {
		const struct shown_lines *skips = &page->subjects.list[i].run->skips;

		for (size_t j = 0; j < skips->n; j++)
			n += line_is(skips->line[j], KEY_PROBE, probe);
	}
	return n;
}

/* Write what the probe's section is called: its words in page/files/sections.txt, or its name. */
static void put_words(const struct report_page *page, const char *probe, struct sink *out)
{
	size_t n = strlen(probe);

	for (const char *at = page->files[PAGE_SECTIONS]; *at; at = strchr(at, '\n') + 1)
		if (strchr(at, '=') == at + n && !memcmp(at, probe, n)) {
			out->say(out->to, at + n + 1, (size_t)(strchr(at, '\n') - at) - n - 1);
			return;
		}
	html_text(out, probe);
}

static void put_method(const struct report_page *page, const char *probe, struct sink *out)
{
	const char *what = page->what(probe);

	html_put(out, "<p><code>");
	html_text(out, probe);
	html_put(out, "</code>: ");
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
	bool skips, struct sink *out)
{
	const char *links = page->links ? page->links : "";

	html_put(out, "<nav>");
	html_put(out, page->sections_first ? links : "");
	for (size_t i = 0; i < probes->n; i++) {
		if (!rows_of(page, probes->name[i]))
			continue;
		html_put(out, "<a href=\"#probe-");
		html_text(out, probes->name[i]);
		html_put(out, "\">");
		put_words(page, probes->name[i], out);
		html_put(out, "</a>\n");
	}
	html_put(out, page->sections_first ? "" : links);
	html_put(out, skips ? "<a href=\"#skips\">Not measured</a>\n" : "");
	html_put(out,
		page_has_card(page) && !page->sections_alone
			? "<a href=\"#values\">All values</a></nav>\n"
			: "</nav>\n");
}

static void put_section(const struct report_page *page, const char *probe, unsigned rows,
	struct sink *out)
{
	html_put(out, "<section class=\"probe\" id=\"probe-");
	html_text(out, probe);
	html_put(out, "\"><h2>");
	put_words(page, probe, out);
	html_put(out, "</h2>");
	put_method(page, probe, out);
	html_put(out, "<div class=\"pictures\">\n");
	bool any = put_pictures(page, probe, out);
	html_put(out, "</div>\n");
	put_others(probe, page, any, out);
	html_put(out, "<details class=\"rows\" data-probe=\"");
	html_text(out, probe);
	sink_put(out, "\"><summary>All %u row%s</summary></details>\n", rows, text_plural(rows));
	html_put(out, "</section>\n");
}

/* Write what was not measured: the probes without any row by name, then the reasons, folded. */
static void put_unmeasured(const struct report_page *page, const struct probe_names *probes,
	unsigned skips, struct sink *out)
{
	bool any = false;

	html_put(out, "<section id=\"skips\"><h2>Not measured</h2>\n");
	for (size_t i = 0; i < probes->n; i++) {
		if (rows_of(page, probes->name[i]))
			continue;
		html_put(out, any ? ", " : "<p>Nothing of: ");
		put_words(page, probes->name[i], out);
		any = true;
	}
	html_put(out, any ? ".</p>\n" : "");
	sink_put(out, "<details><summary>%u row%s, and why</summary>\n", skips, text_plural(skips));
	for (size_t i = 0; i < probes->n; i++) {
		if (!skips_of(page, probes->name[i]))
			continue;
		html_put(out, "<h3");
		if (!rows_of(page, probes->name[i])) {
			html_put(out, " id=\"probe-");
			html_text(out, probes->name[i]);
			html_put(out, "\"");
		}
		html_put(out, ">");
		put_words(page, probes->name[i], out);
		html_put(out, "</h3><ul>\n");
		for (size_t j = 0; j < page->subjects.n; j++)
			put_skips(&page->subjects.list[j], probes->name[i], out);
		html_put(out, "</ul>\n");
	}
	html_put(out, "</details></section>\n");
}

/*
 * Write the sections of the probes that were measured. Those without pictures come last, in columns
 * of their own.
 */
static void put_sections(const struct report_page *page, const struct probe_names *probes,
	struct sink *out)
{
	bool columns = false;

	for (size_t i = 0; i < probes->n; i++) {
		unsigned rows = rows_of(page, probes->name[i]);

		if (!rows)
			continue;
		if (!columns && !has_pictures(probes->name[i])) {
			columns = true;
			html_put(out, "<div class=\"columns\">\n");
		}
		put_section(page, probes->name[i], rows, out);
	}
	html_put(out, columns ? "</div>\n" : "");
}

void page_probes(const struct report_page *page, struct sink *out)
{
	struct probe_names *probes = page_new(1, sizeof *probes);
	unsigned skips = 0;

	if (!page->sections_alone)
		probes_of(&page->subjects, probes);
	for (size_t i = 0; i < probes->n; i++)
		skips += skips_of(page, probes->name[i]);
	put_contents(page, probes, skips, out);
	if (page->sections && page->sections_first)
		html_put(out, page->sections);
	put_sections(page, probes, out);
	if (page->sections && !page->sections_first)
		html_put(out, page->sections);
	if (skips)
		put_unmeasured(page, probes, skips, out);
	page_free(probes);
}
