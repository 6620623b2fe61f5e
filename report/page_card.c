/* SPDX-License-Identifier: MIT */
/* The machine as measured, beside what CPUID claims: every summary value of every run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "lib/size_text.h"
#include "report/html.h"
#include "report/page_parts.h"

/* As the card on the console has it: sizes as sizes. */
static void put_value(const char *unit, double value, FILE *out)
{
	char size[SIZE_TEXT];

	size_text(value, size);
	if (isnan(value))
		return;
	if (!strcmp(unit, "bytes") && value >= 1024)
		fputs(size, out);
	else if (!strcmp(unit, "Hz"))
		fprintf(out, "%.4g G", value / 1e9);
	else
		fprintf(out, fabs(value) >= 1000 ? "%.0f" : "%.4g", value);
}

static void put_exact(const char *before, const json_t *line, const char *key, FILE *out)
{
	double value = number_of(line, key);

	if (isnan(value))
		return;
	fputs(before, out);
	html_number(out, value);
}

/* What stands behind the number: all of the line, on demand. */
static void put_details(const json_t *line, FILE *out)
{
	fputs(" title=\"", out);
	put_exact("", line, KEY_VALUE, out);
	put_exact(", bracket ", line, KEY_LOW, out);
	put_exact(" to ", line, KEY_HIGH, out);
	put_exact(", in quiet moments ", line, KEY_FLOOR, out);
	put_exact(", CPUID claims ", line, KEY_CLAIMED, out);
	put_exact(", confidence ", line, KEY_CONFIDENCE, out);
	fputs("; from ", out);
	html_text(out, text_of(line, "rests_on"));
	fputs("\"", out);
}

/* "31K 38 %", or why there is no value. */
static void put_measured(const json_t *line, FILE *out)
{
	const char *unit = text_of(line, KEY_UNIT);
	double value = number_of(line, KEY_VALUE), sure = number_of(line, KEY_CONFIDENCE);

	fputs("<td", out);
	if (line)
		put_details(line, out);
	fputs(">", out);
	if (isnan(value)) {
		fputs("<small>", out);
		html_text(out, line ? text_of(line, KEY_REASON) : "");
		fputs("</small>", out);
	} else {
		put_value(unit, value, out);
		if (!isnan(sure))
			fprintf(out, " <small>%.0f&nbsp;%%</small>", 100 * sure);
	}
	fputs("</td>", out);
}

/* The claim, once; marked where a measured value does not agree with it. */
static void put_claim(const struct page *page, const char *name, FILE *out)
{
	const json_t *claims = NULL;
	bool differs = false;

	for (size_t i = 0; i < page->subjects.n; i++) {
		const json_t *line = run_summary(page->subjects.list[i].run, name);
		const json_t *agrees = json_object_get(line, KEY_AGREES);

		differs |= json_is_false(agrees);
		if (!claims && !isnan(number_of(line, KEY_CLAIMED)))
			claims = line;
	}
	fputs(differs ? "<td class=\"differs\">" : "<td>", out);
	put_value(text_of(claims, KEY_UNIT), number_of(claims, KEY_CLAIMED), out);
	fputs(differs ? " <small>differs</small></td>" : "</td>", out);
}

static void put_line(const struct page *page, const char *name, const char *unit, FILE *out)
{
	fputs("<tr><th scope=\"row\">", out);
	html_text(out, name);
	fputs("</th>", out);
	for (size_t i = 0; i < page->subjects.n; i++)
		put_measured(run_summary(page->subjects.list[i].run, name), out);
	put_claim(page, name, out);
	fputs("<td>", out);
	html_text(out, unit);
	fputs("</td></tr>\n", out);
}

/* Whether a run before has a value of that name: then it has its line. */
static bool is_written(const struct page *page, size_t run, const char *name)
{
	for (size_t i = 0; i < run; i++)
		if (run_summary(page->subjects.list[i].run, name))
			return true;
	return false;
}

static void put_lines(const struct page *page, FILE *out)
{
	for (size_t i = 0; i < page->subjects.n; i++) {
		const struct lines *lines = &page->subjects.list[i].run->summaries;

		for (size_t j = 0; j < lines->n; j++) {
			const char *name = text_of(lines->json[j], KEY_NAME);
			if (!is_written(page, i, name))
				put_line(page, name, text_of(lines->json[j], KEY_UNIT), out);
		}
	}
}

bool page_has_card(const struct page *page)
{
	for (size_t i = 0; i < page->subjects.n; i++)
		if (page->subjects.list[i].run->summaries.n)
			return true;
	return false;
}

void page_card(const struct page *page, FILE *out)
{
	if (!page_has_card(page))
		return;
	fputs("<section id=\"card\"><h2>The machine as measured</h2>\n<p>Beside each value how "
	      "sure "
	      "it is; behind it, its bracket and the rows that it rests on.</p>\n"
	      "<div class=\"wide\"><table><thead><tr><th></th>",
		out);
	for (size_t i = 0; i < page->subjects.n; i++) {
		fputs("<th scope=\"col\">", out);
		page_key(&page->subjects.list[i], out);
		html_text(out, page->subjects.list[i].run->room);
		fputs("</th>", out);
	}
	fputs("<th scope=\"col\">CPUID</th><th scope=\"col\">unit</th></tr></thead>\n<tbody>\n",
		out);
	put_lines(page, out);
	fputs("</tbody></table></div></section>\n", out);
}
