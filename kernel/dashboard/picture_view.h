/* SPDX-License-Identifier: MIT */
/*
 * Pictures of result lines on the display: the same choice of rows as in the report (page/), drawn
 * as pixels. Making them takes memory, which is given once and used anew by every call.
 */
#ifndef KERNEL_DASHBOARD_PICTURE_VIEW_H
#define KERNEL_DASHBOARD_PICTURE_VIEW_H

#include "kernel/dashboard/views.h"

#define STRIP_PLACES 16 /* at most */

/* For all that follows; bytes 0: no pictures are drawn. */
void picture_memory(void *memory, size_t bytes);

/*
 * Draws what n bytes of result lines have, a picture in each place and none twice. What is empty
 * says why.
 */
void view_pictures(const struct canvas *, const struct end_layout *, const char *lines, size_t n);

/*
 * Draws the picture that the last row of the probe in those lines belongs to. Returns its name;
 * NULL: no picture shows it, or too little memory, and nothing is drawn then.
 */
const char *view_probe(const struct canvas *, const struct area *, const char *probe,
	const char *lines, size_t n);
/* The same in small in one of the strip's places, below its name: in its own, or the next. */
struct strip {
	struct area area;
	const char *names[STRIP_PLACES]; /* of those drawn; NULL: none yet */
	unsigned next;
};
void view_in_strip(const struct canvas *, struct strip *, const char *probe, const char *lines,
	size_t n);

#endif
