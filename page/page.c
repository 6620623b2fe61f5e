/* SPDX-License-Identifier: MIT */
#include "page/page.h"

#include <string.h>

#include "lib/result_keys.h"
#include "page/html.h"
#include "page/page_memory.h"
#include "page/page_parts.h"
#include "page/page_text.h"

static void put_title(const struct page *page, struct svg *out)
{
	struct line head = page->subjects.list[0].run->head;

	html_member(out, line_object(head, KEY_CPU), KEY_BRAND);
	if (page->subjects.sets > 1)
		svg_put(out, " and %u more", (unsigned)page->subjects.sets - 1);
}

/* The places of page/files/page.html, each a comment of that name; with a file, or what is made. */
static const struct {
	const char *name;
	void (*put)(const struct page *, struct svg *out);
	enum page_file file;
} places[] = { { "<!--title-->", put_title, 0 }, { "<!--picture-->", NULL, PICTURE_CSS },
	{ "<!--style-->", NULL, PAGE_CSS }, { "<!--head-->", page_head, 0 },
	{ "<!--probes-->", page_probes, 0 }, { "<!--card-->", page_card, 0 },
	{ "<!--data-->", page_data, 0 }, { "<!--script-->", NULL, PAGE_JS } };

/* The next of them in the text; the page's own text has them all. */
static const char *find(const char *text, const char *name)
{
	while (memcmp(text, name, strlen(name)))
		text++;
	return text;
}

void page_write(const struct page *page, struct svg *out)
{
	const char *files[PAGE_FILES];
	char *texts = page_texts(files);
	const char *text = files[PAGE_HTML];

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		const char *place = find(text, places[i].name);

		out->say(out->to, text, (size_t)(place - text));
		if (places[i].put)
			places[i].put(page, out);
		else
			html_put(out, files[places[i].file]);
		text = place + strlen(places[i].name);
	}
	html_put(out, text);
	page_free(texts);
}
