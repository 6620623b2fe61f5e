/* SPDX-License-Identifier: MIT */
/*
 * Bandwidth: reading, writing and copying in order, by every width.
 *
 * Definition (docs/method.md): bytes the program asked to move; a copy counts what it reads and
 * what it writes; the lines that a cache reads in order to own them before a write are not counted.
 */
#include "probes/probe.h"

#include "engine/bench.h"
#include "engine/find.h"
#include "engine/levels.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "probes/streams.h"

#define ACCESSES  (32u << 10) /* of a call, at least: a small buffer many times */
#define LONG_CALL (4 * MIB)   /* few calls are enough where one moves so much */
#define WORDS     32          /* of a turn of Pikus's loops */
#define PATTERN   0x5a5a5a5a5a5a5a5aULL
#define LINE      64
#define TWO_BELOW 4096 /* the copy's halves start at the same place in a page */

enum {
	READ,
	WRITE,
	COPY,
	NT_WRITE,
	REP_MOVSB,
	REP_STOSB,
	BYTE_PER_LINE,
	WORDS_READ,
	WORDS_WRITE,
	MIX,
	KINDS = MIX + MIXES
};

static const struct kind {
	const char *variant;
	bool widths;    /* there is one for each width */
	bool reads;     /* its value is the sum of what it read */
	bool two;       /* copies one half to the other */
	uint32_t needs; /* beside the width's */
} kinds[KINDS] = {
	[READ] = { "read", true, true, false, 0 },
	[WRITE] = { "write", true, false, false, 0 },
	[COPY] = { "copy", true, false, true, 0 },
	[NT_WRITE] = { "nt-write", true, false, false, 0 },
	[REP_MOVSB] = { "rep-movsb", false, false, true, NEED_ERMS },
	[REP_STOSB] = { "rep-stosb", false, false, false, NEED_ERMS },
	[BYTE_PER_LINE] = { "one-byte-per-line", false, true, false, 0 },
	[WORDS_READ] = { "words-read", true, true, false, 0 },
	[WORDS_WRITE] = { "words-write", true, false, false, 0 },
	[MIX] = { "mix-3-1", true, true, false, 0 },
	[MIX + 1] = { "mix-2-1", true, true, false, 0 },
	[MIX + 2] = { "mix-1-1", true, true, false, 0 },
};

/* What a row measures. */
struct stream_spec {
	unsigned kind, width; /* width WIDTHS: the loop has its own */
	uint64_t bytes;
};

struct stream {
	unsigned kind;
	const struct width *width;
	unsigned char *to, *from;
	uint64_t bytes; /* that one pass walks, in one buffer; a mix: that it writes */
};

/* Lines that a mix reads for each that it writes; 0: not a mix. */
static unsigned reads_per_write(unsigned kind)
{
	return kind >= MIX ? mix_reads[kind - MIX] : 0;
}

static loop_fn *loop_of(const struct stream *s)
{
	switch (s->kind) {
	case READ:
		return s->width->read;
	case WRITE:
		return s->width->write;
	case COPY:
		return s->width->copy;
	case NT_WRITE:
		return s->width->write_nt;
	case REP_MOVSB:
		return loop_rep_movsb;
	case REP_STOSB:
		return loop_rep_stosb;
	case BYTE_PER_LINE:
		return loop_read_byte_per_line;
	case WORDS_READ:
		return s->width->words_read;
	case WORDS_WRITE:
		return s->width->words_write;
	default:
		return s->width->mix[s->kind - MIX];
	}
}

/* Words that differ, from a seed: nothing can be guessed from a neighbour. */
static void fill(struct bench *b, unsigned char *p, uint64_t bytes)
{
	uint64_t *word = (uint64_t *)p, x = random_next(&b->random) | 1;

	for (uint64_t i = 0; i < bytes / 8; i++)
		word[i] = x * (2 * i + 1);
}

static uint64_t sum_of(const struct stream *s)
{
	uint64_t sum = 0;

	if (s->kind == READ || s->kind == WORDS_READ)
		return streams_sum(s->to, s->bytes, s->width->bits);
	if (s->kind >= MIX)
		return streams_mix_sum(s->from, s->bytes / LINE * reads_per_write(s->kind),
			s->width->bits);
	for (uint64_t i = 0; i < s->bytes; i += LINE)
		sum += s->to[i];
	return sum;
}

static bool memory_is_right(struct bench *b, const struct job *job)
{
	const struct stream *s = job->priv;

	if (kinds[s->kind].two)
		return __builtin_memcmp(s->to, s->from, s->bytes) == 0;
	return streams_filled(s->to, s->bytes, s->width ? s->width->bits : 64, PATTERN);
}

static int lay_out(uint64_t bytes, struct job *job, struct stream *s)
{
	uint64_t half = bytes / 2, gap = (half + TWO_BELOW - 1) / TWO_BELOW * TWO_BELOW;

	s->to = job->arena.base;
	s->bytes = bytes;
	if (kinds[s->kind].two) {
		s->bytes = half;
		s->from = s->to + gap;
	}
	if (s->kind >= MIX) {
		s->bytes = bytes / (reads_per_write(s->kind) + 1) / LINE * LINE;
		s->from = s->to + (s->bytes + TWO_BELOW - 1) / TWO_BELOW * TWO_BELOW;
	}
	return bytes + TWO_BELOW <= job->arena.bytes ? 0 : job_too_large(job, bytes);
}

static bool is_words(const struct stream *s)
{
	return s->kind == WORDS_READ || s->kind == WORDS_WRITE;
}

/* Bytes that the loop counts as one. */
static uint64_t grain_of(const struct stream *s)
{
	return s->kind == BYTE_PER_LINE ? LINE : is_words(s) ? WORDS * s->width->bits / 8 : 1;
}

static void set_call(struct job *job, const struct stream *s, uint64_t passes)
{
	uint64_t to = (uintptr_t)s->to, from = (uintptr_t)s->from;
	const uint64_t one[LOOP_ARGS] = { to, s->bytes / grain_of(s), passes, PATTERN };
	const uint64_t two[LOOP_ARGS] = { to, from, s->bytes, passes };
	const uint64_t mix[LOOP_ARGS] = { to, from, s->bytes / LINE, passes, PATTERN };

	if (s->kind >= MIX)
		job_call(job, loop_of(s), 3, mix);
	else if (kinds[s->kind].two)
		job_call(job, loop_of(s), 3, two);
	else
		job_call(job, loop_of(s), 2, one);
}

static uint64_t expected(const struct stream *s, uint64_t passes)
{
	if (!kinds[s->kind].reads)
		return s->bytes / grain_of(s) * passes;
	uint64_t sum = sum_of(s) * passes;

	return s->kind < MIX && s->width && s->width->bits == 32 ? (uint32_t)sum : sum;
}

/* Bytes per core cycle: the figure that compares with a core's ports. Words as Pikus has them. */
static void stream_extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct result *r = &b->results[b->nresults - 1];

	const struct stream *s = job->priv;

	if (r->core_hz > 0)
		jsonl_number(l, "bytes_per_cycle", r->median * 1e9 / r->core_hz);
	if (is_words(s))
		jsonl_number(l, "words_per_s", r->median * 1e9 / (s->width->bits / 8));
}

static unsigned call_bytes(unsigned kind, unsigned width)
{
	return ACCESSES * (kinds[kind].widths ? widths[width].bits / 8 : LINE);
}

static int prepare_stream(struct bench *b, const struct row *row, struct job *job)
{
	const struct stream_spec *spec = row_spec(row, struct stream_spec);
	const struct kind *kind = &kinds[spec->kind];
	struct stream *s = job_alloc(b, job, sizeof *s);

	if (!s)
		return -1;
	*s = (struct stream){
		.kind = spec->kind,
		.width = spec->width < WIDTHS ? &widths[spec->width] : NULL,
	};
	if (lay_out(spec->bytes, job, s))
		return -1;
	unsigned least = call_bytes(spec->kind, spec->width);
	uint64_t passes = spec->bytes < least ? least / spec->bytes : 1;

	if (spec->kind >= MIX)
		fill(b, s->from, s->bytes * reads_per_write(spec->kind));
	else if (kind->reads || kind->two)
		fill(b, kind->two ? s->from : s->to, s->bytes);
	set_call(job, s, passes);
	job->expect = expected(s, passes);
	job->check = kind->reads && spec->kind < MIX ? NULL : memory_is_right;
	job->extra = stream_extra;
	job->priv = s;
	job->ops = (double)(s->bytes * passes) * (kind->two ? 2 : 1 + reads_per_write(spec->kind));
	if (spec->bytes >= LONG_CALL && !b->room->samples)
		job->min_samples = 3;
	return 0;
}

/*
 * Filling and summing in plain C, and a dozen calls. A call takes as long as the memory or, where
 * instructions are what is slow, as its accesses.
 */
static double stream_cost(const struct bench *b, unsigned kind, unsigned width, uint64_t bytes)
{
	double least = call_bytes(kind, width);
	double moved = math_max(least, (double)bytes);
	double by_bytes = moved * b->pace.ns_per_byte;
	double by_accesses = moved / least * ACCESSES * b->pace.ns_per_near_load / 4;
	double call = by_bytes > by_accesses ? by_bytes : by_accesses;

	return (kinds[kind].reads ? 6 : 4) * (double)bytes * b->pace.ns_per_byte + 12 * call +
		20 * b->pace.ns_per_call;
}

static void plan_stream_in(struct bench *b, size_t page, unsigned kind, unsigned width,
	uint64_t bytes, const char *level, unsigned drop_order)
{
	struct row row = row_new(kinds[kind].variant, &unit_gbs, drop_order, prepare_stream);
	bool wide = kinds[kind].widths;

	row.page_bytes = page;
	row.level = level;
	row.needs = kinds[kind].needs | (wide ? widths[width].needs : 0);
	bytes = bytes / (2 * LINE) * (2 * LINE);
	*row_spec(&row, struct stream_spec) =
		(struct stream_spec){ kind, wide ? width : WIDTHS, bytes };
	row.cost_ns = stream_cost(b, kind, width, bytes);
	row_param(&row, "bytes", (double)bytes);
	if (wide)
		row_param(&row, "width_bits", widths[width].bits);
	if (kind == BYTE_PER_LINE)
		row_param(&row, "stride_bytes", LINE);
	plan_add(b, &row);
}

static void plan_stream(struct bench *b, unsigned kind, unsigned width, uint64_t bytes,
	const char *level, unsigned drop_order)
{
	plan_stream_in(b, common_page(b), kind, width, bytes, level, drop_order);
}

static unsigned widest(struct bench *b)
{
	unsigned w = WIDTHS - 1;
	const char *why;

	while (w && !machine_has(b, widths[w].needs, &why))
		w--;
	return w;
}

/* The whole sweep for one kind; the sizes that matter less are those far beyond the last cache. */
static void plan_sweep(struct bench *b, unsigned kind, unsigned drop_order)
{
	uint64_t sizes[SIZES_MOST];
	unsigned n = sweep(b, KIB, sweep_limit(b), 2 * LINE, sizes);

	for (unsigned i = 0; i < n; i++)
		plan_stream(b, kind, widest(b), sizes[i], NULL,
			drop_order + (sizes[i] > b->levels[LEVEL_MEMORY].bytes ? 2 : 0));
}

/* Pikus's: words of each width that his has, in order, 32 a turn, by doubling [P, 01c, 01d]. */
static void plan_words(struct bench *b)
{
	uint64_t limit = b->opt->profile == PROFILE_SMOKE ? 0 : sweep_limit(b);
	const char *why;

	for (uint64_t bytes = KIB; bytes <= limit; bytes *= 2)
		for (unsigned w = 0; w < WIDTHS && widths[w].words_read; w++)
			for (unsigned kind = WORDS_READ; kind <= WORDS_WRITE; kind++)
				if (machine_has(b, widths[w].needs, &why))
					plan_stream(b, kind, w, bytes, NULL, DROP_FIRST);
}

/* And his 32 reads of one int, which lies in L1: the number is what all of them take. */
static int prepare_one_int(struct bench *b, const struct row *row, struct job *job)
{
	uint32_t *one = job_alloc(b, job, sizeof *one);

	if (!one)
		return -1;
	*one = 42;
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)one, ACCESSES / WORDS };

	job_call(job, loop_one_int, 1, args);
	job->expect = args[1] * WORDS / 4 * *one;
	job->ops = (double)args[1];
	return 0;
}

static void plan_one_int(struct bench *b)
{
	struct row row = row_new("one-int", &unit_ns_op, DROP_MIDDLE, prepare_one_int);

	row.cost_ns = 40 * (b->pace.ns_per_call + ACCESSES * b->pace.ns_per_near_load / 2);
	plan_add(b, &row);
}

static void plan_levels(struct bench *b)
{
	for (unsigned level = 0; level < LEVELS; level++)
		for (unsigned kind = 0; b->levels[level].bytes && kind < BYTE_PER_LINE; kind++)
			for (unsigned w = 0; w < (kinds[kind].widths ? WIDTHS : 1); w++) {
				bool best = w == widest(b) || !kinds[kind].widths;

				if (best || level == LEVEL_L1 || b->opt->profile != PROFILE_SMOKE)
					plan_stream(b, kind, w, b->levels[level].bytes,
						b->levels[level].name,
						best ? DROP_LATE : DROP_MIDDLE);
			}
}

/* Lemire's: 2 GiB or what fits. It counts whole lines, which is what memory delivers. */
static void plan_byte_per_line(struct bench *b)
{
	uint64_t bytes = 2 * GIB, most = b->arena.bytes / 8 * 7;

	if (b->opt->largest && b->opt->largest < most)
		most = b->opt->largest;
	plan_stream(b, BYTE_PER_LINE, WIDTHS, bytes < most ? bytes : most, NULL, DROP_MIDDLE);
}

/* Reads and writes together are what memory is used for: at its size, by the widest accesses. */
static void plan_mixes(struct bench *b)
{
	const struct level_size *memory = &b->levels[LEVEL_MEMORY];

	for (unsigned mix = 0; mix < MIXES; mix++)
		plan_stream(b, MIX + mix, widest(b), memory->bytes, memory->name, DROP_MIDDLE);
}

/* Memory once more with the largest pages, which not every room can have. */
static void plan_largest_pages(struct bench *b)
{
	const struct level_size *memory = &b->levels[LEVEL_MEMORY];

	if (!(b->room->facts.pages & PAGE_1G) || common_page(b) == PAGE_1G)
		return;
	for (unsigned kind = READ; kind <= NT_WRITE; kind++)
		plan_stream_in(b, PAGE_1G, kind, widest(b), memory->bytes, memory->name,
			DROP_EARLY);
}

static void bandwidth_plan(struct bench *b)
{
	plan_levels(b);
	plan_mixes(b);
	plan_byte_per_line(b);
	plan_sweep(b, READ, DROP_LATE);
	plan_sweep(b, WRITE, DROP_MIDDLE);
	plan_sweep(b, COPY, DROP_MIDDLE);
	for (unsigned kind = NT_WRITE; kind < BYTE_PER_LINE; kind++)
		plan_sweep(b, kind, DROP_EARLY);
	plan_words(b);
	plan_one_int(b);
	plan_largest_pages(b);
}

/* The most that `bandwidth` moves in a core cycle, by level and operation. */

/* Of the fastest row at a canonical size, in pages that all rooms can have. */
static struct estimate peak(const struct bench *b, const char *variant, enum level level)
{
	const char *why = NOT_MEASURED;
	const struct result *best = NULL;
	double most = NOT_A_NUMBER;

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];
		double rate = row_value(b, r) * 1e9 / r->core_hz;

		if (!is_variant(b, r, variant) || !is_level(r, level) ||
			r->row->page_bytes != common_page(b))
			continue;
		if (!(r->core_hz > 0)) {
			why = "the core clock is not known";
		} else if (!(rate <= most)) {
			most = rate;
			best = r;
		}
	}
	if (!best)
		return not_resolved(why);
	return plain_estimate(most, row_confidence(best));
}

static const struct {
	const char *variant, *names[LEVELS];
} peaks[] = {
	{ "read",
		{ "read_bytes_per_cycle_l1", "read_bytes_per_cycle_l2", "read_bytes_per_cycle_l3",
			"read_bytes_per_cycle_l4", "read_bytes_per_cycle_memory" } },
	{ "write",
		{ "write_bytes_per_cycle_l1", "write_bytes_per_cycle_l2",
			"write_bytes_per_cycle_l3", "write_bytes_per_cycle_l4",
			"write_bytes_per_cycle_memory" } },
	{ "copy",
		{ "copy_bytes_per_cycle_l1", "copy_bytes_per_cycle_l2", "copy_bytes_per_cycle_l3",
			"copy_bytes_per_cycle_l4", "copy_bytes_per_cycle_memory" } },
};

static void find_peak(struct bench *b, unsigned of, enum level level)
{
	const char *variant = peaks[of].variant;

	found(b, peaks[of].names[level], "bytes/cycle",
		b->levels[level].bytes ? peak(b, variant, level)
				       : not_resolved("no such level on the curve"),
		NOT_A_NUMBER, "bandwidth at the canonical sizes, the best width");
	found_in_pages(b, main_page(b, variant));
}

/* The summary's values of reads, writes and copies at each level. */
/* A fourth cache is named only where there is one. */
static void find_peaks_of_levels(struct bench *b)
{
	for (unsigned of = 0; of < sizeof peaks / sizeof *peaks; of++)
		for (unsigned level = 0; level < LEVELS; level++)
			if (b->levels[level].bytes || level != LEVEL_L4)
				find_peak(b, of, level);
}

static void bandwidth_find(struct bench *b)
{
	find_peaks_of_levels(b);
}

static void bandwidth_meaning(struct bench *b)
{
	say(b,
		"  Counted is what the program asked for, copies twice (read and written); lines\n"
		"  read in order to be owned are not. one-byte-per-line counts whole lines.\n");
}

const struct hooks probe_bandwidth = {
	.plan = bandwidth_plan,
	.find = bandwidth_find,
	.meaning = bandwidth_meaning,
};
