/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "linux/show_row.h"
#include "report/row_identity.h"

const struct probe *show_probe(const char *name)
{
	static const struct probe unknown = { .name = "", .what = "unknown to this program" };

	for (unsigned i = 0; i < probe_count; i++)
		if (!strcmp(probes[i].name, name))
			return &probes[i];
	return &unknown;
}

/* In the order of the line, which is that of the console. */
static void parameters(struct row *row, const json_t *line)
{
	struct parameter sorted[PARAMETERS_MOST];
	size_t n = row_parameters(line, sorted);
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)line, name, value)
		for (size_t i = 0; i < n; i++)
			if (!strcmp(sorted[i].name, name) && strcmp(name, "page_bytes") &&
				row->nparams < ROW_PARAMS)
				row->params[row->nparams++] =
					(struct param){ name, json_number_value(value) };
}

static double known(double value)
{
	return isnan(value) ? 0 : value;
}

/* A file may hold any number. */
static unsigned count(double value)
{
	return value >= 0 && value < 4294967296.0 ? (unsigned)value : 0;
}

void show_row_init(struct show_row *s, const struct row_data *data)
{
	s->unit = (struct unit){ .name = data->unit };
	s->row = (struct row){
		.probe = show_probe(data->probe),
		.variant = data->variant,
		.unit = &s->unit,
		.level = *data->level ? data->level : NULL,
	};
	parameters(&s->row, data->json);
	s->row.page_bytes = count(number_or(data->json, "page_bytes", 0));
	s->result = (struct result){
		.row = &s->row,
		.page_bytes = s->row.page_bytes,
		.samples = count(data->samples),
		.disturbed = count(data->disturbed),
		.min = data->min,
		.median = data->median,
		.p90 = data->p90,
		.p99 = data->p99,
		.max = data->max,
		.mean = data->mean,
		.mad = data->mad,
		.cycles = known(data->cycles),
		.core_hz = known(data->core_hz),
	};
}
