/* SPDX-License-Identifier: MIT */
/*
 * Instruction-level parallelism: similar work, with and without each step waiting for the last.
 * Model and definitions: docs/method.md.
 */
#include "probes/ilp.h"
#include "probes/probe.h"
#include "probes/loops/leaf.h"
#include "lib/jsonl_write.h"

#define ELEMENTS     100
#define ELEMENT_LAPS 64
#define CHAIN_ROUNDS 128 /* of 64 operations */
#define WORDS        1000
#define WORD_LAPS    8
#define FACTORIAL_OF 20
#define FACTORIALS   256

static const char chain_add[] = "add", chain_multiply[] = "multiply";

const struct ilp_chain ilp_chains[] = {
	{ chain_add, 1, false, loop_ilp_add1 },
	{ chain_add, 2, false, loop_ilp_add2 },
	{ chain_add, 4, false, loop_ilp_add4 },
	{ chain_add, 8, false, loop_ilp_add8 },
	{ chain_multiply, 1, true, loop_ilp_multiply1 },
	{ chain_multiply, 2, true, loop_ilp_multiply2 },
	{ chain_multiply, 4, true, loop_ilp_multiply4 },
	{ chain_multiply, 8, true, loop_ilp_multiply8 },
};

const unsigned ilp_chain_count = sizeof ilp_chains / sizeof *ilp_chains;

static uint64_t digest(const double *words, uint64_t n)
{
	uint64_t sum = 0, word;

	for (uint64_t i = 0; i < n; i++) {
		__builtin_memcpy(&word, &words[i], sizeof word);
		sum = (sum << 5 | sum >> 59) ^ word;
	}
	return sum;
}

uint64_t ilp_differences(double *to, const double *from, uint64_t n, uint64_t laps)
{
	for (uint64_t i = 0; i < n; i++)
		to[i] = from[i] - (i ? from[i - 1] : laps > 1 ? from[n - 1] : 0);
	return digest(to, n);
}

uint64_t ilp_prefix_sum(double *to, const double *from, uint64_t n, uint64_t laps)
{
	double sum = 0;

	for (uint64_t lap = 0; lap < laps; lap++)
		for (uint64_t i = 0; i < n; i++)
			to[i] = sum += from[i];
	return digest(to, n);
}

uint64_t ilp_chain_value(const struct ilp_chain *c, uint64_t n)
{
	uint64_t sum = 0, power = 1, steps = n * 64 / c->lanes;

	for (uint64_t i = 0; c->multiplies && i < steps; i++)
		power *= 3;
	for (uint64_t lane = 0; lane < 8; lane++) {
		uint64_t start = lane + 1;

		if (lane >= c->lanes)
			sum += start;
		else
			sum += c->multiplies ? start * power : start + steps;
	}
	return sum;
}

static const struct sums {
	const char *variant;
	loop_fn *loop;
	uint64_t (*in_c)(double *to, const double *from, uint64_t n, uint64_t laps);
} differences = { "differences", loop_ilp_differences, ilp_differences },
  prefix_sum = { "prefix-sum", loop_ilp_prefix_sum, ilp_prefix_sum };

/* A C function, in two ways: with a call for each step, or without. */
struct function {
	const char *variant;
	const void *code;
};

static const struct function odd_inlined = { "odd-inlined", leaf_count_odd_inlined },
			     odd_calls = { "odd-calls", leaf_count_odd_calls },
			     factorial_loop = { "factorial-loop", leaf_factorial_loop },
			     factorial_calls = { "factorial-calls", leaf_factorial_calls };

/* What a row measures: one of them, as its `prepare` says. */
struct ilp_spec {
	union {
		const struct ilp_chain *chain;
		const struct sums *sums;
		const struct function *function;
	};
};

static int prepare_chain(struct bench *b, const struct row *row, struct job *job)
{
	const struct ilp_chain *c = row_spec(row, struct ilp_spec)->chain;
	const uint64_t args[LOOP_ARGS] = { CHAIN_ROUNDS };

	job_call(job, c->loop, 0, args);
	job->expect = ilp_chain_value(c, CHAIN_ROUNDS);
	job->ops = CHAIN_ROUNDS * 64;
	return 0;
}

/* Small whole numbers: every sum of them is exact. */
static int prepare_sums(struct bench *b, const struct row *row, struct job *job)
{
	const struct sums *s = row_spec(row, struct ilp_spec)->sums;
	double *from = job_alloc(b, job, ELEMENTS * sizeof *from);
	double *to = job_alloc(b, job, ELEMENTS * sizeof *to);

	if (!from || !to)
		return -1;
	for (unsigned i = 0; i < ELEMENTS; i++)
		from[i] = (double)random_below(&b->random, 1000);
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from,
		ELEMENTS, ELEMENT_LAPS };

	job_call(job, s->loop, 3, args);
	job->expect = s->in_c(to, from, ELEMENTS, ELEMENT_LAPS);
	job->ops = ELEMENTS * ELEMENT_LAPS;
	return 0;
}

/* Calls the row's function (a, b) `laps` times. */
static void call_function(struct job *job, uint64_t laps, uint64_t a, uint64_t b)
{
	const struct function *f = row_spec(job->row, struct ilp_spec)->function;
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)f->code, laps, a, b };

	job_call(job, loop_timed_call, 1, args);
}

/* What the source prints: the time of one pass, and of the calls that of the inlined test's. */
static void extra_odd(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct result *inlined = find_row(b, odd_inlined.variant, NULL, 0);
	double median = b->results[b->nresults - 1].median;

	jsonl_number(l, "ns_in_all", median * WORDS);
	if (job->row->variant == odd_calls.variant && inlined && inlined->median > 0)
		jsonl_number(l, "ratio", median / inlined->median);
}

static int prepare_count_odd(struct bench *b, const struct row *row, struct job *job)
{
	uint64_t *words = job_alloc(b, job, WORDS * sizeof *words), odd = 0;

	if (!words)
		return -1;
	for (unsigned i = 0; i < WORDS; i++)
		odd += (words[i] = random_next(&b->random)) & 1;
	call_function(job, WORD_LAPS, (uint64_t)(uintptr_t)words, WORDS);
	job->expect = WORD_LAPS * odd;
	job->ops = WORD_LAPS * WORDS;
	job->extra = extra_odd;
	return 0;
}

static int prepare_factorial(struct bench *b, const struct row *row, struct job *job)
{
	uint64_t product = 1;

	for (uint64_t i = 2; i <= FACTORIAL_OF; i++)
		product *= i;
	call_function(job, FACTORIALS, FACTORIAL_OF, 0);
	job->expect = FACTORIALS * product;
	job->ops = FACTORIALS * FACTORIAL_OF;
	return 0;
}

/* A load of the pace's chase is about as long as four of these steps; a row takes some 40 calls. */
static void add(struct bench *b, struct row row, struct ilp_spec spec, double ops)
{
	*row_spec(&row, struct ilp_spec) = spec;
	row.cost_ns = 40 * (b->pace.ns_per_call + ops * b->pace.ns_per_near_load);
	plan_add(b, &row);
}

static void add_sums(struct bench *b, const struct sums *s)
{
	struct row row = row_new(s->variant, &unit_ns_element, DROP_LATE, prepare_sums);

	row_param(&row, "elements", ELEMENTS);
	add(b, row, (struct ilp_spec){ .sums = s }, ELEMENTS * ELEMENT_LAPS);
}

static void add_chain(struct bench *b, const struct ilp_chain *c)
{
	struct row row = row_new(c->variant, &unit_ns_op, DROP_LATE, prepare_chain);

	row_param(&row, "lanes", c->lanes);
	add(b, row, (struct ilp_spec){ .chain = c }, CHAIN_ROUNDS * 64);
}

static void add_count_odd(struct bench *b, const struct function *f)
{
	struct row row = row_new(f->variant, &unit_ns_element, DROP_MIDDLE, prepare_count_odd);

	row_param(&row, "elements", WORDS);
	add(b, row, (struct ilp_spec){ .function = f }, WORD_LAPS * WORDS);
}

static void add_factorial(struct bench *b, const struct function *f)
{
	struct row row = row_new(f->variant, &unit_ns_op, DROP_MIDDLE, prepare_factorial);

	row_param(&row, "n", FACTORIAL_OF);
	add(b, row, (struct ilp_spec){ .function = f }, FACTORIALS * FACTORIAL_OF * 2);
}

void probe_ilp_plan(struct bench *b)
{
	add_sums(b, &differences);
	add_sums(b, &prefix_sum);
	for (unsigned i = 0; i < ilp_chain_count; i++)
		add_chain(b, &ilp_chains[i]);
	add_count_odd(b, &odd_inlined);
	add_count_odd(b, &odd_calls);
	add_factorial(b, &factorial_loop);
	add_factorial(b, &factorial_calls);
	ilp_integers_plan(b);
}

static double median(struct bench *b, const char *variant, const char *param, double value)
{
	const struct param p = { param, value };
	const struct result *r = find_row(b, variant, &p, 1);

	return r ? r->median : 0;
}

static void say_chains(struct bench *b, const char *variant)
{
	double one = median(b, variant, "lanes", 1), best = one;
	unsigned at = 1;

	for (unsigned lanes = 2; lanes <= 8; lanes *= 2) {
		double ns = median(b, variant, "lanes", lanes);

		if (ns > 0 && ns < best) {
			best = ns;
			at = lanes;
		}
	}
	if (one > 0 && at > 1)
		say(b, "  %u independent chains of %s run %.1f times as fast as one.\n", at,
			variant, one / best);
}

void probe_ilp_meaning(struct bench *b)
{
	double apart = median(b, differences.variant, "elements", ELEMENTS);
	double chained = median(b, prefix_sum.variant, "elements", ELEMENTS);
	double inlined = median(b, odd_inlined.variant, "elements", WORDS);
	double calls = median(b, odd_calls.variant, "elements", WORDS);

	if (apart > 0 && chained > 0)
		say(b, "  A sum that waits for the one before costs %.1f times a difference.\n",
			chained / apart);
	say_chains(b, chain_add);
	say_chains(b, chain_multiply);
	if (inlined > 0 && calls > 0)
		say(b, "  A call per element costs %.1f times the inlined test.\n",
			calls / inlined);
	ilp_integers_meaning(b);
}
