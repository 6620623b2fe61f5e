/* SPDX-License-Identifier: MIT */
/* What comes first: machines and runs, what warns of them, what one costs against another. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "picture/chart.h"
#include "report/compare_parts.h"
#include "report/html.h"
#include "report/page_parts.h"
#include "report/pictures.h"

void page_key(const struct subject *subject, FILE *out)
{
	fprintf(out, "<b class=\"key k%u\">%c</b> ", subject->colour % COLOURS, subject->letter);
}

static void put_item(FILE *out, const char *before, const char *text)
{
	if (!*text)
		return;
	fputs(before, out);
	html_text(out, text);
}

static const char *file_name(const struct subject *subject)
{
	return set_name(subject->set);
}

static void put_run(const struct subject *subject, FILE *out)
{
	const struct run_data *run = subject->run;
	const json_t *head = run->head, *cpu = json_object_get(head, KEY_CPU);
	const char *status = run->end ? text_of(run->end, KEY_STATUS) : "cut";

	fputs("<li>", out);
	page_key(subject, out);
	put_item(out, "<b>", run->room);
	put_item(out, "</b> ", text_of(cpu, KEY_BRAND));
	fprintf(out, " family %.0f, model %.0f, stepping %.0f; %.0f CPU(s)",
		number_or(cpu, "family", 0), number_or(cpu, "model", 0),
		number_or(cpu, "stepping", 0), number_or(head, KEY_CPUS, 0));
	put_item(out, "; ", text_of(json_object_get(head, KEY_OS), "kernel"));
	put_item(out, "<br><small>", file_name(subject));
	put_item(out, ", ", text_of(head, KEY_TIME_UTC));
	put_item(out, ", profile ", text_of(head, KEY_PROFILE));
	put_item(out, ", build ", text_of(head, KEY_BUILD));
	fprintf(out, ", %zu rows, %zu skipped, ", run->nrows, run->skips.n);
	put_item(out, "", status);
	fputs("</small></li>\n", out);
}

/* A run of an emulator or under a hypervisor says so in letters that nobody overlooks. */
static void put_marks(const struct page *page, FILE *out)
{
	for (size_t i = 0; i < page->subjects.n; i++) {
		const struct subject *subject = &page->subjects.list[i];
		const char *mark = subject_mark(subject->run);

		if (!*mark || (i && subject->set == page->subjects.list[i - 1].set))
			continue;
		fprintf(out, "<p class=\"warn\"><b>%s</b> ", mark);
		page_key(subject, out);
		put_item(out, "", text_of(subject->run->head, KEY_HYPERVISOR));
		fputs(*mark == 'E' ? ": an emulator ran this; its times mean nothing"
				   : ": it ran under a hypervisor, whose work is in the times",
			out);
		fputs("</p>\n", out);
	}
}

static void put_answer(const struct comparison *c, size_t s, FILE *out)
{
	size_t bytes;
	char *text;
	FILE *answer = text_stream(&text, &bytes);

	print_answer(c, s, answer);
	fclose(answer);
	fputs("<p>", out);
	html_text(out, text);
	fputs("</p>\n", out);
	free(text);
}

static void put_answers(const struct comparison *c, FILE *out)
{
	fputs("<section id=\"answer\">\n", out);
	for (size_t i = 0; i < c->environment.nwarnings; i++) {
		fputs("<p class=\"warn\">", out);
		html_text(out, c->environment.warnings[i]);
		fputs("</p>\n", out);
	}
	for (size_t s = 1; s < c->sets.n; s++)
		put_answer(c, s, out);
	fputs("</section>\n", out);
}

void page_head(const struct page *page, FILE *out)
{
	const json_t *cpu = json_object_get(page->subjects.list[0].run->head, KEY_CPU);

	fputs("<h1>", out);
	html_text(out, text_of(cpu, KEY_BRAND));
	fputs("</h1>\n<ul class=\"runs\">\n", out);
	for (size_t i = 0; i < page->subjects.n; i++)
		put_run(&page->subjects.list[i], out);
	fputs("</ul>\n", out);
	if (page->subjects.n > PICTURE_SETS)
		fputs("<p>Of so many runs a picture has one curve each: that of its first variant "
		      "and the largest pages. The tables have all rows.</p>\n",
			out);
	if (page->comparison->sets.n > 1)
		put_answers(page->comparison, out);
	else
		put_marks(page, out);
}
