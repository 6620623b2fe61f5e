/* SPDX-License-Identifier: MIT */
/* A processor from SIPI to the instruction that turns paging on, in real mode. */
#ifndef TESTS_KAM_IMAGE_REAL_MODE_H
#define TESTS_KAM_IMAGE_REAL_MODE_H

#include "tests/kam/image/full_system.h"

/* The processor's state when it leaves real mode. */
struct left_real_mode {
	uint64_t cr0, cr3, cr4, gdt_base, gdt_limit;
	uint64_t rip; /* where the far jump leads that follows */
};

/*
 * Runs from the first byte of `page` with the model-specific registers in place. False: it faulted,
 * halted or did not get there; the machine has been told so (system_wrong).
 */
bool real_mode_run(struct full_system *, uint64_t page, struct left_real_mode *);

#endif
