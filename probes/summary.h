/* SPDX-License-Identifier: MIT */
/*
 * From the measured rows to the machine: what the curves say of caches, memory, branches and
 * translation, beside what CPUID claims. The definitions are in docs/method.md, "summary"; the
 * pure part, curves in and numbers out, is probes/infer.h.
 */
#ifndef PROBES_SUMMARY_H
#define PROBES_SUMMARY_H

struct bench;

/*
 * After stage 0: fills b->caches from the padded latency curve; what the curve does not show stays
 * 0. Emits nothing. May be called again.
 */
void summary_caches(struct bench *);

/* At the end of a run: emits one summary line per value and prints the card of the machine. */
void summary_run(struct bench *);

#endif
