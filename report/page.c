/* SPDX-License-Identifier: MIT */
#include "report/page.h"

#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/html.h"
#include "report/page_parts.h"

static void put_title(const struct page *page, FILE *out)
{
	const json_t *cpu = json_object_get(page->subjects.list[0].run->head, KEY_CPU);

	html_text(out, text_of(cpu, KEY_BRAND));
	if (page->comparison->sets.n > 1)
		fprintf(out, " and %zu more", page->comparison->sets.n - 1);
}

static void put_style(const struct page *page, FILE *out)
{
	fputs(picture_css, out);
	fputs(page_css, out);
}

static void put_script(const struct page *page, FILE *out)
{
	fputs(page_js, out);
}

/* The places of report/page/page.html, each a comment of that name. */
static const struct {
	const char *name;
	void (*put)(const struct page *, FILE *out);
} places[] = { { "<!--title-->", put_title }, { "<!--style-->", put_style },
	{ "<!--head-->", page_head }, { "<!--probes-->", page_probes },
	{ "<!--card-->", page_card }, { "<!--data-->", page_data },
	{ "<!--script-->", put_script } };

void page_write(const struct page *page, FILE *out)
{
	const char *text = page_html;

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		const char *place = strstr(text, places[i].name);

		fwrite(text, 1, (size_t)(place - text), out);
		places[i].put(page, out);
		text = place + strlen(places[i].name);
	}
	fputs(text, out);
}
