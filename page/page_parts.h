/* SPDX-License-Identifier: MIT */
/* The parts of the report, in the order of the page. */
#ifndef PAGE_PAGE_PARTS_H
#define PAGE_PAGE_PARTS_H

#include "engine/infer/card.h"
#include "page/page.h"

/* Write the summary values of all runs beside CPUID's claims. */
bool page_has_card(const struct report_page *);
/* Write a section for each probe: its pictures, what was not measured, a link to its method. */
void page_probes(const struct report_page *, struct sink *out);

/* Write "A ": the letter of a run, in its colour. */
void page_key(const struct subject *, struct sink *out);

/* The run's card; the caller frees it by page_free. */
struct card *card_of(const struct shown_run *);

#endif
