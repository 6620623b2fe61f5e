/* SPDX-License-Identifier: MIT */
/*
 * What Lemire does with integers [L]: differences and sums of neighbours in place, and the
 * factorials of 1 to 999 by recursion and by a loop.
 */
#include "probes/ilp.h"
#include "probes/probe.h"

#include "lib/jsonl_write.h"
#include "probes/loops/leaf.h"

#define ELEMENTS     100
#define ELEMENT_LAPS 64
#define FACTORIALS   999

static uint64_t digest(const uint64_t *words, uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum = (sum << 5 | sum >> 59) ^ words[i];
	return sum;
}

uint64_t ilp_int_differences(uint64_t *array, uint64_t n, uint64_t laps)
{
	for (uint64_t lap = 0; lap < laps; lap++)
		for (uint64_t i = 1, base = n ? array[0] : 0; i < n; i++) {
			uint64_t value = array[i];

			array[i] = value - base;
			base = value;
		}
	return digest(array, n);
}

uint64_t ilp_int_prefix_sum(uint64_t *array, uint64_t n, uint64_t laps)
{
	for (uint64_t lap = 0; lap < laps; lap++)
		for (uint64_t i = 1; i < n; i++)
			array[i] += array[i - 1];
	return digest(array, n);
}

static const struct in_place {
	const char *variant;
	loop_fn *loop;
	uint64_t (*in_c)(uint64_t *array, uint64_t n, uint64_t laps);
} differences = { "int-differences", loop_int_differences, ilp_int_differences },
  prefix_sum = { "int-prefix-sum", loop_int_prefix_sum, ilp_int_prefix_sum };

static const struct filling {
	const char *variant;
	const void *code;
} by_loop = { "factorials-loop", leaf_factorials_loop },
  by_calls = { "factorials-calls", leaf_factorials_calls };

/* What a row measures: one of them, as its `prepare` says. */
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
	uint64_t factorials[FACTORIALS];
};

/* What the source prints: the time of one pass; and of the recursion that of the loop's. */
static void extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct integers *m = job->priv;
	double median = b->results[b->nresults - 1].median;
	const struct result *loop = find_row(b, by_loop.variant, NULL, 0);

	jsonl_number(l, "ns_in_all", median * m->per_pass);
	if (job->row->variant == by_calls.variant && loop && loop->median > 0)
		jsonl_number(l, "ratio", median / loop->median);
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

	for (uint64_t i = 1; i <= FACTORIALS; i++)
		if (m->factorials[i - 1] != (product *= i))
			return false;
	return true;
}

static int prepare_filling(struct bench *b, const struct row *row, struct job *job)
{
	const struct filling *f = row_spec(row, struct integers_spec)->filling;
	struct integers *m = integers_new(b, job, FACTORIALS * (FACTORIALS + 1) / 2, 1);

	if (!m)
		return -1;
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)f->code, 1, (uintptr_t)m->factorials,
		FACTORIALS };

	job_call(job, loop_timed_call, 1, args);
	for (uint64_t i = 1, product = 1; i <= FACTORIALS; i++)
		job->expect += product *= i;
	job->check = check_factorials;
	return 0;
}

static void add(struct bench *b, struct row row, struct integers_spec spec, double ops,
	unsigned calls)
{
	*row_spec(&row, struct integers_spec) = spec;
	row.cost_ns = calls * (b->pace.ns_per_call + ops * b->pace.ns_per_near_load);
	plan_add(b, &row);
}

static void add_in_place(struct bench *b, const struct in_place *p)
{
	struct row row = row_new(p->variant, &unit_ns_element, DROP_MIDDLE, prepare_in_place);

	row_param(&row, "elements", ELEMENTS);
	add(b, row, (struct integers_spec){ .in_place = p }, 2 * ELEMENTS * ELEMENT_LAPS, 40);
}

/* A multiplication, and at worst a mispredicted return. */
static void add_filling(struct bench *b, const struct filling *f)
{
	struct row row = row_new(f->variant, &unit_ns_op, DROP_MIDDLE, prepare_filling);

	row_param(&row, "n", FACTORIALS);
	add(b, row, (struct integers_spec){ .filling = f },
		(f == &by_calls ? 6.0 : 1.0) * FACTORIALS * (FACTORIALS + 1) / 2, 10);
}

void ilp_integers_plan(struct bench *b)
{
	if (b->opt->profile == PROFILE_SMOKE)
		return;
	add_in_place(b, &differences);
	add_in_place(b, &prefix_sum);
	add_filling(b, &by_loop);
	add_filling(b, &by_calls);
}

static double median(const struct bench *b, const char *variant)
{
	const struct result *r = find_row(b, variant, NULL, 0);

	return r ? r->median : 0;
}

void ilp_integers_meaning(struct bench *b)
{
	double apart = median(b, differences.variant), chained = median(b, prefix_sum.variant);
	double loop = median(b, by_loop.variant), calls = median(b, by_calls.variant);

	if (apart > 0 && chained > 0)
		say(b, "  A sum that is stored and loaded again costs %.1f times a difference.\n",
			chained / apart);
	if (loop > 0 && calls > 0)
		say(b, "  Factorials of 1 to %u by recursion take %.1f times those by a loop.\n",
			FACTORIALS, calls / loop);
}
