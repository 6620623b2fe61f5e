/* SPDX-License-Identifier: MIT */
/* The input of every part of the judge: one run, and the machine that it should have measured. */
#ifndef TESTS_KAM_JUDGE_JUDGED_RUN_H
#define TESTS_KAM_JUDGE_JUDGED_RUN_H

#include <string.h>

#include "tests/kam/cpu/cpu.h"
#include "tests/kam/judge/result_file.h"
#include "tests/kam/judge/tally.h"

struct judged {
	const struct cpu *cpu;  /* with memory as the first core has the arena */
	const struct cpu *chip; /* as its file states it */
	const struct run_lines *run;
	struct tally *tally;
	double grid; /* factor from one size of a sweep to the next */
};

static inline bool in_layer_b(const struct judged *j)
{
	return !strcmp(text_of(json_object_get(j->run->run, "known_answer"), "layer"), "b");
}

#endif
