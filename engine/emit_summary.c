/* SPDX-License-Identifier: MIT */
/* Summary lines: what was found, beside what CPUID claims. */
#include "engine/emit.h"
#include "engine/find.h"
#include "lib/math.h"

/* Whether the claim lies inside the bracket or within 10 % of the value. False without both. */
static bool agrees(const struct summary *s)
{
	if (s->low < s->high && s->claimed >= s->low && s->claimed < s->high)
		return true;
	return math_abs(s->claimed - s->value) <= 0.1 * math_abs(s->value);
}

static void emit_summary(struct bench *b, const struct summary *s)
{
	struct jsonl *l = emit_begin(b, "summary");

	jsonl_string(l, "name", s->name);
	jsonl_number(l, "value", s->value);
	jsonl_string(l, "unit", s->unit);
	if (s->low < s->high) {
		jsonl_number(l, "low", s->low);
		jsonl_number(l, "high", s->high);
	}
	jsonl_number(l, "claimed", s->claimed);
	if (math_finite(s->value) && math_finite(s->claimed))
		jsonl_bool(l, "agrees", agrees(s));
	jsonl_number(l, "confidence", s->confidence);
	jsonl_string(l, "rests_on", s->rests_on);
	if (s->reason)
		jsonl_string(l, "reason", s->reason);
	b->summaries++;
	emit_line(b);
}

void emit_found(struct bench *b)
{
	for (unsigned i = 0; i < b->found->n; i++)
		emit_summary(b, &b->found->list[i]);
}
