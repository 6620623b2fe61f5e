/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "tests/kam/judge/tally.h"

static void say_name(const struct tally *t, const char *name)
{
	char all[96];

	snprintf(all, sizeof(all), "%s%s%s", name, *t->room ? "@" : "", t->room);
	printf("%-27s ", all);
}

static void say_number(char *out, size_t room, double value)
{
	if (isnan(value))
		snprintf(out, room, "not resolved");
	else
		snprintf(out, room, value < 1e6 ? "%.6g" : "%.0f", value);
}

void tally_value(struct tally *t, const char *name, double expected, double got,
	const char *tolerance, const char *wrong)
{
	char truth[32], value[32];

	*(wrong ? &t->wrong : &t->right) += 1;
	say_number(truth, sizeof(truth), expected);
	say_number(value, sizeof(value), got);
	say_name(t, name);
	printf("expected %-12s got %-13s tolerance %-21s %s%s\n", truth, value, tolerance,
		wrong ? "WRONG: " : "ok", wrong ? wrong : "");
}

void tally_unresolved(struct tally *t, const char *name, double expected, const char *reason,
	bool too_many)
{
	char truth[32];

	t->unresolved++;
	t->wrong += too_many;
	say_number(truth, sizeof(truth), expected);
	say_name(t, name);
	printf("expected %-12s got not resolved  %s%s\n", truth, too_many ? "WRONG: " : "", reason);
}

void tally_excused(struct tally *t, const char *name, const char *why)
{
	t->excused++;
	say_name(t, name);
	printf("not resolved ok: %s\n", why);
}

void tally_unmeasured(struct tally *t, const char *name)
{
	t->unmeasured++;
	say_name(t, name);
	printf("not measured in this run\n");
}

void tally_wrong(struct tally *t, const char *name, const char *why, ...)
{
	va_list args;

	t->wrong++;
	say_name(t, name);
	printf("WRONG: ");
	va_start(args, why);
	vprintf(why, args);
	va_end(args);
	putchar('\n');
}

void tally_right(struct tally *t, const char *name, unsigned n, const char *what)
{
	t->right++;
	say_name(t, name);
	printf("%u %s ok\n", n, what);
}
