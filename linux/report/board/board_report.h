/* SPDX-License-Identifier: MIT */
/* The findings of a run on the firmware, as a text for the board's maker. */
#ifndef REPORT_BOARD_BOARD_REPORT_H
#define REPORT_BOARD_BOARD_REPORT_H

#include "linux/report/reading/results.h"

/*
 * Write what the probes skew, smm and noise found as Markdown: each finding with its limit and the
 * source of the limit, the machine, how it was measured, and how to see it again. Nothing is
 * written of a run that has no row of these probes. It has no identity of the machine.
 */
void board_report_print(const struct run_data *, FILE *out);

#endif
