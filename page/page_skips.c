/* SPDX-License-Identifier: MIT */
/* What of a probe was not measured: the rows of one reason in one line. */
#include "lib/result_keys.h"
#include "page/html.h"
#include "page/page_memory.h"
#include "page/page_parts.h"

/* "read (27 rows)", of the skips that have the variant and the reason of the first; ends them. */
static void put_variant(struct line *skips, size_t n, struct svg *out)
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
		svg_put(out, " (%u rows)", (unsigned)rows);
}

static void put_reason(const struct subject *subject, struct line *skips, size_t n, struct svg *out)
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

void page_skips(const struct subject *subject, const char *probe, struct svg *out)
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
