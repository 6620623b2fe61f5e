/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "tests/kam/cpu/chip.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/judge/cores_bound.h"
#include "tests/kam/judge/cores_rows.h"

#define HOP        0.03  /* tolerances, of one */
#define CLOCK      0.002 /* of the core clock */
#define NEAR       0.01  /* of L1 and L2 */
#define FAR        0.015 /* of memory */
#define RATE       0.02  /* of what is read */
#define WRITTEN    0.5   /* of a bound: write-backs compete with fills */
#define LOADED     0.15  /* of the latency under full load: lines do not queue evenly */
#define LAST_TIMES 4     /* memory is so many times what the last caches hold */

/* What a row's number must be, in its own unit. */
struct wanted {
	double low, high;
};

struct cores_rule {
	const char *variant;
	struct wanted (*wanted)(const struct cpu *, json_t *row);
	unsigned (*rows)(const struct cpu *); /* how many there must be */
};

static double param(json_t *row, const char *name)
{
	json_t *v = json_object_get(json_object_get(row, "params"), name);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static unsigned number(json_t *row, const char *name)
{
	double v = param(row, name);

	return isnan(v) || v < 0 || v >= CORES_MOST ? 0 : (unsigned)v;
}

static struct wanted within(double value, double tolerance)
{
	return (struct wanted){ value * (1 - tolerance), value * (1 + tolerance) };
}

static double ns(const struct cpu *c, double cycles)
{
	return cycles * 1e9 / (double)c->hz;
}

static double gbs(const struct cpu *c, double bytes_per_cycle)
{
	return bytes_per_cycle * (double)c->hz / 1e9;
}

static struct wanted bounce(const struct cpu *c, json_t *row)
{
	return within(ns(c, hop_cycles(c, number(row, "cpu_a"), number(row, "cpu_b"))), HOP);
}

static struct wanted latency_of_node(const struct cpu *c, json_t *row)
{
	double cycles = node_latency(c, number(row, "cpu_node"), number(row, "memory_node"));

	return within(ns(c, cycles), FAR);
}

static struct wanted read_of_node(const struct cpu *c, json_t *row)
{
	double rate = node_read(c, number(row, "cpu_node"), number(row, "memory_node"));

	return within(gbs(c, rate), RATE);
}

static struct wanted clock(const struct cpu *c, json_t *row)
{
	(void)row;
	return within((double)c->hz / 1e9, CLOCK);
}

static struct wanted l1(const struct cpu *c, json_t *row)
{
	(void)row;
	return within(ns(c, (double)c->level[0].latency), NEAR);
}

static struct wanted l2(const struct cpu *c, json_t *row)
{
	(void)row;
	return within(ns(c, (double)c->level[1].latency), NEAR);
}

/* Memory is memory only where the last caches of those CPUs cannot hold it. */
static bool in_last_caches(const struct cpu *c, json_t *row)
{
	unsigned n = number(row, "cpus"), domains = n ? cpu_domain_of(c, n - 1) + 1 : 1;

	return param(row, "bytes") < (double)(LAST_TIMES * domains * c->level[2].bytes);
}

static const struct wanted never = { INFINITY, -INFINITY };

/* Streams of the first CPUs; a part of what is bounded, where lines are written. */
static struct wanted stream(const struct cpu *c, json_t *row, double reads, double writes)
{
	double bound = gbs(c, cores_bound(c, number(row, "cpus"), reads, writes));

	if (in_last_caches(c, row))
		return never;
	return (struct wanted){ bound * (writes > 0 ? WRITTEN : 1 - RATE), bound * (1 + RATE) };
}

static struct wanted reads(const struct cpu *c, json_t *row)
{
	return stream(c, row, 1, 0);
}

static struct wanted writes(const struct cpu *c, json_t *row)
{
	return stream(c, row, 0, 1);
}

static struct wanted as_many(const struct cpu *c, json_t *row)
{
	return stream(c, row, 1, 1);
}

static struct wanted mix_3_1(const struct cpu *c, json_t *row)
{
	return stream(c, row, 3, 1);
}

static struct wanted mix_2_1(const struct cpu *c, json_t *row)
{
	return stream(c, row, 2, 1);
}

/* Alone it is memory's; under full load it is that of a queue; between, between them. */
static struct wanted loaded(const struct cpu *c, json_t *row)
{
	unsigned n = number(row, "cpus");
	double idle = ns(c, (double)c->memory_latency), full = ns(c, loaded_latency(c, n));

	if (n <= 1)
		return within(idle, FAR);
	if (param(row, "pause_ns") > 0)
		return (struct wanted){ idle * (1 - FAR), full * (1 + LOADED) };
	return within(full, LOADED);
}

static unsigned each(const struct cpu *c)
{
	return (unsigned)c->cpus;
}

static unsigned pairs(const struct cpu *c)
{
	return (unsigned)(c->cpus * (c->cpus - 1) / 2);
}

static unsigned node_pairs(const struct cpu *c)
{
	return (unsigned)(c->nodes * c->nodes);
}

/* One CPU, and all of them. */
static unsigned two(const struct cpu *c)
{
	(void)c;
	return 2;
}

static const struct cores_rule rules[] = {
	{ "bounce", bounce, pairs },
	{ "read", reads, two },
	{ "write", writes, two },
	{ "copy", as_many, two },
	{ "mix-3-1", mix_3_1, two },
	{ "mix-2-1", mix_2_1, two },
	{ "mix-1-1", as_many, two },
	{ "loaded-latency", loaded, two },
	{ "cpu-clock", clock, each },
	{ "cpu-l1", l1, each },
	{ "cpu-l2", l2, each },
	{ "node-latency", latency_of_node, node_pairs },
	{ "node-read", read_of_node, node_pairs },
};

#define RULES (sizeof(rules) / sizeof(*rules))

static void describe(char *out, size_t room, json_t *row)
{
	json_t *v;
	const char *key;
	size_t n = (size_t)snprintf(out, room, "cores:%s",
		json_string_value(json_object_get(row, "variant")));

	json_object_foreach(json_object_get(row, "params"), key, v)
		if (n < room && strcmp(key, "page_bytes"))
			n += (size_t)snprintf(out + n, room - n, " %s=%.0f", key,
				json_number_value(v));
}

/* Whether the row is right. */
static bool judge_row(const struct cpu *c, const struct cores_rule *rule, json_t *row)
{
	struct wanted w = rule->wanted(c, row);
	double got = json_number_value(json_object_get(row, "median"));
	bool right = got >= w.low && got <= w.high;
	char name[160], want[64] = "none: it lies in the last caches";

	describe(name, sizeof(name), row);
	if (w.low <= w.high)
		snprintf(want, sizeof(want), "%.5g..%.5g", w.low, w.high);
	printf("%-60s expected %-20s got %-10.5g %s\n", name, want, got, right ? "ok" : "WRONG");
	return right;
}

static bool is_of(json_t *line, const char *key, const char *value)
{
	const char *s = json_string_value(json_object_get(line, key));

	return s && !strcmp(s, value);
}

/* Each line of the file that is a row of a rule. */
static unsigned judge_lines(const struct cpu *c, FILE *f, unsigned found[RULES])
{
	unsigned wrong = 0;
	size_t i;
	json_t *line;

	while ((line = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL))) {
		for (i = 0; i < RULES; i++) {
			if (!is_of(line, "kind", "row") || !is_of(line, "probe", "cores") ||
				!is_of(line, "variant", rules[i].variant))
				continue;
			found[i]++;
			wrong += !judge_row(c, &rules[i], line);
		}
		json_decref(line);
	}
	return wrong;
}

unsigned judge_cores(const struct cpu *c, const char *result)
{
	unsigned found[RULES] = { 0 }, wrong, any = 0;
	FILE *f = fopen(result, "rb");
	size_t i;

	if (!f)
		fatal("%s: cannot be read", result);
	wrong = c->cpus > 1 ? judge_lines(c, f, found) : 0;
	fclose(f);
	for (i = 0; i < RULES; i++)
		any += found[i];
	for (i = 0; any && i < RULES; i++) {
		if (found[i] >= rules[i].rows(c))
			continue;
		wrong++;
		printf("cores:%-54s expected %u rows, got %u WRONG\n", rules[i].variant,
			rules[i].rows(c), found[i]);
	}
	return wrong;
}
