/* SPDX-License-Identifier: MIT */
/* The report: results as one file of HTML that needs no other file. docs/report.md explains it. */
#ifndef PAGE_PAGE_H
#define PAGE_PAGE_H

#include "page/subjects.h"
#include "page/picture/svg.h"

struct report_page {
	struct subjects subjects;
	/*
	 * The same runs by machine, each machine by itself: a picture shows the rooms of one
	 * machine.
	 */
	const struct subjects *machines;
	size_t nmachines;
	const char *(*what)(const char *probe); /* what the probe measures, in a line */
	const char *docs; /* folder or address with probes/NAME/README.md; NULL: no links */
	/*
	 * Write the comparison of one set with the others, as markup; NULL: nobody compared them.
	 */
	void (*answer)(const void *of, struct sink *out);
	const void *answer_of;
	const struct card_beside *beside; /* of each card: engine/infer/card.h; NULL: nothing */
	const char *published;            /* markup below the cards; NULL: none */
	const char *sections, *links; /* markup of the caller's sections, and links; NULL: none */
	bool sections_first;          /* before those of the probes */
	bool sections_alone;          /* without those of the probes, the cards and the values */
	const char **files;           /* of page_texts; page_write sets them */
};

/* Write the page. If the output fails, the caller must notice. */
void page_write(const struct report_page *, struct sink *out);

/* The files of page/files/, which all pages have. */

/* In the order in which the Makefile packs them. */
enum page_file { PAGE_HTML, PAGE_CSS, PAGE_JS, PICTURE_CSS, PAGE_CARD, PAGE_SECTIONS, PAGE_FILES };

/*
 * Point each to its text, ended by 0. Returns the memory that holds them, which the caller frees.
 */
char *page_texts(const char *of[PAGE_FILES]);

#endif
