/* SPDX-License-Identifier: MIT */
/*
 * The sources' own plots, drawn from the tables of their experiments (source_table.h): sections of
 * the report's page, in which the published figures are crosses beside the run's curves.
 */
#ifndef REPORT_SOURCES_SOURCE_PICTURES_H
#define REPORT_SOURCES_SOURCE_PICTURES_H

#include "linux/report/reading/results.h"
#include "page/subjects.h"

/* What is shown. */
struct source_asked {
	const json_t *sources; /* all */
	const char *letter;    /* the only one that is shown; "": all that have a picture */
	const struct subjects *subjects;
	const struct run_data *const *runs; /* [subjects->n], of each subject */
};

/* Make the sections and their links as markup, two texts that the caller frees. */
void source_sections(const struct source_asked *, char **sections, char **links);

#endif
