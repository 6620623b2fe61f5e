/* SPDX-License-Identifier: MIT */
/* The answer of a comparison: one sentence, before anything else. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/compare_parts.h"
#include "report/groups.h"
#include "report/wrap.h"

#define SUBJECTS_MOST 32
#define NAMED_MOST    6 /* of one kind, in a sentence */

static double percent_of(double logarithm)
{
	return 100 * expm1(logarithm);
}

/* "Linux 6.1.0 (B)" in room hosted, "metal/bare (B)" elsewhere. */
static void print_who(const struct comparison *c, size_t s, FILE *out)
{
	const struct set *set = &c->sets.set[s];
	const char *kernel = text_of(json_object_get(set->runs[0]->head, KEY_OS), "kernel");

	if (*kernel && strcmp(c->sets.set[0].room, set->room))
		fprintf(out, "Linux %s (%c)", kernel, set_letter(s));
	else
		fprintf(out, "%s/%s (%c)", set_name(set), set->room, set_letter(s));
}

static size_t count(const struct group *groups, size_t n, enum verdict verdict)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += groups[i].verdict == verdict;
	return found;
}

/* "L1 latency, 2M pages; L2 bandwidth; and 3 more." */
static void print_names(const struct group *groups, size_t n, enum verdict verdict, FILE *out)
{
	size_t all = count(groups, n, verdict), printed = 0;

	for (size_t i = 0; i < n && printed < NAMED_MOST; i++)
		if (groups[i].verdict == verdict)
			fprintf(out, "%s%s", printed++ ? "; " : " ", groups[i].name);
	if (all > printed)
		fprintf(out, "; and %zu more", all - printed);
	fputc('.', out);
}

/* The furthest that the same groups may be away, in per cent. */
static double furthest(const struct group *groups, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		if (groups[i].verdict == VERDICT_SAME)
			most = fmax(most, fmax(fabs(groups[i].low), fabs(groups[i].high)));
	return percent_of(most);
}

static bool differs(const struct group *g)
{
	return g->verdict == VERDICT_SLOWER || g->verdict == VERDICT_FASTER;
}

static void print_different(const struct group *groups, size_t n, FILE *out)
{
	size_t all = count(groups, n, VERDICT_SLOWER) + count(groups, n, VERDICT_FASTER);
	size_t printed = 0;

	for (size_t i = 0; i < n && printed < NAMED_MOST; i++)
		if (differs(&groups[i])) {
			fprintf(out, "%s %s takes %+.1f %% time (%+.1f..%+.1f)",
				printed++ ? ";" : "", groups[i].name, percent_of(groups[i].size),
				percent_of(groups[i].low), percent_of(groups[i].high));
		}
	if (all > printed)
		fprintf(out, "; and %zu more differ", all - printed);
	if (all)
		fputc('.', out);
}

static void print_noise(const struct comparison *c, size_t s, FILE *out)
{
	const struct disturbance *d = &c->disturbances[s];

	if (isnan(d->stolen_part))
		fprintf(out, " The noise of %c was not measured.", set_letter(s));
	else
		fprintf(out, " %c lost %.2g %% of the time, in the longest gap %.0f us.",
			set_letter(s), 100 * d->stolen_part, d->longest_ns / 1e3);
}

/* The sentence, without line breaks. */
static void print_sentence(const struct comparison *c, size_t s, FILE *out)
{
	struct group groups[SUBJECTS_MOST];
	size_t n = groups_of_subjects(c, s, groups, SUBJECTS_MOST);

	print_who(c, s, out);
	fprintf(out, " against %s/%s (A):", set_name(&c->sets.set[0]), c->sets.set[0].room);
	if (is_emulated(&c->sets.set[0]) || is_emulated(&c->sets.set[s])) {
		fputs(" no cost is stated, because one of them is EMULATED.", out);
		return;
	}
	if (!n)
		fputs(" no latency, bandwidth, branch or arithmetic was measured in both.", out);
	print_different(groups, n, out);
	if (count(groups, n, VERDICT_SAME)) {
		fprintf(out, " The same within %.1f %%:", furthest(groups, n));
		print_names(groups, n, VERDICT_SAME, out);
	}
	if (count(groups, n, VERDICT_UNKNOWN)) {
		fputs(" These runs cannot tell of:", out);
		print_names(groups, n, VERDICT_UNKNOWN, out);
	}
	print_noise(c, 0, out);
	print_noise(c, s, out);
}

void print_answer(const struct comparison *c, size_t s, FILE *out)
{
	char *text;
	size_t bytes;
	FILE *sentence = text_stream(&text, &bytes);

	print_sentence(c, s, sentence);
	fclose(sentence);
	fputc('\n', out);
	print_wrapped(out, "", text);
	free(text);
}
