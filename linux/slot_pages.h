/* SPDX-License-Identifier: MIT */
/* Pages of one size for a mapping: of hugetlbfs's pool, transparent huge pages, or ordinary. */
#ifndef LINUX_SLOT_PAGES_H
#define LINUX_SLOT_PAGES_H

#include "linux/hosted.h"

#define SMALLEST_ARENA (16 * MIB)

/*
 * Maps, populates and locks at most `limit` bytes in pages of page_bytes, preferably on a node
 * (NODE_UNKNOWN: any). The slot says how, and where they lie. 0; -1: there are none of that size.
 */
int slot_fill(struct slot *, size_t page_bytes, size_t limit, uint32_t node);

/* Free pages of hugetlbfs's pool that nobody has reserved, in bytes. */
size_t pool_bytes(size_t page_bytes, uint32_t node);

/* By the system's mode, and to this process: prctl(PR_SET_THP_DISABLE) is inherited. */
bool thp_allowed(void);

#endif
