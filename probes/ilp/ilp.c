/* SPDX-License-Identifier: MIT */
/*
 * Instruction-level parallelism: similar work, with and without each step waiting for the last.
 * Model and definitions: README.md.
 */
#include "lib/jsonl_write.h"
#include "probes/loops/leaf.h"
#include "probes/probe.h"
#include "probes/loops/loops.h"

struct ilp_chain {
	const char *variant; /* "add" or "multiply" */
	unsigned lanes;
	bool multiplies;
	loop_fn *loop;
};

#define ELEMENTS     100
#define ELEMENT_LAPS 64
#define CHAIN_ROUNDS 160
#define CHAIN_ROUND  48 /* operations */
#define LANES_MOST   12
#define INTEGERS     999
#define INTEGER_LAPS 8
#define FACTORIALS   256

static const char chain_add[] = "add", chain_multiply[] = "multiply";

static const struct ilp_chain ilp_chains[] = {
	{ chain_add, 1, false, loop_ilp_add1 },
	{ chain_add, 2, false, loop_ilp_add2 },
	{ chain_add, 4, false, loop_ilp_add4 },
	{ chain_add, 8, false, loop_ilp_add8 },
	{ chain_add, LANES_MOST, false, loop_ilp_add12 },
	{ chain_multiply, 1, true, loop_ilp_multiply1 },
	{ chain_multiply, 2, true, loop_ilp_multiply2 },
	{ chain_multiply, 4, true, loop_ilp_multiply4 },
	{ chain_multiply, 8, true, loop_ilp_multiply8 },
	{ chain_multiply, LANES_MOST, true, loop_ilp_multiply12 },
};

static const unsigned ilp_chain_count = sizeof ilp_chains / sizeof *ilp_chains;

static uint64_t digest(const double *words, uint64_t n)
{
	uint64_t sum = 0, word;

	for (uint64_t i = 0; i < n; i++) {
		__builtin_memcpy(&word, &words[i], sizeof word);
		sum = (sum << 5 | sum >> 59) ^ word;
	}
	return sum;
}

/* Both write to[n] as the loop leaves it after that many laps, and return the digest of it. */
static uint64_t ilp_differences(double *to, const double *from, uint64_t n, uint64_t laps)
{
	for (uint64_t i = 0; i < n; i++)
		to[i] = from[i] - (i ? from[i - 1] : laps > 1 ? from[n - 1] : 0);
	return digest(to, n);
}

static uint64_t ilp_prefix_sum(double *to, const double *from, uint64_t n, uint64_t laps)
{
	double sum = 0;

	for (uint64_t lap = 0; lap < laps; lap++)
		for (uint64_t i = 0; i < n; i++)
			to[i] = sum += from[i];
	return digest(to, n);
}

/* The sum of all accumulators after 48 n operations. */
static uint64_t ilp_chain_value(const struct ilp_chain *c, uint64_t n)
{
	uint64_t sum = 0, power = 1, steps = n * CHAIN_ROUND / c->lanes;

	for (uint64_t i = 0; c->multiplies && i < steps; i++)
		power *= 3;
	for (uint64_t lane = 0; lane < LANES_MOST; lane++) {
		uint64_t start = lane + 1;

		if (lane >= c->lanes)
			sum += start;
		else
			sum += c->multiplies ? start * power : start + steps;
	}
	return sum;
}

static const struct array_sums {
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

static const struct function odd_inlined = { "odd-inlined", leaf_sum_odd_inlined },
			     odd_calls = { "odd-calls", leaf_sum_odd_calls },
			     factorial_loop = { "factorial-loop", leaf_factorial_loop },
			     factorial_calls = { "factorial-calls", leaf_factorial_calls },
			     factorial_memory = { "factorial-memory", leaf_factorial_memory },
			     factorial_buffer = { "factorial-buffer", leaf_factorial_buffer };

/* Parameters of a row: the member that its `prepare` reads. */
struct ilp_spec {
	union {
		const struct ilp_chain *chain;
		const struct array_sums *sums;
		const struct function *function;
	};
};

static int prepare_chain(struct bench *b, const struct row *row, struct job *job)
{
	const struct ilp_chain *c = row_spec(row, struct ilp_spec)->chain;
	const uint64_t args[LOOP_ARGS] = { CHAIN_ROUNDS };

	job_call(job, c->loop, 0, args);
	job->expect = ilp_chain_value(c, CHAIN_ROUNDS);
	job->ops = CHAIN_ROUNDS * CHAIN_ROUND;
	return 0;
}

/* Small whole numbers: every sum of them is exact. */
static int prepare_sums(struct bench *b, const struct row *row, struct job *job)
{
	const struct array_sums *s = row_spec(row, struct ilp_spec)->sums;
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

/* Calls the row's function (a, b, c) `laps` times. */
static void call_function(struct job *job, uint64_t laps, uint64_t a, uint64_t b, uint64_t c)
{
	const struct function *f = row_spec(job->row, struct ilp_spec)->function;
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)f->code, laps, a, b, c };

	job_call(job, loop_timed_call, 1, args);
}

/*
 * Add the numbers that the source prints: the time of one pass, and for the calls also that of the
 * inlined test.
 */
static void extra_odd(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct result *inlined = find_row(b, odd_inlined.variant, NULL, 0);
	double median_at = b->results[b->nresults - 1].median;

	jsonl_number(l, "ns_in_all", median_at * INTEGERS);
	if (job->row->variant == odd_calls.variant && inlined && inlined->median > 0)
		jsonl_number(l, "ratio", median_at / inlined->median);
}

static int prepare_sum_odd(struct bench *b, const struct row *row, struct job *job)
{
	call_function(job, INTEGER_LAPS, INTEGERS, 0, 0);
	job->expect = INTEGER_LAPS * ((INTEGERS + 1) / 2) * ((INTEGERS + 1) / 2);
	job->ops = INTEGER_LAPS * INTEGERS;
	job->extra = extra_odd;
	return 0;
}

static uint64_t factorial_of(uint64_t n)
{
	uint64_t product = 1;

	for (uint64_t i = 2; i <= n; i++)
		product *= i;
	return product;
}

static void extra_factorial(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	jsonl_number(l, "ns_in_all",
		b->results[b->nresults - 1].median * row_get(job->row, "n", NOT_A_NUMBER));
}

static int prepare_factorial(struct bench *b, const struct row *row, struct job *job)
{
	uint64_t of = (uint64_t)row_get(row, "n", 0);

	call_function(job, FACTORIALS, of, 0, 0);
	job->expect = FACTORIALS * factorial_of(of);
	job->ops = FACTORIALS * (double)of;
	job->extra = extra_factorial;
	return 0;
}

/*
 * Each factorial from the one before, which lies in memory: in its own place, or all in one. One
 * call has all laps: as in the source's benchmark, a lap need not wait for the one before.
 */
static int prepare_buffer(struct bench *b, const struct row *row, struct job *job)
{
	uint64_t of = (uint64_t)row_get(row, "n", 0), laps = of < FACTORIALS ? FACTORIALS : 1;
	uint64_t *to = job_alloc(b, job, (of + 1) * sizeof *to);

	if (!to)
		return -1;
	call_function(job, 1, (uintptr_t)to, of, laps);
	job->expect = laps * factorial_of(of);
	job->ops = (double)(laps * of);
	job->extra = extra_factorial;
	return 0;
}

/* A load of the pace's chase is about as long as four of these steps; a row takes some 40 calls. */
static void plan_with(struct bench *b, struct row row, struct ilp_spec spec, double ops)
{
	*row_spec(&row, struct ilp_spec) = spec;
	row.cost_ns = 40 * (b->pace.ns_per_call + ops * b->pace.ns_per_near_load);
	plan_add(b, &row);
}

static void plan_sums(struct bench *b, const struct array_sums *s)
{
	struct row row = row_new(s->variant, &unit_ns_element, ANSWER_SUMS, prepare_sums);

	row_param(&row, "elements", ELEMENTS);
	plan_with(b, row, (struct ilp_spec){ .sums = s }, ELEMENTS * ELEMENT_LAPS);
}

static void plan_chain(struct bench *b, const struct ilp_chain *c)
{
	struct row row = row_new(c->variant, &unit_ns_op, ANSWER_SUMS, prepare_chain);

	row_param(&row, "lanes", c->lanes);
	plan_with(b, row, (struct ilp_spec){ .chain = c }, CHAIN_ROUNDS * CHAIN_ROUND);
}

static void plan_sum_odd(struct bench *b, const struct function *f)
{
	struct row row = row_new(f->variant, &unit_ns_element, ANSWER_SUMS, prepare_sum_odd);

	row_param(&row, "elements", INTEGERS);
	plan_with(b, row, (struct ilp_spec){ .function = f }, INTEGER_LAPS * INTEGERS);
}

static void plan_factorial(struct bench *b, const struct function *f, uint64_t of)
{
	bool buffer = f == &factorial_buffer || f == &factorial_memory;
	struct row row = row_new(f->variant, &unit_ns_op, ANSWER_SUMS,
		buffer ? prepare_buffer : prepare_factorial);

	row_param(&row, "n", (double)of);
	plan_with(b, row, (struct ilp_spec){ .function = f },
		(of < FACTORIALS ? FACTORIALS : 1) * (double)of * 2);
}

/*
 * Lemire's programs on integers [L]: differences and sums of neighbours in place, and the
 * factorials of 1 to 999 by recursion and by a loop.
 */

#define FACTORIALS_TO 999

static uint64_t digest_of_integers(const uint64_t *words, uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum = (sum << 5 | sum >> 59) ^ words[i];
	return sum;
}

/* The array after the loops on integers, and its digest. */
static uint64_t ilp_int_differences(uint64_t *array, uint64_t n, uint64_t laps)
{
	for (uint64_t lap = 0; lap < laps; lap++)
		for (uint64_t i = 1, base = n ? array[0] : 0; i < n; i++) {
			uint64_t value = array[i];

			array[i] = value - base;
			base = value;
		}
	return digest_of_integers(array, n);
}

static uint64_t ilp_int_prefix_sum(uint64_t *array, uint64_t n, uint64_t laps)
{
	for (uint64_t lap = 0; lap < laps; lap++)
		for (uint64_t i = 1; i < n; i++)
			array[i] += array[i - 1];
	return digest_of_integers(array, n);
}

static const struct in_place {
	const char *variant;
	loop_fn *loop;
	uint64_t (*in_c)(uint64_t *array, uint64_t n, uint64_t laps);
} int_differences = { "int-differences", loop_int_differences, ilp_int_differences },
  int_prefix_sum = { "int-prefix-sum", loop_int_prefix_sum, ilp_int_prefix_sum },
  printed_prefix_sum = { "printed-prefix-sum", loop_int_prefix_sum_indexed, ilp_int_prefix_sum };

static const struct filling {
	const char *variant;
	const void *code;
} by_loop = { "factorials-loop", leaf_factorials_loop },
  by_calls = { "factorials-calls", leaf_factorials_calls };

/* Parameters of a row: the member that its `prepare` reads. */
struct integers_spec {
	union {
		const struct in_place *in_place;
		const struct filling *filling;
	};
};

/* A row made ready. */
struct integers {
	double per_pass; /* operations of what the source times once */
	uint64_t start[ELEMENTS], array[ELEMENTS];
	uint64_t factorials[FACTORIALS_TO];
};

/*
 * Add the numbers that the source prints: the time of one pass, and for the recursion also that of
 * the loop.
 */
static void extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct integers *m = job->priv;
	double median_of = b->results[b->nresults - 1].median;
	const struct result *loop = find_row(b, by_loop.variant, NULL, 0);

	jsonl_number(l, "ns_in_all", median_of * m->per_pass);
	if (job->row->variant == by_calls.variant && loop && loop->median > 0)
		jsonl_number(l, "ratio", median_of / loop->median);
}

static struct integers *integers_new(struct bench *b, struct job *job, double per_pass,
	unsigned laps)
{
	struct integers *m = job_alloc(b, job, sizeof *m);

	if (!m)
		return NULL;
	m->per_pass = per_pass;
	job->priv = m;
	job->extra = extra;
	job->ops = per_pass * laps;
	return m;
}

/* Every call begins with the same integers. */
static void refresh(struct bench *b, struct job *job)
{
	struct integers *m = job->priv;

	__builtin_memcpy(m->array, m->start, sizeof m->array);
}

static int prepare_in_place(struct bench *b, const struct row *row, struct job *job)
{
	const struct in_place *p = row_spec(row, struct integers_spec)->in_place;
	struct integers *m = integers_new(b, job, ELEMENTS, ELEMENT_LAPS);

	if (!m)
		return -1;
	for (unsigned i = 0; i < ELEMENTS; i++)
		m->start[i] = random_next(&b->random);
	refresh(b, job);
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)m->array, ELEMENTS, ELEMENT_LAPS };

	job_call(job, p->loop, 2, args);
	job->expect = p->in_c(m->array, ELEMENTS, ELEMENT_LAPS);
	job->refresh = refresh;
	return 0;
}

static bool check_factorials(struct bench *b, const struct job *job)
{
	const struct integers *m = job->priv;
	uint64_t product = 1;

	for (uint64_t i = 1; i <= FACTORIALS_TO; i++)
		if (m->factorials[i - 1] != (product *= i))
			return false;
	return true;
}

static int prepare_filling(struct bench *b, const struct row *row, struct job *job)
{
	const struct filling *f = row_spec(row, struct integers_spec)->filling;
	struct integers *m = integers_new(b, job, FACTORIALS_TO * (FACTORIALS_TO + 1) / 2, 1);

	if (!m)
		return -1;
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)f->code, 1, (uintptr_t)m->factorials,
		FACTORIALS_TO };

	job_call(job, loop_timed_call, 1, args);
	for (uint64_t i = 1, product = 1; i <= FACTORIALS_TO; i++)
		job->expect += product *= i;
	job->check = check_factorials;
	return 0;
}

static void plan_integers(struct bench *b, struct row row, struct integers_spec spec, double ops,
	unsigned calls)
{
	*row_spec(&row, struct integers_spec) = spec;
	row.cost_ns = calls * (b->pace.ns_per_call + ops * b->pace.ns_per_near_load);
	plan_add(b, &row);
}

static void plan_in_place(struct bench *b, const struct in_place *p)
{
	struct row row = row_new(p->variant, &unit_ns_element, ANSWER_SUMS, prepare_in_place);

	row_param(&row, "elements", ELEMENTS);
	plan_integers(b, row, (struct integers_spec){ .in_place = p }, 2 * ELEMENTS * ELEMENT_LAPS,
		40);
}

/* A multiplication, and at worst a mispredicted return. */
static void plan_filling(struct bench *b, const struct filling *f)
{
	struct row row = row_new(f->variant, &unit_ns_op, ANSWER_SUMS, prepare_filling);

	row_param(&row, "n", FACTORIALS_TO);
	plan_integers(b, row, (struct integers_spec){ .filling = f },
		(f == &by_calls ? 6.0 : 1.0) * FACTORIALS_TO * (FACTORIALS_TO + 1) / 2, 10);
}

static void ilp_integers_plan(struct bench *b)
{
	if (b->opt->profile == PROFILE_SMOKE)
		return;
	plan_in_place(b, &int_differences);
	plan_in_place(b, &int_prefix_sum);
	plan_in_place(b, &printed_prefix_sum);
	plan_filling(b, &by_loop);
	plan_filling(b, &by_calls);
}

static double median_of(const struct bench *b, const char *variant)
{
	const struct result *r = find_row(b, variant, NULL, 0);

	return r ? r->median : 0;
}

static void ilp_integers_meaning(struct bench *b)
{
	double apart = median_of(b, int_differences.variant),
	       chained = median_of(b, int_prefix_sum.variant);
	double loop = median_of(b, by_loop.variant), calls = median_of(b, by_calls.variant);

	if (apart > 0 && chained > 0)
		say(b, "  A sum that is stored and loaded again costs %.1f times a difference.\n",
			chained / apart);
	if (loop > 0 && calls > 0)
		say(b, "  Factorials of 1 to %u by recursion take %.1f times those by a loop.\n",
			FACTORIALS_TO, calls / loop);
}

static void ilp_plan(struct bench *b)
{
	plan_sums(b, &differences);
	plan_sums(b, &prefix_sum);
	for (unsigned i = 0; i < ilp_chain_count; i++)
		plan_chain(b, &ilp_chains[i]);
	plan_sum_odd(b, &odd_inlined);
	plan_sum_odd(b, &odd_calls);
	plan_factorial(b, &factorial_loop, 20);
	plan_factorial(b, &factorial_calls, 20);
	plan_factorial(b, &factorial_loop, 10); /* as the source's benchmarks, here and below [L] */
	plan_factorial(b, &factorial_memory, 10);
	plan_factorial(b, &factorial_buffer, 10);
	plan_factorial(b, &factorial_buffer, 100000);
	ilp_integers_plan(b);
}

static double median_at(struct bench *b, const char *variant, const char *param, double value)
{
	const struct param p = { param, value };
	const struct result *r = find_row(b, variant, &p, 1);

	return r ? r->median : 0;
}

static void say_chains(struct bench *b, const char *variant)
{
	double one = median_at(b, variant, "lanes", 1), best = one;
	unsigned at = 1;

	for (unsigned i = 0; i < ilp_chain_count; i++) {
		unsigned lanes = ilp_chains[i].lanes;
		double ns = median_at(b, variant, "lanes", lanes);

		if (ns > 0 && ns < best) {
			best = ns;
			at = lanes;
		}
	}
	if (one > 0 && at > 1)
		say(b, "  %u independent chains of %s run %.1f times as fast as one.\n", at,
			variant, one / best);
}

static void ilp_meaning(struct bench *b)
{
	double apart = median_at(b, differences.variant, "elements", ELEMENTS);
	double chained = median_at(b, prefix_sum.variant, "elements", ELEMENTS);
	double inlined = median_at(b, odd_inlined.variant, "elements", INTEGERS);
	double calls = median_at(b, odd_calls.variant, "elements", INTEGERS);

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

const struct hooks probe_ilp = {
	.plan = ilp_plan,
	.meaning = ilp_meaning,
};
