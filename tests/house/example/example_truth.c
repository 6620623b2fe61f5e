/* SPDX-License-Identifier: MIT */
/* Rules for the rows of `example` on a simulated machine. */
#include "tests/kam/judge/truth.h"

/* An add takes a cycle, and its loop a little more. */
static struct wanted one_cycle(const struct judged *j, json_t *row, unsigned of)
{
	return undisturbed(j->cpu) ? between(1, 1.5) : anything();
}

static const struct row_rule rules[] = {
	ROWS("adds", CYCLES, one_cycle),
};

const struct truth truth_example = { RULES(rules) };
