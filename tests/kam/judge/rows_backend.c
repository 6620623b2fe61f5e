/* SPDX-License-Identifier: MIT */
/* Rows of `backend`: two misses with instructions of a kind between them. */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/backend_bound.h"
#include "tests/kam/judge/row_rules.h"

#define AT_THE_EDGE 1.5 /* instructions: a row may be on either side */

/* As far as they fit, one miss; beyond, two, and before each what did not fit. */
static struct wanted misses(const struct judged *j, json_t *row)
{
	struct backend_kind kinds[BACKEND_KINDS];
	unsigned n = backend_kinds(j->cpu, kinds), i = 0;
	double latency = (double)j->cpu->memory_latency;

	while (i < n && strcmp(kinds[i].variant, text_of(row, "variant")))
		i++;
	if (i == n || !undisturbed(j->cpu) || j->cpu->predictor == PREDICTOR_NEVER ||
		j->cpu->row_bytes || backend_is_slow(j->cpu, &kinds[i]))
		return anything();
	double fillers = param_of(row, "entries") - kinds[i].entries;
	double beyond = fillers - kinds[i].fits, each = kinds[i].cycles;
	double walk = translation_cycles(j->cpu, param_of(row, "bytes"));

	if (fabs(beyond) < AT_THE_EDGE)
		return anything();
	if (beyond < 0)
		return between(less(latency, TWO_MISSES_LESS),
			more(latency + walk, TWO_MISSES_MORE) + 2 * fillers * each);
	return between(less(2 * (latency + beyond * each), TWO_APART),
		more(2 * (latency + walk + beyond * each), TWO_APART_MORE));
}

void judge_backend_rows(const struct judged *j)
{
#define RULE(variant)                                                                              \
	{                                                                                          \
		"backend:" variant, "backend", variant, NULL, CYCLES, misses                       \
	}
	static const struct row_rule rules[] = {
		RULE("any"),
		RULE("integer"),
		RULE("vector"),
		RULE("load"),
		RULE("store"),
		RULE("branch"),
		RULE("add-waiting"),
		RULE("vector-waiting"),
		RULE("load-waiting"),
		RULE("store-waiting"),
	};
#undef RULE

	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
}
