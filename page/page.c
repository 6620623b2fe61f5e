/* SPDX-License-Identifier: MIT */
#include "page/page.h"

#include <string.h>

#include "lib/result_keys.h"
#include "page/html.h"
#include "page/page_parts.h"

static void put_title(const struct page *page, struct svg *out)
{
	struct line head = page->subjects.list[0].run->head;

	html_member(out, line_object(head, KEY_CPU), KEY_BRAND);
	if (page->subjects.sets > 1)
		svg_put(out, " and %u more", (unsigned)page->subjects.sets - 1);
}

static void put_style(const struct page *page, struct svg *out)
{
	html_put(out, picture_css);
	html_put(out, page_css);
}

static void put_script(const struct page *page, struct svg *out)
{
	html_put(out, page_js);
}

/* The places of page/files/page.html, each a comment of that name. */
static const struct {
	const char *name;
	void (*put)(const struct page *, struct svg *out);
} places[] = { { "<!--title-->", put_title }, { "<!--style-->", put_style },
	{ "<!--head-->", page_head }, { "<!--probes-->", page_probes },
	{ "<!--card-->", page_card }, { "<!--data-->", page_data },
	{ "<!--script-->", put_script } };

/* The next of them in the text; the page's own text has them all. */
static const char *find(const char *text, const char *name)
{
	while (memcmp(text, name, strlen(name)))
		text++;
	return text;
}

void page_write(const struct page *page, struct svg *out)
{
	const char *text = page_html;

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		const char *place = find(text, places[i].name);

		out->say(out->to, text, (size_t)(place - text));
		places[i].put(page, out);
		text = place + strlen(places[i].name);
	}
	html_put(out, text);
}
