/* SPDX-License-Identifier: MIT */
/*
 * Judge rows by the numbers that the machine must give. A probe's truth has a table of rules for
 * its rows (truth.h); a rule is a closed form wherever there is one.
 */
#ifndef TESTS_KAM_JUDGE_ROW_RULES_H
#define TESTS_KAM_JUDGE_ROW_RULES_H

#include <stddef.h>

#include "tests/kam/judge/judged_run.h"
#include "tests/kam/judge/conditions.h"
#include "tests/kam/judge/tolerances.h"

/* The bounds of a row's number; low NAN: any number is right. */
struct wanted {
	double value, low, high;
};

/* The number of a row that a rule is about. */
enum row_number { CYCLES, MEDIAN, BYTES_PER_CYCLE };

struct row_rule {
	const char *name; /* as printed; NULL: PROBE:VARIANT */
	const char *variant;
	enum row_number number;
	struct wanted (*wanted)(const struct judged *, json_t *row, unsigned of);
	unsigned of;       /* what `wanted` takes for several variants, each of its own */
	const char *level; /* NULL: any, also none */
};

/* A rule with its other members; a rule that is printed by another name. */
#define ROWS(v, ...) ROWS_AS(NULL, v, __VA_ARGS__)
#define ROWS_AS(text, v, ...)                                                                      \
	{                                                                                          \
		.name = text, .variant = v, __VA_ARGS__                                            \
	}

/* A parameter of the machine as the `of` of a rule, and its value. */
#define CPU(member) offsetof(struct cpu, member)

static inline uint64_t cpu_number(const struct cpu *c, unsigned member)
{
	return *(const uint64_t *)((const char *)c + member);
}

/* Judges all rows by the truth of their probe, and by what holds for every row. */
void judge_rows(const struct judged *);

/* Judges each row of the probe that a rule is about. */
void judge_rules(const struct judged *, const char *probe, const struct row_rule *, size_t n);

/* Returns what is wrong with a row, whatever it measures, or NULL: row_statistics.c. */
const char *row_statistics_fault(const struct judged *, json_t *row);

/* Judges a shape that a source shows: `slow` must be at least `factor` times `fast`. */
void judge_slower(const struct judged *, const char *name, double slow, double fast, double factor);

/* Bounds within so many per cent of a value; between two numbers; without limits. */
struct wanted within(double value, double percent);
struct wanted between(double low, double high);
struct wanted anything(void);

double row_number(json_t *row, enum row_number);
/*
 * Returns the first row of that variant with this parameter (NULL: any) and level (NULL: any), or
 * NULL.
 */
json_t *row_with(const struct judged *, const char *probe, const char *variant, const char *param,
	double value, const char *level);
/*
 * Returns the cycles of the first row of that variant with this parameter (NULL: any); NAN: there
 * is none.
 */
double cycles_of(const struct judged *, const char *probe, const char *variant, const char *param,
	double value);
/* Returns the number of a row's canonical level: 0 for "l1"; cpu_levels() for memory; -1: none. */
int level_of(const struct cpu *, json_t *row);
/* Returns the cycles of a load that hits in a level, or in memory: cpu_levels(). */
double level_latency(const struct cpu *, unsigned level);

#endif
