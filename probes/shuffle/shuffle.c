/* SPDX-License-Identifier: MIT */
/* Fisher-Yates shuffle of 32-bit integers [L]: time per element against the size of the array. */
#include "probes/probe.h"

/*
 * The generator of probes/shuffle/shuffle_loops.S: Lemire's, Weyl's sequence by the golden ratio.
 */
static uint64_t next(uint64_t seed)
{
	return seed + 0x9e3779b97f4a7c15;
}

static uint64_t place(uint64_t x, uint64_t n)
{
	return (uint64_t)((unsigned __int128)x * n >> 64);
}

/* The sum of the places that the loop chooses. */
static uint64_t fisher_yates_sum(uint64_t n, uint64_t seed)
{
	uint64_t sum = 0;

	for (; n > 1; n--) {
		seed = next(seed);
		sum += place(seed, n);
	}
	return sum;
}

/* A number that depends on which elements there are and not on their order. */
static uint64_t fisher_yates_mark(const uint32_t *array, uint64_t n)
{
	uint64_t mark = n;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t x = (array[i] + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;

		mark += x ^ x >> 29;
	}
	return mark;
}

static const char shuffle[] = "fisher-yates";

#define LONG (16 * MIB) /* from here on a sample takes long */

/* Parameters of a row. */
struct shuffle_spec {
	uint64_t bytes;
};

struct array {
	uint32_t *elements;
	uint64_t n, mark;
};

/* Every sample shuffles the array as the last one left it, with another seed. */
static void refresh(struct bench *b, struct job *job)
{
	const struct array *a = job->priv;

	job->args[2] = random_next(&b->random);
	job->expect = fisher_yates_sum(a->n, job->args[2]);
}

static bool check(struct bench *b, const struct job *job)
{
	const struct array *a = job->priv;

	return fisher_yates_mark(a->elements, a->n) == a->mark;
}

/* The source takes ten; a large array, for which that takes long, has three but in `full`. */
static unsigned samples_of(const struct bench *b, uint64_t bytes)
{
	return bytes > LONG && !wants_all_points(b->opt) ? 3 : 10;
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	uint64_t bytes = row_spec(row, struct shuffle_spec)->bytes;
	struct array *a = job_alloc(b, job, sizeof *a);

	if (!a)
		return -1;
	if (bytes > job->arena.bytes)
		return job_too_large(job, bytes);
	a->elements = (uint32_t *)job->arena.base;
	a->n = bytes / sizeof *a->elements;
	for (uint64_t i = 0; i < a->n; i++)
		a->elements[i] = (uint32_t)i;
	a->mark = fisher_yates_mark(a->elements, a->n);
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)a->elements, a->n };

	job_call(job, loop_shuffle, 1, args);
	job->refresh = refresh;
	job->check = check;
	job->priv = a;
	job->ops = (double)a->n;
	job->min_samples = samples_of(b, bytes);
	return 0;
}

#define USUAL_MOST (32 * MIB) /* beyond, a row takes seconds */

static void plan_array(struct bench *b, const char *variant, uint64_t bytes, size_t page,
	enum answer answer)
{
	struct row row = row_new(variant, &unit_ns_element, answer, prepare);
	double elements = (double)(bytes / sizeof(uint32_t));
	double each = 3 * b->pace.ns_per_near_load +
		(bytes > 256 * KIB ? b->pace.ns_per_far_load / 8 : 0);

	row.page_bytes = page;
	row_spec(&row, struct shuffle_spec)->bytes = bytes;
	row.cost_ns = (samples_of(b, bytes) + 3) * elements * each;
	row_param(&row, "bytes", (double)bytes);
	row_param(&row, "elements", elements);
	plan_add(b, &row);
}

/* The source's sizes once more in pages as small as its own. */
static void shuffle_plan(struct bench *b)
{
	uint64_t sizes[SIZES_MOST], limit = sweep_limit(b);
	unsigned n = sweep(b, 16 * KIB, limit < 128 * MIB ? limit : 128 * MIB, 64, sizes);

	for (unsigned i = 0; i < n; i++) {
		bool by_doubling = !(sizes[i] & (sizes[i] - 1));

		plan_array(b, shuffle, sizes[i], common_page(b),
			by_doubling && sizes[i] <= USUAL_MOST ? ANSWER_SHUFFLE
							      : ANSWER_SHUFFLE_STEPS);
		if (by_doubling)
			plan_array(b, "fisher-yates-4k", sizes[i], PAGE_4K, ANSWER_SHUFFLE_STEPS);
	}
}

static void shuffle_meaning(struct bench *b)
{
	const struct result *first = NULL, *last = NULL;

	for (unsigned i = 0; i < b->nresults; i++)
		if (is_variant(b, &b->results[i], shuffle)) {
			first = first ? first : &b->results[i];
			last = &b->results[i];
		}
	for (const struct result *r = first; r; r = r == last ? NULL : last)
		say(b, "  %u KiB: average %.2f, min %.2f, max %.2f ns an element.\n",
			(unsigned)(row_spec(r->row, struct shuffle_spec)->bytes / KIB), r->mean,
			r->min, r->max);
}

const struct hooks probe_shuffle = {
	.plan = shuffle_plan,
	.meaning = shuffle_meaning,
};
