/* SPDX-License-Identifier: MIT */
#include "page/picture_titles.h"

#include <string.h>

#include "lib/math.h"
#include "lib/text.h"
#include "page/page_memory.h"

#define PARTS     8 /* of a title, at most */
#define PART_TEXT 128
#define NAME      40  /* of a value */
#define SURE      0.5 /* a value of less confidence says how sure it is */

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

/* What the card has beside the value: that it is hardly sure, or what CPUID claims instead. */
static void put_notes(const struct card_value *v, char *out, size_t bytes)
{
	char text[48], claim[16];

	if (v->confidence < SURE) {
		text_format(text, sizeof text, " (%.0f %% sure)", 100 * v->confidence);
		append(out, bytes, text);
	}
	if (!math_finite(v->claimed) || v->agrees)
		return;
	if (strcmp(v->unit, "bytes"))
		text_format(claim, sizeof claim, "%.0f", v->claimed);
	else
		size_text(v->claimed, claim);
	text_format(text, sizeof text, " (CPUID claims %s)", claim);
	append(out, bytes, text);
}

static bool put_value(const struct card *card, const char *name, char *out, size_t bytes)
{
	const struct card_value *v = card_value(card, name);
	char text[CARD_TEXT];

	if (!v || !math_finite(v->value))
		return false;
	card_value_brief(v, text);
	append(out, bytes, text);
	put_notes(v, out, bytes);
	return true;
}

/* The text of the part at `at`; "" where the card lacks one of its values. */
static void put_part(const struct card *card, const char *at, char out[PART_TEXT])
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
}

/* The parts of a title, of each run: text[run][part]. */
struct parts {
	char text[MARKS_SETS][PARTS][PART_TEXT];
	size_t n;
};

static void read_parts(const char *says, const struct subject *subject, size_t run,
	struct parts *parts)
{
	struct card *card = card_of(subject->run);
	bool first = false;

	parts->n = 0;
	for (const char *at = says; *at && parts->n < PARTS; parts->n++) {
		bool more = *at == '&'; /* it says nothing without the first */
		char *text = parts->text[run][parts->n];

		at += more;
		if (more && !first)
			*text = 0;
		else
			put_part(card, at, text);
		first |= !more && *text;
		while (*at && *at++ != '|')
			;
	}
	page_free(card);
}

static bool is_same_of_all(const struct parts *parts, size_t part, size_t runs)
{
	for (size_t i = 1; i < runs; i++)
		if (strcmp(parts->text[i][part], parts->text[0][part]))
			return false;
	return true;
}

/* Nothing of it where it has no room: half a number would be another one. */
static void add(char out[FINDING_TEXT], const char *between, const char *tag, const char *text)
{
	if (strlen(out) + strlen(between) + strlen(tag) + strlen(text) + 3 > FINDING_TEXT)
		return;
	append(out, FINDING_TEXT, *out ? between : "");
	append(out, FINDING_TEXT, tag);
	append(out, FINDING_TEXT, *tag ? ": " : "");
	append(out, FINDING_TEXT, text);
}

/* First what all runs say; then by their names what they do not. */
static void put_parts(const struct parts *parts, const struct subjects *subjects, char *out)
{
	for (size_t p = 0; p < parts->n; p++)
		if (*parts->text[0][p] && is_same_of_all(parts, p, subjects->n))
			add(out, ", ", "", parts->text[0][p]);
	if (*out >= 'a' && *out <= 'z')
		*out += 'A' - 'a';
	for (size_t i = 0; i < subjects->n; i++) {
		const char *tag = subjects->list[i].tag;

		for (size_t p = 0; p < parts->n; p++) {
			if (!*parts->text[i][p] || is_same_of_all(parts, p, subjects->n))
				continue;
			add(out, *tag ? "; " : ", ", tag, parts->text[i][p]);
			tag = "";
		}
	}
}

void picture_finding(const struct picture *picture, const struct subjects *subjects,
	char out[FINDING_TEXT])
{
	struct parts *parts;

	*out = 0;
	if (!picture->says || subjects->n > subjects->sets || subjects->n > MARKS_SETS)
		return;
	parts = page_new(1, sizeof *parts);
	for (size_t i = 0; i < subjects->n; i++)
		read_parts(picture->says, &subjects->list[i], i, parts);
	put_parts(parts, subjects, out);
	page_free(parts);
}
