/* SPDX-License-Identifier: MIT */
/*
 * Measure the predictor's memory of conditional branches, and the cost of a misprediction: (c), (d)
 * and period.
 */
#include "probes/branch/branch.h"

#include "engine/core_clock.h"
#include "engine/find.h"
#include "lib/math.h"

/*
 * The loops' return values, in plain C. This code does not branch on the data: mispredictions would
 * make it slow.
 */

const struct unit unit_ns_branch = { "ns/branch", SCALE_NS };

/* loop_branch_walk: bytes that are not 0 minus bytes that are. */
static uint64_t branch_walk_value(const unsigned char *bytes, uint64_t n)
{
	uint64_t ones = 0;

	for (uint64_t i = 0; i < n; i++)
		ones += bytes[i] != 0;
	return 2 * ones - n;
}

/* Population count by halves (Warren, Hacker's Delight, 5-1): the baseline has no popcnt. */
static uint64_t ones_of(uint64_t x)
{
	x -= x >> 1 & 0x5555555555555555;
	x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return x * 0x0101010101010101 >> 56;
}

/* loop_branch_bits: ones minus zeros of n words. */
static uint64_t branch_bits_value(const uint64_t *words, uint64_t n)
{
	uint64_t ones = 0;

	for (uint64_t i = 0; i < n; i++)
		ones += ones_of(words[i]);
	return 2 * ones - 64 * n;
}

/* n bytes of 0 or 1, each by a fair coin. */
static void branch_fill_coins(struct random *r, unsigned char *bytes, uint64_t n)
{
	for (uint64_t i = 0; i < n; i += 64) {
		uint64_t coins = random_next(r);

		for (uint64_t k = i; k < n && k < i + 64; k++, coins >>= 1)
			bytes[k] = coins & 1;
	}
}

/*
 * (c) The cost of one misprediction: random bits against zero bits, in a register. Each bit decides
 * one branch, both ways of which cost the same.
 */

#define WORDS       128
#define BITS        (WORDS * 64)
#define CLOCK_TURNS 128 /* of 64 adds, before and after */

/* Two cycles: what data-dependent branches may cost even where all are predicted. */
#define PENALTY_LEAST 2

static const struct unit unit_cycles = { "cycles", SCALE_PLAIN };

static const char penalty[] = "penalty";

/* Parameters of a row. */
struct bits_spec {
	bool random;  /* else zero bits */
	bool counted; /* the PMU counts mispredictions */
};

struct coin_bits {
	bool random;
	bool counted;
	uint64_t random_words[WORDS];
	uint64_t zero_words[WORDS];
};

static void renew_bits(struct bench *b, struct job *job)
{
	struct coin_bits *m = job->priv;
	uint64_t *words = m->random ? m->random_words : m->zero_words;

	for (unsigned i = 0; m->random && i < WORDS; i++)
		words[i] = random_next(&b->random);
	job->expect = branch_bits_value(words, WORDS);
}

static struct coin_bits *bits_new(struct bench *b, struct job *job)
{
	struct coin_bits *m = job_alloc(b, job, sizeof *m);

	if (!m)
		return NULL;
	*m = (struct coin_bits){ 0 };
	job->refresh = renew_bits;
	job->priv = m;
	return m;
}

static int prepare_bits(struct bench *b, const struct row *row, struct job *job)
{
	struct coin_bits *m = bits_new(b, job);

	if (!m)
		return -1;
	m->random = row_spec(row, struct bits_spec)->random;
	const uint64_t *words = m->random ? m->random_words : m->zero_words;
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)words, WORDS };

	job_call(job, loop_branch_bits, 1, args);
	job->ops = BITS;
	return 0;
}

struct timed_bits {
	double ticks;
	double mispredicts;
	bool right; /* the loop returned what plain C says */
};

static struct timed_bits time_bits(struct bench *b, const uint64_t *words)
{
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)words, WORDS };
	uint64_t expect = branch_bits_value(words, WORDS);
	struct event_counts q = { 0 };

	b->room->timed_begin(b->room, &q);
	struct timed t = call_loop(b, loop_branch_bits, args);
	b->room->timed_end(b->room, &q);
	return (struct timed_bits){ (double)t.ticks, (double)q.mispredicts, t.value == expect };
}

/* Both kinds in one sample, so that a change of the clock, or load from elsewhere, affects both. */
static int sample_penalty(struct bench *b, struct job *job, struct sample *s)
{
	struct coin_bits *m = job->priv;
	double clock = core_clock_ticks(b, CLOCK_TURNS);
	struct timed_bits random = time_bits(b, m->random_words);
	struct timed_bits zero = time_bits(b, m->zero_words);

	clock += core_clock_ticks(b, CLOCK_TURNS);
	if (!random.right || !zero.right)
		return job_disproved(job, "the loop miscounted the bits");
	double missed = m->counted ? random.mispredicts - zero.mispredicts : BITS / 2;

	if (clock <= 0 || missed <= 0)
		return job_skip(job,
			clock <= 0 ? "the TSC is too coarse" : "the counter saw no mispredictions");
	s->core_hz = core_clock_of(b, 2 * CLOCK_TURNS, clock);
	s->control = zero.ticks * s->core_hz / b->room->facts.tsc_hz / missed;
	s->value = random.ticks * s->core_hz / b->room->facts.tsc_hz / missed - s->control;
	return 0;
}

static int prepare_penalty(struct bench *b, const struct row *row, struct job *job)
{
	struct coin_bits *m = bits_new(b, job);

	if (!m)
		return -1;
	m->random = true;
	m->counted = row_spec(row, struct bits_spec)->counted;
	job->sampler = sample_penalty;
	job->min_samples = 15;
	job->ops = BITS;
	return 0;
}

static bool mispredicts_counted(struct bench *b)
{
	struct event_counts q = { 0 };

	b->room->timed_begin(b->room, &q);
	b->room->timed_end(b->room, &q);
	return q.known & EVENT_MISPREDICTS;
}

/* A bit costs about as much as five loads of the pace's chase when half are mispredicted. */
static double penalty_cost(const struct bench *b, unsigned calls)
{
	return calls * (b->pace.ns_per_call + BITS * 5 * b->pace.ns_per_near_load);
}

static void plan_penalty(struct bench *b)
{
	struct row row = row_new(penalty, &unit_cycles, ANSWER_MISPREDICTION, prepare_penalty);
	bool counted = mispredicts_counted(b);

	row_spec(&row, struct bits_spec)->counted = counted;
	row.cost_ns = penalty_cost(b, 40);
	row_param(&row, "mispredicts_counted", counted);
	plan_add(b, &row);
	for (unsigned random = 0; random < 2; random++) {
		row = row_new(random ? "bits-random" : "bits-zero", &unit_ns_branch,
			ANSWER_MISPREDICTION, prepare_bits);
		row_spec(&row, struct bits_spec)->random = random;
		row.cost_ns = penalty_cost(b, 20);
		plan_add(b, &row);
	}
}

static void find_penalty(struct bench *b, struct found_values *f)
{
	struct estimate e = row_estimate(&f->reader, penalty, row_value);

	if (e.value < PENALTY_LEAST)
		e = not_resolved("random branches cost no more than constant ones");
	found(f, VALUE_mispredict_cycles, e, "branch penalty");
}

static void say_penalty(struct bench *b)
{
	const struct result *r = find_row(b, penalty, NULL, 0);

	if (r)
		say(b, "  Mispredictions were %s.\n",
			row_spec(r->row, struct bits_spec)->counted
				? "counted by the processor"
				: "taken to be half of the random bits");
}

/*
 * Period and (d): how many random branches the predictor remembers, and how fast it learns them. A
 * random pattern that is repeated is predicted as long as it fits into the predictor's memory.
 */

#define PERIOD_FROM 256
#define PERIOD_TO   (64 * KIB)
#define PERIOD_MOST (512 * KIB) /* where the curve has not ended before */
#define CALL_BYTES  (16 * KIB)  /* elements per call, at least */
#define LEARN_CALLS 40          /* passes over the pattern before the first sample; */
#define LEARN_MOST  (4 * MIB)   /* of a long one so many branches */
#define PASSES      20
#define LEARNED     2000 /* branches that learning_passes is about */

enum { PERIOD, LEARN };

/* Parameters of a row. */
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

	if (period > PERIOD_TO)
		calls = LEARN_MOST / period < LEARN_CALLS ? LEARN_MOST / period : LEARN_CALLS;
	return (unsigned)calls;
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
	job->min_samples = 15;
	job->refresh = refresh_learn;
	return 0;
}

static const struct {
	const char *variant;
	int (*prepare)(struct bench *, const struct row *, struct job *);
} kinds[] = {
	[PERIOD] = { "period", prepare_period },
	[LEARN] = { "learn", prepare_learn },
};

/* Five loads of the pace's chase per branch, as for the penalty. */
static double pattern_cost(const struct bench *b, double branches, double calls)
{
	return calls * b->pace.ns_per_call + branches * 5 * b->pace.ns_per_near_load;
}

static void plan_pattern(struct bench *b, unsigned kind, uint64_t period, uint64_t pass,
	enum answer answer, row_adder *add)
{
	struct row row = row_new(kinds[kind].variant, &unit_ns_branch, answer, kinds[kind].prepare);
	double calls = kind == LEARN ? 20 : 10 + learn_calls(period);
	double branches = kind == LEARN ? (double)(period * pass) : (double)bytes_in_all(period);

	*row_spec(&row, struct pattern_spec) = (struct pattern_spec){ kind, period, pass };
	row.cost_ns = pattern_cost(b, branches * calls, calls);
	row_param(&row, "elements", (double)period);
	if (kind == LEARN)
		row_param(&row, "pass", (double)pass);
	add(b, &row);
}

static void plan_learning(struct bench *b)
{
	for (uint64_t elements = 1000; elements <= LEARNED; elements += 1000)
		for (uint64_t pass = 1; pass <= PASSES; pass++)
			if (b->opt->profile != PROFILE_SMOKE || pass < 3 || pass % 5 == 0)
				plan_pattern(b, LEARN, elements, pass, ANSWER_LEARNING, plan_add);
}

static void plan_patterns(struct bench *b)
{
	uint64_t sizes[SIZES_MOST];
	unsigned n = sweep(b, PERIOD_FROM, PERIOD_TO, 1, sizes);

	for (unsigned i = 0; i < n; i++)
		plan_pattern(b, PERIOD, sizes[i], 0, ANSWER_PATTERNS, plan_add);
	plan_learning(b);
}

/*
 * Read one place of the curve over periods: the one where half is lost, or the last one without
 * loss.
 */
static struct estimate remembered(struct bench *b, struct reader *reader, struct curve *c,
	struct estimate (*infer)(const struct curve_point *, unsigned))
{
	const struct pick pick = { .variant = kinds[PERIOD].variant, .x = "elements" };

	return take_curve(reader, &pick, c) ? edge_of(reader, c, infer(c->point, c->n))
					    : not_resolved(NOT_MEASURED);
}

/* A rise over a wide range is given with its range. */
static struct estimate halfway(const struct curve_point *p, unsigned n)
{
	return infer_soft_rise(p, n, infer_halfway(p, n));
}

#define BESIDE_TENTH 0.95 /* of the place of a tenth: which of the two comes first is chance */

/* Not resolved if a tenth of the rise is done before, or about there: the level itself rises. */
static struct estimate perfect(const struct curve_point *p, unsigned n)
{
	struct estimate half = halfway(p, n), e = infer_perfect(p, n);

	return half.rise_10 > 0 && e.value >= BESIDE_TENTH * half.rise_10
		? not_resolved("more is lost with every branch")
		: e;
}

static struct estimate learned(const struct bench *b, const struct reader *reader, struct curve *c)
{
	const struct pick pick = {
		.variant = kinds[LEARN].variant,
		.x = "pass",
		.only = "elements",
		.only_value = LEARNED,
	};

	return take_curve(reader, &pick, c)
		? less_sure(infer_learned(c->point, c->n), curve_confidence_loss(c, 0, c->n - 1))
		: not_resolved(NOT_MEASURED);
}

/* An octave more where the rise has not ended, or not begun, at the longest period so far. */
static void plan_longer(struct bench *b, struct reader *reader, struct curve *c)
{
	uint64_t sizes[SIZES_MOST];
	bool open = remembered(b, reader, c, infer_halfway).reason;
	uint64_t longest = c->n ? (uint64_t)c->point[c->n - 1].x : 0;

	if (!open || longest < PERIOD_TO || longest >= PERIOD_MOST)
		return;
	unsigned n = sweep(b, longest, 2 * longest, 1, sizes);

	for (unsigned i = 0; i < n; i++)
		if (sizes[i] > longest)
			plan_pattern(b, PERIOD, sizes[i], 0, ANSWER_PATTERNS, plan_between);
}

static void branch_pattern_plan_edges(struct bench *b, struct reader *reader)
{
	const struct resolution r = { .grain = 1, .ratio = BRANCH_RATIO };
	struct curve *c = row_alloc(b, sizeof *c);

	if (c)
		plan_longer(b, reader, c);
	for (unsigned i = 0; c && i < 2; i++) {
		struct estimate e = remembered(b, reader, c, i ? infer_perfect : infer_halfway);
		double next = infer_bisect_bracket(&e, &r);

		if (math_finite(next))
			plan_pattern(b, PERIOD, (uint64_t)next, 0, ANSWER_PATTERNS, plan_between);
	}
}

static void find_remembered(struct bench *b, struct found_values *f)
{
	struct curve *c = row_alloc(b, sizeof *c);

	if (!c)
		return;
	found(f, VALUE_predictor_branches, remembered(b, &f->reader, c, halfway),
		"branch period over elements");
	found(f, VALUE_predictor_perfect, remembered(b, &f->reader, c, perfect),
		"branch period over elements");
	found(f, VALUE_learning_passes, learned(b, &f->reader, c),
		"branch learn over pass, 2000 elements");
}

static void say_learning(struct bench *b)
{
	struct param params[] = { { "elements", LEARNED }, { "pass", 1 } };
	const struct result *first = find_row(b, kinds[LEARN].variant, params, 2);

	params[1].value = PASSES;
	const struct result *last = find_row(b, kinds[LEARN].variant, params, 2);

	if (first && last)
		say(b, "  2000 random branches: %.2f ns each when new, %.2f ns in pass %u.\n",
			first->median, last->median, PASSES);
}

static void branch_pattern_plan(struct bench *b)
{
	plan_penalty(b);
	plan_patterns(b);
}

static void branch_pattern_find(struct bench *b, struct found_values *f)
{
	find_penalty(b, f);
	find_remembered(b, f);
}

static void branch_pattern_meaning(struct bench *b)
{
	say_penalty(b);
	say_learning(b);
}

const struct hooks branch_pattern = {
	.plan = branch_pattern_plan,
	.plan_edges = branch_pattern_plan_edges,
	.find = branch_pattern_find,
	.meaning = branch_pattern_meaning,
};
