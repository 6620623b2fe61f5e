/* SPDX-License-Identifier: MIT */
/* A section for each probe that the results have, measured or skipped. */
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/html.h"
#include "report/page_parts.h"
#include "report/pictures.h"

#define PROBES_MOST 64
#define UNITS_MOST  16 /* pictures of other rows of a probe */

const char *method_section(const char *probe)
{
	static const struct {
		const char *probe, *section;
	} sections[] = {
#define METHOD_SECTION(probe, section) { probe, section },
#include "method_sections.inc"
#undef METHOD_SECTION
	};

	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		if (!strcmp(sections[i].probe, probe))
			return sections[i].section;
	return NULL;
}

static size_t add_probe(const char **probes, size_t n, const char *probe)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(probes[i], probe))
			return n;
	if (n < PROBES_MOST && *probe)
		probes[n++] = probe;
	return n;
}

/* In the order of the pictures, then those of the runs. */
static size_t probes_of(const struct subjects *subjects, const char *probes[PROBES_MOST])
{
	const char *met[PROBES_MOST];
	size_t n = 0, nmet = 0;

	for (size_t i = 0; i < subjects->n; i++) {
		const struct run_data *run = subjects->list[i].run;
		for (size_t j = 0; j < run->nrows; j++)
			nmet = add_probe(met, nmet, run->rows[j].probe);
		for (size_t j = 0; j < run->skips.n; j++)
			nmet = add_probe(met, nmet, text_of(run->skips.json[j], KEY_PROBE));
	}
	for (size_t i = 0; i < pictures_count; i++)
		for (size_t j = 0; j < nmet; j++)
			if (!strcmp(pictures[i].probe, met[j]))
				n = add_probe(probes, n, met[j]);
	for (size_t j = 0; j < nmet; j++)
		n = add_probe(probes, n, met[j]);
	return n;
}

static void put_figure(const char *name, const char *title, const char *about,
	const struct subject *of, const char *drawing, FILE *out)
{
	fputs("<figure id=\"picture-", out);
	html_text(out, name);
	fputs(of ? "-" : "", out);
	if (of)
		fprintf(out, "%u", of->index);
	fputs("\"><h3>", out);
	html_text(out, title);
	if (of) {
		fputs(" ", out);
		page_key(of, out);
	}
	fputs("</h3><p>", out);
	html_text(out, about);
	fputs("</p>\n", out);
	fputs(drawing, out);
	fputs("</figure>\n", out);
}

static void put_picture(const struct picture *picture, const struct subjects *subjects,
	const struct subject *of, FILE *out)
{
	size_t bytes;
	char *drawing;
	FILE *to = text_stream(&drawing, &bytes);
	struct svg svg = svg_to(to);
	double height = picture->draw(picture, subjects, &svg, 0);

	fclose(to);
	if (height > 0)
		put_figure(picture->name, picture->title, picture->about, of, drawing, out);
	free(drawing);
}

static void put_others(const char *probe, const struct subjects *subjects, FILE *out)
{
	bool more = true;

	for (size_t i = 0; more && i < UNITS_MOST; i++) {
		size_t bytes;
		char *drawing, name[64];
		FILE *to = text_stream(&drawing, &bytes);
		struct svg svg = svg_to(to);

		more = picture_others(probe, i, subjects, &svg, 0) > 0;
		fclose(to);
		snprintf(name, sizeof name, "%.40s-others-%zu", probe, i);
		if (more)
			put_figure(name, i ? "More rows" : "Rows beside each other",
				"Median; the line is minimum to 90th percentile, cut where it "
				"leaves "
				"the picture.",
				NULL, drawing, out);
		free(drawing);
	}
}

static void put_pictures(const struct page *page, const char *probe, FILE *out)
{
	for (size_t i = 0; i < pictures_count; i++) {
		if (strcmp(pictures[i].probe, probe))
			continue;
		if (!pictures[i].each_run)
			put_picture(&pictures[i], &page->subjects, NULL, out);
		for (size_t j = 0; pictures[i].each_run && j < page->subjects.n; j++) {
			struct subjects one = subject_alone(&page->subjects, j);
			put_picture(&pictures[i], &one, &page->subjects.list[j], out);
		}
	}
	put_others(probe, &page->subjects, out);
}

static bool same(const json_t *a, const json_t *b, const char *key)
{
	return !strcmp(text_of(a, key), text_of(b, key));
}

/* "read (27 rows), " of the skips that have the variant and the reason of the first; NULLs them. */
static void put_variant(const json_t **skips, size_t n, FILE *out)
{
	const json_t *skip = skips[0];
	size_t rows = 0;

	for (size_t i = 0; i < n; i++)
		if (skips[i] && same(skips[i], skip, KEY_REASON) &&
			same(skips[i], skip, KEY_VARIANT)) {
			skips[i] = NULL;
			rows++;
		}
	html_text(out, *text_of(skip, KEY_VARIANT) ? text_of(skip, KEY_VARIANT) : "all");
	if (rows > 1)
		fprintf(out, " (%zu rows)", rows);
}

/* Those of one reason in one line. */
static void put_reason(const struct subject *subject, const json_t **skips, size_t n, FILE *out)
{
	const json_t *skip = skips[0];

	fputs("<li>", out);
	page_key(subject, out);
	html_text(out, text_of(skip, KEY_REASON));
	fputs(": ", out);
	put_variant(skips, n, out);
	for (size_t i = 1; i < n; i++)
		if (skips[i] && same(skips[i], skip, KEY_REASON)) {
			fputs(", ", out);
			put_variant(skips + i, n - i, out);
		}
	fputs("</li>\n", out);
}

static void put_skips_of(const struct subject *subject, const char *probe, FILE *out)
{
	const struct lines *skips = &subject->run->skips;
	const json_t **of = new_array(skips->n, sizeof *of);
	size_t n = 0;

	for (size_t i = 0; i < skips->n; i++)
		if (!strcmp(text_of(skips->json[i], KEY_PROBE), probe))
			of[n++] = skips->json[i];
	for (size_t i = 0; i < n; i++)
		if (of[i])
			put_reason(subject, of + i, n - i, out);
	free(of);
}

static size_t rows_of(const struct page *page, const char *probe, bool skipped)
{
	size_t n = 0;

	for (size_t i = 0; i < page->subjects.n; i++) {
		const struct run_data *run = page->subjects.list[i].run;
		for (size_t j = 0; !skipped && j < run->nrows; j++)
			n += !strcmp(run->rows[j].probe, probe);
		for (size_t j = 0; skipped && j < run->skips.n; j++)
			n += !strcmp(text_of(run->skips.json[j], KEY_PROBE), probe);
	}
	return n;
}

static void put_rest(const struct page *page, const char *probe, FILE *out)
{
	size_t skips = rows_of(page, probe, true), rows = rows_of(page, probe, false);

	if (skips) {
		fprintf(out, "<details%s><summary>Not measured: %zu, and why</summary><ul>\n",
			rows ? "" : " open", skips);
		for (size_t i = 0; i < page->subjects.n; i++)
			put_skips_of(&page->subjects.list[i], probe, out);
		fputs("</ul></details>\n", out);
	}
	if (rows) {
		fputs("<details class=\"rows\" data-probe=\"", out);
		html_text(out, probe);
		fprintf(out, "\"><summary>All %zu rows</summary></details>\n", rows);
	}
}

static void put_method(const struct page *page, const char *probe, FILE *out)
{
	const char *section = method_section(probe), *what = page->what(probe);

	fputs("<p>", out);
	html_text(out, what);
	if (section) {
		fputs(*what ? "; <a href=\"" : "<a href=\"", out);
		html_text(out, page->docs);
		fprintf(out, "/method.md#%s\">how it is measured</a>", section);
	}
	fputs("</p>\n", out);
}

static void put_contents(const struct page *page, const char *const *probes, size_t n, FILE *out)
{
	fputs("<nav>", out);
	for (size_t i = 0; i < n; i++) {
		fputs("<a href=\"#probe-", out);
		html_text(out, probes[i]);
		fputs("\">", out);
		html_text(out, probes[i]);
		fputs("</a>\n", out);
	}
	fputs(page_has_card(page) ? "<a href=\"#card\">the machine as measured</a></nav>\n"
				  : "</nav>\n",
		out);
}

void page_probes(const struct page *page, FILE *out)
{
	const char *probes[PROBES_MOST];
	size_t n = probes_of(&page->subjects, probes);

	put_contents(page, probes, n, out);
	for (size_t i = 0; i < n; i++) {
		fputs("<section class=\"probe\" id=\"probe-", out);
		html_text(out, probes[i]);
		fputs("\"><h2>", out);
		html_text(out, probes[i]);
		fputs("</h2>", out);
		put_method(page, probes[i], out);
		fputs("<div class=\"pictures\">\n", out);
		put_pictures(page, probes[i], out);
		fputs("</div>\n", out);
		put_rest(page, probes[i], out);
		fputs("</section>\n", out);
	}
}
