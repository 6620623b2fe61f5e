/* SPDX-License-Identifier: MIT */
/*
 * Independent accesses to random elements [P]. This is throughput, not latency: nothing waits for
 * anything, as many accesses are under way as the machine allows.
 */
#include "probes/probe.h"

#include <string.h>

#include "engine/levels.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "lib/permutation.h"
#include "probes/streams.h"

#define TURN          32           /* accesses */
#define CALL_ACCESSES (64 * 1024)  /* a call makes as many at least */
#define CALL_MOST     (256 * 1024) /* and no more, if a lap has more */
#define NUMBERS       (1ULL << 31) /* of words: they are signed, of 32 bits, as the source's */
#define CHUNK         4096         /* accesses: sums are kept of so many */
#define LAP_LEAST     MIB          /* words of the index, if each is of a line of its own: */
#define LAP_CACHES    4            /* and so many last caches of lines at least */
#define LINE          64
#define PATTERN       0x5a5a5a5a5a5a5a5aULL

/* Parameters of a row. */
struct accesses {
	unsigned width; /* of `widths` */
	bool writes;
	bool within; /* the row's bytes have the index as well: all of it lies in one cache */
	uint64_t bytes;
};

struct spots {
	unsigned char *base;
	uint32_t *index;
	uint64_t elements, lap; /* of the width in the buffer; of these in the index */
	uint64_t at, n;         /* place in the index of the next call; its accesses */
	uint64_t *sums;         /* of each CHUNK of the lap, and of what is left */
	const struct width *width;
	uint64_t seed, passes;
	bool writes;
};

/* Returns a word of the buffer, which plain C computes from its number without reading it. */
static uint64_t word_of(const struct spots *s, uint64_t i)
{
	return (i + 1) * s->seed;
}

static uint64_t access_of(const struct spots *s, uint64_t number)
{
	uint64_t sum = 0, offset = number * (s->width->bits / 8);

	if (s->width->bits == 32)
		return (uint32_t)(word_of(s, offset / 8) >> offset % 8 * 8);
	for (unsigned k = 0; k < s->width->bits / 64; k++)
		sum += word_of(s, offset / 8 + k);
	return sum;
}

/* The sums of whole chunks, and at the end of the lap of what is left, were taken once. */
static uint64_t expected(const struct spots *s)
{
	uint64_t sum = 0, end = (s->at + s->n + CHUNK - 1) / CHUNK;

	for (uint64_t i = s->at / CHUNK; i < end; i++)
		sum += s->sums[i];
	sum *= s->passes;
	return s->width->bits == 32 && !s->writes ? (uint32_t)sum : sum;
}

/* Takes the next stretch of the lap. */
static void refresh(struct bench *b, struct job *job)
{
	struct spots *s = job->priv;

	if (s->at + s->n > s->lap)
		s->at = 0;
	job->args[1] = (uintptr_t)(s->index + s->at);
	job->expect = expected(s);
	s->at += s->n;
}

/* Returns the longest part of the lap, halved again and again, of so many accesses at most. */
static uint64_t stretch_of(const struct spots *s, double most)
{
	uint64_t n = s->lap;

	while ((double)n > most && n >= 2 * CHUNK)
		n /= 2;
	return n < s->lap ? n / CHUNK * CHUNK : n;
}

static void resize(struct bench *b, struct job *job, double accesses)
{
	struct spots *s = job->priv;

	s->n = stretch_of(s, accesses);
	s->at = s->at / s->n * s->n;
	job->args[2] = s->n;
	job->ops = (double)s->n;
}

static bool check(struct bench *b, const struct job *job)
{
	const struct spots *s = job->priv;
	const uint32_t *index = (const uint32_t *)(uintptr_t)job->args[1];

	for (uint64_t i = 0; i < s->n; i++)
		if (!streams_filled(s->base + index[i] * (uint64_t)(s->width->bits / 8),
			    s->width->bits / 8, s->width->bits, PATTERN))
			return false;
	return true;
}

/*
 * Writes the index: all elements of the buffer once, shuffled, or the first of them; and the sums
 * of its chunks, so that no sample finds a line of index or buffer that plain C has read.
 */
static int write_index(struct bench *b, struct job *job, struct spots *s)
{
	struct permutation order = permutation_draw(s->elements, &b->random);

	s->sums = job_alloc(b, job, (s->lap / CHUNK + 1) * sizeof *s->sums);
	if (!s->sums)
		return -1;
	memset(s->sums, 0, (s->lap / CHUNK + 1) * sizeof *s->sums);
	for (uint64_t i = 0; i < s->lap; i++) {
		uint64_t number = permutation_at(&order, i);

		s->index[i] = (uint32_t)number;
		s->sums[i / CHUNK] += s->writes ? 1 : access_of(s, number);
	}
	return 0;
}

/* Returns whole turns of the loop, as in the source. */
static uint64_t elements_of(const struct accesses *spec)
{
	uint64_t n = spec->bytes /
		(widths[spec->width].bits / 8 + (spec->within ? sizeof(uint32_t) : 0));

	return (n < NUMBERS ? n : NUMBERS) / TURN * TURN;
}

/*
 * Returns the words of the index: all, or so many that their lines have left the caches when the
 * first of them comes again.
 */
static uint64_t lap_of(struct bench *b, uint64_t elements)
{
	uint64_t far = LAP_CACHES * last_cache_bytes(b) / LINE;
	uint64_t most = far > LAP_LEAST ? far : LAP_LEAST;

	return elements < most ? elements : most;
}

static int lay_out(struct bench *b, const struct accesses *spec, struct job *job, struct spots *s)
{
	uint64_t width = s->width->bits / 8;

	s->elements = elements_of(spec);
	s->lap = lap_of(b, s->elements);
	s->base = job->arena.base;
	uint64_t index = (s->elements * width + 63) / 64 * 64;

	s->index = (uint32_t *)(s->base + index);
	uint64_t needed = index + s->lap * sizeof *s->index;

	if (s->elements && needed <= job->arena.bytes)
		return 0;
	return job_too_large(job, needed);
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
		.passes = 1,
		.seed = random_next(&b->random) | 1,
	};
	if (lay_out(b, spec, job, s))
		return -1;
	for (uint64_t i = 0; i < s->elements * (s->width->bits / 8) / 8; i++)
		((uint64_t *)s->base)[i] = word_of(s, i);
	if (write_index(b, job, s))
		return -1;
	s->n = stretch_of(s, CALL_MOST);
	if (s->n == s->lap && s->n < CALL_ACCESSES)
		s->passes = CALL_ACCESSES / s->n;
	else
		job->resize = resize;
	job->expect = expected(s);
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)s->base, (uintptr_t)s->index, s->n, s->passes,
		PATTERN };

	job_call(job, s->writes ? s->width->random_write : s->width->random_read, 3, args);
	job->refresh = job->resize ? refresh : NULL;
	job->warm_calls = leaves_something(b, spec->bytes) ? (unsigned)(s->lap / s->n) : 2;
	job->flushed = !leaves_something(b, spec->bytes); /* as good as */
	job->check = s->writes ? check : NULL;
	job->extra = extra;
	job->priv = s;
	job->ops = (double)(s->n * s->passes);
	return 0;
}

/* Adds up filling, the index, a lap or two calls of it, and the fewest samples. */
static double cost(struct bench *b, const struct accesses *spec)
{
	uint64_t elements = elements_of(spec);
	double lap = (double)lap_of(b, elements), far = b->pace.ns_per_far_load / 4;
	double each = spec->bytes > MIB ? far : b->pace.ns_per_near_load;
	double call = math_clamp(lap, CALL_ACCESSES, CALL_MOST) * each;
	double warm = leaves_something(b, spec->bytes) ? math_max(lap * each, call) : 2 * call;

	return (double)spec->bytes * b->pace.ns_per_byte + lap * b->pace.ns_per_node + warm +
		(3 + 7 * sample_part(call)) * call;
}

/* `level` NULL: a size of the sweep. */
static void add(struct bench *b, size_t page, const char *level, uint64_t bytes, unsigned width,
	bool writes)
{
	const struct width *w = &widths[width];
	struct row row = row_new(writes ? "write" : "read", &unit_ns_op,
		level && w->bits == 64 ? (page == PAGE_1G ? ANSWER_PAGES_1G : ANSWER_RANDOM)
				       : ANSWER_RANDOM_CURVES,
		prepare);
	struct accesses *spec = row_spec(&row, struct accesses);

	row.page_bytes = page;
	row.level = level;
	row.needs = w->needs;
	*spec = (struct accesses){ width, writes, level && level != b->levels[LEVEL_MEMORY].name,
		bytes };
	row.cost_ns = cost(b, spec);
	row_param(&row, "bytes", (double)bytes);
	row_param(&row, "width_bits", w->bits);
	plan_add(b, &row);
}

/* Memory once more with the largest pages, which not every room can have: accesses of 64 bits. */
static void plan_largest_pages(struct bench *b)
{
	const struct level_size *memory = &b->levels[LEVEL_MEMORY];

	if (!(b->room->facts.pages & PAGE_1G) || common_page(b) == PAGE_1G)
		return;
	for (unsigned k = 0; k < 2 * WIDTHS; k++)
		if (widths[k / 2].bits == 64)
			add(b, PAGE_1G, memory->name, memory->bytes, k / 2, k % 2);
}

/*
 * Pikus': every width that there is over the range of bandwidth's sweep, by doubling; the index
 * lies beside. His memory is from malloc: pages of 4 KiB, unless the system gives large ones.
 */
static void plan_sweep(struct bench *b, size_t page)
{
	uint64_t sizes[SIZES_MOST];
	unsigned n = sweep_octaves(b, KIB, sweep_limit(b), KIB, sizes);
	const char *why;

	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < 2 * WIDTHS; k++)
			if (machine_has(b, widths[k / 2].needs, &why))
				add(b, page, NULL, sizes[i], k / 2, k % 2);
}

/* The sweep first: its row is the source's where a level has the same bytes. */
static void random_plan(struct bench *b)
{
	if (b->opt->profile != PROFILE_SMOKE) {
		plan_sweep(b, common_page(b));
		if (common_page(b) != PAGE_4K)
			plan_sweep(b, PAGE_4K);
	}
	for (unsigned level = 0; level < LEVELS; level++)
		for (unsigned k = 0; b->levels[level].bytes && k < 2 * WIDTHS; k++)
			add(b, common_page(b), b->levels[level].name, b->levels[level].bytes, k / 2,
				k % 2);
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
