/* SPDX-License-Identifier: MIT */
/* The parts of the report, in the order of the page. */
#ifndef PAGE_PAGE_PARTS_H
#define PAGE_PAGE_PARTS_H

#include "page/page.h"

/* The machines, the banners, the answer of the comparison. */
void page_head(const struct page *, struct svg *out);
/* Summary values of all runs beside what CPUID claims. */
bool page_has_card(const struct page *);
void page_card(const struct page *, struct svg *out);
/* A section for each probe: its pictures, what was not measured, where its method is. */
void page_probes(const struct page *, struct svg *out);
/* The probe's skip lines of one run. */
void page_skips(const struct subject *, const char *probe, struct svg *out);
/* The rows as JSON, for what the page says when it is asked. */
void page_data(const struct page *, struct svg *out);
/* How many samples of a row there is room for; 0: for too few to show anything. */
size_t page_samples_most(const struct page *);
/* "12":[sample...],...: so many of each row at most, evenly spaced ones of them. */
void page_samples(const struct shown_run *, size_t most, struct svg *out);

/* "A ": the letter of a run, in its colour. */
void page_key(const struct subject *, struct svg *out);

#endif
