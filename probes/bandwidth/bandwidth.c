/* SPDX-License-Identifier: MIT */
/*
 * Bandwidth: reading, writing and copying in order, by every width.
 *
 * Definition (README.md): bytes the program asked to move; a copy counts what it reads and
 * what it writes; the lines that a cache reads in order to own them before a write are not counted.
 */
#include "probes/probe.h"

#include <string.h>

#include "engine/bench.h"
#include "engine/find.h"
#include "engine/levels.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "lib/text.h"
#include "probes/streams.h"

#define ACCESSES  (32u << 10) /* of a call, at least: a small buffer many times */
#define WORDS     32          /* of a turn of Pikus's loops */
#define PASSES    20          /* over one byte of each line; the best of them is the result */
#define RUNS      10          /* results of that, one after the other */
#define PATTERN   0x5a5a5a5a5a5a5a5aULL
#define LINE      64
#define TWO_BELOW 4096 /* the copy's halves start at the same place in a page */
/* A sample of a long pass continues along a part of it, which is a multiple of this many bytes. */
#define CHUNK    (64 * KIB)
#define LEFT_OUT 4 /* times the last cache: with random replacement 2 % of it stay */

enum {
	READ,
	WRITE,
	COPY,
	REP_MOVSB,
	REP_STOSB,
	AT_EVERY_LEVEL, /* those before */
	NT_WRITE = AT_EVERY_LEVEL,
	NT_WRITE_ZEROS,
	REP_STOSB_ZEROS,
	BYTE_PER_LINE,
	WORDS_READ,
	WORDS_WRITE,
	MIX,
	FORM = MIX + MIXES, /* and enum turn_op */
	KINDS = FORM + TURN_OPS
};

static const struct word_stream {
	const char *variant;
	bool widths;    /* there is one for each width */
	bool reads;     /* its value is the sum of what it read */
	bool two;       /* copies one half to the other */
	bool zeros;     /* writes these and no other pattern */
	uint32_t needs; /* beside the width's */
} kinds[KINDS] = {
	[READ] = { "read", .widths = true, .reads = true },
	[WRITE] = { "write", .widths = true },
	[COPY] = { "copy", .widths = true, .two = true },
	[REP_MOVSB] = { "rep-movsb", .two = true, .needs = NEED_ERMS },
	[REP_STOSB] = { "rep-stosb", .needs = NEED_ERMS },
	[NT_WRITE] = { "nt-write", .widths = true },
	[NT_WRITE_ZEROS] = { "nt-write-zeros", .widths = true, .zeros = true },
	[REP_STOSB_ZEROS] = { "rep-stosb-zeros", .zeros = true, .needs = NEED_ERMS },
	[BYTE_PER_LINE] = { "one-byte-per-line", .reads = true },
	[WORDS_READ] = { "words-read", .widths = true, .reads = true },
	[WORDS_WRITE] = { "words-write", .widths = true },
	[MIX] = { "mix-3-1", .widths = true, .reads = true },
	[MIX + 1] = { "mix-2-1", .widths = true, .reads = true },
	[MIX + 2] = { "mix-1-1", .widths = true, .reads = true },
	[FORM + TURN_READ] = { "read-form", .widths = true, .reads = true },
	[FORM + TURN_WRITE] = { "write-form", .widths = true },
	[FORM + TURN_WRITE_NT] = { "nt-write-form", .widths = true },
	[FORM + TURN_COPY] = { "copy-form", .widths = true, .two = true },
	[FORM + TURN_COPY_NT] = { "nt-copy-form", .widths = true, .two = true },
};

/*
 * Forms of a stream beside that of the other rows, 16 accesses a turn of one stream. Each changes
 * one thing of the first; the last two, in profile `full` only, two.
 */
static const struct form {
	enum turn_kind loop;
	unsigned in_a_turn, streams;
	const char *name;
} forms[] = {
	{ TURN_8, 8, 1, "8 a turn" },
	{ TURN_2, 2, 1, "2 a turn" },
	{ TURN_8, 8, 2, "8 a turn, 2 streams" },
	{ TURN_8, 8, 4, "8 a turn, 4 streams" },
	{ TURN_8_AHEAD, 8, 1, "8 a turn, prefetch" },
	{ TURN_8_AHEAD, 8, 2, "8 a turn, 2 streams, prefetch" },
	{ TURN_8_AHEAD, 8, 4, "8 a turn, 4 streams, prefetch" },
};

#define FORMS       (sizeof forms / sizeof *forms)
#define FORMS_USUAL 5
#define AHEAD       2048 /* bytes: turn_loops.S */

/* Parameters of a row. */
struct stream_spec {
	unsigned kind, width; /* width WIDTHS: the loop has its own */
	unsigned form;        /* of the kinds from FORM on */
	uint64_t bytes;
};

struct word_streams {
	unsigned kind;
	const struct width *width;
	unsigned char *to, *from;
	uint64_t bytes;      /* that one pass walks, in one buffer; a mix: that it writes */
	uint64_t at, length; /* of these, those of the next call */
	uint64_t *sums;      /* of a kind that reads: of each whole chunk */
	uint64_t pattern;
	const struct form *form; /* NULL: another kind */
	struct turn_walk walk;   /* of a form */
};

/* Lines that a mix reads for each that it writes; 0: not a mix. */
static unsigned reads_per_write(unsigned kind)
{
	return kind >= MIX && kind < FORM ? mix_reads[kind - MIX] : 0;
}

static loop_fn *loop_of(const struct word_streams *s)
{
	if (s->form)
		return s->width->turn[s->kind - FORM][s->form->loop];
	switch (s->kind) {
	case READ:
		return s->width->read;
	case WRITE:
		return s->width->write;
	case COPY:
		return s->width->copy;
	case NT_WRITE:
	case NT_WRITE_ZEROS:
		return s->width->write_nt;
	case REP_MOVSB:
		return loop_rep_movsb;
	case REP_STOSB:
	case REP_STOSB_ZEROS:
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

/* Returns the loop's sum of one pass over a part of the buffer. */
static uint64_t sum_of(const struct word_streams *s, uint64_t at, uint64_t bytes)
{
	unsigned reads = reads_per_write(s->kind);
	uint64_t sum = 0;

	if (s->kind == READ || s->kind == WORDS_READ)
		return streams_sum(s->to + at, bytes, s->width->bits);
	if (reads)
		return streams_mix_sum(s->from + at * reads, bytes / LINE * reads, s->width->bits);
	for (uint64_t i = 0; i < bytes; i += LINE)
		sum += s->to[at + i];
	return sum;
}

static bool memory_is_right(struct bench *b, const struct job *job)
{
	const struct word_streams *s = job->priv;

	if (kinds[s->kind].two)
		return __builtin_memcmp(s->to, s->from, s->bytes) == 0;
	return streams_filled(s->to, s->bytes, s->width ? s->width->bits : 64, s->pattern);
}

static int lay_out(uint64_t bytes, struct job *job, struct word_streams *s)
{
	uint64_t half = bytes / 2, gap = (half + TWO_BELOW - 1) / TWO_BELOW * TWO_BELOW;

	s->to = job->arena.base;
	s->bytes = bytes;
	if (kinds[s->kind].two) {
		s->bytes = half;
		s->from = s->to + gap;
	}
	if (reads_per_write(s->kind)) {
		s->bytes = bytes / (reads_per_write(s->kind) + 1) / LINE * LINE;
		s->from = s->to + (s->bytes + TWO_BELOW - 1) / TWO_BELOW * TWO_BELOW;
	}
	bytes += TWO_BELOW;
	return bytes <= job->arena.bytes ? 0 : job_too_large(job, bytes);
}

static bool is_words(const struct word_streams *s)
{
	return s->kind == WORDS_READ || s->kind == WORDS_WRITE;
}

/* Bytes that the loop counts as one. */
static uint64_t grain_of(const struct word_streams *s)
{
	return s->kind == BYTE_PER_LINE ? LINE : is_words(s) ? WORDS * s->width->bits / 8 : 1;
}

/* Passes over the part of the buffer that the next call has. */
static void set_call(struct job *job, struct word_streams *s, uint64_t passes)
{
	unsigned reads = reads_per_write(s->kind);
	unsigned char *to_here = s->to + s->at, *from_here = s->from + s->at * (reads ? reads : 1);
	uint64_t to = (uintptr_t)to_here, from = (uintptr_t)from_here;
	const uint64_t one[LOOP_ARGS] = { to, s->length / grain_of(s), passes, s->pattern };
	const uint64_t two[LOOP_ARGS] = { to, from, s->length, passes };
	const uint64_t mix[LOOP_ARGS] = { to, from, s->length / LINE, passes, s->pattern };
	const uint64_t form[LOOP_ARGS] = { (uintptr_t)&s->walk, passes };

	if (s->form) {
		s->walk = streams_walk(to_here, kinds[s->kind].two ? from_here : to_here, s->length,
			s->form->in_a_turn, s->form->streams, s->width->bits, s->pattern);
		job_call(job, loop_of(s), 1, form);
	} else if (reads)
		job_call(job, loop_of(s), 3, mix);
	else if (kinds[s->kind].two)
		job_call(job, loop_of(s), 3, two);
	else
		job_call(job, loop_of(s), 2, one);
	job->ops = (double)(s->length * passes) * (kinds[s->kind].two ? 2 : 1 + reads);
}

/* The sums of the whole chunks and of what is left were taken once: no sample finds its lines. */
static uint64_t sum_of_call(const struct word_streams *s)
{
	uint64_t from = s->at / CHUNK, to = (s->at + s->length) / CHUNK, sum = 0;

	for (uint64_t i = from; i < to; i++)
		sum += s->sums[i];
	return sum + (s->length % CHUNK ? s->sums[s->bytes / CHUNK] : 0);
}

static uint64_t expected(const struct word_streams *s, uint64_t passes)
{
	if (s->form)
		return kinds[s->kind].reads
			? streams_turn_sum(&s->walk, passes, s->form->in_a_turn, s->width->bits)
			: s->walk.turns * s->walk.step * passes;
	if (!kinds[s->kind].reads)
		return s->length / grain_of(s) * passes;
	uint64_t sum = sum_of_call(s) * passes;

	return s->kind < MIX && s->width && s->width->bits == 32 ? (uint32_t)sum : sum;
}

static int take_sums(struct bench *b, struct job *job, struct word_streams *s)
{
	uint64_t chunks = s->bytes / CHUNK;

	if (!kinds[s->kind].reads || s->form)
		return 0;
	s->sums = job_alloc(b, job, (chunks + 1) * sizeof *s->sums);
	if (!s->sums)
		return -1;
	for (uint64_t i = 0; i < chunks; i++)
		s->sums[i] = sum_of(s, i * CHUNK, CHUNK);
	s->sums[chunks] = sum_of(s, chunks * CHUNK, s->bytes % CHUNK);
	return 0;
}

/* The next part, where a call has one. */
static void refresh(struct bench *b, struct job *job)
{
	struct word_streams *s = job->priv;

	if (s->at + s->length > s->bytes)
		s->at = 0;
	set_call(job, s, 1);
	job->expect = expected(s, 1);
	s->at += s->length;
}

static void resize(struct bench *b, struct job *job, double ops)
{
	struct word_streams *s = job->priv;
	double bytes = ops * (double)s->length / job->ops;

	s->length =
		bytes >= (double)s->bytes ? s->bytes : (uint64_t)math_max(bytes / CHUNK, 1) * CHUNK;
	set_call(job, s, 1);
}

/* Bytes per core cycle: the figure that compares with a core's ports. Words as Pikus has them. */
static void stream_extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct result *r = &b->results[b->nresults - 1];

	const struct word_streams *s = job->priv;

	if (r->core_hz > 0)
		jsonl_number(l, "bytes_per_cycle", r->median * 1e9 / r->core_hz);
	if (is_words(s))
		jsonl_number(l, "words_per_s", r->median * 1e9 / (s->width->bits / 8));
}

static unsigned call_bytes(unsigned kind, unsigned width)
{
	return ACCESSES * (kinds[kind].widths ? widths[width].bits / 8 : LINE);
}

/* Lemire's number is the best of twenty passes: a sample is one where there is time for it. */
static bool in_passes(const struct bench *b, unsigned kind)
{
	return kind == BYTE_PER_LINE && wants_all_points(b->opt);
}

static bool is_left_out(struct bench *b, uint64_t bytes)
{
	return bytes >= LEFT_OUT * last_cache_bytes(b);
}

static int prepare_stream(struct bench *b, const struct row *row, struct job *job)
{
	const struct stream_spec *spec = row_spec(row, struct stream_spec);
	const struct word_stream *kind = &kinds[spec->kind];
	struct word_streams *s = job_alloc(b, job, sizeof *s);

	if (!s)
		return -1;
	*s = (struct word_streams){
		.kind = spec->kind,
		.width = spec->width < WIDTHS ? &widths[spec->width] : NULL,
		.pattern = kind->zeros ? 0 : PATTERN,
		.form = spec->kind >= FORM ? &forms[spec->form] : NULL,
	};
	if (lay_out(spec->bytes, job, s))
		return -1;
	unsigned least = call_bytes(spec->kind, spec->width);
	uint64_t passes = spec->bytes < least ? least / spec->bytes : 1;

	if (reads_per_write(spec->kind))
		fill(b, s->from, s->bytes * reads_per_write(spec->kind));
	else if (kind->reads || kind->two || kind->zeros)
		fill(b, kind->two ? s->from : s->to, s->bytes);
	if (take_sums(b, job, s))
		return -1;
	s->length = s->bytes;
	set_call(job, s, passes);
	job->expect = expected(s, passes);
	if (in_passes(b, spec->kind)) {
		job->min_samples = job->max_samples = PASSES;
	} else if (passes == 1 && s->bytes >= 2 * CHUNK) {
		job->refresh = refresh;
		job->resize = resize;
		job->leaves_nothing = is_left_out(b, s->bytes);
	}
	job->check = kind->reads && !reads_per_write(spec->kind) ? NULL : memory_is_right;
	job->extra = stream_extra;
	job->priv = s;
	return 0;
}

/*
 * Filling and summing in plain C, whole calls that warm up, and a dozen samples. A call
 * takes as long as the memory or, where instructions are what is slow, as its accesses.
 */
static double stream_cost(struct bench *b, unsigned kind, unsigned width, uint64_t bytes)
{
	double least = call_bytes(kind, width);
	double moved = math_max(least, (double)bytes);
	double by_bytes = moved * b->pace.ns_per_byte;
	double by_accesses = moved / least * ACCESSES * b->pace.ns_per_near_load / 4;
	double call = by_bytes > by_accesses ? by_bytes : by_accesses;

	double calls = (in_passes(b, kind) ? PASSES + 4 : 12) * call;

	if ((double)bytes >= least && !in_passes(b, kind))
		calls = math_min(calls, (is_left_out(b, bytes) ? 2 : 4) * call + 14 * SAMPLE_NS);
	return (kinds[kind].reads ? 4 : 3) * (double)bytes * b->pace.ns_per_byte + calls +
		20 * b->pace.ns_per_call;
}

/* A row but for what its kind alone has. */
static struct row stream_row(struct bench *b, size_t page, unsigned kind, unsigned width,
	uint64_t bytes, const char *level, enum answer answer)
{
	struct row row = row_new(kinds[kind].variant, &unit_gbs, answer, prepare_stream);
	bool wide = kinds[kind].widths;

	row.page_bytes = page;
	row.level = level;
	row.needs = kinds[kind].needs | (wide ? widths[width].needs : 0);
	*row_spec(&row, struct stream_spec) = (struct stream_spec){
		.kind = kind, .width = wide ? width : WIDTHS, .bytes = bytes
	};
	row.cost_ns = stream_cost(b, kind, width, bytes);
	row_param(&row, "bytes", (double)bytes);
	if (wide)
		row_param(&row, "width_bits", widths[width].bits);
	return row;
}

static void plan_stream_in(struct bench *b, size_t page, unsigned kind, unsigned width,
	uint64_t bytes, const char *level, enum answer answer)
{
	struct row row =
		stream_row(b, page, kind, width, bytes / (2 * LINE) * (2 * LINE), level, answer);

	plan_add(b, &row);
}

static void plan_stream(struct bench *b, unsigned kind, unsigned width, uint64_t bytes,
	const char *level, enum answer answer)
{
	plan_stream_in(b, common_page(b), kind, width, bytes, level, answer);
}

static unsigned widest(struct bench *b)
{
	unsigned w = WIDTHS - 1;
	const char *why;

	while (w && !machine_has(b, widths[w].needs, &why))
		w--;
	return w;
}

/* The whole sweep for one kind; far beyond the last cache nothing new is expected. */
static void plan_sweep(struct bench *b, unsigned kind, uint64_t from, enum answer answer)
{
	uint64_t sizes[SIZES_MOST];
	unsigned n = sweep(b, from, sweep_limit(b), 2 * LINE, sizes);

	for (unsigned i = 0; i < n; i++)
		plan_stream(b, kind, widest(b), sizes[i], NULL,
			sizes[i] > b->levels[LEVEL_MEMORY].bytes ? ANSWER_FAR_CURVES : answer);
}

/*
 * Pikus's: words of each width that his has, in order, 32 a turn, by doubling [P, 01c, 01d]. His
 * memory is from malloc: pages of 4 KiB, unless the system gives large ones.
 */
static void plan_words(struct bench *b, size_t page)
{
	uint64_t sizes[SIZES_MOST];
	unsigned n = sweep_octaves(b, KIB, sweep_limit(b), KIB, sizes);
	const char *why;

	for (unsigned i = 0; i < n; i++)
		for (unsigned w = 0; w < WIDTHS && widths[w].words_read; w++)
			for (unsigned kind = WORDS_READ; kind <= WORDS_WRITE; kind++)
				if (machine_has(b, widths[w].needs, &why))
					plan_stream_in(b, page, kind, w, sizes[i], NULL,
						ANSWER_WORDS);
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
	struct row row = row_new("one-int", &unit_ns_op, ANSWER_WORDS, prepare_one_int);

	row.cost_ns = 40 * (b->pace.ns_per_call + ACCESSES * b->pace.ns_per_near_load / 2);
	plan_add(b, &row);
}

static void plan_level(struct bench *b, unsigned kind, enum level level)
{
	for (unsigned w = 0; w < (kinds[kind].widths ? WIDTHS : 1); w++) {
		bool best = w == widest(b) || !kinds[kind].widths;

		if (best || level == LEVEL_L1 || b->opt->profile != PROFILE_SMOKE)
			plan_stream(b, kind, w, b->levels[level].bytes, b->levels[level].name,
				best                            ? ANSWER_BANDWIDTH
					: level == LEVEL_MEMORY ? ANSWER_FAR_WIDTHS
								: ANSWER_WIDTHS);
	}
}

static void plan_levels(struct bench *b)
{
	for (unsigned level = 0; level < LEVELS; level++)
		for (unsigned kind = 0; b->levels[level].bytes && kind < AT_EVERY_LEVEL; kind++)
			plan_level(b, kind, level);
	for (unsigned kind = AT_EVERY_LEVEL; kind < BYTE_PER_LINE; kind++)
		plan_level(b, kind, LEVEL_MEMORY);
}

static void plan_form(struct bench *b, unsigned op, unsigned form, unsigned width, enum level level)
{
	const struct form *f = &forms[form];
	uint64_t bytes = b->levels[level].bytes / (2 * TURN_BYTES) * (2 * TURN_BYTES);
	struct row row = stream_row(b, common_page(b), FORM + op, width, bytes,
		b->levels[level].name, ANSWER_ROOF);

	row_spec(&row, struct stream_spec)->form = form;
	row_param(&row, "in_a_turn", f->in_a_turn);
	row_param(&row, "streams", f->streams);
	row_param(&row, "ahead_bytes", f->loop == TURN_8_AHEAD ? AHEAD : 0);
	plan_add(b, &row);
}

/* The search for the fastest form of each operation; in the caches none goes past them. */
static void plan_forms_of(struct bench *b, unsigned op, enum level level)
{
	bool full = b->opt->profile == PROFILE_FULL;
	bool past = op == TURN_WRITE_NT || op == TURN_COPY_NT;
	const char *why;

	for (unsigned form = 0; form < (full ? FORMS : FORMS_USUAL); form++)
		for (unsigned w = 0; w < WIDTHS && (!past || level == LEVEL_MEMORY); w++)
			if (widths[w].turn[op][forms[form].loop] &&
				machine_has(b, widths[w].needs, &why) && (full || w == widest(b)))
				plan_form(b, op, form, w, level);
}

static void plan_forms(struct bench *b)
{
	for (unsigned level = 0; level < LEVELS && b->opt->profile != PROFILE_SMOKE; level++)
		for (unsigned op = 0; b->levels[level].bytes && op < TURN_OPS; op++)
			plan_forms_of(b, op, level);
}

/*
 * Lemire's: 2 GiB or what fits. It counts whole lines, which is what memory delivers. He prints ten
 * results, one below the other: as many rows, in a run of a source.
 */
static void plan_byte_per_line(struct bench *b)
{
	uint64_t bytes = 2 * GIB, most = b->arena.bytes / 8 * 7;

	if (b->opt->largest && b->opt->largest < most)
		most = b->opt->largest;
	bytes = bytes < most ? bytes : most;
	for (unsigned run = 1; run <= (b->opt->source ? RUNS : 1); run++) {
		struct row row = stream_row(b, common_page(b), BYTE_PER_LINE, WIDTHS,
			bytes / (2 * LINE) * (2 * LINE), NULL, ANSWER_BYTE_PER_LINE);

		row_param(&row, "stride_bytes", LINE);
		row_param(&row, "run", run);
		plan_add(b, &row);
	}
}

/* Reads and writes together are what memory is used for: at its size, by the widest accesses. */
static void plan_mixes(struct bench *b)
{
	const struct level_size *memory = &b->levels[LEVEL_MEMORY];

	for (unsigned mix = 0; mix < MIXES; mix++)
		plan_stream(b, MIX + mix, widest(b), memory->bytes, memory->name, ANSWER_MIXES);
}

/* Memory once more with the largest pages, which not every room can have. */
static void plan_largest_pages(struct bench *b)
{
	const struct level_size *memory = &b->levels[LEVEL_MEMORY];

	if (!(b->room->facts.pages & PAGE_1G) || common_page(b) == PAGE_1G)
		return;
	for (unsigned kind = READ; kind <= NT_WRITE; kind++)
		if (kinds[kind].widths)
			plan_stream_in(b, PAGE_1G, kind, widest(b), memory->bytes, memory->name,
				ANSWER_PAGES_1G);
}

static void bandwidth_plan(struct bench *b)
{
	plan_levels(b);
	plan_forms(b);
	plan_mixes(b);
	plan_byte_per_line(b);
	plan_sweep(b, READ, KIB, ANSWER_READ_CURVE);
	plan_sweep(b, WRITE, KIB, ANSWER_WRITE_CURVES);
	plan_sweep(b, COPY, KIB, ANSWER_WRITE_CURVES);
	for (unsigned kind = REP_MOVSB; kind <= REP_STOSB; kind++)
		plan_sweep(b, kind, KIB, ANSWER_STRING_CURVES);
	plan_sweep(b, NT_WRITE, b->levels[LEVEL_MEMORY].bytes, ANSWER_STRING_CURVES);
	plan_one_int(b);
	plan_largest_pages(b);
	if (b->opt->profile == PROFILE_SMOKE)
		return;
	plan_words(b, common_page(b));
	if (common_page(b) != PAGE_4K)
		plan_words(b, PAGE_4K);
}

/* The most that `bandwidth` moves in a core cycle, by level and operation. */

static double bytes_per_cycle(const struct result *r, enum reading reading)
{
	return row_value(r, reading) * 1e9 / r->core_hz;
}

/*
 * The fastest row of any of the variants at a canonical size, in pages that all rooms can have;
 * NULL, with the reason.
 */
static const struct result *fastest(const struct bench *b, enum reading reading,
	const char *const *variants, enum level level, const char **why)
{
	const struct result *best = NULL;

	*why = NOT_MEASURED;
	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];
		bool of = false;

		for (unsigned v = 0; variants[v]; v++)
			of = of || is_variant(b, r, variants[v]);
		if (!of || !is_level(r, level) || r->row->page_bytes != common_page(b))
			continue;
		if (!(r->core_hz > 0))
			*why = "the core clock is not known";
		else if (!best || bytes_per_cycle(r, reading) > bytes_per_cycle(best, reading))
			best = r;
	}
	return best;
}

/* An operation: the rows of the one form that every size has, and of all forms. */
static const struct stream_operation {
	const char *fixed[2], *all[6];
	enum value_id best, roof; /* in L1; the other levels follow */
} operations[] = {
	{ { "read" }, { "read", "read-form" }, VALUE_read_bytes_per_cycle_l1, VALUE_read_roof_l1 },
	{ { "write" }, { "write", "write-form", "nt-write", "nt-write-form", "rep-stosb" },
		VALUE_write_bytes_per_cycle_l1, VALUE_write_roof_l1 },
	{ { "copy" }, { "copy", "copy-form", "nt-copy-form", "rep-movsb" },
		VALUE_copy_bytes_per_cycle_l1, VALUE_copy_roof_l1 },
};

/* "8 a turn, 2 streams, non-temporal, 512 bit, 64K", "rep movsb, 64K": the rate depends on it */
static void note_form(struct summary *s, const struct result *r)
{
	const struct stream_spec *spec = row_spec(r->row, struct stream_spec);
	bool past = spec->kind == NT_WRITE || spec->kind == FORM + TURN_WRITE_NT ||
		spec->kind == FORM + TURN_COPY_NT;

	char size[SIZE_TEXT];

	size_text(row_get(r->row, "bytes", 0), size);
	if (spec->width == WIDTHS)
		text_format(s->form, sizeof s->form, "%s, %s",
			spec->kind == REP_MOVSB ? "rep movsb" : "rep stosb", size);
	else
		text_format(s->form, sizeof s->form, "%s%s, %u bit, %s",
			spec->kind >= FORM ? forms[spec->form].name : "16 a turn",
			past ? ", non-temporal" : "", widths[spec->width].bits, size);
}

static void find_fastest(struct bench *b, struct found_values *f, enum value_id id,
	const char *const *variants, enum level level, const char *rests_on)
{
	const struct level_size *size = &b->levels[level];
	bool assumed = size->origin && !strcmp(size->origin, LEVEL_ASSUMED);
	const char *why = assumed && level != LEVEL_MEMORY
		? "neither the curve nor CPUID tells its size"
		: "no such level on the curve";
	enum reading reading = f->reader.reading;
	const struct result *r = NULL;

	if (size->bytes && (!assumed || level == LEVEL_MEMORY))
		r = fastest(b, reading, variants, level, &why);
	struct summary *s = found(f, id,
		r ? plain_estimate(bytes_per_cycle(r, reading), row_confidence(r))
		  : not_resolved(why),
		rests_on);

	s->page_bytes = main_page(b, variants[0]);
	if (r)
		note_form(s, r);
}

/* A fourth cache is named only where there is one, as the whole curve tells. */
static bool is_there(const struct bench *b, const struct found_values *f, enum level level)
{
	const struct summary *l4 = find_value(f, VALUE_l4_bytes);

	return level != LEVEL_L4 ||
		(b->levels[level].bytes && !(l4 && l4->reason && !(l4->claimed > 0)));
}

static void bandwidth_find(struct bench *b, struct found_values *f)
{
	for (unsigned of = 0; of < sizeof operations / sizeof *operations; of++)
		for (unsigned level = 0; level < LEVELS; level++) {
			if (!is_there(b, f, level))
				continue;
			find_fastest(b, f, operations[of].best + level, operations[of].fixed, level,
				"bandwidth at the canonical sizes, the best width");
			find_fastest(b, f, operations[of].roof + level, operations[of].all, level,
				"bandwidth at the canonical sizes, the fastest of all forms");
		}
}

static void bandwidth_meaning(struct bench *b)
{
	say(b,
		"  Counted is what the program asked for, copies twice (read and written); lines\n"
		"  read in order to be owned are not. one-byte-per-line counts whole lines.\n"
		"  Some processors write zeros faster than other bytes: the -zeros rows are not\n"
		"  among the roofs.\n");
}

const struct hooks probe_bandwidth = {
	.plan = bandwidth_plan,
	.find = bandwidth_find,
	.meaning = bandwidth_meaning,
};
