/* SPDX-License-Identifier: MIT */
/* The report: results as one file of HTML that needs nothing else. docs/report.md explains it. */
#ifndef PAGE_PAGE_H
#define PAGE_PAGE_H

#include "page/subjects.h"
#include "page/picture/svg.h"

struct page {
	struct subjects subjects;
	/* The same by machine, each named alone: a picture shows the rooms of one of them. */
	const struct subjects *machines;
	size_t nmachines;
	/* What it measures, in a line; NULL: no such probe is known. */
	const char *(*what)(const char *probe);
	const char *docs; /* folder or address with probes/NAME/README.md; NULL: no links */
	/* What one set costs against the others, as markup; NULL: nobody compared them. */
	void (*answer)(const void *of, struct sink *out);
	const void *answer_of;
};

/* Writes it; of an output that fails the caller learns by itself. */
void page_write(const struct page *, struct sink *out);

/* What all pages have: the files of page/files/. */

/* In the order in which the Makefile packs them. */
enum page_file { PAGE_HTML, PAGE_CSS, PAGE_JS, PICTURE_CSS, PAGE_FILES };

/* Points each to its text, ended by 0. Returns the memory that they are in, to be freed. */
char *page_texts(const char *of[PAGE_FILES]);

#endif
