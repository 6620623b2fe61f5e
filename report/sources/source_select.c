/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/reading/row_identity.h"
#include "report/sources/source_absent.h"
#include "report/sources/source_select.h"

#define COMMON_PAGE (2 << 20)

static bool same_params(const json_t *selector, const json_t *row)
{
	const char *name;
	json_t *value;

	json_object_foreach(json_object_get(selector, KEY_PARAMS), name, value) {
		if (row_parameter(row, name) != json_number_value(value))
			return false;
	}
	return true;
}

bool source_selects(const json_t *selector, const struct row_data *row)
{
	const char *level = text_of(selector, KEY_LEVEL);
	double least = number_of(selector, "pages_least");

	return !strcmp(row->probe, text_of(selector, KEY_PROBE)) &&
		!strcmp(row->variant, text_of(selector, KEY_VARIANT)) &&
		(!*level || !strcmp(row->level, level)) && same_params(selector, row->json) &&
		!(row_parameter(row->json, KEY_PAGE_BYTES) < least) &&
		row_parameter(row->json, "prefetch") != 0;
}

/* Counts are of all samples, so they are given per operation. */
static double counted(const struct row_data *row, const char *name)
{
	const json_t *counts = json_object_get(row->json, KEY_COUNTS);

	if (!strcmp(name, "ipc"))
		return number_of(counts, "instructions") / number_of(counts, "core_cycles");
	return number_of(counts, name) / row->ops;
}

/* A number of the row; docs/format.md, "report/sources/sources.json", says which there are. */
static double member(const struct row_data *row, const char *of)
{
	if (!strncmp(of, "params.", 7))
		return row_parameter(row->json, of + 7);
	if (!strncmp(of, "more.", 5))
		return number_of(json_object_get(row->json, KEY_MORE), of + 5);
	if (!strncmp(of, "counts.", 7))
		return counted(row, of + 7);
	return number_of(row->json, of);
}

/* What the selector says itself goes before what the quantity says. */
static const char *statistic(const json_t *selector, const json_t *quantity)
{
	const char *own = text_of(selector, "of"), *usual = text_of(quantity, "of");

	return *own ? own : *usual ? usual : "median";
}

static double factor(const json_t *selector, const json_t *quantity)
{
	return number_or(selector, "times", number_or(quantity, "times", 1));
}

/* Pages of 2 MiB, which all rooms can have, before larger ones; those before smaller ones. */
static int page_rank(const struct row_data *row)
{
	double page = row_parameter(row->json, KEY_PAGE_BYTES);

	return page == COMMON_PAGE ? 2 : page > COMMON_PAGE ? 1 : 0;
}

/* Whether the row answers better than the one before. */
static bool better(const json_t *selector, const struct row_data *row,
	const struct row_data *before, const char *of)
{
	const char *pick = text_of(selector, "pick");

	if (!before)
		return true;
	if (!strcmp(pick, "most"))
		return member(row, of) > member(before, of);
	if (!strcmp(pick, "least"))
		return member(row, of) < member(before, of);
	return page_rank(row) > page_rank(before);
}

static struct source_answer no_answer(char *reason)
{
	return (struct source_answer){ NAN, NAN, NAN, NULL, reason };
}

static struct source_answer from_row(const struct run_data *run, const json_t *selector,
	const json_t *quantity, struct source_point at)
{
	const char *of = statistic(selector, quantity);
	const struct row_data *row = NULL;
	double value;

	for (size_t i = 0; i < run->nrows; i++) {
		const struct row_data *other = &run->rows[i];
		if (source_selects(selector, other) &&
			(!at.by || row_parameter(other->json, at.by) == at.x) &&
			better(selector, other, row, of))
			row = other;
	}
	if (!row)
		return no_answer(source_absent(run, selector, at));
	value = member(row, of) * factor(selector, quantity);
	if (isnan(value))
		return no_answer(source_lacks(run, row, of));
	return (struct source_answer){ value, NAN, NAN, row, NULL };
}

static struct source_answer from_summary(const struct run_data *run, const json_t *selector,
	const json_t *quantity)
{
	const json_t *line = run_summary(run, text_of(selector, "summary"));
	double by = factor(selector, quantity);
	/* From one count to the next there is nothing between. */
	bool exact = number_of(line, KEY_HIGH) - number_of(line, KEY_LOW) <= 1;

	if (isnan(number_of(line, KEY_VALUE)))
		return no_answer(copy_text(!line             ? "this run has no such summary value"
				: *text_of(line, KEY_REASON) ? text_of(line, KEY_REASON)
							     : "not resolved"));
	return (struct source_answer){ number_of(line, KEY_VALUE) * by,
		exact ? NAN : number_of(line, KEY_LOW) * by,
		exact ? NAN : number_of(line, KEY_HIGH) * by, NULL, NULL };
}

struct source_answer source_answer_of(const struct run_data *run, const json_t *selector,
	const json_t *quantity, struct source_point at)
{
	const json_t *over = json_object_get(selector, "over");
	struct source_answer a = *text_of(selector, "summary")
		? from_summary(run, selector, quantity)
		: from_row(run, selector, quantity, at);

	if (!over || a.reason)
		return a;
	struct source_answer b = source_answer_of(run, over, quantity, at);
	a.value /= b.value;
	a.reason = b.reason;
	return a;
}
