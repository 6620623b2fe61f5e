/* SPDX-License-Identifier: MIT */
#include "page/subjects.h"

#include <string.h>

#include "lib/result_keys.h"
#include "lib/text.h"

/* Returns true if each set has a room of its own: then the room is its best name. */
static bool rooms_differ(const struct subjects *subjects)
{
	for (size_t i = 0; i < subjects->n; i++)
		for (size_t j = 0; j < i; j++)
			if (subjects->list[i].colour != subjects->list[j].colour &&
				!strcmp(subjects->list[i].run->room, subjects->list[j].run->room))
				return false;
	return true;
}

static bool has_mark(const struct subject *subject, const char *mark)
{
	return !strcmp(result_mark(subject->run->head), mark);
}

/* Add the sets that have the mark: " A,C-F". */
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
			text_format(out + strlen(out), bytes - strlen(out), "%s%c",
				last > first + 1 ? "-" : ",", last);
		if (letter)
			text_format(out + strlen(out), bytes - strlen(out), "%s%c",
				first ? "," : " ", letter);
		if (letter)
			first = last = letter;
		else
			last = 0;
	}
}

/* Add "EMULATED", or "EMULATED B,C" if others are not. */
static void add_mark(struct subjects *subjects, const char *mark)
{
	size_t marked = 0, used = strlen(subjects->note), space = sizeof subjects->note - used;
	char *line = subjects->note + used;

	for (size_t i = 0; i < subjects->n; i++)
		marked += has_mark(&subjects->list[i], mark);
	if (!marked)
		return;
	text_format(line, space, "%s%s", used ? "; " : "", mark);
	if (marked < subjects->n)
		add_letters(subjects, mark, line, space);
}

static void make_note(struct subjects *subjects)
{
	const char *room = subjects->n ? subjects->list[0].run->room : "";

	for (size_t i = 1; i < subjects->n; i++)
		if (strcmp(subjects->list[i].run->room, room))
			room = "";
	text_format(subjects->note, sizeof subjects->note, *room ? "room %s" : "%s", room);
	add_mark(subjects, "SIMULATED");
	add_mark(subjects, "EMULATED");
	add_mark(subjects, "EMULATED?");
	add_mark(subjects, "VIRTUAL");
	add_mark(subjects, "VIRTUAL?");
}

void subjects_name(struct subjects *subjects)
{
	bool rooms = rooms_differ(subjects);

	for (size_t i = 0; i < subjects->n; i++) {
		struct subject *subject = &subjects->list[i];

		subject->tag[0] = 0;
		if (subjects->sets > 1 && rooms)
			text_format(subject->tag, TAG_BYTES, "%s", subject->run->room);
		else if (subjects->sets > 1)
			text_format(subject->tag, TAG_BYTES, "%c", subject->letter);
	}
	make_note(subjects);
}

struct subjects subject_alone(const struct subjects *all, size_t which)
{
	struct subjects one = { .list = &all->list[which], .n = 1, .sets = 1 };

	make_note(&one);
	return one;
}
