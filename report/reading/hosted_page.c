/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "page/html.h"
#include "page/page_memory.h"
#include "report/compare/compare_parts.h"
#include "report/reading/hosted_page.h"

static void *take(size_t bytes)
{
	return new_array(bytes, 1);
}

static void say(void *to, const char *text, size_t n)
{
	fwrite(text, 1, n, to);
}

struct sink sink_to(FILE *out)
{
	return (struct sink){ say, out };
}

/* The lines that are left of a run, as they stand in the file. */
static const struct shown_run *show(const struct run_data *run)
{
	struct shown_run *shown = new_array(1, sizeof *shown);

	shown_run_take(shown, run->head_line);
	for (size_t i = 0; i < run->nrows; i++)
		shown_run_take(shown, run->rows[i].line);
	for (size_t i = 0; i < run->summaries.n; i++)
		shown_run_take(shown, run->summaries.list[i].line);
	for (size_t i = 0; i < run->skips.n; i++)
		shown_run_take(shown, run->skips.list[i].line);
	if (run->end)
		shown_run_take(shown, run->end_line);
	return shown;
}

struct subjects hosted_subjects(const struct sets *sets)
{
	struct subjects subjects = { .sets = sets->n };

	page_memory_use(take, free);
	for (size_t s = 0; s < sets->n; s++)
		for (size_t i = 0; i < sets->set[s].nruns; i++) {
			unsigned index = (unsigned)subjects.n;
			struct subject *subject =
				grow((void **)&subjects.list, &subjects.n, sizeof *subject);

			*subject = (struct subject){ .run = show(sets->set[s].runs[i]),
				.name = set_name(&sets->set[s]),
				.index = index,
				.colour = (unsigned)s,
				.letter = set_letter(s) };
		}
	subjects_name(&subjects);
	return subjects;
}

void hosted_subjects_free(struct subjects *subjects)
{
	for (size_t i = 0; i < subjects->n; i++) {
		struct shown_run *shown = (struct shown_run *)subjects->list[i].run;

		shown_run_free(shown);
		free(shown);
	}
	free(subjects->list);
}

/* The machine of which a run is; a new one where it is of none. */
static struct subjects *machine_of(struct page *page, const json_t **heads, const json_t *head)
{
	size_t m = 0;

	while (m < page->nmachines && !one_machine(heads[m], head))
		m++;
	if (m == page->nmachines)
		heads[page->nmachines++] = head;
	return (struct subjects *)&page->machines[m];
}

void hosted_machines(struct page *page, const struct sets *sets)
{
	const json_t **heads = new_array(page->subjects.n, sizeof *heads);
	size_t at = 0;

	page->machines = new_array(page->subjects.n, sizeof *page->machines);
	for (size_t s = 0; s < sets->n; s++)
		for (size_t i = 0; i < sets->set[s].nruns; i++) {
			struct subjects *machine =
				machine_of(page, heads, sets->set[s].runs[i]->head);
			const struct subject *subject = &page->subjects.list[at++];

			machine->sets += !machine->n ||
				machine->list[machine->n - 1].colour != subject->colour;
			*(struct subject *)grow((void **)&machine->list, &machine->n,
				sizeof *subject) = *subject;
		}
	for (size_t m = 0; m < page->nmachines; m++)
		subjects_name((struct subjects *)&page->machines[m]);
	free(heads);
}

void hosted_machines_free(struct page *page)
{
	for (size_t m = 0; m < page->nmachines; m++)
		free(page->machines[m].list);
	free((struct subjects *)page->machines);
}

static void put_paragraph(const char *begin, const char *text, struct sink *out)
{
	html_put(out, begin);
	html_text(out, text);
	html_put(out, "</p>\n");
}

static void put_answer(const struct comparison *c, size_t s, struct sink *out)
{
	size_t bytes;
	char *text;
	FILE *answer = text_stream(&text, &bytes);

	print_answer(c, s, answer);
	fclose(answer);
	put_paragraph("<p>", text, out);
	free(text);
}

static void put_answers(const void *of, struct sink *out)
{
	const struct comparison *c = of;

	html_put(out, "<section id=\"answer\">\n");
	for (size_t i = 0; i < c->environment.nwarnings; i++)
		put_paragraph("<p class=\"warn\">", c->environment.warnings[i], out);
	for (size_t s = 1; s < c->sets.n; s++)
		put_answer(c, s, out);
	html_put(out, "</section>\n");
}

void hosted_answer(struct page *page, const struct comparison *c)
{
	page->answer = c->sets.n > 1 ? put_answers : NULL;
	page->answer_of = c;
}

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
