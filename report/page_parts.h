/* SPDX-License-Identifier: MIT */
/* The parts of the report, in the order of the page. */
#ifndef REPORT_PAGE_PARTS_H
#define REPORT_PAGE_PARTS_H

#include "report/page.h"

/* The machines, the banners, the answer of the comparison. */
void page_head(const struct page *, FILE *out);
/* Summary values of all runs beside what CPUID claims. */
bool page_has_card(const struct page *);
void page_card(const struct page *, FILE *out);
/* A section for each probe: its pictures, what was not measured, where its method is. */
void page_probes(const struct page *, FILE *out);
/* The rows as JSON, for what the page says when it is asked. */
void page_data(const struct page *, FILE *out);

/* "A  hosted, AMD EPYC, name": by what a run is called, with its colour. */
void page_key(const struct subject *, FILE *out);

/* The heading of a probe's section in method.md as browsers address it; NULL: it has none. */
const char *method_section(const char *probe);

#endif
