/* SPDX-License-Identifier: MIT */
/* The card, read from the lines of a result. */
#include <string.h>

#include "engine/infer/card.h"
#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/text.h"
#include "lib/values.h"

_Static_assert(VALUES_KNOWN <= CARD_VALUES, "a card has a place for each value");

void card_begin(struct card *c)
{
	memset(c, 0, sizeof *c);
	c->mark = "";
	c->memory_limit_gbs = NOT_A_NUMBER;
}

/* Returns the type of the first CPU in the list, which is the measuring one. */
static double core_type(struct line run)
{
	struct member list, first;

	if (!line_find(run, KEY_TOPOLOGY, &list))
		return NOT_A_NUMBER;
	const char *at = list.value;

	if (!element_next(&at, list.value + list.value_bytes, &first))
		return NOT_A_NUMBER;
	return line_number((struct line){ first.value, first.value_bytes }, KEY_CORE_TYPE);
}

static void read_run(struct card *c, struct line line)
{
	struct line cpu = line_object(line, KEY_CPU), smbios = line_object(line, KEY_SMBIOS);
	const char *end = c->may_be;

	line_string(line, KEY_ROOM, c->room, sizeof c->room);
	c->mark = result_mark(line);
	line_string(line, KEY_MAY_BE_WHY, c->may_be, sizeof c->may_be);
	c->may_be[text_clause(&end)] = 0;
	c->half_a_core = line_is(line, KEY_SIBLINGS, SIBLINGS_PAUSE);
	line_string(cpu, KEY_VENDOR, c->vendor, sizeof c->vendor);
	if (!line_string(cpu, KEY_BRAND, c->cpu, sizeof c->cpu) || !*c->cpu)
		line_string(cpu, KEY_VENDOR, c->cpu, sizeof c->cpu);
	c->family = line_number(cpu, KEY_FAMILY);
	c->model = line_number(cpu, KEY_MODEL);
	c->stepping = line_number(cpu, KEY_STEPPING);
	c->core_type = core_type(line);
	line_string(smbios, KEY_MODULES, c->memory, sizeof c->memory);
	c->memory_limit_gbs = line_number(smbios, KEY_MODULES_GBS);
}

static void read_summary(struct card *c, struct line line)
{
	struct card_value *v = &c->values[c->n];

	if (c->n == CARD_VALUES)
		return;
	line_string(line, KEY_NAME, v->name, sizeof v->name);
	line_string(line, KEY_UNIT, v->unit, sizeof v->unit);
	line_string(line, KEY_REASON, v->reason, sizeof v->reason);
	line_string(line, KEY_FORM, v->form, sizeof v->form);
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
