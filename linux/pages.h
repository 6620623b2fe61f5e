/* SPDX-License-Identifier: MIT */
/* What pages a mapping really has, as the kernel's /proc/PID/smaps tells (proc(5)). */
#ifndef LINUX_PAGES_H
#define LINUX_PAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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

#endif
