/* SPDX-License-Identifier: MIT */
/* The summary values of runs, as marks in their pictures. */
#ifndef PAGE_PICTURE_MARKS_H
#define PAGE_PICTURE_MARKS_H

#include "page/pictures.h"

/* Those that the picture names, of all runs: measured, and what CPUID claims where it does. */
void marks_collect(const struct picture *, const struct subjects *, struct chart *);
/* A mark of its own; the text is copied. */
void marks_add(struct chart *, const struct mark *);

#endif
