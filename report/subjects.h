/* SPDX-License-Identifier: MIT */
/* The runs that a page or a picture shows, and how each is called and coloured there. */
#ifndef REPORT_SUBJECTS_H
#define REPORT_SUBJECTS_H

#include "report/sets.h"

#define TAG_BYTES 16

struct subject {
	const struct run_data *run;
	const struct set *set;
	unsigned index;      /* of the run among all that are shown */
	unsigned colour;     /* that of its set */
	char letter;         /* by which `compare` calls its set */
	char tag[TAG_BYTES]; /* beside curves: "" of a single run, the room, or the letter */
};

struct subjects {
	struct subject *list;
	size_t n;
	char banner[256]; /* whose times are an emulator's or under a hypervisor: lines; "": none */
};

/* All runs of the sets, which must stay; free(subjects->list) afterwards. */
struct subjects subjects_of(const struct sets *);

/* The same of one of them alone. */
struct subjects subject_alone(const struct subjects *, size_t which);

/* What a run is but for silicon alone: "EMULATED", "VIRTUAL" or "". */
const char *subject_mark(const struct run_data *);

#endif
