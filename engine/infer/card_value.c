/* SPDX-License-Identifier: MIT */
/* A value of the card as text. */
#include <string.h>

#include "engine/infer/card.h"
#include "lib/math.h"
#include "lib/published.h"
#include "lib/text.h"

static void plain_text(double x, bool bytes, char out[16])
{
	if (bytes)
		size_text(x, out);
	else
		text_format(out, 16, "%.6g", x);
}

static bool known(const struct card_value *v)
{
	return v && math_finite(v->value);
}

/* Returns true if the value is only a lower bound. */
static bool at_least(const struct card_value *v)
{
	return math_finite(v->low) && !math_finite(v->high);
}

bool card_value_count(const struct card_value *v, char out[CARD_TEXT])
{
	if (at_least(v)) {
		text_format(out, CARD_TEXT, "%.0f or more", v->low);
		return true;
	}
	if (strcmp(v->unit, "bytes") == 0 || !(v->low < v->high) || !math_is_whole(v->low) ||
		!math_is_whole(v->high) || !math_is_whole(v->value))
		return false;
	if (v->high - v->low == 1)
		text_format(out, CARD_TEXT, "%.0f", v->low);
	else
		text_format(out, CARD_TEXT, "%.0f..%.0f", v->low, v->high - 1);
	return true;
}

/* The column at which a text that begins at CARD_VALUE_COLUMN ends. */
static size_t end_column(const char *text)
{
	size_t column = CARD_VALUE_COLUMN;

	for (; *text; text++)
		column = *text == '\n' ? 0 : column + 1;
	return column;
}

/* Appends a mark and a part of the text: on a line of its own where this one would be too long. */
static void append(char out[CARD_TEXT], char mark, const char *part)
{
	size_t used = strlen(out);
	char *at = out + used;

	if (end_column(out) + 2 + strlen(part) <= CARD_VALUE_END)
		text_format(at, CARD_TEXT - used, "%c %s", mark, part);
	else
		text_format(at, CARD_TEXT - used, "%c\n%*s%s", mark, CARD_VALUE_COLUMN, "", part);
}

/* Write the value of the quietest tenth of the samples if it differs. */
static void floor_text(const struct card_value *v, bool bytes, char out[CARD_TEXT])
{
	char floor[16], text[64];

	if (!math_finite(v->floor))
		return;
	plain_text(v->floor, bytes, floor);
	text_format(text, sizeof text, "%s in quiet moments (%.0f %% disturbed)", floor,
		100 * v->disturbed_share);
	append(out, ';', text);
}

/* "soft: 10 % at 28M, 50 % at 33M, 90 % at 41M" */
static void soft_text(const struct card_value *v, bool bytes, char out[CARD_TEXT])
{
	char at[3][16], text[80];

	if (!math_finite(v->rise[0]))
		return;

	for (unsigned i = 0; i < 3; i++)
		if (bytes)
			size_text(v->rise[i], at[i]);
		else
			text_format(at[i], 16, "%.0f", v->rise[i]);
	text_format(text, sizeof text, "soft: 10 %% at %s, 50 %% at %s, 90 %% at %s", at[0], at[1],
		at[2]);
	append(out, ',', text);
}

/* "48K (39.1K..64K)", "45..64 entries", "18 cycles" */
static void value_text(const struct card_value *v, bool bytes, char out[CARD_TEXT])
{
	char value[16], low[16], high[16], range[CARD_TEXT];

	plain_text(v->value, bytes, value);
	if (!card_value_count(v, range)) {
		plain_text(v->low, bytes, low);
		plain_text(v->high, bytes, high);
		text_format(range, CARD_TEXT, "%s..%s", low, high);
	}
	if (v->low < v->value)
		text_format(out, CARD_TEXT, "%s (%s)", value, range);
	else
		text_format(out, CARD_TEXT, "%s", v->low < v->high || at_least(v) ? range : value);
	if (!bytes)
		text_format(out + strlen(out), CARD_TEXT - strlen(out), " %s", v->unit);
}

void card_value_text(const struct card_value *v, char out[CARD_TEXT])
{
	bool bytes = strcmp(v->unit, "bytes") == 0;

	if (math_finite(v->value))
		value_text(v, bytes, out);
	else
		text_format(out, CARD_TEXT, "? %s", v->reason);
	if (*v->form)
		append(out, ',', v->form);
	soft_text(v, bytes, out);
	floor_text(v, bytes, out);
}

#define QUIET_DISTURBED 0.1 /* of the samples, at least: else the value is what is usual here */
#define QUIET_AWAY      0.3 /* per 1 less the confidence: as LOSS_ALLOWS of witnesses */

/* An edge has its bracket instead, which more than one moment has widened. */
bool card_value_quiet(const struct card_value *v)
{
	double away = math_abs(v->floor - v->value);

	return known(v) && math_finite(v->floor) && !(v->low < v->high) &&
		v->disturbed_share > QUIET_DISTURBED &&
		away > QUIET_AWAY * (1 - v->confidence) * math_abs(v->value);
}

double card_value_shown(const struct card_value *v)
{
	return card_value_quiet(v) ? v->floor : v->value;
}

void card_value_size(const struct card_value *v, char out[24])
{
	bool soft = math_finite(v->rise[0]), range = soft || v->low < v->high;
	double least = v->low < v->high ? v->low : v->value, most = math_max(v->value, v->high);
	char low[16], high[16];

	size_text(soft ? math_min(least, v->rise[0]) : least, low);
	size_text(soft ? math_max(most, v->rise[2]) : most, high);
	text_format(out, 24, soft ? "%s..%s soft" : range ? "%s..%s" : "%s", low, high);
}

static void time_text(double ns, char *out, size_t bytes)
{
	unsigned unit = ns < 1e3 ? 0 : ns < 1e6 ? 1 : 2;
	static const struct {
		const char *format;
		double ns;
	} units[] = { { "%.4g ns", 1 }, { "%.3g us", 1e3 }, { "%.4g ms", 1e6 } };

	text_format(out, bytes, units[unit].format, ns / units[unit].ns);
}

static void one_brief(const struct card_value *v, double value, char out[CARD_TEXT])
{
	double percent = 100 * (value - 1);

	if (strcmp(v->unit, "ns") == 0)
		time_text(value, out, CARD_TEXT);
	else if (strcmp(v->unit, "Hz") == 0)
		text_format(out, CARD_TEXT, "%.3f GHz", value / 1e9);
	else if (strcmp(v->unit, "ratio") == 0)
		text_format(out, CARD_TEXT, "%.0f %%", math_abs(percent) < 0.5 ? 0 : percent);
	else
		text_format(out, CARD_TEXT, math_abs(value) < 1000 ? "%.3g" : "%.0f", value);
}

void card_value_brief(const struct card_value *v, char out[CARD_TEXT])
{
	char other[CARD_TEXT];

	*out = 0;
	if (!known(v))
		return;
	if (strcmp(v->unit, "bytes") == 0 && v->value >= 1024) {
		card_value_size(v, out);
	} else if (strcmp(v->unit, "Hz") == 0 && v->low < v->high) {
		text_format(out, CARD_TEXT, "%.3f..%.3f GHz", v->low / 1e9, v->high / 1e9);
	} else if (!card_value_count(v, out)) {
		one_brief(v, card_value_shown(v), out);
		one_brief(v, v->value, other);
		if (card_value_quiet(v))
			text_format(out + strlen(out), CARD_TEXT - strlen(out), " (busy %s)",
				other);
	}
}

#define PUBLISHED_OFF 0.03 /* of ours: less is the same, whatever our doubt says */
#define DOUBT         0.3  /* doubt of a value per 1 less the confidence: LOSS_ALLOWS of since.c */

bool card_value_unlike(const struct card_value *v, const struct published_fact *f)
{
	double x = card_value_shown(v);
	double may = math_max(PUBLISHED_OFF, DOUBT * (1 - v->confidence)) * math_abs(x);
	double low = math_min(x, v->low < v->high ? v->low : x);
	double high = at_least(v) ? __builtin_inf() : math_max(x, v->low < v->high ? v->high : x);

	if (math_finite(v->rise[0])) {
		low = math_min(low, v->rise[0]);
		high = math_max(high, v->rise[2]);
	}
	return known(v) && (f->high < low - may || f->low > high + may);
}

void card_published_text(const struct published_fact *f, char out[SIZE_TEXT])
{
	char low[SIZE_TEXT], high[SIZE_TEXT];

	size_text(f->low, low);
	size_text(f->high, high);
	if (strcmp(value_facts(f->id).unit, "bytes") == 0)
		text_format(out, SIZE_TEXT, f->low < f->high ? "%s-%s" : "%s", low, high);
	else if (!f->low)
		text_format(out, SIZE_TEXT, "<=%.0f", f->high);
	else if (f->low < f->high)
		text_format(out, SIZE_TEXT, "%.0f-%.0f", f->low, f->high);
	else
		text_format(out, SIZE_TEXT, "%.0f", f->low);
}
