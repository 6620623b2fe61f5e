/* SPDX-License-Identifier: MIT */
/* Rows of `limits`: instructions of a kind, as many in a cycle as the machine lets. */
#include <math.h>

#include "tests/kam/judge/limits_bound.h"
#include "tests/kam/judge/row_rules.h"

#define APART 30720.0 /* instructions of a sample, between four stamps that may be a step off */

static struct wanted rate(const struct judged *j, json_t *row)
{
	const struct cpu *c = j->cpu;
	double is = limits_bound(c, text_of(row, "variant"));
	double step = (double)c->tsc_step * (double)c->hz / (double)c->tsc_hz;

	if (isnan(is) || !undisturbed(c))
		return anything();
	return between(less(is, OPERATION_LESS) - 4 * step / APART,
		more(is, ISSUED_MORE) + 4 * step / APART);
}

void judge_limits_rows(const struct judged *j)
{
#define LIMIT(variant)                                                                             \
	{                                                                                          \
		"limits:" variant, "limits", variant, NULL, CYCLES, rate                           \
	}
	static const struct row_rule rules[] = {
		LIMIT("nop"),
		LIMIT("add"),
		LIMIT("lea"),
		LIMIT("imul"),
		LIMIT("shl"),
		LIMIT("load-64"),
		LIMIT("load-128"),
		LIMIT("store-64"),
		LIMIT("store-128"),
		LIMIT("load-store"),
		LIMIT("branch-not-taken"),
		LIMIT("branch-taken"),
		LIMIT("vector-128"),
		LIMIT("mix"),
	};
#undef LIMIT

	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
}
