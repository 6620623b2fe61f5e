/* SPDX-License-Identifier: MIT */
/* The machine as measured, beside what CPUID claims: every summary value of every run. */
#include <string.h>

#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "page/html.h"
#include "page/page_parts.h"

#define NAME 96 /* of a summary value */
#define UNIT 24

/* As the card on the console has it: sizes as sizes. */
static void put_value(const char *unit, double value, struct svg *out)
{
	char size[SIZE_TEXT];

	size_text(value, size);
	if (math_is_nan(value))
		return;
	if (!strcmp(unit, "bytes") && value >= 1024)
		html_put(out, size);
	else if (!strcmp(unit, "Hz"))
		svg_put(out, "%.4g G", value / 1e9);
	else
		svg_put(out, math_abs(value) >= 1000 ? "%.0f" : "%.4g", value);
}

static void put_exact(const char *before, struct line line, const char *key, struct svg *out)
{
	struct member m;

	if (!line_find(line, key, &m) || math_is_nan(member_number(&m)))
		return;
	html_put(out, before);
	html_number(out, m.value);
}

/* What stands behind the number: all of the line, on demand. */
static void put_details(struct line line, struct svg *out)
{
	html_put(out, " title=\"");
	put_exact("", line, KEY_VALUE, out);
	put_exact(", bracket ", line, KEY_LOW, out);
	put_exact(" to ", line, KEY_HIGH, out);
	put_exact(", in quiet moments ", line, KEY_FLOOR, out);
	put_exact(", CPUID claims ", line, KEY_CLAIMED, out);
	put_exact(", confidence ", line, KEY_CONFIDENCE, out);
	html_put(out, "; from ");
	html_member(out, line, "rests_on");
	html_put(out, "\"");
}

/* "31K 38 %", or why there is no value. */
static void put_measured(struct line line, struct svg *out)
{
	char unit[UNIT];
	double value = line_number(line, KEY_VALUE), sure = line_number(line, KEY_CONFIDENCE);

	line_string(line, KEY_UNIT, unit, sizeof unit);
	html_put(out, "<td");
	if (line.text)
		put_details(line, out);
	html_put(out, ">");
	if (math_is_nan(value)) {
		html_put(out, "<small>");
		html_member(out, line, KEY_REASON);
		html_put(out, "</small>");
	} else {
		put_value(unit, value, out);
		if (!math_is_nan(sure))
			svg_put(out, " <small>%.0f&nbsp;%%</small>", 100 * sure);
	}
	html_put(out, "</td>");
}

/* The claim, once; marked where a measured value does not agree with it. */
static void put_claim(const struct page *page, const char *name, struct svg *out)
{
	struct line claims = { NULL, 0 };
	bool differs = false;
	char unit[UNIT];

	for (size_t i = 0; i < page->subjects.n; i++) {
		struct line line = shown_summary(page->subjects.list[i].run, name);

		differs |= line_is(line, KEY_AGREES, "false");
		if (!claims.text && !math_is_nan(line_number(line, KEY_CLAIMED)))
			claims = line;
	}
	html_put(out, differs ? "<td class=\"differs\">" : "<td>");
	line_string(claims, KEY_UNIT, unit, sizeof unit);
	put_value(unit, line_number(claims, KEY_CLAIMED), out);
	html_put(out, differs ? " <small>differs</small></td>" : "</td>");
}

static void put_line(const struct page *page, const char *name, struct line line, struct svg *out)
{
	html_put(out, "<tr><th scope=\"row\">");
	html_text(out, name);
	html_put(out, "</th>");
	for (size_t i = 0; i < page->subjects.n; i++)
		put_measured(shown_summary(page->subjects.list[i].run, name), out);
	put_claim(page, name, out);
	html_put(out, "<td>");
	html_member(out, line, KEY_UNIT);
	html_put(out, "</td></tr>\n");
}

/* Whether a run before has a value of that name: then it has its line. */
static bool is_written(const struct page *page, size_t run, const char *name)
{
	for (size_t i = 0; i < run; i++)
		if (shown_summary(page->subjects.list[i].run, name).text)
			return true;
	return false;
}

static void put_lines(const struct page *page, struct svg *out)
{
	for (size_t i = 0; i < page->subjects.n; i++) {
		const struct shown_lines *lines = &page->subjects.list[i].run->summaries;

		for (size_t j = 0; j < lines->n; j++) {
			char name[NAME];

			line_string(lines->line[j], KEY_NAME, name, sizeof name);
			if (!is_written(page, i, name))
				put_line(page, name, lines->line[j], out);
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

void page_card(const struct page *page, struct svg *out)
{
	if (!page_has_card(page))
		return;
	html_put(out,
		"<section id=\"card\"><h2>The machine as measured</h2>\n<p>Beside each value how "
		"sure it is; behind it, its bracket and the rows that it rests on.</p>\n"
		"<div class=\"wide\"><table><thead><tr><th></th>");
	for (size_t i = 0; i < page->subjects.n; i++) {
		html_put(out, "<th scope=\"col\">");
		page_key(&page->subjects.list[i], out);
		html_text(out, page->subjects.list[i].run->room);
		html_put(out, "</th>");
	}
	html_put(out,
		"<th scope=\"col\">CPUID</th><th scope=\"col\">unit</th></tr></thead>\n<tbody>\n");
	put_lines(page, out);
	html_put(out, "</tbody></table></div></section>\n");
}
