/* SPDX-License-Identifier: MIT */
/*
 * Independent accesses to random elements [P]. This is throughput, not latency: nothing waits for
 * anything, as many accesses are under way as the machine allows.
 */
#include "probes/probe.h"
#include "engine/levels.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "probes/streams.h"

#define CALL_ACCESSES (64 * 1024)  /* a call makes about so many, in whole passes */
#define INDEX_MOST    (256 * 1024) /* accesses a call in memory, to fresh elements each time */
#define PATTERN       0x5a5a5a5a5a5a5a5aULL

/* Parameters of a row. */
struct accesses {
	unsigned width; /* of `widths` */
	bool writes;
	bool fresh; /* other elements for every sample: in memory */
	uint64_t bytes;
};

struct spots {
	unsigned char *base;
	uint32_t *index;
	uint64_t elements, n; /* elements of the width in the buffer, entries of the index */
	uint64_t most;        /* entries before it was known how long they take */
	const struct width *width;
	uint64_t seed, passes;
	bool writes, fresh;
};

/* Returns a word of the buffer, which plain C computes from its number without reading it. */
static uint64_t word_of(const struct spots *s, uint64_t i)
{
	return (i + 1) * s->seed;
}

static uint64_t access_of(const struct spots *s, uint64_t offset)
{
	uint64_t sum = 0;

	if (s->width->bits == 32)
		return (uint32_t)(word_of(s, offset / 8) >> offset % 8 * 8);
	for (unsigned k = 0; k < s->width->bits / 64; k++)
		sum += word_of(s, offset / 8 + k);
	return sum;
}

static uint64_t expected(const struct spots *s)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < s->n; i++)
		sum += s->writes ? s->index[i] : access_of(s, s->index[i]);
	sum *= s->passes;
	return s->width->bits == 32 && !s->writes ? (uint32_t)sum : sum;
}

/* In memory: other elements for every sample, so that the last one's lines are of no use. */
static void refresh(struct bench *b, struct job *job)
{
	struct spots *s = job->priv;

	for (uint64_t i = 0; s->fresh && i < s->n; i++)
		s->index[i] =
			(uint32_t)(random_below(&b->random, s->elements) * (s->width->bits / 8));
	if (s->fresh)
		job->expect = expected(s);
}

/* Fewer elements a sample; in a cache a call makes whole passes. */
static void resize(struct bench *b, struct job *job, double accesses)
{
	struct spots *s = job->priv;

	s->n = (uint64_t)math_clamp(accesses, 1, s->most);
	job->args[2] = s->n;
	job->ops = (double)s->n;
}

static bool check(struct bench *b, const struct job *job)
{
	const struct spots *s = job->priv;

	for (uint64_t i = 0; i < s->n; i++)
		if (!streams_filled(s->base + s->index[i], s->width->bits / 8, s->width->bits,
			    PATTERN))
			return false;
	return true;
}

/* All elements of the buffer once, shuffled. */
static void shuffle_index(struct bench *b, struct spots *s)
{
	for (uint64_t i = 0; i < s->n; i++)
		s->index[i] = (uint32_t)(i * (s->width->bits / 8));
	for (uint64_t i = s->n; i > 1; i--) {
		uint64_t other = random_below(&b->random, i);
		uint32_t offset = s->index[i - 1];

		s->index[i - 1] = s->index[other];
		s->index[other] = offset;
	}
}

/* Buffer and index together fill the row's bytes; offsets are 32 bits. */
static int lay_out(const struct accesses *spec, struct job *job, struct spots *s)
{
	uint64_t width = s->width->bits / 8, bytes = spec->bytes < 4 * GIB ? spec->bytes : 4 * GIB;

	s->elements = bytes / (width + (s->fresh ? 0 : 4));
	s->n = s->fresh && s->elements > INDEX_MOST ? INDEX_MOST : s->elements;
	s->most = s->n;
	s->base = job->arena.base;
	uint64_t index = (s->elements * width + 63) / 64 * 64;

	s->index = (uint32_t *)(s->base + index);
	uint64_t needed = index + s->n * 4; /* a line more, at most, than the row's bytes */

	if (s->elements && needed <= job->arena.bytes)
		return 0;
	return job_too_large(job, needed > spec->bytes ? needed : spec->bytes);
}

/* Add Pikus's numbers: words and bytes a second. */
static void extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct spots *s = job->priv;
	double median = b->results[b->nresults - 1].median;

	jsonl_number(l, "words_per_s", 1e9 / median);
	jsonl_number(l, "gb_per_s", s->width->bits / 8 / median);
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct accesses *spec = row_spec(row, struct accesses);
	struct spots *s = job_alloc(b, job, sizeof *s);

	if (!s)
		return -1;
	*s = (struct spots){
		.width = &widths[spec->width],
		.writes = spec->writes,
		.fresh = spec->fresh,
		.seed = random_next(&b->random) | 1,
	};
	if (lay_out(spec, job, s))
		return -1;
	s->passes = s->n < CALL_ACCESSES && !s->fresh ? CALL_ACCESSES / s->n : 1;
	for (uint64_t i = 0; i < s->elements * (s->width->bits / 8) / 8; i++)
		((uint64_t *)s->base)[i] = word_of(s, i);
	if (!s->fresh) {
		shuffle_index(b, s);
		job->expect = expected(s);
	}
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)s->base, (uintptr_t)s->index, s->n, s->passes,
		PATTERN };

	job_call(job, s->writes ? s->width->random_write : s->width->random_read, 3, args);
	job->refresh = refresh;
	job->resize = spec->fresh ? resize : NULL;
	job->flushed = spec->fresh; /* as good as */
	job->check = s->writes ? check : NULL;
	job->extra = extra;
	job->priv = s;
	job->ops = (double)(s->n * s->passes);
	job->min_samples = spec->bytes > 64 * MIB ? 5 : 0;
	return 0;
}

static double cost(const struct bench *b, uint64_t bytes, unsigned width, bool fresh)
{
	double elements = (double)bytes / (width + 4), n = fresh ? INDEX_MOST : elements;
	double accesses = n < CALL_ACCESSES ? CALL_ACCESSES : n;
	double calls = 5 + 7 * (fresh ? sample_part(accesses * b->pace.ns_per_far_load / 4) : 1);

	calls *= accesses;
	return (double)bytes * b->pace.ns_per_byte +
		(fresh ? calls : n) * b->pace.ns_per_near_load * 8 +
		calls * (bytes > MIB ? b->pace.ns_per_far_load / 4 : b->pace.ns_per_near_load);
}

/* `level` NULL: a size of the sweep. In memory each sample has fresh elements. */
static void add_in(struct bench *b, size_t page, const char *level, uint64_t bytes, unsigned width,
	bool writes)
{
	const struct width *w = &widths[width];
	struct row row = row_new(writes ? "write" : "read", &unit_ns_op,
		level && w->bits == 64 ? (page == PAGE_1G ? ANSWER_PAGES_1G : ANSWER_RANDOM)
				       : ANSWER_RANDOM_CURVES,
		prepare);
	bool fresh = bytes >= b->levels[LEVEL_MEMORY].bytes;

	row.page_bytes = page;
	row.level = level;
	row.needs = w->needs;
	*row_spec(&row, struct accesses) = (struct accesses){ width, writes, fresh, bytes };
	row.cost_ns = cost(b, bytes, w->bits / 8, fresh);
	row_param(&row, "bytes", (double)bytes);
	row_param(&row, "width_bits", w->bits);
	plan_add(b, &row);
}

static void add(struct bench *b, const char *level, uint64_t bytes, unsigned width, bool writes)
{
	add_in(b, common_page(b), level, bytes, width, writes);
}

/* Memory once more with the largest pages, which not every room can have: accesses of 64 bits. */
static void plan_largest_pages(struct bench *b)
{
	const struct level_size *memory = &b->levels[LEVEL_MEMORY];

	if (!(b->room->facts.pages & PAGE_1G) || common_page(b) == PAGE_1G)
		return;
	for (unsigned k = 0; k < 2 * WIDTHS; k++)
		if (widths[k / 2].bits == 64)
			add_in(b, PAGE_1G, memory->name, memory->bytes, k / 2, k % 2);
}

/* Returns true if this is a canonical size, at which a sweep need not measure again. */
static bool is_level_size(const struct bench *b, uint64_t bytes)
{
	for (unsigned i = 0; i < LEVELS; i++)
		if (b->levels[i].bytes == bytes)
			return true;
	return false;
}

/* Pikus': every width that there is over the range of bandwidth's sweep, by doubling. */
static void plan_sweep(struct bench *b)
{
	uint64_t limit = b->opt->profile == PROFILE_SMOKE ? 0 : sweep_limit(b);
	const char *why;

	for (uint64_t bytes = KIB; bytes <= limit; bytes *= 2)
		for (unsigned k = 0; k < 2 * WIDTHS; k++)
			if (!is_level_size(b, bytes) && machine_has(b, widths[k / 2].needs, &why))
				add(b, NULL, bytes, k / 2, k % 2);
}

static void random_plan(struct bench *b)
{
	for (unsigned level = 0; level < LEVELS; level++)
		for (unsigned k = 0; b->levels[level].bytes && k < 2 * WIDTHS; k++)
			add(b, b->levels[level].name, b->levels[level].bytes, k / 2, k % 2);
	plan_sweep(b);
	plan_largest_pages(b);
}

static void random_meaning(struct bench *b)
{
	for (unsigned i = 0; i < b->nresults; i++) {
		const struct row *row = b->results[i].row;

		if (row->probe == b->probe && row->level && row->page_bytes == common_page(b) &&
			widths[row_spec(row, struct accesses)->width].bits == 64)
			say(b, "  %s, %s, 64 bits: %.2f ns an access.\n", row->level, row->variant,
				b->results[i].median);
	}
	say(b, "  This is throughput, not latency: no access waits for another.\n");
}

const struct hooks probe_random = {
	.plan = random_plan,
	.meaning = random_meaning,
};
