/* SPDX-License-Identifier: MIT */
/* Mappings of one page size, populated, between guard pages; and how much memory there is. */
#ifndef LINUX_MAPPING_H
#define LINUX_MAPPING_H

#include <stddef.h>
#include <stdint.h>

#include "linux/hosted.h"

/* Anonymous memory aligned to page_bytes: with 2 MiB transparent pages allowed, or forbidden for
 * 4 KiB; on a node if there is room, NODE_UNKNOWN: anywhere. 0, or -1 with errno. */
int mapping_anonymous(struct slot *s, size_t bytes, size_t page_bytes, uint32_t node);

/* From hugetlbfs's pool. */
int mapping_hugetlb(struct slot *s, size_t bytes, size_t page_bytes, uint32_t node);

/* As mapping_anonymous, but nothing is touched yet. */
int mapping_reserve(struct slot *s, size_t bytes, size_t page_bytes);

void mapping_free(struct slot *s);

/* Bytes that can be had without swapping: MemAvailable, within the control group's limit. */
uint64_t memory_available(void);

#endif
