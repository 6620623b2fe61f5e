/* SPDX-License-Identifier: MIT */
/* What the rows of probe `tlb` show. */
#ifndef PROBES_TLB_FIND_H
#define PROBES_TLB_FIND_H

#include <stddef.h>

struct bench;

#define TLB_COUNTS 6 /* edges of a curve, at most */

/* Counts of pages of this size to measure next, within the gaps in which edges lie; how many. */
unsigned tlb_next_counts(struct bench *, size_t page_bytes, double next[TLB_COUNTS]);

/* Infers entries and costs from the current probe's rows, and makes them known with found(). */
void tlb_find(struct bench *);

#endif
