/* SPDX-License-Identifier: MIT */
/* A run against its plan: what was asked for was measured, or skipped with a reason. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/options.h"
#include "tests/kam/judge/run_rules.h"
#include "tests/kam/judge/summary_names.h"

#define BY_GRID     0   /* the ratio is the profile's */
#define POINTS_MOST 512 /* rows and skips of one sweep */
#define ROUNDED     1.001

/*
 * The coarsest sweep of a parameter in any profile, by the READMEs: from one value to the next it
 * is `step`, or `ratio` of the value, whichever is more, and `widest` at most. Values beyond `last`
 * are not asked for; as many as the machine has room for are below.
 */
static const struct sweep {
	const char *probe, *variant, *param;
	double first, last, step, ratio, widest;
} sweeps[] = {
	{ "latency", "pointer-padded", "bytes", 1024, INFINITY, 512, BY_GRID, INFINITY },
	{ "tlb", "cost", "pages", 1, INFINITY, 1, BY_GRID, INFINITY },
	{ "window", "two-misses", "instructions", 3, 67, 8, 1, INFINITY },
	{ "window", "two-misses", "instructions", 67, 1027, 64, 1, INFINITY },
	{ "backend", "any", "entries", 2, 706, 32, 1, INFINITY },
	{ "ways", "same-set", "ways", 1, 32, 1, 1, INFINITY },
	{ "ways", "same-index", "ways", 1, 32, 1, 1, INFINITY },
	{ "branch", "period", "elements", 256, 65536, 1, 2, INFINITY },
	{ "branch", "targets", "targets", 16, 16384, 1, 2, INFINITY },
	{ "branch", "return-stack", "depth", 1, 64, 1, 1.25, 4 },
	{ "branch", "learn", "pass", 1, 20, 3, 2, 5 },
	{ "mlp", "chains", "lanes", 1, 40, 2, 4 / 3., 8 },
	{ "stride", "flush-beside", "apart_bytes", 8, 256, 1, 2, INFINITY },
};

/* One curve of several of a variant: by page size and by the distance of what it visits. */
struct curve {
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
 * Rows, or skips, of the sweep that belong to the curve; a skip has no page size. Of a sweep that
 * ends where memory does, nothing above `most`.
 */
static void collect(json_t *lines, const struct sweep *s, struct curve *c, double most)
{
	json_t *line;
	size_t i;

	json_array_foreach(lines, i, line) {
		double at = param_of(line, s->param), page = param_of(line, "page_bytes");
		double apart = param_of(line, "stride_bytes");

		if (is_row(line, s->probe, s->variant) && !isnan(at) && c->n < POINTS_MOST &&
			(isnan(page) || page == c->page || isnan(c->page)) &&
			(isnan(apart) || apart == c->apart || isnan(c->apart) ||
				!strcmp(s->probe, "tlb")) &&
			(strcmp(s->probe, "mlp") || !strcmp(text_of(line, "level"), "memory")) &&
			(at <= most || isfinite(s->last))) {
			c->at[c->n++] = at;
			c->most = fmax(c->most, at);
		}
	}
}

/* Sizes of the grid are whole nodes; else it is counts. */
static double grain(const struct judged *j, const struct sweep *s)
{
	return strcmp(s->param, "bytes") ? 1 : number_of(j->run->run, "node_bytes");
}

static void holes(const struct judged *j, const struct sweep *s, struct curve *c)
{
	double ratio = s->ratio == BY_GRID ? j->grid : s->ratio, end = s->first;
	double off = s->ratio == BY_GRID ? grain(j, s) / 2 : 0; /* by which both are rounded */
	char name[64];
	unsigned i;

	snprintf(name, sizeof(name), "%s:%s", s->probe, s->variant);
	qsort(c->at, c->n, sizeof(*c->at), by_value);
	for (i = 0; i < c->n && end < s->last; i++) {
		double next = (end + off) * ratio + off;
		double step = fmin(s->widest, fmax(s->step, (next - end) * ROUNDED));

		if (c->at[i] < s->first)
			continue;
		if (c->at[i] > (end == s->first ? end : end + step) * ROUNDED &&
			c->at[i] > end + step)
			tally_wrong(j->tally, name, "no row of %s from %g to %g, nor a skip",
				s->param, end, c->at[i]);
		end = c->at[i];
	}
	if (end < s->last && isfinite(s->last))
		tally_wrong(j->tally, name, "no row of %s above %g, up to %g, nor a skip", s->param,
			end, s->last);
}

/* Each curve of the sweep that the run began: the first row of one stands for it. */
static void judge_sweep(const struct judged *j, const struct sweep *s)
{
	struct curve seen[8];
	unsigned n = 0, k;
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row) {
		double page = param_of(row, "page_bytes"), apart = param_of(row, "stride_bytes");
		bool mlp = !strcmp(s->probe, "mlp");
		bool main =
			mlp ? !strcmp(text_of(row, "level"), "memory") : !*text_of(row, "level");
		bool tlb = !strcmp(s->probe, "tlb");

		if (!is_row(row, s->probe, s->variant) || !main)
			continue;
		if ((mlp || !strcmp(s->param, "bytes")) &&
			page != number_of(j->run->run, "page_bytes"))
			continue; /* coarser, with other pages */
		for (k = 0; k < n; k++)
			if ((isnan(page) || seen[k].page == page) &&
				(isnan(apart) || tlb || seen[k].apart == apart))
				break;
		if (k < n || n == sizeof(seen) / sizeof(*seen))
			continue;
		seen[n++] = (struct curve){ .page = page, .apart = apart };
	}
	for (k = 0; k < n; k++) {
		collect(j->run->rows, s, &seen[k], INFINITY);
		collect(j->run->skips, s, &seen[k], seen[k].most);
		holes(j, s, &seen[k]);
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

static bool has(const struct judged *j, const char *probe, const char *variant, const char *level)
{
	return has_line(j->run->rows, probe, variant, level) ||
		has_line(j->run->skips, probe, variant, level);
}

/*
 * Of each variant that a summary line rests on, or that was named, there is a row or a skip: a row
 * if the line has a value.
 */
static void judge_variants(const struct judged *j)
{
	const char *list = text_of(j->run->run, "probes");
	char probe[32], variant[40], name[80];
	size_t i;

	for (i = 0; i < summary_name_count; i++) {
		const struct summary_name *n = &summary_names[i];
		json_t *line = summary_of(j->run, n->name);

		if (*n->variant && !isnan(number_of(line, "value")) &&
			!has_line(j->run->rows, n->probe, n->variant, NULL))
			tally_wrong(j->tally, n->name, "a value, and no row of %s:%s", n->probe,
				n->variant);
		if (is_measured(line) && isnan(number_of(line, "value")))
			continue; /* it says what the machine lacks */
		if (*n->variant && variant_selected(list, n->probe, n->variant) &&
			!has(j, n->probe, n->variant, NULL)) {
			snprintf(name, sizeof(name), "%s:%s", n->probe, n->variant);
			tally_wrong(j->tally, name, "asked for, and neither measured nor skipped");
		}
	}
	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (sscanf(list, "%31[^:,]:%39[^,]", probe, variant) == 2 &&
			strcmp(variant, "upper") &&
			!has(j, probe, variant,
				NULL)) { /* `upper` needs more memory than some have */
			snprintf(name, sizeof(name), "%s:%s", probe, variant);
			tally_wrong(j->tally, name, "asked for, and neither measured nor skipped");
		}
}

/* What is measured at more than one canonical size is measured at all that there are. */
static void judge_levels(const struct judged *j)
{
	static const char *const variants[][2] = { { "latency", "pointer-padded" },
		{ "latency", "pointer" }, { "latency", "index" }, { "latency", "index-padded" },
		{ "bandwidth", "read" }, { "bandwidth", "write" }, { "bandwidth", "copy" } };
	json_t *levels = json_object_get(j->run->end, "levels"), *size;
	const char *level;
	size_t i;

	for (i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		const char *probe = variants[i][0], *variant = variants[i][1];
		char name[64];

		snprintf(name, sizeof(name), "%s:%s", probe, variant);
		if (!variant_selected(text_of(j->run->run, "probes"), probe, variant) ||
			!has(j, probe, variant, "memory"))
			continue;
		json_object_foreach(levels, level, size) {
			if (json_is_object(size) && !has(j, probe, variant, level))
				tally_wrong(j->tally, name, "no row of level %s, nor a skip",
					level);
		}
	}
}

/* Accesses wider than the machine has are skips, one for each width. */
static void judge_widths(const struct judged *j)
{
	static const double widths[] = { 32, 64, 128, 256, 512 };
	static const char *const variants[] = { "read", "write", "copy" };
	char name[32];
	size_t v, w, i;
	json_t *line;

	for (v = 0; v < 3; v++) {
		snprintf(name, sizeof(name), "bandwidth:%s", variants[v]);
		for (w = 0; w < 5 && has(j, "bandwidth", variants[v], "l1"); w++) {
			bool found = false;

			json_array_foreach(j->run->rows, i, line)
				found |= is_row(line, "bandwidth", variants[v]) &&
					param_of(line, "width_bits") == widths[w];
			json_array_foreach(j->run->skips, i, line)
				found |= is_row(line, "bandwidth", variants[v]) &&
					param_of(line, "width_bits") == widths[w];
			if (!found)
				tally_wrong(j->tally, name, "no row of %g bits, nor a skip",
					widths[w]);
		}
	}
}

void judge_plan(const struct judged *j)
{
	size_t i;

	judge_variants(j);
	judge_levels(j);
	judge_widths(j);
	for (i = 0; i < sizeof(sweeps) / sizeof(*sweeps); i++)
		if (variant_selected(text_of(j->run->run, "probes"), sweeps[i].probe,
			    sweeps[i].variant)) /* else coarser, to find the levels */
			judge_sweep(j, &sweeps[i]);
}
