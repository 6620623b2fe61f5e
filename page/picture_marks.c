/* SPDX-License-Identifier: MIT */
#include "page/picture_marks.h"

#include <string.h>

#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "page/page_memory.h"

#define MARK_TEXT 40
#define MANY_SETS 3 /* with more of them marks would hide the curves; the card has their values */

void marks_add(struct chart *chart, const struct mark *mark)
{
	struct mark *new = page_grow((void **)&chart->marks, &chart->nmarks, sizeof *new);

	*new = *mark;
	new->label = page_text(mark->label);
}

/* "L1" of l1d_bytes, "4K" of dtlb_4k_entries; "" of others, whose picture says what they are. */
static const char *short_name(const char *name)
{
	static const struct {
		const char *name, *text;
	} names[] = { { "l1d_bytes", "L1 " }, { "l2_bytes", "L2 " }, { "l3_bytes", "L3 " },
		{ "l4_bytes", "L4 " }, { "dtlb_4k_entries", "4K " }, { "stlb_entries", "4K, 2nd " },
		{ "dtlb_2m_entries", "2M " }, { "stlb_2m_entries", "2M, 2nd " } };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i].name, name))
			return names[i].text;
	return "";
}

static void add(struct chart *chart, const struct picture *picture, const struct subject *subject,
	const char *name, double value, bool claimed)
{
	bool several = *subject->tag;
	char text[MARK_TEXT], number[TICK_TEXT];

	if (math_is_nan(value) || (picture->x_axis.kind != AXIS_LINEAR && !(value > 0)))
		return;
	axis_text(picture->marks_at_y ? &picture->y_axis : &picture->x_axis, value, number);
	text_format(text, sizeof text, "%s%s%s%s%s", several ? subject->tag : "",
		several ? " " : "", claimed ? "CPUID " : "", short_name(name), number);
	marks_add(chart,
		&(struct mark){ .at = value,
			.at_y = picture->marks_at_y,
			.claimed = claimed,
			.colour = several ? subject->colour : COLOURS,
			.label = text });
}

/* What CPUID claims is one machine's: said once where several rooms of it are shown. */
static bool claimed_before(const struct subjects *subjects, size_t at, const char *name,
	double claimed)
{
	for (size_t i = 0; i < at; i++)
		if (line_number(shown_summary(subjects->list[i].run, name), KEY_CLAIMED) == claimed)
			return true;
	return false;
}

static void add_summary(struct chart *chart, const struct picture *picture,
	const struct subjects *subjects, size_t at, const char *name)
{
	struct line line = shown_summary(subjects->list[at].run, name);
	double value = line_number(line, KEY_VALUE), claimed = line_number(line, KEY_CLAIMED);

	add(chart, picture, &subjects->list[at], name, value, false);
	if (claimed != value && !claimed_before(subjects, at, name, claimed))
		add(chart, picture, &subjects->list[at], name, claimed, true);
}

void marks_collect(const struct picture *picture, const struct subjects *subjects,
	struct chart *chart)
{
	char name[40];

	if (!picture->marks || subjects->n > MANY_SETS)
		return;
	for (size_t i = 0; i < subjects->n; i++)
		for (const char *at = picture->marks; *at; at += *at == ',') {
			size_t n = names_first(at);
			text_format(name, sizeof name, "%.*s", (int)n, at);
			add_summary(chart, picture, subjects, i, name);
			at += n;
		}
}
