/* SPDX-License-Identifier: MIT */
/* The circumstances of a comparison in words. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/compare_parts.h"
#include "lib/text.h"
#include "report/wrap.h"

#define NAMED_MOST 5  /* circumstances that are named on the first screen */
#define VALUE_MOST 20 /* characters of a value that is shown there */

/* "microcode 0x1 / 0x2" */
static void name_difference(const struct comparison *c, const struct difference *d, FILE *out)
{
	char words[DIFFERENCE_WORDS];
	bool brief = c->sets.n <= 3;

	difference_words(d, words);
	fputs(words, out);
	for (size_t s = 0; s < c->sets.n; s++)
		brief &= strlen(d->values[s]) <= VALUE_MOST && !strpbrk(d->values[s], "{[");
	for (size_t s = 0; brief && s < c->sets.n; s++)
		fprintf(out, "%s%s", s ? " / " : " ", d->values[s]);
}

static bool any_clock_differs(const struct comparison *c)
{
	for (size_t s = 1; s < c->sets.n; s++)
		if (clocks_differ(&c->clocks[0], &c->clocks[s]))
			return true;
	return false;
}

static void name_clocks(const struct comparison *c, FILE *out)
{
	fputs("core clock ", out);
	for (size_t s = 0; s < c->sets.n; s++)
		if (isnan(c->clocks[s].median))
			fprintf(out, "%s?", s ? " / " : "");
		else
			fprintf(out, "%s%.2f", s ? " / " : "", c->clocks[s].median / 1e9);
	fputs(" GHz (touches all that is not in core cycles)", out);
}

/* Those that touch the same rows, in one go: "governor a / b, turbo on / off (touch core clock)" */
static size_t name_alike(const struct comparison *c, size_t from, FILE *out)
{
	const struct environment *env = &c->environment;
	const char *touches = difference_touches(&env->differences[from]);
	size_t i = from;

	do
		name_difference(c, &env->differences[i++], out);
	while (i < env->nspeed && i < NAMED_MOST &&
		!strcmp(difference_touches(&env->differences[i]), touches) && fputs(", ", out) > 0);
	fprintf(out, " (touch%s %s)", i - from == 1 ? "es" : "", touches);
	return i;
}

void print_circumstances(const struct comparison *c, FILE *out)
{
	const struct environment *env = &c->environment;
	size_t bytes, i = 0, printed = 0;
	char *text;
	FILE *line = text_stream(&text, &bytes);

	if (any_clock_differs(c)) {
		name_clocks(c, line);
		printed++;
	}
	while (i < env->nspeed && i < NAMED_MOST) {
		fputs(printed++ ? "; " : "", line);
		i = name_alike(c, i, line);
	}
	if (env->n > i)
		fprintf(line, "%s%zu other circumstance%s, which --all names",
			printed ? "; and " : "", env->n - i, text_plural(env->n - i));
	fclose(line);
	print_wrapped(out, "What differs: ", *text ? text : "no circumstance that is known.");
	free(text);
}
