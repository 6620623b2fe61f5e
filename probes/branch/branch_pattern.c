/* SPDX-License-Identifier: MIT */
/*
 * (b) and (d): how many random branches the predictor remembers, and how fast it learns them. A
 * random pattern that is repeated is predicted as long as it fits into the predictor's memory.
 */
#include "probes/branch/branch.h"

#include "engine/find.h"
#include "lib/math.h"

#define STATES_FROM 16
#define STATES_TO   MIB
#define PERIOD_FROM 256
#define PERIOD_TO   (64 * KIB)
#define CALL_BYTES  (16 * KIB) /* elements per call, at least */
#define LEARN_CALLS 40         /* passes over the pattern before the first sample */
#define PASSES      20
#define LEARNED     2000 /* branches that learning_passes is about */

enum { STATES_SORTED, STATES_RANDOM, PERIOD, LEARN };

/* What a row measures. */
struct pattern_spec {
	unsigned kind;
	uint64_t period; /* elements */
	uint64_t pass;   /* LEARN: which one is timed */
};

/* The pattern, repeated until a call has enough elements. */
struct pattern {
	unsigned char *bytes;
	uint64_t period, bytes_in_all;
};

static uint64_t bytes_in_all(uint64_t period)
{
	return (CALL_BYTES + period - 1) / period * period;
}

static void repeat(struct pattern *p)
{
	for (uint64_t i = p->period; i < p->bytes_in_all; i++)
		p->bytes[i] = p->bytes[i - p->period];
}

/* As many zeros as ones, in order or shuffled: the twins differ in nothing else. */
static void fill_halves(struct random *r, struct pattern *p, bool shuffled)
{
	for (uint64_t i = 0; i < p->period; i++)
		p->bytes[i] = i >= p->period / 2;
	for (uint64_t i = p->period; shuffled && i > 1; i--) {
		uint64_t k = random_below(r, i);
		unsigned char swapped = p->bytes[i - 1];

		p->bytes[i - 1] = p->bytes[k];
		p->bytes[k] = swapped;
	}
	repeat(p);
}

/*
 * Sets the job up to call the loop on `all` bytes, which are still to be filled. An args[2] that is
 * set later stays 0 in the empty twin: branch_walk then makes one pass over nothing.
 */
static struct pattern *pattern_new(struct bench *b, struct job *job, loop_fn *loop, uint64_t period,
	uint64_t all)
{
	struct pattern *p = job_alloc(b, job, sizeof *p);
	unsigned char *bytes = job_alloc(b, job, all);

	if (!p || !bytes)
		return NULL;
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)bytes, all };

	job_call(job, loop, 1, args);
	*p = (struct pattern){ bytes, period, all };
	job->priv = p;
	job->ops = (double)all;
	return p;
}

static unsigned learn_calls(uint64_t period)
{
	uint64_t laps = bytes_in_all(period) / period;
	uint64_t calls = (LEARN_CALLS + laps - 1) / laps;

	return period > PERIOD_TO ? 3 : (unsigned)calls;
}

static int prepare_states(struct bench *b, const struct row *row, struct job *job)
{
	const struct pattern_spec *spec = row_spec(row, struct pattern_spec);
	struct pattern *p =
		pattern_new(b, job, loop_branch_states, spec->period, bytes_in_all(spec->period));

	if (!p)
		return -1;
	fill_halves(&b->random, p, spec->kind == STATES_RANDOM);
	job->expect = branch_states_value(p->bytes, p->bytes_in_all);
	job->warm_calls = learn_calls(spec->period);
	return 0;
}

static int prepare_period(struct bench *b, const struct row *row, struct job *job)
{
	uint64_t period = row_spec(row, struct pattern_spec)->period;
	struct pattern *p = pattern_new(b, job, loop_branch_walk, period, bytes_in_all(period));

	if (!p)
		return -1;
	branch_fill_coins(&b->random, p->bytes, period);
	repeat(p);
	job->args[2] = 1;
	job->expect = branch_walk_value(p->bytes, p->bytes_in_all);
	job->warm_calls = learn_calls(period);
	return 0;
}

static void refresh_learn(struct bench *b, struct job *job)
{
	struct pattern *p = job->priv;

	branch_fill_coins(&b->random, p->bytes, p->period);
	job->expect = branch_walk_value(p->bytes, p->period);
}

/* New data in each sample; the loop walks them `pass` times and times the last pass. */
static int prepare_learn(struct bench *b, const struct row *row, struct job *job)
{
	const struct pattern_spec *spec = row_spec(row, struct pattern_spec);

	if (!pattern_new(b, job, loop_branch_walk, spec->period, spec->period))
		return -1;
	job->args[2] = spec->pass;
	job->min_samples = b->room->samples ? b->room->samples : 15;
	job->refresh = refresh_learn;
	return 0;
}

static const struct {
	const char *variant;
	int (*prepare)(struct bench *, const struct row *, struct job *);
} kinds[] = {
	[STATES_SORTED] = { "states-sorted", prepare_states },
	[STATES_RANDOM] = { "states-random", prepare_states },
	[PERIOD] = { "period", prepare_period },
	[LEARN] = { "learn", prepare_learn },
};

/* Five loads of the pace's chase per branch, as in branch_penalty.c. */
static double cost(const struct bench *b, double branches, double calls)
{
	return calls * b->pace.ns_per_call + branches * 5 * b->pace.ns_per_near_load;
}

static void add(struct bench *b, unsigned kind, uint64_t period, uint64_t pass, unsigned drop_order)
{
	struct row row =
		row_new(kinds[kind].variant, &unit_ns_branch, drop_order, kinds[kind].prepare);
	double calls = kind == LEARN ? 20 : 10 + learn_calls(period);
	double branches = kind == LEARN ? (double)(period * pass) : (double)bytes_in_all(period);

	*row_spec(&row, struct pattern_spec) = (struct pattern_spec){ kind, period, pass };
	row.cost_ns = cost(b, branches * calls, calls);
	row_param(&row, "elements", (double)period);
	if (kind == LEARN)
		row_param(&row, "pass", (double)pass);
	plan_add(b, &row);
}

static bool power_of_two(uint64_t n)
{
	return !(n & (n - 1));
}

static void plan_learning(struct bench *b)
{
	for (uint64_t elements = 1000; elements <= LEARNED; elements += 1000)
		for (uint64_t pass = 1; pass <= PASSES; pass++)
			if (b->opt->profile != PROFILE_SMOKE || pass < 3 || pass % 5 == 0)
				add(b, LEARN, elements, pass, DROP_MIDDLE);
}

void branch_pattern_plan(struct bench *b)
{
	uint64_t sizes[SIZES_MOST];
	unsigned n = sweep(b, PERIOD_FROM, PERIOD_TO, 1, sizes);

	for (unsigned i = 0; i < n; i++)
		add(b, PERIOD, sizes[i], 0, power_of_two(sizes[i]) ? DROP_LATE : DROP_MIDDLE);
	for (uint64_t size = STATES_FROM; size <= STATES_TO; size *= 2)
		for (unsigned kind = STATES_SORTED; kind <= STATES_RANDOM; kind++)
			add(b, kind, size, 0, size < STATES_TO / 4 ? DROP_MIDDLE : DROP_EARLY);
	plan_learning(b);
}

/* What of the curve over periods is asked for: where half is lost, where nothing yet is. */
static struct estimate remembered(struct bench *b, struct curve *c,
	struct estimate (*infer)(const struct point *, unsigned))
{
	const struct pick pick = { .variant = kinds[PERIOD].variant, .x = "elements" };

	return take_curve(b, &pick, c) ? edge_of(b, c, infer(c->point, c->n))
				       : not_resolved(NOT_MEASURED);
}

/* A rise over a wide range is given with its range. */
static struct estimate halfway(const struct point *p, unsigned n)
{
	return infer_soft_rise(p, n, infer_halfway(p, n));
}

/* Where a tenth of the rise is done before, nothing ends there: the level itself rises. */
static struct estimate perfect(const struct point *p, unsigned n)
{
	struct estimate half = halfway(p, n), e = infer_perfect(p, n);

	return half.rise_10 > 0 && e.value >= half.rise_10
		? not_resolved("more is lost with every branch")
		: e;
}

static struct estimate learned(const struct bench *b, struct curve *c)
{
	const struct pick pick = {
		.variant = kinds[LEARN].variant,
		.x = "pass",
		.only = "elements",
		.only_value = LEARNED,
	};

	return take_curve(b, &pick, c)
		? doubted(infer_learned(c->point, c->n), curve_confidence_loss(c, 0, c->n - 1))
		: not_resolved(NOT_MEASURED);
}

void branch_pattern_plan_edges(struct bench *b)
{
	const struct resolution r = { .grain = 1, .ratio = BRANCH_RATIO };
	struct curve *c = row_alloc(b, sizeof *c);

	for (unsigned i = 0; c && i < 2; i++) {
		struct estimate e = remembered(b, c, i ? infer_perfect : infer_halfway);
		double next = infer_bisect_bracket(&e, &r);

		if (math_finite(next))
			add(b, PERIOD, (uint64_t)next, 0, DROP_LATE);
	}
}

void branch_pattern_find(struct bench *b)
{
	struct curve *c = row_alloc(b, sizeof *c);

	if (!c)
		return;
	found(b, "predictor_branches", "branches", remembered(b, c, halfway), NOT_A_NUMBER,
		"branch period over elements");
	found(b, "predictor_perfect", "branches", remembered(b, c, perfect), NOT_A_NUMBER,
		"branch period over elements");
	found(b, "learning_passes", "passes", learned(b, c), NOT_A_NUMBER,
		"branch learn over pass, 2000 elements");
}

static double median(struct bench *b, unsigned kind, uint64_t elements, unsigned pass)
{
	const struct param params[] = { { "elements", (double)elements },
		{ "pass", (double)pass } };
	const struct result *r = find_row(b, kinds[kind].variant, params, pass ? 2 : 1);

	return r ? r->median : 0;
}

/*
 * The largest state machine is beyond any predictor's memory and mispredicts every second branch;
 * a smaller one mispredicts in proportion to what it costs above its sorted twin.
 */
static double missed_percent(struct bench *b, uint64_t elements)
{
	double most =
		median(b, STATES_RANDOM, STATES_TO, 0) - median(b, STATES_SORTED, STATES_TO, 0);
	double random = median(b, STATES_RANDOM, elements, 0);
	double sorted = median(b, STATES_SORTED, elements, 0);

	return most > 0 && random > 0 && sorted > 0 ? 50 * (random - sorted) / most : -1;
}

static void say_missed(struct bench *b)
{
	if (missed_percent(b, STATES_TO) < 0)
		return;
	say(b, "  Mispredicted, from random against sorted (50 %% = a guess):\n   ");
	for (uint64_t n = STATES_FROM; n <= STATES_TO; n *= 4)
		if (missed_percent(b, n) >= 0)
			say(b, " %llu%s: %.0f %%", (unsigned long long)(n < KIB ? n : n / KIB),
				n < KIB ? "" : "Ki", missed_percent(b, n));
	say(b, "\n");
}

/* Where the state machine's time leaves the foot of its cliff. */
static void say_cliff(struct bench *b)
{
	const struct pick pick = { .variant = kinds[STATES_RANDOM].variant, .x = "elements" };
	size_t mark = b->work.used;
	struct curve *c = row_alloc(b, sizeof *c);

	if (c && take_curve(b, &pick, c)) {
		struct estimate e = infer_halfway(c->point, c->n);

		if (!e.reason)
			say(b, "  The state machine's cliff is between %.0f and %.0f elements.\n",
				e.low, e.high);
	}
	b->work.used = mark;
}

static void say_learning(struct bench *b)
{
	double first = median(b, LEARN, LEARNED, 1), last = median(b, LEARN, LEARNED, PASSES);

	if (first > 0 && last > 0)
		say(b, "  2000 random branches: %.2f ns each when new, %.2f ns in pass %u.\n",
			first, last, PASSES);
}

void branch_pattern_meaning(struct bench *b)
{
	say_missed(b);
	say_cliff(b);
	say_learning(b);
}
