/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "tests/kam/declare.h"
#include "tests/kam/die.h"

struct list {
	struct declared *out;
	size_t n;
	double grid;
};

static struct declared *add(struct list *l, const char *name, double value, double low,
	double high, const char *tolerance)
{
	struct declared *d = &l->out[l->n++];

	if (l->n > DECLARED)
		die("more than %d declarations", DECLARED);
	*d = (struct declared){ name, value, low, high, NAN, tolerance, NULL };
	return d;
}

/* Found by a sweep: at most one size of it away. */
static struct declared *capacity(struct list *l, const char *name, double value)
{
	double grid = l->grid * 1.01; /* sizes are rounded to lines */

	return add(l, name, value, value / grid, value * grid, "a grid step");
}

static void percent(struct list *l, const char *name, double value, double p, const char *text)
{
	add(l, name, value, value * (1 - p / 100), value * (1 + p / 100), text);
}

static double claim(uint64_t said, uint64_t truth)
{
	uint64_t value = said == UINT64_MAX ? truth : said;

	return value ? (double)value : NAN;
}

static void caches(struct list *l, const struct cpu *c)
{
	static const char *const bytes[] = { "l1d_bytes", "l2_bytes", "l3_bytes" };
	static const char *const cycles[] = { "l1d_latency_cycles", "l2_latency_cycles",
		"l3_latency_cycles" };
	const uint64_t said[] = { c->claims.l1_bytes, c->claims.l2_bytes, c->claims.l3_bytes };
	unsigned i;

	for (i = 0; i < cpu_levels(c); i++) {
		capacity(l, bytes[i], (double)c->level[i].bytes)->claimed =
			claim(said[i], c->level[i].bytes);
		percent(l, cycles[i], (double)c->level[i].latency, 1, "1 %");
	}
	percent(l, "memory_latency_cycles", (double)c->memory_latency, 1, "1 %");
}

static void core(struct list *l, const struct cpu *c)
{
	double p = (double)c->penalty;

	percent(l, "core_tsc_ratio", (double)c->hz / (double)c->tsc_hz, 0.2, "0.2 %");
	/* Bits in a register: the branch resolves a cycle or two after the test of its bit. */
	add(l, "mispredict_cycles", p, p + 0.7, p + 2.7, "P + 1.7, 1 cycle");
	capacity(l, "predictor_branches", (double)c->capacity);
	capacity(l, "branch_targets", (double)c->targets);
	/* Depths are tried in steps of 4 from there on. */
	add(l, "return_stack", (double)c->returns, (double)c->returns - 4, (double)c->returns,
		"a grid step");
}

/* Machines say themselves what cannot be recovered from them: "name = not resolved: reason". */
static void exceptions(struct list *l, const struct cpu *c)
{
	static const char words[] = "not resolved: ";
	size_t i, n;

	for (i = 0; i < c->expects; i++) {
		for (n = 0; n < l->n && strcmp(l->out[n].name, c->expect[i].name); n++)
			;
		if (n == l->n)
			die("expect.%s: nothing of that name is judged", c->expect[i].name);
		if (strncmp(c->expect[i].text, words, strlen(words)))
			die("expect.%s: must be '%s' and the reason", c->expect[i].name, words);
		l->out[n].unresolved = c->expect[i].text + strlen(words);
	}
}

size_t declare(const struct cpu *c, double grid, struct declared out[DECLARED])
{
	struct list l = { out, 0, grid };

	caches(&l, c);
	core(&l, c);
	exceptions(&l, c);
	return l.n;
}
