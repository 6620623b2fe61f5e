/* SPDX-License-Identifier: MIT */
/* Rows and values of `wake`: the time until another CPU executes, and until its clock is up. */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/run_rules.h"
#include "tests/kam/judge/truth.h"

TOLERANCE(WAKE, 20, "cycles", "the loop that waits sees the answer between two loads; seen: 12")
TOLERANCE(WAKE_CHAINS, 1.5, "us", "a chain and what plain C takes beside it; seen: 1.2")
TOLERANCE(WAKE_FIRST, 2, "%", "the stamps of a chain are in its own clock, too")
TOLERANCE(WAKE_TIMER, 0.15, "us", "what plain C takes to read the counter")

#define PAUSED_NS 6500 /* plain C waits so long in layer b until another CPU goes on */

static double hop(const struct cpu *c, json_t *row)
{
	bool thread = c->threads > 1 && param_of(row, "cpu") == 1;

	return (double)(thread ? c->wake.hop_thread : c->wake.hop);
}

/*
 * Returns the ns to leave MWAIT; a CPU that has not waited long enough is still in the state of
 * hint 0.
 */
static double leave_mwait(const struct cpu *c, json_t *row)
{
	bool settled = param_of(row, "dwell_us") >= (double)c->wake.settle_us;

	return (double)cpu_exit_ns(c, settled ? (uint64_t)param_of(row, "hint") : 0);
}

/* The parts of a wake-up: a line or an interrupt to the CPU, and the end of its wait. */
enum { BY_LINE = 0, INTERRUPT = 1, BY_NMI = 2, HALTED = 4, IN_MWAIT = 8 };

static struct wanted wake(const struct judged *j, json_t *row, unsigned by)
{
	const struct cpu *c = j->cpu;
	double room = (double)WAKE * 1e9 / (double)c->hz;
	double ns = by & INTERRUPT ? (double)c->wake.ipi
		: by & BY_NMI      ? (double)c->wake.nmi
				   : hop(c, row);

	if (!c->wake.ipi)
		return anything();
	ns += by & HALTED ? (double)c->wake.hlt : by & IN_MWAIT ? leave_mwait(c, row) : 0;
	return between(ns - room, ns + room);
}

/* Without a ramp the clock is up from the first chain on, which begins when the CPU goes on. */
static struct wanted up(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double ramp = 1e3 * (double)c->wake.ramp_us;

	if (!c->wake.ipi)
		return anything();
	return ramp > 0 ? between(ramp, ramp + WAKE_CHAINS * 1e3)
			: between(0, PAUSED_NS + WAKE_CHAINS * 1e3);
}

static struct wanted timer(const struct judged *j, json_t *row, unsigned by)
{
	const struct cpu *c = j->cpu;
	double ns = (double)c->wake.timer + (by & HALTED ? (double)c->wake.hlt : 0);

	return c->wake.timer ? between(ns, ns + WAKE_TIMER * 1e3) : anything();
}

static const struct row_rule rules[] = {
	ROWS("store-pause", MEDIAN, wake, BY_LINE),
	ROWS("store-mwait", MEDIAN, wake, BY_LINE | IN_MWAIT),
	ROWS("interrupt-pause", MEDIAN, wake, INTERRUPT),
	ROWS("interrupt-hlt", MEDIAN, wake, INTERRUPT | HALTED),
	ROWS("interrupt-mwait", MEDIAN, wake, INTERRUPT | IN_MWAIT),
	ROWS("nmi-hlt", MEDIAN, wake, BY_NMI | HALTED),
	ROWS("clock-hlt", MEDIAN, up),
	ROWS("clock-mwait", MEDIAN, up),
	ROWS("timer-pause", MEDIAN, timer),
	ROWS("timer-hlt", MEDIAN, timer, HALTED),
};

/* Returns the truth of the row that a value rests on; anything() if there is none. */
static struct wanted value_of(const struct judged *j, const char *variant, bool deepest)
{
	const struct row_rule *rule = rules;
	json_t *row, *best = NULL;
	size_t i;

	while (strcmp(rule->variant, variant))
		rule++;
	json_array_foreach(j->run->rows, i, row)
		if (is_row(row, "wake", variant) &&
			(!best ||
				(deepest && param_of(row, "cpu") == param_of(best, "cpu") &&
					param_of(row, "hint") > param_of(best, "hint"))))
			best = row;
	if (!best || !j->cpu->wake.ipi ||
		(deepest && rule->wanted == wake && !param_of(best, "hint")))
		return anything();
	return rule->wanted(j, best, rule->of);
}

/* Judges the clock of the first chains, where a row shows it. */
static void first_clocks(const struct judged *j)
{
	const struct cpu *c = j->cpu;
	double percent = c->wake.ramp_us > 0 ? (double)c->wake.ramp_percent : 100;
	double truth = (double)c->hz / 1e9 * percent / 100;
	json_t *row;
	size_t i;

	json_array_foreach(j->run->rows, i, row) {
		double got = number_of(json_object_get(row, "more"), "first_ghz");

		if (!isnan(got) && c->wake.ipi)
			tally_value(j->tally, "wake:first_ghz", truth, got, WAKE_FIRST_TEXT,
				got >= less(truth, WAKE_FIRST) && got <= more(truth, WAKE_FIRST)
					? NULL
					: "out of tolerance");
	}
}

static void judge_value(const struct judged *j, const char *name, struct wanted w)
{
	json_t *line = summary_of(j->run, name);
	double got = line ? number_of(line, "value") : NAN;
	const char *wrong = NULL;

	if (!is_measured(line)) {
		if (!isnan(w.low))
			tally_wrong(j->tally, name, "not there, expected %.6g", w.value);
		else if (line)
			judge_unmeasured(j, name);
		return;
	}
	if (!(got >= w.low && got <= w.high))
		wrong = isnan(w.low) ? "no row says so" : "out of tolerance";
	tally_value(j->tally, name, w.value, got, WAKE_TEXT, wrong);
}

static void values(const struct judged *j)
{
	first_clocks(j);
	judge_value(j, "wake_hlt_ns", value_of(j, "interrupt-hlt", false));
	judge_value(j, "wake_mwait_ns", value_of(j, "store-mwait", false));
	judge_value(j, "wake_deepest_ns", value_of(j, "store-mwait", true));
	judge_value(j, "wake_clock_ns", value_of(j, "clock-mwait", true));
	judge_value(j, "wake_timer_ns", value_of(j, "timer-hlt", false));
}

const struct truth truth_wake = { RULES(rules), .rows = values };
