/* SPDX-License-Identifier: MIT */
/*
 * CPUID and MSRs of the processor that executes this, or of a test's double; the rate of its TSC.
 */
#ifndef KERNEL_CPU_MSR_H
#define KERNEL_CPU_MSR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cpuid.h"

struct cpu_ops {
	struct cpuid (*cpuid)(uint32_t leaf, uint32_t subleaf);
	/* Returns 0, or the vector of the exception that the access raised. */
	int (*read)(uint32_t msr, uint64_t *value);
	int (*write)(uint32_t msr, uint64_t value);
};
extern const struct cpu_ops this_cpu;

/* Ticks of the TSC, as kernel/cpu/tsc.h chose; 0: not known, or not yet. */
extern uint64_t tsc_per_second;

enum cpu_vendor cpu_vendor(const struct cpu_ops *);
bool cpu_has_leaf(const struct cpu_ops *, uint32_t leaf);
/* The answer with sub-leaf 0; all zeros if there is no such leaf. */
struct cpuid cpu_leaf(const struct cpu_ops *, uint32_t leaf);

/*
 * Changes of model-specific registers that can be undone. Every access may fault (no such MSR) or
 * be ignored (emulators): a change counts only if it reads back. The old value stands in a journal
 * until it is restored.
 */

#define MSR_CHANGES 24

/* Values of one processor's MSRs from before we changed them. */
struct msr_journal {
	const struct cpu_ops *cpu;
	unsigned n;
	struct {
		uint32_t msr;
		bool moves; /* a counter: it need not read back what was written */
		uint64_t before;
	} list[MSR_CHANGES];
};

enum msr_result {
	MSR_CHANGED,
	MSR_ABSENT,  /* it faults */
	MSR_IGNORED, /* it does not read back as written; the old value is written again */
	MSR_FULL,    /* the journal is full: nothing was done */
};

/* Set the bits of `mask` to those of `value`; the other bits stay. */
enum msr_result msr_change(struct msr_journal *, uint32_t msr, uint64_t mask, uint64_t value);
/* Set the whole of a counter, which may move on its own as soon as it is enabled. */
enum msr_result msr_preset(struct msr_journal *, uint32_t msr, uint64_t value);
/*
 * Note that others will overwrite this MSR, with its value now as the old one: it is written back
 * when changes are restored. Returns MSR_CHANGED also if the journal has it already.
 */
enum msr_result msr_keep(struct msr_journal *, uint32_t msr);
/* Restore one MSR; do nothing if it was not changed. */
void msr_undo(struct msr_journal *, uint32_t msr);
/*
 * Restore all changes but the `first` ones, the last one first, on the processor that they were
 * made on. Returns how many MSRs did not get their old value back.
 */
unsigned msr_restore(struct msr_journal *, unsigned first);
/* The result in words; "" for MSR_CHANGED. */
const char *msr_why(enum msr_result);

#endif
