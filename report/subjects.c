/* SPDX-License-Identifier: MIT */
#include "report/subjects.h"

#include <string.h>

#include "lib/result_keys.h"
#include "report/compare_parts.h"

const char *subject_mark(const struct run_data *run)
{
	if (json_is_true(json_object_get(run->head, KEY_EMULATED)))
		return "EMULATED";
	return *text_of(run->head, KEY_HYPERVISOR) ? "VIRTUAL" : "";
}

/* Whether each set has a room of its own: then that names it best. */
static bool rooms_differ(const struct sets *sets)
{
	for (size_t i = 0; i < sets->n; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(sets->set[i].room, sets->set[j].room))
				return false;
	return true;
}

static void tag(struct subject *subject, const struct sets *sets, size_t s)
{
	if (sets->n == 1)
		subject->tag[0] = 0;
	else if (rooms_differ(sets))
		snprintf(subject->tag, TAG_BYTES, "%s", sets->set[s].room);
	else
		snprintf(subject->tag, TAG_BYTES, "%c", subject->letter);
}

static bool has_mark(const struct subject *subject, const char *mark)
{
	return !strcmp(subject_mark(subject->run), mark);
}

/* " A,C-F": the sets that have the mark. */
static void add_letters(const struct subjects *subjects, const char *mark, char *out, size_t bytes)
{
	char last = 0, first = 0;

	for (size_t i = 0; i <= subjects->n && strlen(out) + 8 < bytes; i++) {
		char letter = i < subjects->n && has_mark(&subjects->list[i], mark)
			? subjects->list[i].letter
			: 0;

		if (letter && letter == last)
			continue;
		if (letter && letter == last + 1) {
			last = letter;
			continue;
		}
		if (last > first)
			sprintf(out + strlen(out), "%s%c", last > first + 1 ? "-" : ",", last);
		if (letter)
			sprintf(out + strlen(out), "%s%c", first ? "," : " ", letter);
		if (letter)
			first = last = letter;
		else
			last = 0;
	}
}

/* A line: "EMULATED: ...", or "EMULATED B,C: ..." where others are not. */
static void add_mark(struct subjects *subjects, const char *mark, const char *what)
{
	size_t marked = 0, used = strlen(subjects->banner), room = sizeof subjects->banner - used;
	char *line = subjects->banner + used;

	for (size_t i = 0; i < subjects->n; i++)
		marked += has_mark(&subjects->list[i], mark);
	if (!marked)
		return;
	snprintf(line, room, "%s%s", used ? "\n" : "", mark);
	if (marked < subjects->n)
		add_letters(subjects, mark, line, room - strlen(what) - 2);
	snprintf(line + strlen(line), room - strlen(line), ": %s", what);
}

static void banner(struct subjects *subjects)
{
	subjects->banner[0] = 0;
	add_mark(subjects, "EMULATED", "no time means anything");
	add_mark(subjects, "VIRTUAL", "the host is in the times");
}

struct subjects subjects_of(const struct sets *sets)
{
	struct subjects subjects = { 0 };

	for (size_t s = 0; s < sets->n; s++)
		for (size_t i = 0; i < sets->set[s].nruns; i++) {
			unsigned index = (unsigned)subjects.n;
			struct subject *subject =
				grow((void **)&subjects.list, &subjects.n, sizeof *subject);

			*subject = (struct subject){ .run = sets->set[s].runs[i],
				.set = &sets->set[s],
				.index = index,
				.colour = (unsigned)s,
				.letter = set_letter(s) };
			tag(subject, sets, s);
		}
	banner(&subjects);
	return subjects;
}

struct subjects subject_alone(const struct subjects *all, size_t which)
{
	struct subjects one = { .list = &all->list[which], .n = 1 };

	banner(&one);
	return one;
}
