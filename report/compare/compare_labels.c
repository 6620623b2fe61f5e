/* SPDX-License-Identifier: MIT */
/* What the parts of a comparison call its sets, and which of them they show. */
#include <stdio.h>
#include <string.h>

#include "report/compare/compare_parts.h"
#include "lib/result_keys.h"
#include "report/compare/sets.h"

#define SETS_BESIDE 4 /* that fit beside each other */

char set_letter(size_t set)
{
	return (char)('A' + set);
}

static const char *kernel_of(const struct set *set)
{
	return text_of(json_object_get(set->runs[0]->head, KEY_OS), "kernel");
}

/* What the room is to somebody who does not know its name; "": nothing better. */
static void system_name(const struct set *set, char out[64])
{
	if (!strcmp(set->room, "hosted"))
		snprintf(out, 64, "Linux%s%.50s", *kernel_of(set) ? " " : "", kernel_of(set));
	else if (!strcmp(set->room, "bare"))
		strcpy(out, "no system");
	else if (!strcmp(set->room, "firmware"))
		strcpy(out, "the firmware");
	else
		snprintf(out, 64, "room %.50s", set->room);
}

static const char *brand_of(const struct set *set)
{
	return text_of(json_object_get(set->runs[0]->head, KEY_CPU), KEY_BRAND);
}

void print_who(const struct comparison *c, size_t set, size_t s, FILE *out)
{
	const struct set *this = &c->sets.set[set], *a = &c->sets.set[0], *b = &c->sets.set[s];
	char name[2][64];

	system_name(a, name[0]);
	system_name(b, name[1]);
	if (strcmp(name[0], name[1]) && !is_simulated(this))
		fputs(name[set > 0], out);
	else
		fputs(strcmp(set_name(a), set_name(b)) ? set_name(this) : this->group, out);
	fprintf(out, " (%c", set_letter(set));
	if (strcmp(brand_of(a), brand_of(b)))
		fprintf(out, ", %.32s", brand_of(this));
	fputc(')', out);
}

bool costs_mean_something(const struct comparison *c, size_t s)
{
	const struct set *a = &c->sets.set[0], *b = &c->sets.set[s];

	return (!is_emulated(a) && !is_emulated(b)) || (is_simulated(a) && is_simulated(b));
}

size_t sets_on_screen(const struct comparison *c)
{
	return c->sets.n < SETS_BESIDE ? c->sets.n : SETS_BESIDE;
}
