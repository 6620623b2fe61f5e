/* SPDX-License-Identifier: MIT */
/* The runs that a page or a picture shows, with their names and colours. */
#ifndef PAGE_SUBJECTS_H
#define PAGE_SUBJECTS_H

#include "page/shown_run.h"

#define TAG_BYTES 16

struct subject {
	const struct shown_run *run;
	const char *name;    /* of the file */
	unsigned index;      /* number of the run among all that are shown */
	unsigned colour;     /* of its set: runs of one set share colour and letter */
	char letter;         /* the letter of its set in `compare` */
	char tag[TAG_BYTES]; /* beside curves: "" for a single set, the room, or the letter */
};

struct subjects {
	struct subject *list;
	size_t n, sets;
	/* For a picture by itself: the room, if it is one, and marks: "room bare; VIRTUAL A,C" */
	char note[256];
};

/* Make the tags and the note from the other members. */
void subjects_name(struct subjects *);

/* The subjects with one of them only. */
struct subjects subject_alone(const struct subjects *, size_t which);

#endif
