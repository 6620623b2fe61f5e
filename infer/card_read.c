/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "infer/card.h"
#include "lib/jsonl_read.h"
#include "lib/math.h"
#include "lib/sizes.h"
#include "lib/text.h"

void card_begin(struct card *c)
{
	memset(c, 0, sizeof *c);
}

static void read_text(const char *object, size_t n, const char *key, char *out, size_t bytes)
{
	struct member m;

	*out = 0;
	if (member_find(object, n, key, &m))
		member_text(&m, out, bytes);
}

static double read_number(const char *object, size_t n, const char *key)
{
	struct member m;

	return member_find(object, n, key, &m) ? member_number(&m) : NOT_A_NUMBER;
}

static bool read_true(const char *object, size_t n, const char *key)
{
	struct member m;

	return member_find(object, n, key, &m) && m.value_bytes == 4 && *m.value == 't';
}

static void read_run(struct card *c, const char *line, size_t n)
{
	char hypervisor[16];
	struct member cpu;

	read_text(line, n, "room", c->room, sizeof c->room);
	read_text(line, n, "hypervisor", hypervisor, sizeof hypervisor);
	c->emulated = read_true(line, n, "emulated");
	c->virtual = *hypervisor != 0;
	if (!member_find(line, n, "cpu", &cpu))
		return;
	read_text(cpu.value, cpu.value_bytes, "brand", c->cpu, sizeof c->cpu);
	if (!*c->cpu)
		read_text(cpu.value, cpu.value_bytes, "vendor", c->cpu, sizeof c->cpu);
	c->family = read_number(cpu.value, cpu.value_bytes, "family");
	c->model = read_number(cpu.value, cpu.value_bytes, "model");
	c->stepping = read_number(cpu.value, cpu.value_bytes, "stepping");
}

static void read_summary(struct card *c, const char *line, size_t n)
{
	struct card_value *v = &c->values[c->n];

	if (c->n == CARD_VALUES)
		return;
	read_text(line, n, "name", v->name, sizeof v->name);
	read_text(line, n, "unit", v->unit, sizeof v->unit);
	read_text(line, n, "reason", v->reason, sizeof v->reason);
	v->value = read_number(line, n, "value");
	v->low = read_number(line, n, "low");
	v->high = read_number(line, n, "high");
	v->claimed = read_number(line, n, "claimed");
	v->confidence = read_number(line, n, "confidence");
	v->agrees = read_true(line, n, "agrees");
	c->n++;
}

void card_read(struct card *c, const char *line, size_t n)
{
	const char *at = line;
	struct member kind;

	if (n && line[n - 1] == '\n')
		n--;
	if (!member_next(&at, line + n, &kind)) /* kind is the first member of every line */
		return;
	if (member_equals(&kind, "run"))
		read_run(c, line, n);
	else if (member_equals(&kind, "summary"))
		read_summary(c, line, n);
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
		size_short(x, out);
	else
		text_format(out, 16, "%.6g", x);
}

void card_value_text(const struct card_value *v, char out[CARD_TEXT])
{
	bool bytes = strcmp(v->unit, "bytes") == 0;
	char value[16], high[16];

	if (!math_finite(v->value)) {
		text_format(out, CARD_TEXT, "? %s", v->reason);
		return;
	}
	number_text(v->value, bytes, value);
	number_text(v->high, bytes, high);
	text_format(out, CARD_TEXT, v->low < v->high ? "%s..%s" : "%s", value, high);
	if (!bytes)
		text_format(out + strlen(out), CARD_TEXT - strlen(out), " %s", v->unit);
}
