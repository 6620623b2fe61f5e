/* SPDX-License-Identifier: MIT */
/*
 * Rows against what the machine makes of them. A family of rows has a table of rules in a file
 * rows_*.c; a rule is a closed form wherever there is one.
 */
#ifndef TESTS_KAM_JUDGE_ROW_RULES_H
#define TESTS_KAM_JUDGE_ROW_RULES_H

#include <stddef.h>

#include "tests/kam/judge/judged_run.h"
#include "tests/kam/judge/stream_oracle.h"
#include "tests/kam/judge/conditions.h"
#include "tests/kam/judge/tolerances.h"

/* What a row's number must be; nothing is asked where `low` is NAN. */
struct wanted {
	double value, low, high;
};

/* Of rows: which of their numbers a rule is about. */
enum row_number { CYCLES, MEDIAN, BYTES_PER_CYCLE };

struct row_rule {
	const char *name; /* as printed; NULL: PROBE:VARIANT */
	const char *probe, *variant;
	enum row_number number;
	struct wanted (*wanted)(const struct judged *, json_t *row, unsigned of);
	unsigned of;       /* what `wanted` takes for several variants, each of its own */
	const char *level; /* NULL: any, also none */
};

/* A rule, and what it has besides; one that is printed by another name. */
#define ROWS(p, v, ...) ROWS_AS(NULL, p, v, __VA_ARGS__)
#define ROWS_AS(text, p, v, ...)                                                                   \
	{                                                                                          \
		.name = text, .probe = p, .variant = v, __VA_ARGS__                                \
	}

/* A parameter of the machine as such an `of`, and what it is. */
#define CPU(member) offsetof(struct cpu, member)

static inline uint64_t cpu_number(const struct cpu *c, unsigned member)
{
	return *(const uint64_t *)((const char *)c + member);
}

/* The rules of all families, and those that hold for every row. */
void judge_rows(const struct judged *);

/* Each row that a rule is about. */
void judge_rules(const struct judged *, const struct row_rule *, size_t n);

/* What is wrong with a row, whatever it measures, or NULL: row_statistics.c. */
const char *row_statistics_fault(const struct judged *, json_t *row);

/* The families. */
void judge_clock_rows(const struct judged *);
void judge_latency_rows(const struct judged *);
void judge_chase_rows(const struct judged *);
void judge_mlp_rows(const struct judged *);
void judge_bandwidth_rows(const struct judged *);
void judge_stream_rows(const struct judged *);
void judge_roofs(const struct judged *);
void judge_work_rows(const struct judged *);
void judge_branch_rows(const struct judged *);
void judge_source_rows(const struct judged *);
void judge_atomics_rows(const struct judged *);
void judge_backend_rows(const struct judged *);
void judge_code_rows(const struct judged *);
void judge_cores_rows(const struct judged *);
void judge_indirect_rows(const struct judged *);
void judge_frontend_rows(const struct judged *);
void judge_limits_rows(const struct judged *);
void judge_privileged_rows(const struct judged *);
void judge_storeload_rows(const struct judged *);
void judge_skew_rows(const struct judged *);
void judge_smm_rows(const struct judged *);
void judge_walks_rows(const struct judged *);
void judge_wake_rows(const struct judged *);

/* Within so many per cent of a value; between two; nothing asked. */
struct wanted within(double value, double percent);
struct wanted between(double low, double high);
struct wanted anything(void);

/* By how many per cent a stream through so many bytes beyond L1 may differ from the oracle's. */
double stream_percent(const struct judged *, double bytes, enum stream_op);
/* What the oracle's rate is at least in a row's samples, which may be parts of a pass. */
struct stream_rate stream_in_samples(const struct judged *, json_t *row, struct stream_rate);

double row_number(json_t *row, enum row_number);
/* The first row of that variant with this parameter (NULL: any) and level (NULL: any), or NULL. */
json_t *row_with(const struct judged *, const char *probe, const char *variant, const char *param,
	double value, const char *level);
/* Which level a row's canonical level is: 0 for "l1"; cpu_levels() for memory; -1: none. */
int level_of(const struct cpu *, json_t *row);
/* Cycles of a load that hits in a level, or in memory: cpu_levels(). */
double level_latency(const struct cpu *, unsigned level);

#endif
