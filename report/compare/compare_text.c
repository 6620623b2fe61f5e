/* SPDX-License-Identifier: MIT */
/* A comparison for people: its parts in order, sets, warnings and circumstances. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "lib/text.h"
#include "report/compare/asking.h"
#include "report/compare/compare_parts.h"
#include "report/wrap.h"

#define SCREEN_LINES 39 /* and the hint below */

static void print_sets(const struct comparison *c, FILE *out)
{
	size_t shown = sets_on_screen(c);

	for (size_t i = 0; i < shown; i++) {
		const struct set *s = &c->sets.set[i];
		const json_t *head = s->runs[0]->head;
		char line[256];
		snprintf(line, sizeof line, "%c  %s, room %s: %.40s, %zu run%s, %zu row%s",
			set_letter(i), s->group, s->room,
			text_of(json_object_get(head, KEY_CPU), KEY_BRAND), s->nruns,
			text_plural(s->nruns), s->nrows, text_plural(s->nrows));
		print_wrapped(out, "", line);
	}
	if (c->sets.n > shown)
		fprintf(out, "and %zu more, which --all compares\n", c->sets.n - shown);
}

static bool rooms_differ(const struct sets *sets)
{
	for (size_t i = 1; i < sets->n; i++)
		if (strcmp(sets->set[i].room, sets->set[0].room))
			return true;
	return false;
}

static void print_differences(const struct comparison *c, size_t from, size_t to, FILE *out)
{
	for (size_t i = from; i < to; i++) {
		const struct difference *d = &c->environment.differences[i];
		fprintf(out, "  %s\n", d->key);
		for (size_t s = 0; s < c->sets.n; s++)
			fprintf(out, "    %c  %s\n", set_letter(s), d->values[s]);
	}
}

/* "    A  3.500 GHz (rows 3.491..3.502)" and how far each is from the first. */
static void print_clocks(const struct comparison *c, FILE *out)
{
	fputs("  core clock\n", out);
	for (size_t s = 0; s < c->sets.n; s++) {
		const struct set_clock *clock = &c->clocks[s], *first = &c->clocks[0];
		double more = 100 * (clock->median / first->median - 1);
		fprintf(out, "    %c  ", set_letter(s));
		if (isnan(clock->median)) {
			fputs("not known\n", out);
			continue;
		}
		fprintf(out, "%.3f GHz (rows %.3f..%.3f)", clock->median / 1e9, clock->low / 1e9,
			clock->high / 1e9);
		if (clocks_differ(first, clock))
			fprintf(out, ": %.1f %% %s than A's", fabs(more),
				more < 0 ? "lower" : "higher");
		fputc('\n', out);
	}
}

static void print_environment(const struct comparison *c, FILE *out)
{
	const struct environment *env = &c->environment;
	const char *none =
		rooms_differ(&c->sets) ? ": no difference but the room" : ": no difference";

	fputs("\nWhat decides the speed\n", out);
	print_clocks(c, out);
	print_differences(c, 0, env->nspeed, out);
	fprintf(out, "\nOther circumstances%s\n", env->n > env->nspeed ? " that differ:" : none);
	print_differences(c, env->nspeed, env->n, out);
}

static void print_warning(const char *text, FILE *out)
{
	char line[256];

	snprintf(line, sizeof line, "%s ***", text);
	print_wrapped(out, "*** ", line);
}

static void print_warnings(const struct comparison *c, FILE *out)
{
	for (size_t i = 0; i < c->environment.nwarnings; i++)
		print_warning(c->environment.warnings[i], out);
	size_t n = 0;
	for (size_t s = 0; s < c->sets.n; s++)
		if (was_disturbed(&c->disturbances[s]))
			fprintf(out, "%s%c", n++ ? ", " : "*** ", set_letter(s));
	if (n)
		fprintf(out, " DISTURBED: other work ran on %s CPU ***\n", n > 1 ? "their" : "its");
}

/* Every circumstance, row and disturbance. */
static void print_all(const struct comparison *c, FILE *out)
{
	for (size_t s = sets_on_screen(c); s < c->sets.n; s++)
		print_answer(c, s, out);
	print_environment(c, out);
	print_tables(c, out);
	print_disturbances(c, out);
	for (size_t s = 1; s < c->sets.n; s++)
		print_verdict(c, s, out);
}

/* A part of the first screen, and how many lines it takes. */
struct part {
	char *text;
	size_t lines;
};

typedef void print_fn(const struct comparison *, FILE *out);

static struct part part_of(const struct comparison *c, print_fn *print)
{
	struct part p = { 0 };
	size_t bytes;
	FILE *out = text_stream(&p.text, &bytes);

	print(c, out);
	fclose(out);
	for (const char *at = p.text; *at; at++)
		p.lines += *at == '\n';
	return p;
}

static void print_answers(const struct comparison *c, FILE *out)
{
	for (size_t s = 1; s < sets_on_screen(c); s++) {
		if (s > 1)
			fputc('\n', out);
		print_answer(c, s, out);
	}
	for (size_t s = 0; s < sets_on_screen(c); s++)
		print_asking(&c->sets.set[s], set_letter(s), out);
	fputc('\n', out);
}

static void print_who_is_who(const struct comparison *c, FILE *out)
{
	print_sets(c, out);
	print_warnings(c, out);
}

/* The parts of the first screen in order; a later one of those that may be missing goes first. */
static const struct {
	print_fn *print;
	bool needed;
	size_t besides; /* lines that must be left for what differs, else it is left out */
} parts[] = { { print_answers, true, 0 }, { print_who_is_who, true, 0 },
	{ print_circumstances, false, 0 }, { print_cards, false, 5 }, { print_noise, true, 0 } };

#define PARTS (sizeof parts / sizeof *parts)

static void print_screen(const struct comparison *c, FILE *out)
{
	struct part part[PARTS];
	size_t used = 0;

	for (size_t i = 0; i < PARTS; i++) {
		part[i] = part_of(c, parts[i].print);
		used += parts[i].needed ? part[i].lines : 0;
	}
	for (size_t i = 0; i < PARTS; i++) {
		bool fits = used + part[i].lines + parts[i].besides <= SCREEN_LINES;
		if (parts[i].needed || fits)
			fputs(part[i].text, out);
		if (!parts[i].needed && fits)
			used += part[i].lines;
		free(part[i].text);
	}
	if (used < SCREEN_LINES)
		print_differing(c, SCREEN_LINES - used, out);
}

void comparison_print(const struct comparison *c, bool all, FILE *out)
{
	print_screen(c, out);
	if (all)
		print_all(c, out);
	else
		fputs("(compare --all prints every row and every circumstance)\n", out);
}
