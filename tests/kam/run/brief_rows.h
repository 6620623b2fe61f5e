/* SPDX-License-Identifier: MIT */
/*
 * Rows of layer A, where nothing disturbs a sample and a simulator's time is dear: some are left
 * out, the others have few samples. The linker's --wrap (tests/kam/rules.mk) puts this file's
 * plan_add and measure_row in front of the engine's.
 */
#ifndef TESTS_KAM_RUN_BRIEF_ROWS_H
#define TESTS_KAM_RUN_BRIEF_ROWS_H

#include <stdbool.h>

struct brief_rows {
	/* Leave out the rows of the default probes that no checked parameter depends on. */
	bool fewer;
	/* Samples of a row that does not name a number itself; 0: as many as the engine takes. */
	unsigned samples;
};

extern struct brief_rows brief_rows;

#endif
