/* SPDX-License-Identifier: MIT */
/* What the rows of probe `tlb` show. */
#ifndef PROBES_TLB_FIND_H
#define PROBES_TLB_FIND_H

struct bench;

/* Infers entries and costs from the current probe's rows, and makes them known with found(). */
void tlb_find(struct bench *);

#endif
