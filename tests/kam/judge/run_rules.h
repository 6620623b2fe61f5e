/* SPDX-License-Identifier: MIT */
/* Rules of a run that hold on every machine: its run line, its summary lines, its skips. */
#ifndef TESTS_KAM_JUDGE_RUN_RULES_H
#define TESTS_KAM_JUDGE_RUN_RULES_H

#include "tests/kam/judge/judged_run.h"

/* The run line names the machine and the layer, and fits the room. */
void judge_run_line(const struct judged *);
/*
 * Judges each summary line: a known name, once; its unit, confidence, bracket, `agrees` and reason;
 * no claim if CPUID claims nothing. Each line that the machine must have is there.
 */
void judge_summary_lines(const struct judged *);
/* Returns true if a summary line is there and was measured; the line may be NULL. */
bool is_measured(json_t *line);
/* Returns true if the run should have measured the rows that this value rests on. */
bool was_asked_for(const struct judged *, const char *name);
/* Judges a value that was not measured: wrong if its rows were asked for. */
void judge_unmeasured(const struct judged *, const char *name);
/* No row was given up because its proof failed. */
void judge_skips(const struct judged *);
/* No row occurs twice. */
void judge_rows_differ(const struct judged *);
/* Everything that was asked for was measured, or skipped with a reason: run_plan.c. */
void judge_plan(const struct judged *);
/* The run line names the events that the machine can count, and no others: counted_events.c. */
void judge_counted_events(const struct judged *);
/* Returns true if the run counts all events. */
bool counts_all(const struct judged *);
/* Returns how often the event happened in a sample of a row, on the average. */
double count_of(json_t *row, const char *event);
void judge_count(const struct judged *, const char *name, double got, double low, double high);
/* Returns true if there is a row of this variant and level (NULL: any), or a skip. */
bool was_planned(const struct judged *, const char *probe, const char *variant, const char *level);

#endif
