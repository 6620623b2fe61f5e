/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "report/reading/results.h"

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

void problem_add(struct problems *all, enum severity severity, unsigned long line,
	const char *format, ...)
{
	va_list args;

	all->damage |= severity == SEVERITY_DAMAGE;
	if (all->all++ >= PROBLEMS_KEPT)
		return;
	struct problem *p = &all->kept[all->all - 1];
	p->severity = severity;
	p->line = line;
	va_start(args, format);
	vsnprintf(p->text, sizeof p->text, format, args);
	va_end(args);
}

static void print(const struct problem *p, const char *file, FILE *out)
{
	fprintf(out, "%s:", file);
	if (p->line)
		fprintf(out, "%lu:", p->line);
	fprintf(out, " %s%s\n", p->severity == SEVERITY_NOTE ? "note: " : "", p->text);
}

void problems_print(const struct problems *all, const char *file, FILE *out)
{
	unsigned long kept = all->all < PROBLEMS_KEPT ? all->all : PROBLEMS_KEPT;

	for (unsigned long i = 0; i < kept; i++)
		print(&all->kept[i], file, out);
	if (all->all > kept)
		fprintf(out, "%s: and %lu more\n", file, all->all - kept);
}
