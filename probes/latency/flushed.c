/* SPDX-License-Identifier: MIT */
/*
 * Walks over lines that were flushed before. They are drawn evenly over a span, each in a page of
 * 4 KiB of its own, whatever pages the room has: a hypervisor may back large pages with small ones.
 */
#include "probes/latency/flushed.h"

#include "lib/math.h"
#include "lib/stats.h"
#include "probes/lanes.h"
#include "probes/probe.h"

#define FEW_PAGES  256         /* every TLB of two levels holds them, its sets alike */
#define MANY_PAGES (16 * 1024) /* four times the largest second level known, 4096 entries */
#define SPAN_LEAST (4 * MIB)   /* memory's rows and banks need some room to be all used */
#define SPAN_MOST  GIB
#define LINE       64
#define TURN       16 /* loads of a turn of the loop */

static const char few_variant[] = "flushed", many_variant[] = "flushed-pages";

/* Parameters of a row. */
struct flushed_spec {
	uint64_t bytes; /* of the span */
	uint64_t pages; /* a line in each */
};

/* A row made ready. */
struct flushed_walk {
	uint64_t base, apart; /* so many bytes of the span for each page */
	uint64_t pages, steps;
	uint64_t *line;           /* addresses, in the order of the walk; line[pages] is line[0] */
	uint64_t page[FEW_PAGES]; /* few pages are the same in each sample */
};

static uint64_t draw_page(struct random *r, const struct flushed_walk *w, uint64_t i)
{
	return w->base + i * w->apart + random_below(r, w->apart / PAGE_4K) * PAGE_4K;
}

/*
 * Returns one of few pages. Their numbers differ in the bits that choose a set, so that no set of a
 * TLB has more of them than another: drawn freely, an eighth would miss in 512 entries of 4 ways.
 */
static uint64_t spread_page(struct random *r, const struct flushed_walk *w, uint64_t i)
{
	uint64_t each = w->apart / PAGE_4K, number = i * each;

	if (each <= FEW_PAGES)
		number += number / FEW_PAGES % each;
	else
		number += random_below(r, each / FEW_PAGES) * FEW_PAGES + i;
	return w->base + number * PAGE_4K;
}

/* One line in each of so many equal parts of the span, in random order. */
static void draw_lines(struct random *r, struct flushed_walk *w)
{
	for (uint64_t i = 0; i < w->pages; i++)
		w->line[i] = (w->pages == FEW_PAGES ? w->page[i] : draw_page(r, w, i)) +
			random_below(r, PAGE_4K / LINE) * LINE;
	for (uint64_t i = w->pages; i > 1; i--) {
		uint64_t other = random_below(r, i), line = w->line[i - 1];

		w->line[i - 1] = w->line[other];
		w->line[other] = line;
	}
	w->line[w->pages] = w->line[0];
}

/*
 * Draw new lines, link them into a cycle and flush them. Of few pages the TLB holds all; the flush
 * goes through many of them in the order of the walk, so that it holds only the last ones.
 */
static void refresh(struct bench *b, struct job *job)
{
	struct flushed_walk *w = job->priv;

	draw_lines(&b->random, w);
	for (uint64_t i = 0; i < w->pages; i++)
		*(uint64_t *)(uintptr_t)w->line[i] = w->line[i + 1];
	job->args[0] = w->line[0];
	job->expect = w->line[w->steps];
	if (lanes_flush(b, w->line, w->pages))
		job->expect = ~job->expect; /* not flushed: the row must not be measured */
}

/*
 * A shorter walk ends before it meets the pages that the flush came to last, whose translations are
 * the ones still held.
 */
static void resize(struct bench *b, struct job *job, double loads)
{
	struct flushed_walk *w = job->priv;
	uint64_t turns = (uint64_t)math_clamp(loads / TURN, 1, (double)(w->pages / TURN));

	w->steps = turns * TURN;
	job->args[1] = turns;
	job->ops = (double)w->steps;
}

static int prepare_flushed(struct bench *b, const struct row *row, struct job *job)
{
	const struct flushed_spec *spec = row_spec(row, struct flushed_spec);
	struct flushed_walk *w = job_alloc(b, job, sizeof *w);

	if (!w)
		return -1;
	if (spec->bytes > job->arena.bytes)
		return job_too_large(job, spec->bytes);
	*w = (struct flushed_walk){
		.base = (uintptr_t)job->arena.base,
		.apart = spec->bytes / spec->pages,
		.pages = spec->pages,
		.steps = spec->pages,
		.line = job_alloc(b, job, (spec->pages + 1) * sizeof *w->line),
	};
	if (!w->line)
		return -1;
	for (uint64_t i = 0; i < FEW_PAGES; i++)
		w->page[i] = spread_page(&b->random, w, i);
	const uint64_t args[LOOP_ARGS] = { w->base, w->steps / TURN };

	job_call(job, loop_chase, 1, args);
	job->refresh = refresh;
	job->resize = resize;
	job->flushed = true;
	job->priv = w;
	job->ops = (double)w->steps;
	job->warm_calls = 2;
	return 0;
}

/* Two calls to warm up and the fewest samples: every line is written, flushed, and some walked. */
static double cost(const struct bench *b, uint64_t pages)
{
	double far = b->pace.ns_per_far_load, walk = (double)pages * far;
	double calls = 2 + 7;

	return calls *
		((double)pages * (far + 4 * b->pace.ns_per_near_load) + walk * sample_part(walk));
}

static void plan_span(struct bench *b, const char *variant, uint64_t bytes, uint64_t pages)
{
	struct row row = row_new(variant, &unit_ns_load, ANSWER_LATENCY, prepare_flushed);

	row.page_bytes = common_page(b);
	row.needs = NEED_CLFLUSH;
	*row_spec(&row, struct flushed_spec) = (struct flushed_spec){ bytes, pages };
	row.cost_ns = cost(b, pages);
	row_param(&row, "bytes", (double)bytes);
	row_param(&row, "pages", (double)pages);
	plan_add(b, &row);
}

void flushed_plan(struct bench *b)
{
	uint64_t limit = sweep_limit(b), largest = b->opt->largest, smallest = b->opt->smallest;
	unsigned step = b->opt->profile == PROFILE_SMOKE ? 4 : 2;

	if (largest && largest < limit)
		limit = largest;
	uint64_t bytes = limit < SPAN_LEAST ? FEW_PAGES * PAGE_4K : SPAN_LEAST;

	if (!largest && limit < bytes)
		limit = bytes;   /* a row that does not fit says so */
	while (bytes < smallest) /* a power of two, in whose parts pages begin */
		bytes *= 2;
	for (; bytes <= limit && bytes <= SPAN_MOST; bytes *= step) {
		uint64_t pages = bytes / PAGE_4K;

		plan_span(b, few_variant, bytes, FEW_PAGES);
		plan_span(b, many_variant, bytes, pages < MANY_PAGES ? pages : MANY_PAGES);
	}
}

#define SPREAD_LOSS 1   /* confidence lost per relative distance of the quartile from the median */
#define WALK_SHOWN  0.1 /* many pages cost so much more than few: walks take part */

bool flushed_read(const struct reader *reader, struct flushed_memory *f)
{
	struct pick pick = { .variant = few_variant, .x = "bytes" };

	pick.page_bytes = main_page(reader->bench, few_variant);
	take_curve(reader, &pick, &f->near);
	pick.variant = many_variant;
	take_curve(reader, &pick, &f->walked);
	return f->near.n > 0;
}

static double of_point(const struct curve *c, unsigned i, bool cycles)
{
	double core = row_cycles(c->from[i], c->reading);

	return !cycles ? c->point[i].y : core > 0 ? core : NOT_A_NUMBER;
}

/* The values of all spans. Returns false if one is not known. */
static bool all_points(const struct curve *c, bool cycles, double out[INFER_POINTS])
{
	for (unsigned i = 0; i < c->n; i++) {
		out[i] = of_point(c, i, cycles);
		if (!math_finite(out[i]))
			return false;
	}
	return c->n > 0;
}

double flushed_near(const struct flushed_memory *f, bool cycles)
{
	double all[INFER_POINTS];

	return all_points(&f->near, cycles, all) ? stats_median(all, f->near.n) : NOT_A_NUMBER;
}

struct estimate flushed_near_estimate(const struct flushed_memory *f, bool cycles)
{
	double all[INFER_POINTS], value = flushed_near(f, cycles), spread;

	if (!f->near.n)
		return not_resolved(NOT_MEASURED);
	if (!all_points(&f->near, cycles, all))
		return not_resolved("the core clock is not known");
	spread = stats_upper_quartile(all, f->near.n) / value - 1;
	return time_on_curve(plain_estimate(value, clamp_confidence(1 - SPREAD_LOSS * spread)),
		&f->near, 0, f->near.n - 1);
}

static bool is_walked(const struct flushed_memory *f, unsigned walked)
{
	return f->walked.point[walked].y > (1 + WALK_SHOWN) * flushed_near(f, false);
}

double flushed_reach(const struct flushed_memory *f)
{
	double reach = 0;

	for (unsigned i = 0; i < f->walked.n && !is_walked(f, i); i++)
		reach = f->walked.point[i].x;
	return reach;
}

double flushed_walk_ns(const struct flushed_memory *f, double bytes)
{
	unsigned i = 0;

	while (i + 1 < f->walked.n && f->walked.point[i].x < bytes)
		i++;
	return f->walked.n ? f->walked.point[i].y - flushed_near(f, false) : 0;
}

bool flushed_walks(const struct flushed_memory *f)
{
	return f->walked.n && is_walked(f, f->walked.n - 1);
}
