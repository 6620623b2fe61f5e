/* SPDX-License-Identifier: MIT */
/* The parts of the report, in the order of the page. */
#ifndef PAGE_PAGE_PARTS_H
#define PAGE_PAGE_PARTS_H

#include "engine/infer/card.h"
#include "page/page.h"

/* Summary values of all runs beside what CPUID claims. */
bool page_has_card(const struct page *);
/* A section for each probe: its pictures, what was not measured, where its method is. */
void page_probes(const struct page *, struct sink *out);

/* "A ": the letter of a run, in its colour. */
void page_key(const struct subject *, struct sink *out);

/* The run's card, to be given back by page_free. */
struct card *card_of(const struct shown_run *);

#endif
