/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/judge/check.h"
#include "tests/kam/judge/cores_bound.h"
#include "tests/kam/judge/expected.h"
#include "tests/kam/judge/floors.h"
#include "tests/kam/judge/judged_run.h"
#include "tests/kam/judge/row_rules.h"
#include "tests/kam/judge/run_rules.h"
#include "tests/kam/judge/stated.h"
#include "tests/kam/judge/tolerances.h"

#define FOOT   1.1 /* where 10 % of a soft rise lie, over the capacity: docs/method.md */
#define OCTAVE 2.0 /* the longest step of a sweep: a bracket reaches one beyond the rise */

/* The widest bracket of a value that no bisection finds, as a multiple of the value. */
#define WIDE_MOST 2

enum judge_verdict { RIGHT, WRONG, NO_VALUE, EXCUSED, UNSTATED, NOT_MEASURED };

#define GRID_FULL 1.1892071 /* a quarter of an octave */

static double grid_of(json_t *run)
{
	const char *profile = text_of(run, "profile");

	return !strcmp(profile, "smoke") ? 2 : !strcmp(profile, "default") ? M_SQRT2 : GRID_FULL;
}

/*
 * Returns what is wrong with an edge whose rise may be soft, or NULL: the rise must hold the truth,
 * and the bracket must not reach beyond the rise.
 */
static const char *rise_fault(const struct expected *d, json_t *line)
{
	double low = number_of(line, "low"), high = number_of(line, "high");
	double low_soft = number_of(line, "rise_10"), high_soft = number_of(line, "rise_90");
	double middle = number_of(line, "rise_50");

	if (isnan(low_soft) || isnan(middle) || isnan(high_soft))
		return high - low > d->widest ? "a wide low..high without rise_10, rise_50, rise_90"
					      : NULL;
	if (low_soft > middle || middle > high_soft)
		return "rise_10 <= rise_50 <= rise_90 does not hold";
	if (low < less(low_soft / OCTAVE, RISE) || high > more(high_soft * OCTAVE, RISE))
		return "low..high reaches more than an octave beyond rise_10..rise_90";
	return d->value < low_soft / FOOT || d->value > high_soft
		? "the expected value is outside rise_10..rise_90"
		: NULL;
}

/*
 * Returns what is wrong with the bracket, or NULL: if there must be one, the truth is inside, and
 * it is no wider than bisection leaves it.
 */
static const char *bracket_fault(const struct expected *d, json_t *line)
{
	double low = number_of(line, "low"), high = number_of(line, "high");

	if (!d->bracketed)
		return high - low > WIDE_MOST * d->value + (d->high - d->low)
			? "low..high is too wide"
			: NULL;
	if (isnan(low))
		return "there is no low..high";
	if (!expected_within(d, low, high))
		return "the expected value is outside low..high";
	if (d->soft)
		return rise_fault(d, line);
	return high - low > d->widest ? "low..high is too wide" : NULL;
}

/* Returns true if a line says only "at least so many". */
static bool is_at_least(json_t *line)
{
	return !isnan(number_of(line, "low")) && json_is_null(json_object_get(line, "high"));
}

/* Returns what is wrong with a summary line that has a value, or NULL. */
static const char *fault(const struct judged *j, const struct expected *d, json_t *line)
{
	double value = number_of(line, "value");

	if (is_at_least(line))
		return value > more(d->value, AT_LEAST) ? "there is less"
			: value < d->least              ? "there are more"
			: d->by_turns && value < d->low
			? "the neighbour was not there at each moment"
			: NULL;
	if (d->must_be_unresolved)
		return "expected \"not resolved\"";
	if (value < d->low || value > d->high)
		return "out of tolerance";
	if (value > d->below && value < d->above)
		return "between two levels, of which it must be one";
	if (d->form && strcmp(text_of(line, "form"), d->form))
		return "of another form";
	if (d->exact_where_tried && value != d->value &&
		row_with(j, "latency", "pointer-padded", "bytes", d->value, NULL))
		return "this size was measured: it is the last that fits";
	return bracket_fault(d, line);
}

/* Returns why a rule of the probe's truth allows "not resolved", or NULL. */
static const char *excuse(const struct expected *d)
{
	return d->must_be_unresolved ? d->must_be_unresolved : d->may_be_unresolved;
}

static enum judge_verdict verdict_of(const struct judged *j, const struct expected *d, json_t *line)
{
	if (!is_measured(line) && !(excuse(d) && was_asked_for(j, d->name)))
		return NOT_MEASURED;
	if (right_by_floor(j, line, d))
		return RIGHT;
	if (!isnan(number_of(line, "value")) &&
		(fault(j, d, line) || !is_at_least(line) || excuse(d)))
		return fault(j, d, line) ? WRONG : RIGHT;
	if (!excuse(d))
		return NO_VALUE;
	return d->stated ? EXCUSED : UNSTATED;
}

static void say(const struct judged *j, const struct expected *d, json_t *line, bool too_many)
{
	switch (verdict_of(j, d, line)) {
	case NOT_MEASURED:
		judge_unmeasured(j, d->name);
		break;
	case NO_VALUE:
		tally_unresolved(j->tally, d->name, d->value,
			is_at_least(line) ? "so many or more" : text_of(line, "reason"), too_many);
		break;
	case EXCUSED:
		tally_excused(j->tally, d->name, excuse(d));
		break;
	case UNSTATED:
		tally_wrong(j->tally, d->name,
			"not resolved, and its machine's file does not state that; a rule: %s",
			excuse(d));
		break;
	default:
		if (right_by_floor(j, line, d))
			tally_value(j->tally, d->name, d->value, number_of(line, "floor"),
				"by its floor", NULL);
		else
			tally_value(j->tally, d->name, d->value, number_of(line, "value"),
				d->tolerance, fault(j, d, line));
	}
}

/* Judge the floor of every line, also of those without a truth. */
static void judge_floors(const struct judged *j, struct expected_list *l)
{
	json_t *line;
	size_t i;

	json_array_foreach(j->run->summaries, i, line) {
		const char *name = text_of(line, "name");
		const char *wrong = floor_fault(j, line, expected_find(l, name));

		if (wrong)
			tally_wrong(j->tally, name, "%s", wrong);
	}
}

/* The truths of a run, which knows how much memory it had. */
static void expected_of(const struct judged *j, struct expected_list *l)
{
	double arena = number_of(j->run->run, "arena_bytes");
	json_t *simulated = json_object_get(j->run->run, "known_answer");
	double small = fmax(arena, number_of(simulated, "reach"));

	*l = (struct expected_list){
		.cpu = j->cpu,
		.chip = j->chip,
		.grid = j->grid,
		.memory = { small, fmax(small, number_of(simulated, "beside")) },
	};
	expected_values(l);
}

/* Judge each value of the summary by its truth; only a few may be "not resolved". */
static void judge_values(const struct judged *j)
{
	struct expected_list l;
	unsigned of[NOT_MEASURED + 1] = { 0 };
	bool too_many;

	expected_of(j, &l);
	mark_stated(j, &l);
	for (size_t i = 0; i < l.n; i++)
		of[verdict_of(j, &l.out[i], summary_of(j->run, l.out[i].name))]++;
	too_many = of[NO_VALUE] * 100 > UNRESOLVED * (of[RIGHT] + of[WRONG] + of[NO_VALUE]);
	for (size_t i = 0; i < l.n; i++)
		say(j, &l.out[i], summary_of(j->run, l.out[i].name), too_many);
	judge_floors(j, &l);
}

static void judge_run(const struct cpu *chip, const struct run_lines *run, struct tally *tally)
{
	const struct cpu near = cores_seen_from(chip, 0, (unsigned)chip->arena_node);
	const struct judged j = { &near, chip, run, tally, grid_of(run->run) };

	judge_run_line(&j);
	judge_skips(&j);
	judge_plan(&j);
	judge_summary_lines(&j);
	judge_rows_differ(&j);
	judge_values(&j);
	judge_rows(&j);
	judge_counted_events(&j);
}

/* A file has a run for each room, not two of one. */
static void judge_rooms(const struct result_file *f, struct tally *tally)
{
	size_t i, k;

	for (i = 0; i < f->n; i++)
		for (k = 0; k < i; k++)
			if (!strcmp(text_of(f->runs[i].run, "room"),
				    text_of(f->runs[k].run, "room")))
				tally_wrong(tally, "run", "the file has two runs of room '%s'",
					text_of(f->runs[i].run, "room"));
}

static void must_be_ours(const struct result_file *f, const char *path)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (strcmp(text_of(f->runs[i].run, "hypervisor"), "known-answer") ||
			!json_is_true(json_object_get(f->runs[i].run, "emulated")))
			fatal("%s: does not say that it comes from the known-answer machine", path);
}

/* A result of the machine, opened. */
static void open_result(struct cpu *cpu, struct result_file *f, const char *ini, const char *result,
	struct tally *tally)
{
	cpu_read(cpu, ini);
	cpu_divide(cpu, cpu, cpu->sibling == SIBLING_PAUSE);
	result_file_read(f, result, tally);
	must_be_ours(f, result);
}

int check_result(const char *ini, const char *result)
{
	struct tally tally = { .room = "" };
	struct result_file f;
	struct cpu cpu;
	size_t i;

	open_result(&cpu, &f, ini, result, &tally);
	judge_rooms(&f, &tally);
	for (i = 0; i < f.n; i++) {
		tally.room = f.n > 1 ? text_of(f.runs[i].run, "room") : "";
		judge_run(&cpu, &f.runs[i], &tally);
	}
	printf("%s: %u judged, %u wrong, %u not resolved, %u excused, %u not measured\n", cpu.name,
		tally.right + tally.wrong + tally.unresolved + tally.excused, tally.wrong,
		tally.unresolved, tally.excused, tally.unmeasured);
	result_file_free(&f);
	return tally.wrong ? 1 : 0;
}

/*
 * Returns true if a value is right, however wide its bracket: the truth is in the bracket or, if
 * there is none, within the tolerance.
 */
static bool holds(const struct expected *d, json_t *line)
{
	double value = number_of(line, "value");
	double low = number_of(line, "low"), high = number_of(line, "high");

	if (is_at_least(line))
		return value <= more(1, AT_LEAST) * d->value;
	if (d->must_be_unresolved)
		return false;
	if (isnan(low))
		return value >= d->low && value <= d->high;
	if (d->soft && !isnan(number_of(line, "rise_10")) && !rise_fault(d, line))
		return true;
	return d->bracketed ? expected_within(d, low, high) : low <= d->high && high >= d->low;
}

static void print_held(const struct expected *d, json_t *line)
{
	printf("%s %.4f %s %.7g %.7g %.7g %.7g\n", d->name, number_of(line, "confidence"),
		holds(d, line) ? "right" : "wrong", number_of(line, "value"),
		number_of(line, "low"), number_of(line, "high"), d->value);
}

int print_values(const char *ini, const char *result)
{
	struct tally tally = { .room = "" };
	struct expected_list l;
	struct result_file f;
	struct cpu cpu;
	size_t i, k;

	open_result(&cpu, &f, ini, result, &tally);
	for (i = 0; i < f.n; i++) {
		const struct cpu near = cores_seen_from(&cpu, 0, (unsigned)cpu.arena_node);
		const struct judged j = { &near, &cpu, &f.runs[i], &tally, grid_of(f.runs[i].run) };

		expected_of(&j, &l);
		for (k = 0; k < l.n; k++) {
			json_t *line = summary_of(j.run, l.out[k].name);

			if (!isnan(number_of(line, "value")))
				print_held(&l.out[k], line);
		}
	}
	result_file_free(&f);
	return tally.wrong ? 1 : 0;
}
