/* SPDX-License-Identifier: MIT */
/* Fisher-Yates shuffle [L]: time per element against the size of the array. */
#include "probes/probe.h"
#include "probes/fisher_yates.h"

struct deck {
	uint64_t *cards, n, mark;
};

/* Every sample shuffles what the last one left, by another seed. */
static void refresh(struct bench *b, struct job *job)
{
	const struct deck *d = job->priv;

	job->args[2] = random_next(&b->random);
	job->expect = fisher_yates_sum(d->n, job->args[2]);
}

static bool check(struct bench *b, const struct job *job)
{
	const struct deck *d = job->priv;

	(void)b;
	return fisher_yates_mark(d->cards, d->n) == d->mark;
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	struct deck *d = row_alloc(b, sizeof *d);

	if (!d)
		return job_skip(job, "no scratch memory");
	if (row->key[0] > job->arena.bytes)
		return job_skip(job, "needs %llu MiB, the arena has %llu",
			(unsigned long long)(row->key[0] / MIB),
			(unsigned long long)(job->arena.bytes / MIB));
	d->cards = (uint64_t *)job->arena.base;
	d->n = row->key[0] / sizeof *d->cards;
	for (uint64_t i = 0; i < d->n; i++)
		d->cards[i] = i;
	d->mark = fisher_yates_mark(d->cards, d->n);
	job->loop = loop_shuffle;
	job->args[0] = job->empty_args[0] = (uintptr_t)d->cards;
	job->args[1] = d->n;
	job->refresh = refresh;
	job->check = check;
	job->priv = d;
	job->ops = (double)d->n;
	job->min_samples = row->key[0] > 16 * MIB ? 3 : 0;
	return 0;
}

void probe_shuffle_plan(struct bench *b, unsigned stage)
{
	uint64_t sizes[64], limit = sweep_limit(b);
	unsigned n;

	if (stage == 0)
		return;
	n = sweep(b, 16 * KIB, limit < 128 * MIB ? limit : 128 * MIB, 64, sizes, 64);
	for (unsigned i = 0; i < n; i++) {
		struct row row = row_new("fisher-yates", &unit_ns_element,
			sizes[i] & (sizes[i] - 1) ? RANK_DETAIL : RANK_USEFUL, prepare);
		double each = 4 * b->pace.ns_per_near_load +
			(sizes[i] > 256 * KIB ? b->pace.ns_per_far_load / 4 : 0);

		row.page_bytes = best_page(b);
		row.key[0] = sizes[i];
		row.cost_ns = (sizes[i] > 16 * MIB ? 6.0 : 12.0) * (double)(sizes[i] / 8) * each;
		row_param(&row, "bytes", (double)sizes[i]);
		row_param(&row, "elements", (double)(sizes[i] / 8));
		plan_add(b, &row);
	}
}

void probe_shuffle_meaning(struct bench *b)
{
	const struct result *first = NULL, *last = NULL;

	for (unsigned i = 0; i < b->nresults; i++)
		if (b->results[i].row->prepare == prepare) {
			first = first ? first : &b->results[i];
			last = &b->results[i];
		}
	for (unsigned i = 0; first && i < 2; i++, first = last)
		say(b, "  %u KiB: average %.2f, min %.2f, max %.2f ns an element.\n",
			(unsigned)(first->row->key[0] / KIB), first->mean, first->min, first->max);
}
