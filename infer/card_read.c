/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <string.h>

#include "infer/card.h"
#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/size_text.h"
#include "lib/text.h"

void card_begin(struct card *c)
{
	memset(c, 0, sizeof *c);
}

static void read_run(struct card *c, struct line line)
{
	struct line cpu = line_object(line, KEY_CPU);
	char hypervisor[2];

	line_string(line, KEY_ROOM, c->room, sizeof c->room);
	line_string(line, KEY_HYPERVISOR, hypervisor, sizeof hypervisor);
	c->emulated = line_is(line, KEY_EMULATED, "true");
	c->virtual = *hypervisor != 0;
	if (!line_string(cpu, KEY_BRAND, c->cpu, sizeof c->cpu) || !*c->cpu)
		line_string(cpu, KEY_VENDOR, c->cpu, sizeof c->cpu);
	c->family = line_number(cpu, KEY_FAMILY);
	c->model = line_number(cpu, KEY_MODEL);
	c->stepping = line_number(cpu, KEY_STEPPING);
}

static void read_summary(struct card *c, struct line line)
{
	struct card_value *v = &c->values[c->n];

	if (c->n == CARD_VALUES)
		return;
	line_string(line, KEY_NAME, v->name, sizeof v->name);
	line_string(line, KEY_UNIT, v->unit, sizeof v->unit);
	line_string(line, KEY_REASON, v->reason, sizeof v->reason);
	v->value = line_number(line, KEY_VALUE);
	v->low = line_number(line, KEY_LOW);
	v->high = line_number(line, KEY_HIGH);
	v->claimed = line_number(line, KEY_CLAIMED);
	v->rise[0] = line_number(line, KEY_RISE_10);
	v->rise[1] = line_number(line, KEY_RISE_50);
	v->rise[2] = line_number(line, KEY_RISE_90);
	v->confidence = line_number(line, KEY_CONFIDENCE);
	v->floor = line_number(line, KEY_FLOOR);
	v->disturbed_share = line_number(line, KEY_DISTURBED_SHARE);
	v->agrees = line_is(line, KEY_AGREES, "true");
	c->n++;
}

void card_read(struct card *c, struct line line)
{
	enum line_kind kind = line_kind(line);

	if (kind == LINE_RUN)
		read_run(c, line);
	else if (kind == LINE_SUMMARY)
		read_summary(c, line);
}

const struct card_value *card_value(const struct card *c, const char *name)
{
	for (unsigned i = 0; i < c->n; i++)
		if (strcmp(c->values[i].name, name) == 0)
			return &c->values[i];
	return NULL;
}

static void number_text(double x, bool bytes, char out[16])
{
	if (bytes)
		size_text(x, out);
	else
		text_format(out, 16, "%.6g", x);
}

static bool whole(double x)
{
	return x > -1e15 && x < 1e15 && x == (double)(int64_t)x;
}

bool card_count_range(const struct card_value *v, char out[CARD_TEXT])
{
	if (strcmp(v->unit, "bytes") == 0 || !(v->low < v->high) || !whole(v->low) ||
		!whole(v->high) || !whole(v->value))
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

/* What the quietest tenth of the samples says, where that is something else. */
static void floor_text(const struct card_value *v, bool bytes, char out[CARD_TEXT])
{
	char floor[16], text[64];

	if (!math_finite(v->floor))
		return;
	number_text(v->floor, bytes, floor);
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

	number_text(v->value, bytes, value);
	if (!card_count_range(v, range)) {
		number_text(v->low, bytes, low);
		number_text(v->high, bytes, high);
		text_format(range, CARD_TEXT, "%s..%s", low, high);
	}
	if (v->low < v->value)
		text_format(out, CARD_TEXT, "%s (%s)", value, range);
	else
		text_format(out, CARD_TEXT, "%s", v->low < v->high ? range : value);
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
	soft_text(v, bytes, out);
	floor_text(v, bytes, out);
}
