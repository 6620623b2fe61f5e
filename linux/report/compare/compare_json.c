/* SPDX-License-Identifier: MIT */
/* A comparison for programs: one JSON object, members as in struct comparison. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "linux/report/compare/compare_parts.h"

/* A number, or null if it is unknown. */
static json_t *number_json(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *disturbance_json(const struct disturbance *d)
{
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "samples",
		number_json(d->samples), "disturbed", number_json(d->disturbed),
		"switches_involuntary", number_json(d->involuntary), "steal_s",
		number_json(d->steal_s), "waited_s", number_json(d->waited_s), "stolen_part",
		number_json(d->stolen_part), "stolen_low", number_json(d->stolen_low),
		"stolen_high", number_json(d->stolen_high), "scanned_s", number_json(d->scanned_s),
		"longest_ns", number_json(d->longest_ns));

	for (int i = 0; i < DISTURBERS; i++)
		json_object_set_new(object, disturber_keys[i], number_json(d->events[i]));
	for (int i = 0; i < NOISE_THRESHOLDS; i++) {
		char key[40];
		snprintf(key, sizeof key, "gaps_per_second_above_%sus", noise_threshold_us[i]);
		json_object_set_new(object, key, number_json(d->above[i]));
	}
	return object;
}

static json_t *clock_json(const struct set_clock *clock)
{
	return json_pack("{s:o, s:o, s:o}", "median", number_json(clock->median), "low",
		number_json(clock->low), "high", number_json(clock->high));
}

static json_t *sets_json(const struct comparison *c)
{
	json_t *all = json_array();

	for (size_t i = 0; i < c->sets.n; i++) {
		const struct set *s = &c->sets.set[i];
		json_array_append_new(all,
			json_pack("{s:s, s:s, s:I, s:I, s:o, s:O, s:o}", "group", s->group, "room",
				s->room, "runs", (json_int_t)s->nruns, "rows", (json_int_t)s->nrows,
				"core_hz", clock_json(&c->clocks[i]), "run", s->runs[0]->head,
				"disturbances", disturbance_json(&c->disturbances[i])));
	}
	return all;
}

static json_t *environment_json(const struct comparison *c)
{
	const struct environment *env = &c->environment;
	json_t *differences = json_array(), *warnings = json_array();

	for (size_t i = 0; i < env->n; i++) {
		json_t *values = json_array();
		char words[DIFFERENCE_WORDS];
		difference_words(&env->differences[i], words);
		for (size_t s = 0; s < c->sets.n; s++)
			json_array_append_new(values, json_string(env->differences[i].values[s]));
		json_array_append_new(differences,
			json_pack("{s:s, s:s, s:s, s:b, s:o}", "key", env->differences[i].key,
				"words", words, "touches",
				env->differences[i].speed ? difference_touches(&env->differences[i])
							  : "",
				"decides_speed", env->differences[i].speed, "values", values));
	}
	for (size_t i = 0; i < env->nwarnings; i++)
		json_array_append_new(warnings, json_string(env->warnings[i]));
	return json_pack("{s:o, s:o}", "warnings", warnings, "differences", differences);
}

static json_t *cell_json(const struct cell *cell)
{
	if (!cell->row)
		return json_null();
	static const char *const because[] = { "", "clock", "edge" };

	return json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:o, s:b}",
		"median", number_json(cell->row->median), "cycles", cell->cycles, "spread",
		number_json(cell->row->tail), "ratio", number_json(cell->ratio), "change",
		number_json(cell->change), "low", number_json(cell->low), "high",
		number_json(cell->high), "slower", number_json(cell->slower), "p",
		number_json(cell->effect.p), "verdict", verdict_names[cell->verdict], "because",
		because[cell->because], "runs", number_json(cell->runs), "exact", cell->exact);
}

static json_t *rows_json(const struct comparison *c)
{
	json_t *all = json_array();

	for (size_t i = 0; i < c->nrows; i++) {
		const struct compared *row = &c->rows[i];
		json_t *cells = json_array();
		for (size_t s = 0; s < c->sets.n; s++)
			json_array_append_new(cells, cell_json(&row->cells[s]));
		json_array_append_new(all,
			json_pack("{s:s, s:s, s:s, s:o}", "row", row->cells[0].row->row->identity,
				"label", row->label, "unit", row->unit, "sets", cells));
	}
	return all;
}

static json_t *worst_json(const struct comparison *c, size_t s)
{
	size_t *worst = new_array(c->nrows + 1, sizeof *worst);
	size_t n = worst_rows(c, s, worst);
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(all,
			json_string(c->rows[worst[i]].cells[0].row->row->identity));
	free(worst);
	return all;
}

/* The groups that the sentence is made of: slowdowns, 1 is as fast. */
static json_t *subjects_json(const struct comparison *c, size_t s)
{
	struct effect_group groups[ANSWER_GROUPS_MOST];
	size_t n = answer_groups(c, s, groups);
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++) {
		const struct effect_group *g = &groups[i];
		char name[GROUP_NAME];
		group_name(g, name);
		json_array_append_new(all,
			json_pack("{s:s, s:I, s:b, s:o, s:o, s:o, s:o, s:s, s:o}", "name", name,
				"rows", (json_int_t)g->rows, "cycles", g->cycles, "slower",
				number_json(exp(g->size)), "low", number_json(exp(g->low)), "high",
				number_json(exp(g->high)), "p", number_json(g->p), "verdict",
				verdict_names[g->verdict], "runs",
				number_json(g->verdict == VERDICT_UNKNOWN ? g->runs : NAN)));
	}
	return all;
}

static json_t *verdicts_json(const struct comparison *c)
{
	json_t *all = json_array();

	for (size_t s = 1; s < c->sets.n; s++) {
		const struct set_cost *cost = &c->costs[s];
		json_array_append_new(all,
			json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
				  "s:o, s:o, "
				  "s:o, s:o, s:o, s:o, s:o, s:b}",
				"set", (json_int_t)s, "rows", (json_int_t)cost->rows, "same",
				(json_int_t)cost->verdicts[VERDICT_SAME], "slower",
				(json_int_t)cost->verdicts[VERDICT_SLOWER], "faster",
				(json_int_t)cost->verdicts[VERDICT_FASTER], "unknown",
				(json_int_t)cost->verdicts[VERDICT_UNKNOWN], "clock",
				(json_int_t)cost->clock, "edge", (json_int_t)cost->edge, "events",
				(json_int_t)cost->events, "loose", (json_int_t)cost->loose, "alone",
				(json_int_t)cost->alone, "rows_cycles",
				(json_int_t)cost->rows_cycles, "median_effect",
				number_json(cost->median_effect), "median_cycles",
				number_json(cost->median_cycles), "median_time",
				number_json(cost->median_time), "tail_effect",
				number_json(cost->tail_effect), "worst", number_json(cost->worst),
				"worst_rows", worst_json(c, s), "subjects", subjects_json(c, s),
				"costs_stated", costs_mean_something(c, s)));
	}
	return all;
}

void comparison_print_json(const struct comparison *c, FILE *out)
{
	json_t *all = json_pack("{s:o, s:o, s:o, s:o}", "sets", sets_json(c), "environment",
		environment_json(c), "rows", rows_json(c), "verdicts", verdicts_json(c));

	json_dumpf(all, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
	fputc('\n', out);
	json_decref(all);
}
