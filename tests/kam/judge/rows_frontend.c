/* SPDX-License-Identifier: MIT */
/* Rows of `frontend`: what an instruction of code takes that is so large. */
#include "tests/kam/judge/front_end_bound.h"
#include "tests/kam/judge/row_rules.h"

static struct wanted code(const struct judged *j, json_t *row)
{
	struct code_bounds b;

	if (!undisturbed(j->cpu) || j->cpu->predictor == PREDICTOR_NEVER ||
		!code_row(j->cpu, text_of(row, "variant"), param_of(row, "bytes"), !in_layer_b(j),
			&b))
		return anything();
	return between(b.low, b.high);
}

void judge_frontend_rows(const struct judged *j)
{
#define CODE(variant)                                                                              \
	{                                                                                          \
		"frontend:" variant, "frontend", variant, NULL, CYCLES, code                       \
	}
	static const struct row_rule rules[] = { CODE("dense"), CODE("six"), CODE("short"),
		CODE("long"), CODE("jump-inside"), CODE("jump-end") };
#undef CODE

	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
}
