/* SPDX-License-Identifier: MIT */
/* `memtype`: the machine has no memory types. */
#include "tests/kam/judge/truth.h"

/* Without ring 0 there is no choice of memory types: every row says so. */
static void memory_types(const struct judged *j)
{
	json_t *line;
	size_t i;

	if (strcmp(text_of(j->run->run, "room"), "hosted"))
		return;
	json_array_foreach(j->run->rows, i, line)
		if (!strcmp(text_of(line, "probe"), "memtype"))
			tally_wrong(j->tally, "memtype", "measured in room hosted");
}

const struct truth truth_memtype = { .rows = memory_types };
