/* SPDX-License-Identifier: MIT */
#include "engine/skipped.h"

#include <string.h>

#include "lib/text.h"

#define COLUMNS 79
#define INDENT  "     "

/* Returns the index of the reason; SKIP_REASONS: there is no place for it. */
static unsigned reason_of(struct skipped *s, const char *text)
{
	char known[SKIP_REASON];
	unsigned i = 0;

	text_format(known, sizeof known, "%s", text);
	while (i < s->nreasons && strcmp(s->reasons[i].text, known))
		i++;
	if (i == s->nreasons && i < SKIP_REASONS) {
		memcpy(s->reasons[i].text, known, sizeof known);
		s->nreasons++;
	}
	return i;
}

static struct skip_kind *kind_of(struct skipped *s, const char *probe, const char *variant,
	unsigned reason)
{
	unsigned i = 0;

	for (; i < s->nkinds; i++)
		if (s->kinds[i].reason == reason && !strcmp(s->kinds[i].probe, probe) &&
			!strcmp(s->kinds[i].variant, variant))
			return &s->kinds[i];
	if (i == SKIP_KINDS)
		return NULL;
	s->kinds[i] = (struct skip_kind){ probe, variant, reason, 0 };
	return &s->kinds[s->nkinds++];
}

void skipped_add(struct skipped *s, const char *probe, const char *variant, const char *reason)
{
	unsigned which = reason_of(s, reason);
	struct skip_kind *kind = which < SKIP_REASONS ? kind_of(s, probe, variant, which) : NULL;

	if (!kind) {
		s->more++;
		return;
	}
	kind->rows++;
	s->reasons[which].rows++;
}

/* A line being filled with words. */
struct line_words {
	char line[COLUMNS + 1];
	unsigned n;
	void (*say)(void *to, const char *text, size_t n);
	void *to;
};

static void end_line(struct line_words *w)
{
	if (w->n > strlen(INDENT)) {
		w->line[w->n++] = '\n';
		w->say(w->to, w->line, w->n);
	}
	w->n = (unsigned)text_format(w->line, sizeof w->line, "%s", INDENT);
}

static void put_word(struct line_words *w, const char *word)
{
	unsigned n = (unsigned)strlen(word);

	if (w->n + 1 + n > COLUMNS)
		end_line(w);
	if (n < COLUMNS - w->n)
		w->n += (unsigned)text_format(w->line + w->n, sizeof w->line - w->n, " %s", word);
}

/* "4 rows: why", in as many lines as it takes; print_kinds ends the last one. */
static void print_reason(const struct skip_reason *r, struct line_words *w)
{
	const char *at = r->text;
	char word[SKIP_REASON];

	w->n = (unsigned)text_format(w->line, sizeof w->line, "  %u row%s:", r->rows,
		text_plural(r->rows));
	while (*at) {
		unsigned n = 0;

		while (at[n] && at[n] != ' ')
			n++;
		text_format(word, sizeof word, "%.*s", (int)n, at);
		put_word(w, word);
		at += n + (at[n] == ' ');
	}
}

/* "latency: method-raw(21) index": a line for each probe; how many of a kind, if several. */
static void print_kinds(const struct skipped *s, unsigned reason, struct line_words *w)
{
	const char *probe = "";
	char word[COLUMNS];

	for (unsigned i = 0; i < s->nkinds; i++) {
		const struct skip_kind *k = &s->kinds[i];

		if (k->reason != reason)
			continue;
		if (strcmp(probe, k->probe)) {
			end_line(w);
			text_format(word, sizeof word, "%.20s:", k->probe);
			put_word(w, word);
		}
		probe = k->probe;
		if (k->rows > 1)
			text_format(word, sizeof word, "%.30s(%u)", k->variant, k->rows);
		else
			text_format(word, sizeof word, "%.30s", *k->variant ? k->variant : "all");
		put_word(w, word);
	}
	end_line(w);
}

void skipped_print(const struct skipped *s, void (*say)(void *to, const char *text, size_t n),
	void *to)
{
	struct line_words w = { .say = say, .to = to };
	char line[64];
	int n;

	if (!s->nreasons && !s->more)
		return;
	say(to, "\nNot measured:\n", 15);
	for (unsigned i = 0; i < s->nreasons; i++) {
		if (!s->reasons[i].rows) /* there was no place for its kinds */
			continue;
		print_reason(&s->reasons[i], &w);
		print_kinds(s, i, &w);
	}
	n = text_format(line, sizeof line, "  %u row%s for other reasons\n", s->more,
		text_plural(s->more));
	if (s->more)
		say(to, line, (size_t)n);
}
