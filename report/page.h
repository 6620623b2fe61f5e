/* SPDX-License-Identifier: MIT */
/* The report: results as one file of HTML that needs nothing else. docs/report.md explains it. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/compare.h"
#include "report/subjects.h"

struct page {
	const struct comparison *comparison; /* of all sets; its costs are there if there are two */
	struct subjects subjects;
	const char *(*what)(const char *probe); /* what it measures, in a line */
	const char *docs;                       /* where method.md is: a folder or an address */
};

/* Writes it; of a stream that fails the caller learns by ferror. */
void page_write(const struct page *, FILE *out);

/* A picture by its name as a file of SVG. 0, or -1: the results have nothing of it. */
int plot_write(const struct subjects *, const char *picture, FILE *out);

/* The files of report/page/, ended by 0. */
extern const char page_html[], page_css[], page_js[], picture_css[];

#endif
