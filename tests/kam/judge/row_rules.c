/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kam/judge/truth.h"

struct wanted within(double value, double percent)
{
	return (struct wanted){ value, value * (1 - percent / 100), value * (1 + percent / 100) };
}

struct wanted between(double low, double high)
{
	return (struct wanted){ (low + high) / 2, low, high };
}

struct wanted anything(void)
{
	return (struct wanted){ NAN, NAN, NAN };
}

double row_number(json_t *row, enum row_number which)
{
	if (which == BYTES_PER_CYCLE)
		return number_of(json_object_get(row, "more"), "bytes_per_cycle");
	return number_of(row, which == CYCLES ? "cycles" : "median");
}

json_t *row_with(const struct judged *j, const char *probe, const char *variant, const char *param,
	double value, const char *level)
{
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row)
		if (is_row(row, probe, variant) && (!param || param_of(row, param) == value) &&
			(!level || !strcmp(text_of(row, "level"), level)))
			return row;
	return NULL;
}

double cycles_of(const struct judged *j, const char *probe, const char *variant, const char *param,
	double value)
{
	json_t *row = row_with(j, probe, variant, param, value, NULL);

	return row ? number_of(row, "cycles") : NAN;
}

int level_of(const struct cpu *c, json_t *row)
{
	const char *level = text_of(row, "level");

	if (!strcmp(level, "memory"))
		return (int)cpu_levels(c);
	return level[0] == 'l' && level[1] ? level[1] - '1' : -1;
}

double level_latency(const struct cpu *c, unsigned level)
{
	return level < cpu_levels(c) ? (double)c->level[level].latency : memory_cycles(c);
}

/* Write the rule's name with the row's level and parameters. */
static void describe(char *out, size_t room, const char *name, json_t *row)
{
	json_t *params = json_object_get(row, "params"), *v;
	const char *key, *level = text_of(row, "level");
	size_t n = (size_t)snprintf(out, room, "%s%s%s", name, *level ? " " : "", level);

	json_object_foreach(params, key, v)
		if (n < room)
			n += (size_t)snprintf(out + n, room - n, " %s=%.0f", key,
				json_number_value(v));
}

static bool applies(const char *probe, const struct row_rule *rule, json_t *row)
{
	return is_row(row, probe, rule->variant) &&
		(!rule->level || !strcmp(rule->level, text_of(row, "level")));
}

/* Print one line for all rows that are right, so that the wrong ones stand out. */
static void judge_rule(const struct judged *j, const char *probe, const struct row_rule *rule)
{
	unsigned right = 0, all = 0;
	char own[64], name[160];
	json_t *row;
	size_t i;

	snprintf(own, sizeof(own), "%s:%s", probe, rule->variant);
	json_array_foreach(j->run->rows, i, row) {
		struct wanted w =
			applies(probe, rule, row) ? rule->wanted(j, row, rule->of) : anything();
		double got = row_number(row, rule->number);

		if (isnan(w.low))
			continue;
		all++;
		if (got >= w.low && got <= w.high) {
			right++;
			continue;
		}
		describe(name, sizeof(name), rule->name ? rule->name : own, row);
		tally_wrong(j->tally, name, "expected %.6g..%.6g, got %.6g", w.low, w.high, got);
	}
	if (all && right == all)
		tally_right(j->tally, rule->name ? rule->name : own, all, "rows");
}

void judge_rules(const struct judged *j, const char *probe, const struct row_rule *rules, size_t n)
{
	for (size_t i = 0; i < n; i++)
		judge_rule(j, probe, &rules[i]);
}

void judge_slower(const struct judged *j, const char *name, double slow, double fast, double factor)
{
	char text[48];

	if (isnan(slow) || isnan(fast))
		return;
	snprintf(text, sizeof(text), "%.2f and more", factor);
	tally_value(j->tally, name, factor, slow / fast, text,
		slow >= factor * fast ? NULL : "the shape of the source is missing");
}

/*
 * The core clock around the samples: 2048 adds between two stamps, of which each may be off by one
 * step of the counter.
 */
static bool clock_fits(const struct cpu *c, double hz)
{
	double ticks = 2048.0 * (double)c->tsc_hz / (double)c->hz;
	double room = ROW_CLOCK / 100 + 2 * (double)c->tsc_step / ticks;

	return isnan(hz) || !undisturbed(c) || fabs(hz / (double)c->hz - 1) <= room;
}

/* Returns what is wrong with a row, whatever it measures, or NULL. */
static const char *row_fault(const struct judged *j, json_t *row)
{
	if (strcmp(text_of(row, "origin"), "measured"))
		return "its origin is not 'measured'";
	if (!clock_fits(j->cpu, number_of(row, "core_hz")))
		return "its core clock is of another machine";
	return row_statistics_fault(j, row);
}

static void judge_every_row(const struct judged *j)
{
	unsigned right = 0;
	char name[160], variant[64];
	double before = 0;
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row) {
		double at = number_of(row, "at_seconds");
		const char *wrong = row_fault(j, row);

		if (!wrong && !(at >= before))
			wrong = "it was done before the row above it";
		before = fmax(before, at);
		right += !wrong;
		if (!wrong)
			continue;
		snprintf(variant, sizeof(variant), "%s:%s", text_of(row, "probe"),
			text_of(row, "variant"));
		describe(name, sizeof(name), variant, row);
		tally_wrong(j->tally, name, "%s", wrong);
	}
	if (right && right == json_array_size(j->run->rows))
		tally_right(j->tally, "every_row", right, "rows");
}

void judge_rows(const struct judged *j)
{
	judge_every_row(j);
	for (size_t i = 0; i < truth_count; i++) {
		const struct truth *t = truths[i].truth;

		judge_rules(j, truths[i].probe, t->rules, t->rule_count);
		if (t->rows)
			t->rows(j);
	}
}
