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

void mapping_free(struct slot *s);

/* On which NUMA node memory lies. By system calls: a kernel without NUMA lacks them. */

/* What pages a mapping really has, as the kernel's /proc/PID/smaps tells (proc(5)). */

struct smaps_entry {
	uint64_t start, end;  /* addresses */
	uint64_t kernel_page; /* bytes: hugetlbfs page size, else 4096 */
	uint64_t resident;    /* bytes present, hugetlb included */
	uint64_t huge;        /* bytes of it in transparent 2 MiB pages */
	uint64_t locked;      /* bytes locked */
};

/* Pages of one size for a mapping: of hugetlbfs's pool, transparent huge pages, or ordinary. */

#define SMALLEST_ARENA (16 * MIB)

#endif
