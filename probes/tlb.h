/* SPDX-License-Identifier: MIT */
/* Probe `tlb`: the two chases whose difference is the cost of translation. */
#ifndef PROBES_TLB_H
#define PROBES_TLB_H

#include "engine/chain.h"
#include "engine/probe_api.h"

enum tlb_variant { TLB_COST, TLB_UPPER, TLB_SPREAD, TLB_CONTROL, TLB_VARIANTS };
extern const char *const tlb_variants[TLB_VARIANTS];

/*
 * Variant `upper` visits so many pages, or half as many: twice the entries of any second level
 * known to us (4096, Zen 5), so that each page is walked for. Only half as many where the regions
 * hold no more.
 */
#define TLB_UPPER_PAGES 8192
/*
 * They lie in so many regions, each of one entry of the upper table: twice the largest
 * paging-structure cache that we found documented (64 entries, AMD family 17h), and more where
 * there is memory.
 */
#define TLB_REGIONS_FEWEST 128
#define TLB_REGIONS_MOST   512

/* What a row of `tlb` measures. */
struct translations {
	unsigned char variant;
	unsigned char group; /* pages of which one is used: 1 or CHAIN_GROUP */
	uint32_t regions;    /* visited in turn, 0: one after the other */
	uint64_t pages;      /* used */
	uint64_t page_bytes;
};

struct tlb_chains {
	struct chain spread, control;
};

#define TLB_COUNTS 6 /* edges of a curve, at most */

#endif
