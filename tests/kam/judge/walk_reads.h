/* SPDX-License-Identifier: MIT */
/* What a walk costs on a machine, by the entries of tables that it must read. */
#ifndef TESTS_KAM_JUDGE_WALK_READS_H
#define TESTS_KAM_JUDGE_WALK_READS_H

#include <stdbool.h>

#include "tests/kam/cpu/cpu.h"

/*
 * Core cycles of a walk through so many tables, after one for a page whose entries differ in the
 * lowest `reads` tables alone; upper_lost: after none, and all paging-structure caches are empty.
 * Of the lowest `flushed` tables the entry's line comes from memory, else from L1. NAN: no closed
 * form.
 */
double walk_reads_cycles(const struct cpu *, unsigned levels, unsigned reads, unsigned flushed,
	bool upper_lost);

#endif
