/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "lib/result_keys.h"
#include "linux/show_row.h"
#include "linux/report/reading/results.h"

const struct probe *show_probe(const char *name)
{
	static const struct probe unknown = { .name = "", .what = "unknown to this program" };

	for (unsigned i = 0; i < probe_count; i++)
		if (!strcmp(probes[i].name, name))
			return &probes[i];
	return &unknown;
}

/*
 * Copy the parameters in the order of the line, which is the console's; the page size has a column
 * of its own.
 */
static void parameters(struct row *row, const json_t *line)
{
	const char *name;
	json_t *value;

	json_object_foreach(json_object_get(line, KEY_PARAMS), name, value) {
		if (json_is_number(value) && strcmp(name, KEY_PAGE_BYTES) &&
			row->nparams < ROW_PARAMS)
			row->params[row->nparams++] =
				(struct param){ name, json_number_value(value) };
	}
}

/* A count; 0 if the file has another number, or none (NAN). */
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
	s->row.page_bytes = count(row_parameter(data->json, KEY_PAGE_BYTES));
	s->result = (struct result){
		.row = &s->row,
		.page_bytes = s->row.page_bytes,
#define STATISTIC(name, when) .name = data->name,
#include "lib/row_statistics.inc"
#undef STATISTIC
	};
}

void show_row_card(struct card *card, const struct run_data *run)
{
	card_begin(card);
	card_read(card, run->head_line);
	for (size_t i = 0; i < run->summaries.n; i++)
		card_read(card, run->summaries.list[i].line);
}
