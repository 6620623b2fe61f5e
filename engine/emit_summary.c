/* SPDX-License-Identifier: MIT */
/* Summary lines: what was found, beside what CPUID claims. */
#include "engine/emit.h"
#include "engine/find.h"

#include <string.h>

#include "lib/math.h"
#include "lib/result_keys.h"

#define CLAIM_AWAY 0.01 /* of the value, at most, where there is no bracket; docs/format.md */

static bool has_bracket(const struct summary *s)
{
	return s->low <= s->high && s->high > 0;
}

/*
 * So many that they did not fit are not what the processor has. But a buffer as large as a cache
 * loses lines in it to whatever else is used.
 */
static bool high_is_too_many(const struct summary *s)
{
	return s->edge && s->low < s->high && strcmp(s->unit, "bytes") != 0;
}

bool summary_agrees(const struct summary *s)
{
	double low = s->rise[0] > 0 ? math_min(s->low, s->rise[0]) : s->low;

	if (has_bracket(s))
		return s->claimed >= low &&
			(s->claimed <= s->rise[2] || s->claimed < s->high ||
				(s->claimed == s->high && !high_is_too_many(s)));
	return math_abs(s->claimed - s->value) <= CLAIM_AWAY * math_abs(s->value);
}

static void put_floor(struct jsonl *l, const struct summary *s)
{
	jsonl_number(l, KEY_FLOOR, s->floor);
	if (s->floor_high > 0) {
		jsonl_number(l, "floor_low", s->floor_low);
		jsonl_number(l, "floor_high", s->floor_high);
	}
	jsonl_number(l, KEY_DISTURBED_SHARE, s->disturbed_share);
}

static void emit_summary(struct bench *b, const struct summary *s, const struct probe *by)
{
	struct jsonl *l = emit_begin(b, KIND_SUMMARY);

	jsonl_string(l, KEY_NAME, s->name);
	jsonl_string(l, KEY_PROBE, by->name);
	jsonl_number(l, KEY_VALUE, s->value);
	jsonl_string(l, KEY_UNIT, s->unit);
	if (has_bracket(s)) {
		jsonl_number(l, KEY_LOW, s->low);
		jsonl_number(l, KEY_HIGH, s->high);
	}
	if (s->rise[0] > 0) {
		jsonl_number(l, KEY_RISE_10, s->rise[0]);
		jsonl_number(l, KEY_RISE_50, s->rise[1]);
		jsonl_number(l, KEY_RISE_90, s->rise[2]);
	}
	jsonl_number(l, KEY_CLAIMED, s->claimed);
	if (math_finite(s->value) && math_finite(s->claimed))
		jsonl_bool(l, KEY_AGREES, summary_agrees(s));
	jsonl_number(l, KEY_CONFIDENCE, s->confidence);
	if (s->has_floor)
		put_floor(l, s);
	jsonl_string(l, "rests_on", s->rests_on);
	if (s->page_bytes)
		jsonl_integer(l, KEY_PAGE_BYTES, s->page_bytes);
	if (s->reason)
		jsonl_string(l, KEY_REASON, s->reason);
	b->summaries++;
	emit_line(b);
}

void emit_found(struct bench *b)
{
	for (unsigned i = 0; i < b->found->n; i++)
		emit_summary(b, &b->found->list[i], b->found->by[i]);
}
