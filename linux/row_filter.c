/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "engine/plan.h"
#include "lib/result_keys.h"
#include "linux/commands.h"
#include "linux/row_filter.h"

const char row_filter_probe_help[] = "only these probes (or probe:variant)";
const char row_filter_room_help[] = "only these rooms:"
#define ROOM(name) " " #name
#include "lib/rooms.inc"
#undef ROOM
	;

static bool probe_selects(const json_t *line, const char *probes)
{
	const char *probe = text_of(line, KEY_PROBE), *variant = text_of(line, KEY_VARIANT);

	return *variant ? variant_selected(probes, probe, variant) : probe_selected(probes, probe);
}

static bool has_room(const struct run_data *run, const char *room)
{
	return !strcmp(run->room, room);
}

static bool has_probe(const struct run_data *run, const char *probe)
{
	for (size_t i = 0; i < run->nrows; i++)
		if (probe_selects(run->rows[i].json, probe))
			return true;
	for (size_t i = 0; i < run->skips.n; i++)
		if (probe_selects(run->skips.list[i].json, probe))
			return true;
	return false;
}

typedef bool has_fn(const struct run_data *, const char *name);

static bool any_has(const struct results *files, size_t n, has_fn *has, const char *name)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < files[i].nruns; j++)
			if (has(&files[i].runs[j], name))
				return true;
	return false;
}

/* The first name of the list that no run has, to be freed; NULL: every name is there. */
static char *missing(const char *list, const struct results *files, size_t n, has_fn *has)
{
	while (*list) {
		size_t length = strcspn(list, ",");
		char *name = strndup(list, length);
		if (name && length && !any_has(files, n, has, name))
			return name;
		free(name);
		list += length + (list[length] == ',');
	}
	return NULL;
}

static int check(const char *command, const char *what, char *name)
{
	if (!name)
		return EXIT_OK;
	command_error(command, "no file has anything of %s '%s'", what, name);
	free(name);
	return EXIT_FAILED;
}

static void keep_rows(struct run_data *run, const char *probes)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->nrows; i++)
		if (probe_selects(run->rows[i].json, probes))
			run->rows[kept++] = run->rows[i];
		else
			row_free(&run->rows[i]);
	run->nrows = kept;
}

static void keep_skips(struct lines *skips, const char *probes)
{
	size_t kept = 0;

	for (size_t i = 0; i < skips->n; i++)
		if (probe_selects(skips->list[i].json, probes))
			skips->list[kept++] = skips->list[i];
		else
			json_decref(skips->list[i].json);
	skips->n = kept;
}

static void keep_runs(struct results *results, const struct row_filter *filter)
{
	size_t kept = 0;

	for (size_t i = 0; i < results->nruns; i++) {
		struct run_data *run = &results->runs[i];
		if (*filter->rooms && !names_have(filter->rooms, run->room)) {
			run_free(run);
			continue;
		}
		keep_rows(run, filter->probes);
		keep_skips(&run->skips, filter->probes);
		results->runs[kept++] = *run;
	}
	results->nruns = kept;
}

int filter_rows(const char *command, struct results *files, size_t n,
	const struct row_filter *filter)
{
	if (check(command, "room", missing(filter->rooms, files, n, has_room)) ||
		check(command, "probe", missing(filter->probes, files, n, has_probe)))
		return EXIT_FAILED;
	for (size_t i = 0; i < n; i++)
		keep_runs(&files[i], filter);
	return EXIT_OK;
}
