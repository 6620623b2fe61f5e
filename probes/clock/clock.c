/* SPDX-License-Identifier: MIT */
/* The clock: what reading it costs, how fine it is, how fast the core runs, what fences change. */
#include "probes/probe.h"
#include "engine/core_clock.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "lib/stats.h"

#define STAMPS       64 /* groups of eight, or single cpuid */
#define DIVIDEND     0x7fffffffffffffffULL
#define DIVISOR      3
#define CHAIN_ROUNDS 256 /* of 64 adds */
#define CLOCK_TURNS  1024
#define OS_READS     256
#define ONE_CLOCK    1.01 /* highest over lowest clock of the rows, at most, to be called one */

static const char core_clock[] = "core-clock";

static const struct unit unit_ghz = { "GHz", SCALE_RATE };
static const struct unit unit_plain_ticks = { "ticks", SCALE_PLAIN };
static const struct unit unit_ns_call = { "ns/call", SCALE_NS };
static const struct unit unit_ns = { "ns", SCALE_NS };

static const struct stamp_style {
	const char *variant;
	loop_fn *loop;
	unsigned each;         /* stamps in a group */
	unsigned instructions; /* of a stamp; a group has two more, of its loop */
	uint32_t needs;
} stamps[] = {
	{ "rdtsc", loop_rdtsc, 8, 1 },
	{ "rdtscp", loop_rdtscp, 8, 1, NEED_RDTSCP },
	{ "lfence-rdtsc", loop_lfence_rdtsc, 8, 3 },
	{ "cpuid-rdtsc", loop_cpuid_rdtsc, 1, 3 },
	{ "scoped-timer", loop_scoped_timer, 8, 9 },
};

static const struct division {
	const char *variant;
	loop_fn *loop;
	uint32_t needs;
} divisions[] = {
	{ "div3-bare", loop_div_bare },
	{ "div3-rdtscp", loop_div_rdtscp, NEED_RDTSCP },
	{ "div3-lfence", loop_div_lfence },
	{ "div3-cpuid", loop_div_cpuid },
};

/* Godbolt's [G]: three remainders of int, timed with the stamps, which are not subtracted. */
#define CALLS 256 /* of a sample: each is a few steps of a coarse TSC at most */

static const struct remainders {
	const char *variant;
	loop_fn *loop;
	uint32_t needs;
} remainders[] = {
	{ "rem3-rdtsc", loop_rem3_rdtsc },
	{ "rem3-rdtscp", loop_rem3_rdtscp, NEED_RDTSCP },
	{ "rem3-fenced", loop_rem3_fenced, NEED_RDTSCP },
};

/* x % y % z % w: each divides, and leaves something to the next one. */
static const uint64_t dividend_and_divisors[LOOP_ARGS] = { 0x7fffffff, 0x1234567, 0x12345, 0x123 };

/* Parameters of the rows of each. */
struct stamp_spec {
	const struct stamp_style *stamp;
};

struct division_spec {
	const struct division *division;
};

struct remainders_spec {
	const struct remainders *remainders;
};

/*
 * Add the source's numbers of a clock: ns, instructions, and instructions a cycle, whose number is
 * known here.
 */
static void stamp_extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct stamp_style *s = row_spec(job->row, struct stamp_spec)->stamp;
	const struct result *r = &b->results[b->nresults - 1];
	double instructions = s->instructions + 2.0 / s->each;

	jsonl_number(l, "ns", ticks_to_ns(b, r->median));
	jsonl_number(l, "instructions", instructions);
	if (r->cycles > 0)
		jsonl_number(l, "ipc", instructions / r->cycles);
}

static int prepare_stamp(struct bench *b, const struct row *row, struct job *job)
{
	const struct stamp_style *s = row_spec(row, struct stamp_spec)->stamp;
	uint64_t groups = s->each == 1 ? 16 : STAMPS;
	const uint64_t args[LOOP_ARGS] = { groups };

	job_call(job, s->loop, 0, args);
	job->expect = groups;
	job->ops = (double)groups * s->each;
	job->extra = stamp_extra;
	return 0;
}

/* A sampler's work between two looks at the core clock. */
static uint64_t clock_before(struct bench *b)
{
	return (uint64_t)core_clock_ticks(b, b->clock_turns);
}

static void clock_after(struct bench *b, struct sample *s, uint64_t before)
{
	double after = core_clock_ticks(b, b->clock_turns);

	core_clock_around(b, (double)before, after, s);
}

/* With the divisions and without them in turns. */
static int sample_division(struct bench *b, struct job *job, struct sample *s)
{
	const uint64_t args[LOOP_ARGS] = { DIVIDEND, DIVISOR, 1 }, none[LOOP_ARGS] = { 0, DIVISOR };
	uint64_t before = clock_before(b), wrong = 0;
	double ticks = 0;

	for (unsigned i = 0; i < CALLS; i++) {
		struct timed t = call_loop(b, job->loop, args);

		ticks += (double)t.ticks - (double)call_loop(b, job->loop, none).ticks;
		wrong |= t.value ^ DIVIDEND / DIVISOR / DIVISOR / DIVISOR;
	}
	clock_after(b, s, before);
	s->value = ticks / CALLS;
	return wrong ? job_disproved(job, "the quotient is not that of plain C") : 0;
}

static int prepare_division(struct bench *b, const struct row *row, struct job *job)
{
	job->loop = row_spec(row, struct division_spec)->division->loop;
	job->sampler = sample_division;
	job->min_samples = 31;
	return 0;
}

static int sample_remainders(struct bench *b, struct job *job, struct sample *s)
{
	const uint64_t *a = dividend_and_divisors;
	uint64_t before = clock_before(b), wrong = 0, ticks = 0;

	for (unsigned i = 0; i < CALLS; i++) {
		struct timed t = call_loop(b, job->loop, a);

		ticks += t.ticks;
		wrong |= t.value ^ a[0] % a[1] % a[2] % a[3];
	}
	clock_after(b, s, before);
	s->value = ticks_to_ns(b, (double)ticks) / CALLS;
	return wrong ? job_disproved(job, "the remainders are not those of plain C") : 0;
}

static int prepare_remainders(struct bench *b, const struct row *row, struct job *job)
{
	job->loop = row_spec(row, struct remainders_spec)->remainders->loop;
	job->sampler = sample_remainders;
	job->min_samples = 31;
	return 0;
}

/* The smallest difference that is not 0 between the two reads of many pairs. */
static int sample_step(struct bench *b, struct job *job, struct sample *s)
{
	const uint64_t args[LOOP_ARGS] = { 4096 };
	uint64_t step = call_loop(b, loop_tsc_step, args).value;

	if (step == UINT64_MAX)
		return job_skip(job, "the TSC does not advance");
	s->value = (double)step;
	return 0;
}

/* Add the step in ns, for comparison with a clock that counts ns. */
static void step_extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	jsonl_number(l, "ns", ticks_to_ns(b, b->results[b->nresults - 1].min));
}

static int prepare_step(struct bench *b, const struct row *row, struct job *job)
{
	job->sampler = sample_step;
	job->extra = step_extra;
	return 0;
}

static int sample_core_clock(struct bench *b, struct job *job, struct sample *s)
{
	struct clock_reading c = core_clock_by_difference(b, CLOCK_TURNS);

	if (!(c.hz > 0))
		return job_skip(job, "the TSC is too coarse for %u adds", CLOCK_TURNS * 64);
	s->core_hz = c.hz;
	s->disturbed = c.disturbed;
	s->value = c.hz / 1e9;
	return 0;
}

static int prepare_core_clock(struct bench *b, const struct row *row, struct job *job)
{
	job->sampler = sample_core_clock;
	job->min_samples = 31;
	return 0;
}

/* Add the scatter of a method's samples: the range of the middle half, over the median. */
static void spread_extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	double *scratch = row_alloc(b, n * sizeof *scratch);

	if (!scratch)
		return;
	struct stats s = stats_of(values, n, scratch);

	if (s.median > 0)
		jsonl_number(l, "iqr_over_median", s.iqr / s.median);
}

static int prepare_adds(struct bench *b, const struct row *row, struct job *job)
{
	const uint64_t args[LOOP_ARGS] = { CHAIN_ROUNDS };

	job_call(job, loop_add_chain, 0, args);
	job->expect = CHAIN_ROUNDS * 64;
	job->ops = CHAIN_ROUNDS * 64;
	job->extra = spread_extra;
	return 0;
}

/* 2 N adds less N adds, in as many turns: all that both loops have in common cancels out. */
static int sample_delta(struct bench *b, struct job *job, struct sample *s)
{
	const uint64_t args[LOOP_ARGS] = { CHAIN_ROUNDS };
	double ticks = (double)call_loop(b, loop_add_chain_double, args).ticks -
		(double)call_loop(b, loop_add_chain, args).ticks;

	s->value = ticks_to_ns(b, ticks) / (CHAIN_ROUNDS * 64);
	return 0;
}

static int prepare_delta(struct bench *b, const struct row *row, struct job *job)
{
	job->sampler = sample_delta;
	job->extra = spread_extra;
	return 0;
}

/* The operating system's clock: mean cost of a call. */
static int sample_os_cost(struct bench *b, struct job *job, struct sample *s)
{
	uint64_t before = clock_before(b), start = b->room->now(b->room);

	for (unsigned i = 0; i < OS_READS; i++)
		b->room->system.os_clock_ns(b->room);
	s->value = ticks_to_ns(b, (double)(b->room->now(b->room) - start)) / OS_READS;
	clock_after(b, s, before);
	return 0;
}

static int sample_os_step(struct bench *b, struct job *job, struct sample *s)
{
	uint64_t smallest = UINT64_MAX, before = b->room->system.os_clock_ns(b->room);

	for (unsigned i = 0; i < OS_READS; i++) {
		uint64_t now = b->room->system.os_clock_ns(b->room);

		if (now > before && now - before < smallest)
			smallest = now - before;
		before = now;
	}
	if (smallest == UINT64_MAX)
		return job_skip(job, "the system's clock did not advance in %u reads", OS_READS);
	s->value = (double)smallest;
	return 0;
}

static int prepare_os(struct bench *b, struct job *job,
	int (*sampler)(struct bench *, struct job *, struct sample *))
{
	if (!b->room->system.os_clock_ns)
		return job_skip(job, "no operating system's clock in this room");
	job->sampler = sampler;
	job->ops = OS_READS;
	return 0;
}

static int prepare_os_cost(struct bench *b, const struct row *row, struct job *job)
{
	return prepare_os(b, job, sample_os_cost);
}

static int prepare_os_step(struct bench *b, const struct row *row, struct job *job)
{
	return prepare_os(b, job, sample_os_step);
}

static void add(struct bench *b, struct row row, double ops)
{
	row.cost_ns = 50 * (b->pace.ns_per_call + ops * b->pace.ns_per_near_load);
	plan_add(b, &row);
}

static void add_stamp(struct bench *b, const struct stamp_style *s)
{
	struct row row = row_new(s->variant, &unit_ticks, ANSWER_CLOCK, prepare_stamp);

	row.needs = s->needs;
	row_spec(&row, struct stamp_spec)->stamp = s;
	add(b, row, STAMPS * 8);
}

static void add_division(struct bench *b, const struct division *d)
{
	struct row row = row_new(d->variant, &unit_ticks, ANSWER_CLOCK, prepare_division);

	row.needs = d->needs;
	row_spec(&row, struct division_spec)->division = d;
	add(b, row, 6.0 * CALLS);
}

static void add_remainders(struct bench *b, const struct remainders *r)
{
	struct row row = row_new(r->variant, &unit_ns, ANSWER_CLOCK, prepare_remainders);

	row.needs = r->needs;
	row_spec(&row, struct remainders_spec)->remainders = r;
	add(b, row, 32.0 * CALLS);
}

static void add_os(struct bench *b, const char *variant, const struct unit *unit,
	int (*prepare)(struct bench *, const struct row *, struct job *))
{
	struct row row = row_new(variant, unit, ANSWER_CLOCK, prepare);

	row.needs = NEED_LINUX;
	add(b, row, OS_READS);
}

/* Rows of one unit stand together: they share a table. */
static void clock_plan(struct bench *b)
{
	for (unsigned i = 0; i < sizeof stamps / sizeof *stamps; i++)
		add_stamp(b, &stamps[i]);
	add(b, row_new("step", &unit_plain_ticks, ANSWER_CLOCK, prepare_step), 8192);
	for (unsigned i = 0; i < sizeof divisions / sizeof *divisions; i++)
		add_division(b, &divisions[i]);
	for (unsigned i = 0; i < sizeof remainders / sizeof *remainders; i++)
		add_remainders(b, &remainders[i]);
	add(b, row_new(core_clock, &unit_ghz, ANSWER_CLOCK, prepare_core_clock), 2 * 3 * 65536);
	add(b, row_new("adds-plain", &unit_ns_op, ANSWER_CLOCK, prepare_adds), CHAIN_ROUNDS * 64);
	add(b, row_new("adds-delta", &unit_ns_op, ANSWER_CLOCK, prepare_delta), CHAIN_ROUNDS * 192);
	add_os(b, "os-clock", &unit_ns_call, prepare_os_cost);
	add_os(b, "os-clock-step", &unit_ns, prepare_os_step);
}

/*
 * Of two moments the one with the higher clock counts: a disturbance can only lengthen adds. A
 * clock that really was lower at one of them is the bracket's lower end, and takes confidence as
 * all clocks of the run do.
 */
static struct estimate highest_clock(struct bench *b, struct reader *reader)
{
	struct estimate hz = row_estimate(reader, core_clock, row_value);

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (!is_variant(b, r, core_clock) || !(row_value(r, reader->reading) > hz.value))
			continue;
		hz.value = row_value(r, reader->reading);
		hz.confidence = math_max(hz.confidence, row_confidence(r));
	}
	return hz;
}

static void clock_find(struct bench *b, struct found_values *f)
{
	double tsc_hz = b->room->facts.tsc_hz;
	struct estimate hz = highest_clock(b, &f->reader), ratio;
	const struct result *r = find_row(b, core_clock, NULL, 0);
	struct run_clock c = run_clock(b);

	hz.value *= 1e9;
	if (r) { /* what the row itself saw belongs to the range */
		c.low = c.low > 0 ? math_min(c.low, hz.value) : hz.value;
		c.high = math_max(c.high, math_max(r->floor, r->median) * 1e9);
	}
	if (math_finite(hz.value) && c.high > c.low * ONE_CLOCK) {
		hz.low = c.low;
		hz.high = c.high;
	}
	hz = less_sure(hz, c.loss);
	ratio = hz = less_sure(hz, other_clock_loss(b, hz.value));
	ratio.value /= tsc_hz;
	ratio.low /= tsc_hz;
	ratio.high /= tsc_hz;
	found(f, VALUE_core_clock_hz, hz, "clock core-clock");
	found(f, VALUE_core_tsc_ratio, ratio, "clock core-clock and the TSC's rate");
}

/* Less than half a ppm is none, of either sign. */
static double ppm(double hz, double reference)
{
	double x = (hz / reference - 1) * 1e6;

	return math_abs(x) < 0.5 ? 0 : x;
}

static void clock_meaning(struct bench *b)
{
	const struct facts *f = &b->room->facts;

	for (unsigned i = 0; i < f->tsc_sources; i++) {
		if (f->tsc[i].hz > 0)
			say(b, "  TSC by %-20s %12.6f MHz (%s, %+.0f ppm)\n", f->tsc[i].name,
				f->tsc[i].hz / 1e6, f->tsc[i].claimed ? "claimed" : "timed",
				ppm(f->tsc[i].hz, f->tsc_hz));
		else
			say(b, "  TSC by %-20s not available\n", f->tsc[i].name);
	}
}

const struct hooks probe_clock = {
	.plan = clock_plan,
	.find = clock_find,
	.meaning = clock_meaning,
};
