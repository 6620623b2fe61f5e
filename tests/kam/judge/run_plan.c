/* SPDX-License-Identifier: MIT */
/* Judge a run by its plan: everything that was asked for was measured, or skipped with a reason. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/options.h"
#include "tests/kam/judge/run_rules.h"
#include "tests/kam/judge/value_rules.h"
#include "tests/kam/judge/truth.h"

#define POINTS_MOST 512 /* rows and skips of one sweep */
#define ROUNDED     1.001

static bool is_at(json_t *line, const char *level)
{
	return !strcmp(text_of(line, "level"), level ? level : "");
}

/*
 * One of a variant's curves, which differ in page size and in the distance between the places
 * visited.
 */
struct planned_curve {
	double page, apart, most; /* most: the largest row's */
	unsigned n;
	double at[POINTS_MOST];
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Collect rows, or skips, of the sweep that belong to the curve; a skip has no page size. If the
 * sweep ends where memory does, leave out everything above `most`.
 */
static void collect(json_t *lines, const char *probe, const struct sweep *s,
	struct planned_curve *c, double most)
{
	json_t *line;
	size_t i;

	json_array_foreach(lines, i, line) {
		double at = param_of(line, s->param), page = param_of(line, "page_bytes");
		double apart = param_of(line, "stride_bytes");

		if (is_row(line, probe, s->variant) && !isnan(at) && c->n < POINTS_MOST &&
			(isnan(page) || page == c->page || isnan(c->page)) &&
			(isnan(apart) || apart == c->apart || isnan(c->apart) ||
				s->distance_varies) &&
			(!s->level || is_at(line, s->level)) && (at <= most || s->last)) {
			c->at[c->n++] = at;
			c->most = fmax(c->most, at);
		}
	}
}

/* Returns the grain of the grid: a node if the sweep is over bytes, else 1. */
static double grain(const struct judged *j, const struct sweep *s)
{
	return strcmp(s->param, "bytes") ? 1 : number_of(j->run->run, "node_bytes");
}

static void holes(const struct judged *j, const char *probe, const struct sweep *s,
	struct planned_curve *c)
{
	double ratio = s->ratio == BY_GRID ? j->grid : s->ratio, end = s->first;
	double off = s->ratio == BY_GRID ? grain(j, s) / 2 : 0; /* by which both are rounded */
	double last = s->last ? s->last : INFINITY;
	char name[64];
	unsigned i;

	snprintf(name, sizeof(name), "%s:%s", probe, s->variant);
	qsort(c->at, c->n, sizeof(*c->at), by_value);
	for (i = 0; i < c->n && end < last; i++) {
		double next = (end + off) * ratio + off;
		double step = fmax(s->step, (next - end) * ROUNDED);

		if (s->widest)
			step = fmin(s->widest, step);
		if (c->at[i] < s->first)
			continue;
		if (c->at[i] > (end == s->first ? end : end + step) * ROUNDED &&
			c->at[i] > end + step)
			tally_wrong(j->tally, name, "no row of %s from %g to %g, nor a skip",
				s->param, end, c->at[i]);
		end = c->at[i];
	}
	if (end < last && s->last)
		tally_wrong(j->tally, name, "no row of %s above %g, up to %g, nor a skip", s->param,
			end, s->last);
}

/* Judge each curve of the sweep that the run began; its first row identifies it. */
static void judge_sweep(const struct judged *j, const char *probe, const struct sweep *s)
{
	struct planned_curve seen[8];
	unsigned n = 0, k;
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row) {
		double page = param_of(row, "page_bytes"), apart = param_of(row, "stride_bytes");

		if (!is_row(row, probe, s->variant) || !is_at(row, s->level) ||
			(s->usual_pages_only && page != number_of(j->run->run, "page_bytes")))
			continue;
		for (k = 0; k < n; k++)
			if ((isnan(page) || seen[k].page == page) &&
				(isnan(apart) || s->distance_varies || seen[k].apart == apart))
				break;
		if (k < n || n == sizeof(seen) / sizeof(*seen))
			continue;
		seen[n++] = (struct planned_curve){ .page = page, .apart = apart };
	}
	for (k = 0; k < n; k++) {
		collect(j->run->rows, probe, s, &seen[k], INFINITY);
		collect(j->run->skips, probe, s, &seen[k], seen[k].most);
		holes(j, probe, s, &seen[k]);
	}
}

static bool has_line(json_t *lines, const char *probe, const char *variant, const char *level)
{
	json_t *line;
	size_t i;

	json_array_foreach(lines, i, line)
		if (is_row(line, probe, variant) &&
			(!level || !strcmp(text_of(line, "level"), level)))
			return true;
	return false;
}

bool was_planned(const struct judged *j, const char *probe, const char *variant, const char *level)
{
	return has_line(j->run->rows, probe, variant, level) ||
		has_line(j->run->skips, probe, variant, level);
}

/*
 * Each variant that a summary line rests on, or that was named, must have a row or a skip; a row if
 * the line has a value.
 */
static void judge_variants(const struct judged *j)
{
	const char *list = text_of(j->run->run, "probes");
	char probe[32], variant[40], name[80];
	size_t i;

	for (i = 1; i < VALUES_KNOWN; i++) {
		const struct value_rule *n = &value_rules[i];
		json_t *line = summary_of(j->run, n->name);

		if (*n->variant && !isnan(number_of(line, "value")) &&
			!has_line(j->run->rows, n->probe, n->variant, NULL))
			tally_wrong(j->tally, n->name, "a value, and no row of %s:%s", n->probe,
				n->variant);
		if (is_measured(line) && isnan(number_of(line, "value")))
			continue; /* it says what the machine lacks */
		if (*n->variant && variant_selected(list, n->probe, n->variant) &&
			!was_planned(j, n->probe, n->variant, NULL)) {
			snprintf(name, sizeof(name), "%s:%s", n->probe, n->variant);
			tally_wrong(j->tally, name, "asked for, and neither measured nor skipped");
		}
	}
	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (sscanf(list, "%31[^:,]:%39[^,]", probe, variant) == 2 &&
			strcmp(variant, "upper") &&
			!was_planned(j, probe, variant,
				NULL)) { /* `upper` needs more memory than some have */
			snprintf(name, sizeof(name), "%s:%s", probe, variant);
			tally_wrong(j->tally, name, "asked for, and neither measured nor skipped");
		}
}

/* A variant that is measured at more than one canonical size must be measured at all of them. */
static void judge_levels(const struct judged *j, const char *probe, const char *variant)
{
	json_t *levels = json_object_get(j->run->end, "levels"), *size;
	const char *level;
	char name[64];

	if (!was_planned(j, probe, variant, "memory"))
		return;
	snprintf(name, sizeof(name), "%s:%s", probe, variant);
	json_object_foreach(levels, level, size) {
		if (json_is_object(size) && !was_planned(j, probe, variant, level))
			tally_wrong(j->tally, name, "no row of level %s, nor a skip", level);
	}
}

void judge_plan(const struct judged *j)
{
	const char *list = text_of(j->run->run, "probes");

	judge_variants(j);
	for (size_t i = 0; i < truth_count; i++) {
		const char *probe = truths[i].probe, *const *at = truths[i].truth->levels;
		const struct sweep *s = truths[i].truth->sweeps;

		for (; at && *at; at++)
			if (variant_selected(list, probe, *at))
				judge_levels(j, probe, *at);
		for (; s && s->variant; s++)
			if (variant_selected(list, probe,
				    s->variant)) /* else coarser, to find the levels */
				judge_sweep(j, probe, s);
	}
}
