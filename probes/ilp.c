/* SPDX-License-Identifier: MIT */
/*
 * Instruction-level parallelism: the same work with and without each step waiting for the last.
 * Model and definitions: docs/method.md.
 */
#include "probes/ilp.h"
#include "probes/probe.h"
#include "probes/loops/leaf.h"

#define ELEMENTS     100
#define ELEMENT_LAPS 64
#define CHAIN_ROUNDS 128 /* of 64 operations */
#define WORDS        1000
#define WORD_LAPS    8
#define FACTORIAL_OF 20
#define FACTORIALS   256

const struct ilp_chain ilp_chains[] = {
	{ "add", 1, false, loop_ilp_add1 },
	{ "add", 2, false, loop_ilp_add2 },
	{ "add", 4, false, loop_ilp_add4 },
	{ "add", 8, false, loop_ilp_add8 },
	{ "multiply", 1, true, loop_ilp_multiply1 },
	{ "multiply", 2, true, loop_ilp_multiply2 },
	{ "multiply", 4, true, loop_ilp_multiply4 },
	{ "multiply", 8, true, loop_ilp_multiply8 },
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

static int prepare_chain(struct bench *b, const struct row *row, struct job *job)
{
	const struct ilp_chain *c = &ilp_chains[row->key[0]];

	(void)b;
	job->loop = c->loop;
	job->args[0] = CHAIN_ROUNDS;
	job->expect = ilp_chain_value(c, CHAIN_ROUNDS);
	job->ops = CHAIN_ROUNDS * 64;
	return 0;
}

/* Small whole numbers: every sum of them is exact. */
static int prepare_sums(struct bench *b, const struct row *row, struct job *job)
{
	double *from = row_alloc(b, ELEMENTS * sizeof *from),
	       *to = row_alloc(b, ELEMENTS * sizeof *to);
	bool prefix = row->key[0];

	if (!from || !to)
		return job_skip(job, "no scratch memory");
	for (unsigned i = 0; i < ELEMENTS; i++)
		from[i] = (double)random_below(&b->random, 1000);
	job->loop = prefix ? loop_ilp_prefix_sum : loop_ilp_differences;
	job->args[0] = job->empty_args[0] = (uint64_t)(uintptr_t)to;
	job->args[1] = job->empty_args[1] = (uint64_t)(uintptr_t)from;
	job->args[2] = ELEMENTS;
	job->args[3] = ELEMENT_LAPS;
	job->expect = prefix ? ilp_prefix_sum(to, from, ELEMENTS, ELEMENT_LAPS)
			     : ilp_differences(to, from, ELEMENTS, ELEMENT_LAPS);
	job->ops = ELEMENTS * ELEMENT_LAPS;
	return 0;
}

static void trampoline(struct job *job, const void *fn, uint64_t laps, uint64_t a, uint64_t b)
{
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)fn, laps, a, b };

	for (unsigned i = 0; i < LOOP_ARGS; i++)
		job->args[i] = job->empty_args[i] = args[i];
	job->empty_args[1] = 0;
	job->loop = loop_timed_call;
}

static int prepare_count_odd(struct bench *b, const struct row *row, struct job *job)
{
	uint64_t *words = row_alloc(b, WORDS * sizeof *words), odd = 0;

	if (!words)
		return job_skip(job, "no scratch memory");
	for (unsigned i = 0; i < WORDS; i++)
		odd += (words[i] = random_next(&b->random)) & 1;
	trampoline(job, row->key[0] ? leaf_count_odd_calls : leaf_count_odd_inlined, WORD_LAPS,
		(uint64_t)(uintptr_t)words, WORDS);
	job->expect = WORD_LAPS * odd;
	job->ops = WORD_LAPS * WORDS;
	return 0;
}

static int prepare_factorial(struct bench *b, const struct row *row, struct job *job)
{
	uint64_t product = 1;

	(void)b;
	for (uint64_t i = 2; i <= FACTORIAL_OF; i++)
		product *= i;
	trampoline(job, row->key[0] ? leaf_factorial_calls : leaf_factorial_loop, FACTORIALS,
		FACTORIAL_OF, 0);
	job->expect = FACTORIALS * product;
	job->ops = FACTORIALS * FACTORIAL_OF;
	return 0;
}

/* A load of the pace's chase is about as long as four of these steps; a row takes some 40 calls. */
static void add(struct bench *b, const char *variant, const struct unit *unit, unsigned rank,
	int (*prepare)(struct bench *, const struct row *, struct job *), uint64_t key,
	const char *param, double value, double ops)
{
	struct row row = row_new(variant, unit, rank, prepare);

	row.key[0] = key;
	row.cost_ns = 40 * (b->pace.ns_per_call + ops * b->pace.ns_per_near_load);
	row_param(&row, param, value);
	plan_add(b, &row);
}

void probe_ilp_plan(struct bench *b, unsigned stage)
{
	if (stage == 0)
		return;
	for (unsigned i = 0; i < 2; i++)
		add(b, i ? "prefix-sum" : "differences", &unit_ns_element, RANK_MAIN, prepare_sums,
			i, "elements", ELEMENTS, ELEMENTS * ELEMENT_LAPS);
	for (unsigned i = 0; i < ilp_chain_count; i++)
		add(b, ilp_chains[i].variant, &unit_ns_op, RANK_MAIN, prepare_chain, i, "lanes",
			ilp_chains[i].lanes, CHAIN_ROUNDS * 64);
	for (unsigned i = 0; i < 2; i++)
		add(b, i ? "odd-calls" : "odd-inlined", &unit_ns_element, RANK_USEFUL,
			prepare_count_odd, i, "elements", WORDS, WORD_LAPS * WORDS);
	for (unsigned i = 0; i < 2; i++)
		add(b, i ? "factorial-calls" : "factorial-loop", &unit_ns_op, RANK_USEFUL,
			prepare_factorial, i, "n", FACTORIAL_OF, FACTORIALS * FACTORIAL_OF * 2);
}

static double median(struct bench *b, const char *variant, const char *param, double value)
{
	const struct param p = { param, value };
	const struct result *r = find_result(b, "ilp", variant, &p, 1);

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
	double apart = median(b, "differences", "elements", ELEMENTS);
	double chained = median(b, "prefix-sum", "elements", ELEMENTS);
	double inlined = median(b, "odd-inlined", "elements", WORDS);
	double calls = median(b, "odd-calls", "elements", WORDS);

	if (apart > 0 && chained > 0)
		say(b, "  A sum that waits for the one before costs %.1f times a difference.\n",
			chained / apart);
	say_chains(b, "add");
	say_chains(b, "multiply");
	if (inlined > 0 && calls > 0)
		say(b, "  A call per element costs %.1f times the inlined test.\n",
			calls / inlined);
}
