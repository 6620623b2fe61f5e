/* SPDX-License-Identifier: MIT */
/* The page and its pictures (page/) of results that were read from files. */
#ifndef REPORT_READING_HOSTED_PAGE_H
#define REPORT_READING_HOSTED_PAGE_H

#include <stdio.h>

#include "page/page.h"
#include "report/compare/compare.h"

/* All runs of the sets, which must stay. To be freed by hosted_subjects_free. */
struct subjects hosted_subjects(const struct sets *);
void hosted_subjects_free(struct subjects *);

/*
 * What to give to page_write: the page's subjects, which are all of the sets, by machine. To be
 * freed by hosted_machines_free.
 */
void hosted_machines(struct page *, const struct sets *);
void hosted_machines_free(struct page *);

/* The same: `answer` and `answer_of`, of a comparison of two sets or more. */
void hosted_answer(struct page *, const struct comparison *);

/* The heading of a probe's section in method.md as browsers address it; NULL: it has none. */
const char *method_section(const char *probe);

/* Where a page or a picture goes to a stream; of one that fails the caller learns by ferror. */
struct sink sink_to(FILE *out);

/* A picture by its name as a file of SVG. 0, or -1: the results have nothing of it. */
int plot_write(const struct subjects *, const char *picture, FILE *out);

#endif
