/* SPDX-License-Identifier: MIT */
/* A fleet for programs: docs/format.md, "compare --fleet --json". */
#include <math.h>

#include "report/fleet/fleet_parts.h"

/* null where it is not known. */
static json_t *number_json(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count_json(size_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *column_json(const struct fleet *f, const struct fleet_column *c)
{
	const struct fleet_value *value = &f->values[c->value];

	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "name", value->name, "unit",
		value->unit, "page_bytes",
		value->page_bytes ? number_json(value->page_bytes) : json_null(), "machines",
		count_json(c->machines), "median", number_json(fleet_unscaled(value, c->median)),
		"deviation", number_json(c->deviation), "limit", number_json(c->limit));
}

static json_t *groups_json(const struct fleet *f)
{
	static const char *const keys[FLEET_KEYS] = {
#define FLEET_KEY(name, words, kind) #name,
#include "report/fleet/fleet_keys.inc"
#undef FLEET_KEY
	};
	json_t *all = json_array();

	for (size_t g = 0; g < f->ngroups; g++) {
		const struct fleet_group *group = &f->groups[g];
		json_t *one = json_object(), *values = json_array();
		for (int k = 0; k < FLEET_KEYS; k++)
			json_object_set_new(one, keys[k], json_string(group->key[k]));
		json_object_set_new(one, "machines", count_json(group->machines));
		json_object_set_new(one, "runs", count_json(group->runs));
		json_object_set_new(one, "judged", json_boolean(group->judged));
		for (size_t i = 0; i < f->ncolumns; i++)
			if (f->columns[i].group == g)
				json_array_append_new(values, column_json(f, &f->columns[i]));
		json_object_set_new(one, "values", values);
		json_array_append_new(all, one);
	}
	return all;
}

static json_t *outlier_json(const struct fleet *f, const struct fleet_outlier *o)
{
	const struct fleet_column *c = &f->columns[o->column];
	const struct fleet_value *value = &f->values[c->value];
	const struct fleet_number *n = &f->numbers[o->number];

	return json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:o}", "group", count_json(c->group),
		"name", value->name, "unit", value->unit, "value", number_json(n->number), "median",
		number_json(fleet_unscaled(value, c->median)), "z", number_json(o->z), "runs",
		count_json(n->runs));
}

/* One object for each machine, with all values in which it lies outside. */
static json_t *outliers_json(const struct fleet *f)
{
	json_t *all = json_array(), *values = NULL;
	size_t last = f->nmachines;

	for (size_t i = 0; i < f->noutliers; i++) {
		size_t machine = f->numbers[f->outliers[i].number].machine;
		if (machine != last) {
			values = json_array();
			json_array_append_new(all,
				json_pack("{s:s, s:s, s:o}", "machine", f->machines[machine].name,
					"host", f->machines[machine].host, "values", values));
		}
		last = machine;
		json_array_append_new(values, outlier_json(f, &f->outliers[i]));
	}
	return all;
}

static json_t *differences_json(const struct fleet *f)
{
	json_t *all = json_array();

	for (size_t i = 0; i < f->ndifferences; i++) {
		const struct fleet_difference *d = &f->differences[i];
		const struct fleet_column *a = &f->columns[d->column[0]],
					  *b = &f->columns[d->column[1]];
		const struct fleet_value *value = &f->values[a->value];
		json_array_append_new(all,
			json_pack("{s:s, s:[o,o], s:[o,o], s:o, s:o}", "name", value->name,
				"groups", count_json(a->group), count_json(b->group), "medians",
				number_json(fleet_unscaled(value, a->median)),
				number_json(fleet_unscaled(value, b->median)), "change",
				number_json(d->part), "z", number_json(d->z)));
	}
	return all;
}

static json_t *faults_json(const struct fleet_faults *faults)
{
	json_t *all = json_array();

	for (size_t i = 0; i < faults->n; i++)
		json_array_append_new(all,
			json_pack("{s:s, s:s}", "file", faults->fault[i].file, "reason",
				faults->fault[i].reason));
	return all;
}

void fleet_print_json(const struct fleet *f, const struct fleet_faults *faults, FILE *out)
{
	json_t *all = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "files",
		count_json(f->files), "runs", count_json(f->runs), "machines",
		count_json(f->nmachines), "tests", count_json(f->tests), "values_of_few",
		count_json(f->alone), "runs_without_value", count_json(f->no_values),
		"files_not_read", count_json(faults->others), "groups", groups_json(f), "outliers",
		outliers_json(f), "differences", differences_json(f), "damaged",
		faults_json(faults));

	json_dumpf(all, out, JSON_INDENT(1));
	fputc('\n', out);
	json_decref(all);
}
