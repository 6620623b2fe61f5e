/* SPDX-License-Identifier: MIT */
#include "page/picture_titles.h"

#include <string.h>

#include "lib/math.h"
#include "lib/text.h"
#include "page/page_memory.h"

#define PART_TEXT 128
#define NAME      40 /* of a value */

struct card *card_of(const struct shown_run *run)
{
	struct card *card = page_new(1, sizeof *card);

	card_begin(card);
	card_read(card, run->head);
	for (size_t i = 0; i < run->summaries.n; i++)
		card_read(card, run->summaries.line[i]);
	return card;
}

static void append(char *out, size_t bytes, const char *text)
{
	size_t used = strlen(out);

	text_format(out + used, bytes - used, "%s", text);
}

/* The value as the card has it, and what CPUID claims where that is something else. */
static bool put_value(const struct card *card, const char *name, char *out, size_t bytes)
{
	const struct card_value *v = card_value(card, name);
	char text[CARD_TEXT], claim[16];

	if (!v || !math_finite(v->value))
		return false;
	card_value_brief(v, text);
	append(out, bytes, text);
	if (!math_finite(v->claimed) || v->agrees)
		return true;
	if (strcmp(v->unit, "bytes"))
		text_format(claim, sizeof claim, "%.0f", v->claimed);
	else
		size_text(v->claimed, claim);
	text_format(text, sizeof text, " (CPUID claims %s)", claim);
	append(out, bytes, text);
	return true;
}

/* Returns where the part ends. Its text: "" where the card lacks one of its values. */
static const char *put_part(const struct card *card, const char *at, char out[PART_TEXT])
{
	char name[NAME];
	bool has = true;
	size_t n;

	for (*out = 0; *at && *at != '|'; at += n) {
		for (n = 1; *at == '{' && at[n - 1] != '}'; n++)
			;
		text_format(name, sizeof name, "%.*s", (int)n, at);
		if (*at == '{') {
			text_format(name, sizeof name, "%.*s", (int)n - 2, at + 1);
			has = has && put_value(card, name, out, PART_TEXT);
		} else {
			append(out, PART_TEXT, name);
		}
	}
	if (!has)
		*out = 0;
	return at;
}

static void put_run(const char *says, const struct subject *subject, bool several, char *out)
{
	struct card *card = card_of(subject->run);
	char part[PART_TEXT];
	size_t before = strlen(out);

	for (const char *at = says; *at; at += *at == '|') {
		at = put_part(card, at, part);
		if (!*part)
			continue;
		if (strlen(out) > before) {
			append(out, FINDING_TEXT, ", ");
		} else if (several) {
			append(out, FINDING_TEXT, *out ? "; " : "");
			append(out, FINDING_TEXT, subject->tag);
			append(out, FINDING_TEXT, ": ");
		}
		append(out, FINDING_TEXT, part);
	}
	page_free(card);
}

void picture_finding(const struct picture *picture, const struct subjects *subjects,
	char out[FINDING_TEXT])
{
	*out = 0;
	if (!picture->says || subjects->n > subjects->sets || subjects->n > MARKS_SETS)
		return;
	for (size_t i = 0; i < subjects->n; i++)
		put_run(picture->says, &subjects->list[i], subjects->n > 1, out);
	if (subjects->n == 1 && *out >= 'a' && *out <= 'z')
		*out += 'A' - 'a';
}
