/* SPDX-License-Identifier: MIT */
/* What a run's summary values say, as the card has them: the card, and titles of pictures. */
#ifndef PAGE_PICTURE_TITLES_H
#define PAGE_PICTURE_TITLES_H

#include "infer/card.h"
#include "page/pictures.h"

/* The run's card, to be given back by page_free. */
struct card *card_of(const struct shown_run *);

#define FINDING_TEXT 512

/*
 * "L1 ends at 44K..52K, memory takes 138.3 ns": what the picture says of the runs; of several what
 * all say, then with their names what each says. "": it has no value, or runs of one set are
 * repeated, whose values differ.
 */
void picture_finding(const struct picture *, const struct subjects *, char out[FINDING_TEXT]);

#endif
