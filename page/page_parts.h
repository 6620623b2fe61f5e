/* SPDX-License-Identifier: MIT */
/* The parts of the report, in the order of the page. */
#ifndef PAGE_PAGE_PARTS_H
#define PAGE_PAGE_PARTS_H

#include "engine/infer/card.h"
#include "page/page.h"
#include "page/pictures.h"

/* Write the summary values of all runs beside CPUID's claims. */
bool page_has_card(const struct report_page *);
/* Write a section for each probe, its pictures in it; then what was not measured. */
void page_probes(const struct report_page *, struct sink *out);

/* Write "A ": the letter of a run, in its colour. */
void page_key(const struct subject *, struct sink *out);

/*
 * Write a picture, and free it. general: a description, if the title is a finding; "": the title is
 * the description. of: the runs in it; NULL: all of the page's.
 */
void page_figure(const char *name, const char *title, const char *general, const char *about,
	const struct subjects *of, struct drawing *, struct sink *out);

/* The run's card; the caller frees it by page_free. */
struct card *card_of(const struct shown_run *);
/* Write the card as lines: what, the values, how sure the least sure of them is. */
void page_card(const struct report_page *, const struct shown_run *, struct sink *out);

#define CARD_PART 128
/*
 * Write the text at `at` up to "|" or its end, with the values of the names in {braces}; "": one of
 * them is missing, or less sure than `least`. sure: lowered to the least sure of them, and claims
 * that agree are named, too; NULL: neither. Returns where the next part begins.
 */
const char *card_part(const struct card *, const char *at, double least, double *sure,
	char out[CARD_PART]);

#endif
