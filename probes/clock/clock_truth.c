/* SPDX-License-Identifier: MIT */
/* `clock`: time stamps, adds, divisions, the core's clock. */
#include <math.h>

#include "tests/kam/judge/run_rules.h"
#include "tests/kam/judge/truth.h"

TOLERANCE(STAMP, 1, "%", "of many in a row")
TOLERANCE(STAMP_CYCLES, 3, "cycles", "the first and the last stamp of a sample")
TOLERANCE(FENCE_LESS, 1, "cycles", "a fence is left with the group behind it")
TOLERANCE(FENCE_MORE, 2, "cycles",
	"each of two fences is left a cycle later at most by what it held back")
TOLERANCE(ADD, 1, "%", "the turn of the loop")
TOLERANCE(UNFENCED, 5, "cycles", "two stamps without a fence, and the moves between")
TOLERANCE(TIMER, 9, "cycles", "the instructions around two stamps")
TOLERANCE(REMAINDERS, 12, "cycles", "the moves around three divisions")
TOLERANCE(AROUND_CALLS, 500, "instructions",
	"of a call around its loop, its time stamps, and plain C nearby")

#define STAMPS       64    /* groups of eight between two stamps, of which each may be a step off */
#define CLOCK_GRAINS 600.0 /* the chain beside a sample: steps of the TSC, or */
#define CLOCK_TURNS  32.0  /* so many turns; engine/core_clock.c */
#define TURN         66.0  /* 64 adds, a count and a jump */
#define ADDS_TURNS   256.0 /* of `adds-plain` */

static struct wanted stamps(const struct cpu *c, double cycles, double each)
{
	double room = cycles * STAMP / 100 + (STAMP_CYCLES + 2 * step_cycles(c)) / each;

	return between(cycles - room, cycles + room);
}

/* Reading is not pipelined. */
static struct wanted bare_stamp(const struct judged *j, json_t *row, unsigned of)
{
	return stamps(j->cpu, (double)j->cpu->tsc_cycles, STAMPS * 8);
}

/* Each of two fences waits; the instruction that it held back starts a cycle later at most. */
static struct wanted fenced_stamp(const struct judged *j, json_t *row, unsigned of)
{
	double cycles = (double)(j->cpu->tsc_cycles + 2 * j->cpu->fence);

	return between(cycles - FENCE_LESS,
		cycles + FENCE_MORE + 2 * step_cycles(j->cpu) / (STAMPS * 8));
}

/* Two readings, and a sum in memory that waits for neither. */
static struct wanted scoped_timer(const struct judged *j, json_t *row, unsigned of)
{
	double cycles = (double)(2 * j->cpu->tsc_cycles);

	return between(less(cycles, STAMP),
		cycles + TIMER + 2 * step_cycles(j->cpu) / (STAMPS * 8));
}

static struct wanted serialised_stamp(const struct judged *j, json_t *row, unsigned of)
{
	return stamps(j->cpu, (double)(j->cpu->cpuid_cycles + j->cpu->tsc_cycles), 16);
}

/*
 * Ticks between two reads that follow one another, as a whole number of the counter's steps; of
 * readings that lack some, these may be all that is between them.
 */
static struct wanted counter_step(const struct judged *j, json_t *row, unsigned of)
{
	double step = (double)j->cpu->tsc_step;
	double pair = (double)j->cpu->tsc_cycles * (double)j->cpu->tsc_hz / (double)j->cpu->hz;

	if (j->cpu->tsc_jitter)
		return between((double)j->cpu->tsc_jitter, step);
	return between(fmax(step, floor(pair / step - 1) * step), ceil(pair / step + 1) * step);
}

static struct wanted adds(const struct judged *j, double cycles)
{
	return within(cycles * 1e9 / (double)j->cpu->hz,
		ADD + 100 * 2 * step_cycles(j->cpu) / 16384);
}

/*
 * A turn is 64 adds, one after the other, a count and a jump: these two take time where one
 * instruction enters a cycle, or one computation starts.
 */
static struct wanted plain_add(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double enter = ceil(66 / (double)c->width);
	double start = (c->fold ? 65 : 66) / (double)c->alus;

	if (c->predictor == PREDICTOR_NEVER)
		return anything();
	return adds(j, fmax(64, fmax(enter, start)) / 64);
}

/* An add without the part that turns of two lengths have in common. */
static struct wanted one_add(const struct judged *j, json_t *row, unsigned of)
{
	return adds(j, 1);
}

/* Core cycles in a second, of which jitter takes a part: half of `jitter_ticks` each time. */
static double clock_beside_jitter(const struct cpu *c)
{
	double between = (double)c->jitter_every / (double)c->hz * (double)c->tsc_hz;
	double taken = c->jitter_every ? (double)c->jitter_ticks / 2 : 0;

	return (double)c->hz * (taken > 0 ? between / (between + taken) : 1);
}

static struct wanted gigahertz(const struct judged *j, json_t *row, unsigned of)
{
	if (j->cpu->unseen_every) /* the median is of samples with a gap, or of those without */
		return anything();
	return within(clock_beside_jitter(j->cpu) / 1e9, CLOCK);
}

/*
 * The divisions are so few that the overhead of the stamps would show if it were not subtracted.
 * Each stamp may be off by one step of the counter.
 */
static struct wanted divisions(const struct judged *j, json_t *row, unsigned of)
{
	double cycles = 3 * (double)j->cpu->divide, room = STAMP_CYCLES + 2 * step_cycles(j->cpu);

	return between(cycles - room, cycles + room);
}

/* Two stamps without a fence: the second does not wait for the divisions between them. */
static struct wanted unfenced_remainders(const struct judged *j, json_t *row, unsigned of)
{
	double stamps = (double)(2 * j->cpu->tsc_cycles), room = UNFENCED + 2 * step_cycles(j->cpu);

	return between(0, stamps + room);
}

/* Stamps that wait include all three divisions, and at most one stamp with its fences. */
static struct wanted fenced_remainders(const struct judged *j, json_t *row, unsigned of)
{
	double divided = 3 * (double)j->cpu->divide;
	double stamps = (double)(2 * j->cpu->tsc_cycles + 4 * j->cpu->fence);

	return between(divided, divided + stamps + REMAINDERS + 2 * step_cycles(j->cpu));
}

/* The chain of adds between two chains that measure the clock. */
static void counted_adds(const struct judged *j)
{
	const struct cpu *c = j->cpu;
	json_t *row = row_with(j, "clock", "adds-plain", NULL, 0, NULL);
	double grains = CLOCK_GRAINS * step_cycles(c);
	double turns = ADDS_TURNS + 2 * fmax(CLOCK_TURNS, floor(grains / 64));

	if (row && counts_all(j))
		judge_count(j, "counts:instructions", count_of(row, "instructions"), TURN * turns,
			TURN * turns + AROUND_CALLS);
}

static void expect_clock(struct expected_list *l)
{
	double hz = clock_beside_jitter(l->cpu);

	expect_percent(l, "core_clock_hz", hz, CLOCK, CLOCK_TEXT);
	expect_percent(l, "core_tsc_ratio", hz / (double)l->cpu->tsc_hz, CLOCK, CLOCK_TEXT);
}

static const struct row_rule rules[] = {
	ROWS_AS("three_divisions", "div3-lfence", CYCLES, divisions),
	ROWS("rem3-rdtsc", CYCLES, unfenced_remainders),
	ROWS("rem3-rdtscp", CYCLES, fenced_remainders),
	ROWS("rem3-fenced", CYCLES, fenced_remainders),
	ROWS("rdtsc", CYCLES, bare_stamp),
	ROWS("rdtscp", CYCLES, bare_stamp),
	ROWS("lfence-rdtsc", CYCLES, fenced_stamp),
	ROWS("cpuid-rdtsc", CYCLES, serialised_stamp),
	ROWS("scoped-timer", CYCLES, scoped_timer),
	ROWS("step", MEDIAN, counter_step),
	ROWS("adds-plain", MEDIAN, plain_add),
	ROWS("adds-delta", MEDIAN, one_add),
	ROWS("core-clock", MEDIAN, gigahertz),
};

static const struct row_unit units[] = { { "core-clock", "GHz" }, { "adds-", "ns/op" }, { 0 } };

const struct truth truth_clock = {
	RULES(rules),
	.rows = counted_adds,
	.expect = expect_clock,
	.units = units,
};
