/* SPDX-License-Identifier: MIT */
/* The card of a run as lines of a page, and its values as parts of a text. */
#include <string.h>

#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "page/html.h"
#include "page/page_memory.h"
#include "page/page_parts.h"
#include "page/pictures.h"

#define NAME  40 /* of a value */
#define CLAIM 48 /* of CPUID, in words */

struct card *card_of(const struct shown_run *run)
{
	struct card *card = page_new(1, sizeof *card);

	card_begin(card);
	card_read(card, run->head);
	for (size_t i = 0; i < run->summaries.n; i++)
		card_read(card, run->summaries.line[i]);
	return card;
}

static void append(char out[CARD_PART], const char *text)
{
	size_t used = strlen(out);

	text_format(out + used, CARD_PART - used, "%s", text);
}

/* Write what CPUID claims, if it is something else; with `agreeing` also that it is the same. */
static void claim_text(const struct card_value *v, bool agreeing, char out[CLAIM])
{
	char claim[16];

	if (!math_finite(v->claimed) || (v->agrees && !agreeing))
		return;
	if (strcmp(v->unit, "bytes"))
		text_format(claim, sizeof claim, "%.0f", v->claimed);
	else
		size_text(v->claimed, claim);
	text_format(out, CLAIM, v->agrees ? " (CPUID agrees)" : " (CPUID claims %s)", claim);
}

/*
 * Add a value; false: there is none that sure. A name may end in %, for millionths as per cent, or
 * in ^, for the upper end of the bracket.
 */
static bool put_value(const struct card *card, char *name, double least, double *sure, char *out,
	char *claim)
{
	char text[CARD_TEXT], *last = name + strlen(name) - 1, as = *last;

	if (as == '%' || as == '^')
		*last = 0;
	const struct card_value *v = card_value(card, name);
	if (!v || !math_finite(v->value) || v->confidence < least)
		return false;
	struct card_value upper = *v;
	upper.value = v->high;
	upper.low = upper.high = NOT_A_NUMBER;
	if (as == '%')
		text_format(text, sizeof text, "%.3g %%", v->value / 1e4);
	else
		card_value_brief(as == '^' ? &upper : v, text);
	append(out, text);
	claim_text(v, sure, claim);
	if (sure)
		*sure = math_min(*sure, v->confidence);
	return true;
}

const char *card_part(const struct card *card, const char *at, double least, double *sure,
	char out[CARD_PART])
{
	char claim[CLAIM] = "";
	bool has = true;
	size_t n;

	for (*out = 0; *at && *at != '|' && *at != '\n'; at += n) {
		char name[NAME];

		for (n = 1; *at == '{' && at[n - 1] != '}'; n++)
			;
		text_format(name, sizeof name, "%.*s", (int)(*at == '{' ? n - 2 : n),
			at + (*at == '{'));
		if (*at == '{')
			has = has && put_value(card, name, least, sure, out, claim);
		else
			append(out, name);
	}
	append(out, claim);
	if (!has)
		*out = 0;
	return at + (*at == '|');
}

/* Write why the line's first value is not known; nothing if nobody looked for it. */
static void put_reason(const struct card *card, const char *label, size_t n, const char *at,
	struct sink *out)
{
	const struct card_value *v;
	char name[NAME];
	int n_name;

	while (*at != '{')
		at++;
	for (n_name = 0; !strchr("}%^", at[n_name + 1]); n_name++)
		;
	text_format(name, sizeof name, "%.*s", n_name, at + 1);
	v = card_value(card, name);
	if (!v || !*v->reason || !strcmp(v->reason, NOT_MEASURED))
		return;
	sink_put(out, "<div><dt>%.*s</dt><dd>? ", (int)n, label);
	html_text(out, v->reason);
	html_put(out, "</dd></div>\n");
}

/* Write a line of page/files/card.txt. Returns where the next one begins. */
static const char *put_line(const struct card *card, const char *line, struct sink *out)
{
	size_t n = (size_t)(strchr(line, '|') - line);
	const char *first = line + n + 1, *at = first;
	char part[CARD_PART];
	double sure = 1;
	bool any = false;

	while (*at && *at != '\n') {
		double own = 1; /* of this part: if it alone is hardly sure, it says so itself */

		at = card_part(card, at, 0, &own, part);
		if (!*part)
			continue;
		bool guess = any && own < CLAIM_LEAST && sure >= CLAIM_LEAST;
		if (any)
			html_put(out, ", ");
		else
			sink_put(out, "<div><dt>%.*s</dt><dd>", (int)n, line);
		html_text(out, part);
		if (guess)
			sink_put(out, " (%.0f&nbsp;%% %s)", 100 * own, card_grade(own));
		else
			sure = math_min(sure, own);
		any = true;
	}
	if (any)
		sink_put(out, "</dd><dd class=\"%s\">%.0f&nbsp;%% %s</dd></div>\n",
			card_grade(sure), 100 * sure, card_grade(sure));
	else
		put_reason(card, line, n, first, out);
	return at + (*at == '\n');
}

void page_card(const struct report_page *page, const struct shown_run *run, struct sink *out)
{
	struct card *card = card_of(run);

	html_put(out, "<dl>\n");
	for (const char *line = page->files[PAGE_CARD]; *line;)
		line = put_line(card, line, out);
	html_put(out, "</dl>\n");
	page_free(card);
}
