/* SPDX-License-Identifier: MIT */
/* What comes first: machines and runs, what warns of them, what one costs against another. */
#include <string.h>

#include "lib/math.h"
#include "lib/result_keys.h"
#include "picture/chart.h"
#include "page/html.h"
#include "page/page_parts.h"
#include "page/pictures.h"

void page_key(const struct subject *subject, struct svg *out)
{
	svg_put(out, "<b class=\"key k%u\">%c</b> ", subject->colour % COLOURS, subject->letter);
}

/* The member's string after `before`; neither where it has none. */
static void put_item(struct svg *out, const char *before, struct line line, const char *key)
{
	struct member m;

	if (!line_find(line, key, &m) || m.value_bytes <= 2)
		return;
	html_put(out, before);
	html_member(out, line, key);
}

static double number_or_0(struct line line, const char *key)
{
	double value = line_number(line, key);

	return math_finite(value) ? value : 0;
}

/* Lines that room bare's result left out to be stored: they are in none of the counts. */
static void put_thinned(struct line thinned, struct svg *out)
{
	if (!thinned.text)
		return;
	put_item(out, "; left out ", thinned, KEY_WHY);
	svg_put(out, ": %.0f rows, %.0f skip lines", number_or_0(thinned, KEY_ROWS),
		number_or_0(thinned, KEY_SKIPS));
}

static void put_run(const struct subject *subject, struct svg *out)
{
	const struct shown_run *run = subject->run;
	struct line head = run->head, cpu = line_object(head, KEY_CPU);

	html_put(out, "<li>");
	page_key(subject, out);
	html_put(out, "<b>");
	html_text(out, run->room);
	html_put(out, "</b>");
	put_item(out, " ", cpu, KEY_BRAND);
	svg_put(out, " family %.0f, model %.0f, stepping %.0f; %.0f CPU(s)",
		number_or_0(cpu, "family"), number_or_0(cpu, "model"), number_or_0(cpu, "stepping"),
		number_or_0(head, KEY_CPUS));
	put_item(out, "; ", line_object(head, KEY_OS), "kernel");
	html_put(out, "<br><small>");
	html_text(out, subject->name);
	put_item(out, ", ", head, KEY_TIME_UTC);
	put_item(out, ", profile ", head, KEY_PROFILE);
	put_item(out, ", build ", head, KEY_BUILD);
	svg_put(out, ", %u rows, %u skipped, ", (unsigned)run->nrows, (unsigned)run->skips.n);
	if (run->end.text)
		html_member(out, run->end, KEY_STATUS);
	else
		html_put(out, "cut");
	put_thinned(line_object(run->end, KEY_THINNED), out);
	html_put(out, "</small></li>\n");
}

/* A run of an emulator or under a hypervisor says so in letters that nobody overlooks. */
static void put_marks(const struct page *page, struct svg *out)
{
	for (size_t i = 0; i < page->subjects.n; i++) {
		const struct subject *subject = &page->subjects.list[i];
		const char *mark = subject_mark(subject->run);

		if (!*mark || (i && subject->colour == page->subjects.list[i - 1].colour))
			continue;
		svg_put(out, "<p class=\"warn\"><b>%s</b> ", mark);
		page_key(subject, out);
		html_member(out, subject->run->head, KEY_HYPERVISOR);
		html_put(out,
			*mark == 'E' ? ": an emulator ran this; its times mean nothing"
				     : ": it ran under a hypervisor, whose work is in the times");
		html_put(out, "</p>\n");
	}
}

void page_head(const struct page *page, struct svg *out)
{
	struct line cpu = line_object(page->subjects.list[0].run->head, KEY_CPU);

	html_put(out, "<h1>");
	html_member(out, cpu, KEY_BRAND);
	html_put(out, "</h1>\n<ul class=\"runs\">\n");
	for (size_t i = 0; i < page->subjects.n; i++)
		put_run(&page->subjects.list[i], out);
	html_put(out, "</ul>\n");
	if (page->subjects.n > PICTURE_SETS)
		html_put(out,
			"<p>Of so many runs a picture has one curve each: that of its first "
			"variant "
			"and the largest pages. The tables have all rows.</p>\n");
	if (page->answer)
		page->answer(page->answer_of, out);
	else
		put_marks(page, out);
}
