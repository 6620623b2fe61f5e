/* SPDX-License-Identifier: MIT */
/* Rows and values of `wake`: until another CPU executes, and until its clock is up. */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/row_rules.h"
#include "tests/kam/judge/run_rules.h"

#define PAUSED_NS 6500 /* plain C waits so long in layer b until another CPU goes on */

static double hop(const struct cpu *c, json_t *row)
{
	bool thread = c->threads > 1 && param_of(row, "cpu") == 1;

	return (double)(thread ? c->wake.hop_thread : c->wake.hop);
}

/* One that has not waited long enough is in the state of hint 0 yet. */
static double leave_mwait(const struct cpu *c, json_t *row)
{
	bool settled = param_of(row, "dwell_us") >= (double)c->wake.settle_us;

	return (double)cpu_exit_ns(c, settled ? (uint64_t)param_of(row, "hint") : 0);
}

/* The true time of a row, ns; NAN: that of a clock. */
static double woken(const struct cpu *c, json_t *row)
{
	const char *variant = text_of(row, "variant");
	double interrupt = (double)c->wake.ipi, halted = (double)c->wake.hlt;

	if (!strcmp(variant, "store-pause"))
		return hop(c, row);
	if (!strcmp(variant, "store-mwait"))
		return hop(c, row) + leave_mwait(c, row);
	if (!strcmp(variant, "interrupt-pause"))
		return interrupt;
	if (!strcmp(variant, "interrupt-hlt"))
		return interrupt + halted;
	if (!strcmp(variant, "interrupt-mwait"))
		return interrupt + leave_mwait(c, row);
	return !strcmp(variant, "nmi-hlt") ? (double)c->wake.nmi + halted : NAN;
}

static struct wanted wake(const struct judged *j, json_t *row)
{
	const struct cpu *c = j->cpu;
	double ns = woken(c, row), room = (double)WAKE * 1e9 / (double)c->hz;

	return c->wake.ipi ? between(ns - room, ns + room) : anything();
}

/* Without a ramp the clock is up from the first chain on, which begins when the CPU goes on. */
static struct wanted up(const struct judged *j, json_t *row)
{
	const struct cpu *c = j->cpu;
	double ramp = 1e3 * (double)c->wake.ramp_us;

	(void)row;
	if (!c->wake.ipi)
		return anything();
	return ramp > 0 ? between(ramp, ramp + WAKE_CHAINS * 1e3)
			: between(0, PAUSED_NS + WAKE_CHAINS * 1e3);
}

static struct wanted timer(const struct judged *j, json_t *row)
{
	const struct cpu *c = j->cpu;
	bool halted = !strcmp(text_of(row, "variant"), "timer-hlt");
	double ns = (double)c->wake.timer + (halted ? (double)c->wake.hlt : 0);

	return c->wake.timer ? between(ns, ns + WAKE_TIMER * 1e3) : anything();
}

/* What the machine makes of the row that a value is of; NAN: there is none. */
static struct wanted value_of(const struct judged *j, const char *variant, bool deepest)
{
	json_t *row, *best = NULL;
	size_t i;

	json_array_foreach(j->run->rows, i, row)
		if (is_row(row, "wake", variant) &&
			(!best ||
				(deepest && param_of(row, "cpu") == param_of(best, "cpu") &&
					param_of(row, "hint") > param_of(best, "hint"))))
			best = row;
	if (!best || !j->cpu->wake.ipi ||
		(deepest && !strcmp(variant, "store-mwait") && !param_of(best, "hint")))
		return anything();
	return variant[0] == 'c' ? up(j, best) : variant[0] == 't' ? timer(j, best) : wake(j, best);
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

void judge_wake_rows(const struct judged *j)
{
#define RULE(variant, wanted)                                                                      \
	{                                                                                          \
		"wake:" variant, "wake", variant, NULL, MEDIAN, wanted                             \
	}
	static const struct row_rule rules[] = {
		RULE("store-pause", wake),
		RULE("store-mwait", wake),
		RULE("interrupt-pause", wake),
		RULE("interrupt-hlt", wake),
		RULE("interrupt-mwait", wake),
		RULE("nmi-hlt", wake),
		RULE("clock-hlt", up),
		RULE("clock-mwait", up),
		RULE("timer-pause", timer),
		RULE("timer-hlt", timer),
	};
#undef RULE

	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
	judge_value(j, "wake_hlt_ns", value_of(j, "interrupt-hlt", false));
	judge_value(j, "wake_mwait_ns", value_of(j, "store-mwait", false));
	judge_value(j, "wake_deepest_ns", value_of(j, "store-mwait", true));
	judge_value(j, "wake_clock_ns", value_of(j, "clock-mwait", true));
	judge_value(j, "wake_timer_ns", value_of(j, "timer-hlt", false));
}
