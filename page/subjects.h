/* SPDX-License-Identifier: MIT */
/* The runs that a page or a picture shows, and how each is called and coloured there. */
#ifndef PAGE_SUBJECTS_H
#define PAGE_SUBJECTS_H

#include "page/shown_run.h"

#define TAG_BYTES 16

struct subject {
	const struct shown_run *run;
	const char *name;    /* of the file */
	unsigned index;      /* of the run among all that are shown */
	unsigned colour;     /* that of its set: runs of one set have one colour and one letter */
	char letter;         /* by which `compare` calls its set */
	char tag[TAG_BYTES]; /* beside curves: "" of a single set, the room, or the letter */
};

struct subjects {
	struct subject *list;
	size_t n, sets;
	char banner[256]; /* whose times are an emulator's or under a hypervisor: lines; "": none */
};

/* Makes the tags and the banner, of everything else. */
void subjects_name(struct subjects *);

/* The same of one of them alone. */
struct subjects subject_alone(const struct subjects *, size_t which);

#endif
