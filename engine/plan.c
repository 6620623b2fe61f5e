/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/answers.h"
#include "engine/emit.h"
#include "engine/plan.h"
#include "engine/source_rows.h"
#include "lib/math.h"

static struct row *append(struct bench *b, const struct row *row)
{
	struct plan *p = b->plan;
	struct row new = *row;

	new.probe = b->probe;
	new.needs |= b->probe->needs;
	if (p->n == PLAN_ROWS) {
		if (!p->tried)
			emit_skip(b, b->probe, &new, NULL, "the table of rows is full");
		return NULL;
	}
	p->rows[p->n] = new;
	p->left_out[p->n] = p->done[p->n] = false;
	return &p->rows[p->n++];
}

/* Rows that others rest on are all planned, also if nothing of their probe was asked for. */
static bool asked_for(const struct bench *b, const struct row *row)
{
	const char *list = b->opt->probes, *probe = b->probe->name;

	if (!probe_asked_for(b->opt, b->probe))
		return true;
	return variant_selected(list, probe, row->variant) &&
		(!b->opt->source || source_has_row(b->opt->source, probe, row, common_page(b)));
}

static bool same_params(const struct row *a, const struct row *b)
{
	for (unsigned i = 0; i < b->nparams; i++)
		if (row_get(a, b->params[i].name, NOT_A_NUMBER) != b->params[i].value)
			return false;
	return true;
}

/* Returns true if such a row has been planned, whatever became of it. */
static bool is_planned(const struct bench *b, const struct row *row)
{
	const struct plan *p = b->plan;

	for (unsigned i = 0; i < p->n; i++)
		if (p->rows[i].probe == b->probe && p->rows[i].page_bytes == row->page_bytes &&
			strcmp(p->rows[i].variant, row->variant) == 0 &&
			same_params(&p->rows[i], row))
			return true;
	return false;
}

/* Returns true if a row is of the profile; what was asked for by name always is. */
static bool of_profile(const struct bench *b, enum answer answer)
{
	if (b->opt->probes[0] || b->opt->source)
		return true;
	return answers[answer].profile <= b->opt->profile &&
		(!b->opt->quick || answer < ANSWERS_BEHIND_CARD);
}

/* Returns of_profile; counts the row if it is of a larger profile. */
static bool count_beyond(struct bench *b, enum answer answer)
{
	bool of = of_profile(b, answer);

	if (!of && !b->plan->tried)
		b->plan->beyond[answer]++;
	return of;
}

/* Adds the row; returns true if it has a twin, which is measured without prefetchers. */
static bool add_one(struct bench *b, const struct row *row)
{
	struct row *one = append(b, row);

	if (!one || b->opt->prefetch != PREFETCH_BOTH || !(b->probe->needs & BY_PREFETCH))
		return false;
	row_param(one, "prefetch", 1);
	return true;
}

void plan_add(struct bench *b, const struct row *row)
{
	enum answer without =
		answers[row->answer].core ? ANSWER_NO_PREFETCH : ANSWER_NO_PREFETCH_MORE;

	if (!asked_for(b, row) || !count_beyond(b, row->answer) || !add_one(b, row) ||
		!count_beyond(b, without))
		return;
	struct row *twin = append(b, row);

	if (!twin)
		return;
	twin->answer = without;
	row_param(twin, "prefetch", 0);
	twin->no_prefetch = true;
	if (b->prefetch.why)
		twin->cost_ns = 0; /* it is skipped */
}

void plan_between(struct bench *b, const struct row *row)
{
	if (asked_for(b, row) && !is_planned(b, row) && of_profile(b, row->answer))
		add_one(b, row);
}

static void set_param(struct row *row, const char *name, double value)
{
	for (unsigned i = 0; i < row->nparams; i++)
		if (strcmp(row->params[i].name, name) == 0) {
			row->params[i].value = value;
			return;
		}
	row_param(row, name, value);
}

/* Returns true if two rows measure the same, `again` and the canonical level aside. */
static bool measures_the_same(const struct row *a, const struct row *b)
{
	if (a->probe != b->probe || a->page_bytes != b->page_bytes ||
		a->no_prefetch != b->no_prefetch || strcmp(a->variant, b->variant) != 0)
		return false;
	for (unsigned i = 0; i < a->nparams; i++)
		if (strcmp(a->params[i].name, PARAM_AGAIN) != 0 &&
			row_get(b, a->params[i].name, NOT_A_NUMBER) != a->params[i].value)
			return false;
	return true;
}

bool plan_repeat(struct bench *b, const struct row *row, unsigned most)
{
	struct plan *p = b->plan;
	struct row repeat = *row;
	unsigned times = 0;

	for (unsigned i = 0; i < p->n; i++)
		times += (!p->left_out[i] || p->rows[i].remeasured) &&
			measures_the_same(row, &p->rows[i]);
	if (times > most || p->n == PLAN_ROWS)
		return false;
	repeat.level = NULL;
	repeat.remeasured = times;
	set_param(&repeat, PARAM_AGAIN, times);
	p->rows[p->n] = repeat;
	p->left_out[p->n] = p->done[p->n] = false;
	p->n++;
	return true;
}
