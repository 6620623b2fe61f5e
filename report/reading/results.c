/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/reading/results.h"

const char *const row_statistics[] = {
#define STATISTIC(name, when) #name,
#include "lib/row_statistics.inc"
#undef STATISTIC
	NULL
};

const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

double number_or(const json_t *object, const char *key, double missing)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : missing;
}

double number_of(const json_t *object, const char *key)
{
	return number_or(object, key, NAN);
}

static void lines_free(struct lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		json_decref(lines->list[i].json);
	free(lines->list);
}

void row_free(struct row_data *row)
{
	json_decref(row->json);
	free(row->identity);
	free(row->values);
}

void run_free(struct run_data *run)
{
	for (size_t i = 0; i < run->nrows; i++)
		row_free(&run->rows[i]);
	free(run->rows);
	lines_free(&run->summaries);
	lines_free(&run->skips);
	json_decref(run->head);
	json_decref(run->end);
}

void results_free(struct results *results)
{
	for (size_t i = 0; i < results->nruns; i++)
		run_free(&results->runs[i]);
	for (size_t i = 0; i < results->ntexts; i++)
		free(results->texts[i]);
	free(results->runs);
	free(results->texts);
	free(results->name);
}

const json_t *run_summary(const struct run_data *run, const char *name)
{
	for (size_t i = 0; i < run->summaries.n; i++)
		if (!strcmp(text_of(run->summaries.list[i].json, KEY_NAME), name))
			return run->summaries.list[i].json;
	return NULL;
}
