/* SPDX-License-Identifier: MIT */
/* The questions that the rows of a run answer, in the order of their importance: answers.inc. */
#ifndef ENGINE_ANSWERS_H
#define ENGINE_ANSWERS_H

#include "engine/bench.h"

extern const struct answer_facts {
	uint8_t profile; /* the smallest that answers it */
	bool core;
} answers[ANSWERS];
/* Returns what is answered: "latency against size, and of each level". */
const char *answer_text(enum answer);

#endif
