/* SPDX-License-Identifier: MIT */
/*
 * Memory to measure in: mappings of one page size, populated, between guard pages; which pages they
 * really have, on which node they lie, and how much memory there is.
 */
#ifndef LINUX_MAPPING_H
#define LINUX_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "linux/hosted.h"

/* Anonymous memory aligned to page_bytes: with 2 MiB transparent pages allowed, or forbidden for
 * 4 KiB; on a node if there is room, NODE_UNKNOWN: anywhere. 0, or -1 with errno. */
int mapping_anonymous(struct slot *s, size_t bytes, size_t page_bytes, uint32_t node);

void mapping_free(struct slot *s);

/* On which NUMA node memory lies. By system calls: a kernel without NUMA lacks them. */

/*
 * Has pages that are not there yet come from a node while it has any (mbind(2), MPOL_PREFERRED: a
 * strict binding would have the kernel kill somebody when the node is full). NODE_UNKNOWN: nothing.
 */
void memory_prefer(void *base, size_t bytes, uint32_t node);

/*
 * The node of all pages looked at, NODE_UNKNOWN: several, or not known. One page of each 2 MiB is
 * asked for (move_pages(2)), and at most 4096.
 */
uint32_t memory_node(const void *base, size_t bytes);

/* What pages a mapping really has, as the kernel's /proc/PID/smaps tells (proc(5)). */

struct smaps_entry {
	uint64_t start, end;  /* addresses */
	uint64_t kernel_page; /* bytes: hugetlbfs page size, else 4096 */
	uint64_t resident;    /* bytes present, hugetlb included */
	uint64_t huge;        /* bytes of it in transparent 2 MiB pages */
	uint64_t locked;      /* bytes locked */
};

/* Finds the mapping that holds `address` in an open smaps. 0, or -1: not there. */
int smaps_find(FILE *smaps, uint64_t address, struct smaps_entry *out);

/*
 * The one page size in which all of [base, base + bytes) is present; 0 when it is mixed or partly
 * absent, when the range is not one whole mapping, or when /proc/self/smaps cannot be read (then
 * *known is false).
 */
uint64_t pages_verify(const void *base, uint64_t bytes, bool *known);

/* The judgement of pages_verify on an entry; for tests. */
uint64_t pages_judge(const struct smaps_entry *entry, uint64_t start, uint64_t bytes);

/* Pages of one size for a mapping: of hugetlbfs's pool, transparent huge pages, or ordinary. */

#define SMALLEST_ARENA (16 * MIB)

#endif
