/* SPDX-License-Identifier: MIT */
/* Rows of `code`: instructions of the user's own, of which the machine states what they take. */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/truth.h"

/*
 * Returns the cycles stated for the bytes of a copy: a chain's latency, or the throughput of the
 * units for four side by side.
 */
static double stated(const struct cpu *c, const char *code)
{
	double multiplied = (double)c->multiply, added = (double)c->fp_add;

	if (!strcmp(code, "48 0f af c0")) /* imul rax, rax */
		return multiplied;
	if (!strcmp(code, "48 0f af c0 48 0f af c0 90"))
		return 2 * multiplied;
	if (!strcmp(code, "48 11 d8")) /* adc rax, rbx */
		return 1;
	if (!strcmp(code, "48 8b 36")) /* mov rsi, [rsi] */
		return (double)c->level[0].latency;
	if (!strcmp(code, "f2 0f 58 c0")) /* addsd xmm0, xmm0 */
		return added;
	return NAN;
}

/* Two blocks, between four stamps that may each be a step off. */
static struct wanted snippet(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	const char *code = text_of(json_object_get(row, "more"), "code");
	double cycles = stated(c, code), turns = fmax(param_of(row, "loop"), 1);
	double off = 4 * step_cycles(c) / (param_of(row, "unroll") * turns);

	if (isnan(cycles) || !undisturbed(c))
		return anything();
	return between(less(cycles, OPERATION_LESS) - off, more(cycles, ISSUED_MORE) + off);
}

static const struct row_rule rules[] = {
	ROWS("snippet", CYCLES, snippet),
};

const struct truth truth_code = { RULES(rules) };
