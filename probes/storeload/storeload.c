/* SPDX-License-Identifier: MIT */
/*
 * Store to load: what a load costs that needs what was just stored, where it gets that from the
 * store buffer and where it must wait; and loads and stores across lines and pages. Model and
 * definitions: README.md.
 */
#include "probes/probe.h"

#define TURNS 512 /* in a call, of eight steps each: 3 to 30 us */
#define STEPS (8 * TURNS)
#define LOADS (STEPS / 16) /* turns of loop_chase */
#define SLOW  8            /* near loads that a step is said to take: where forwarding fails */

#define WIDEST 64   /* bytes of an access */
#define AT     1024 /* in the arena: a multiple of the largest line, 128 */
#define LINE   128
#define SPLIT  4   /* bytes of an access that lie before the end of a line or page */
#define APART  512 /* of a store and a load whose low 12 bits differ */
#define LEAST  0.5 /* cycles more, or they are none: less than any step of a core's pipeline */
#define FAILED 1.2 /* times as long as a load that is forwarded: else it did not fail */

static const char forward[] = "forward", same[] = "same-register", other[] = "other-register",
		  larger[] = "larger", alias[] = "alias", apart[] = "apart", load_in[] = "load",
		  load_line[] = "load-line", load_page[] = "load-page";

enum place { IN_LINE, ACROSS_LINES, ACROSS_PAGES };

/* A store and a load of it. */
struct store_pair {
	loop_fn *loop;
	uint32_t needs;
	uint8_t store, load; /* bytes */
	bool twice;          /* a second store lies behind the first one */
};

static const struct store_pair whole = { loop_store_load_8_8, 0, 8, 8 },
			       alike = { loop_store_load_same, 0, 8, 8 },
			       plain = { loop_store_load_other, 0, 8, 8 },
			       wider = { loop_store_load_4_8, 0, 4, 8 },
			       wider_vector = { loop_store_load_8_16, 0, 8, 16 },
			       two = { loop_two_stores_load, 0, 4, 8, true };

/* All that are forwarded, by the sizes of both. */
static const struct store_pair pairs[] = {
	{ loop_store_load_8_8, 0, 8, 8 },
	{ loop_store_load_8_4, 0, 8, 4 },
	{ loop_store_load_8_2, 0, 8, 2 },
	{ loop_store_load_8_1, 0, 8, 1 },
	{ loop_store_load_4_4, 0, 4, 4 },
	{ loop_store_load_2_2, 0, 2, 2 },
	{ loop_store_load_1_1, 0, 1, 1 },
	{ loop_store_load_16_16, 0, 16, 16 },
	{ loop_store_load_16_8, 0, 16, 8 },
	{ loop_store_load_32_32, NEED_AVX2, 32, 32 },
	{ loop_store_load_32_16, NEED_AVX2, 32, 16 },
	{ loop_store_load_64_64, NEED_AVX512, 64, 64 },
	{ loop_store_load_64_32, NEED_AVX512, 64, 32 },
};

/* Parameters of a row. */
struct forward_spec {
	const struct store_pair *pair;
	enum place place;
	unsigned offset;
};

struct split_spec {
	enum place place;
};

/* Returns the place of the row's access; NULL after job_skip. */
static unsigned char *place_of(struct job *job, enum place place)
{
	uint64_t bytes = job->arena.page_bytes + 2 * PAGE_4K;

	if (job->arena.bytes < bytes) {
		job_too_large(job, bytes);
		return NULL;
	}
	if (place == ACROSS_PAGES)
		return job->arena.base + job->arena.page_bytes - SPLIT;
	return job->arena.base + AT + (place == ACROSS_LINES ? LINE - SPLIT : 0);
}

/* The value that is loaded last: the same in plain C, in memory of its own. */
static uint64_t forwarded(const unsigned char *around, const struct store_pair *p, unsigned offset,
	uint64_t value)
{
	unsigned char memory[2 * WIDEST], is[WIDEST];

	__builtin_memcpy(memory, around, sizeof memory);
	for (unsigned i = 0; i < WIDEST; i += sizeof value)
		__builtin_memcpy(is + i, &value, sizeof value);
	for (unsigned i = 0; i < STEPS; i++) {
		__builtin_memcpy(memory, is, p->store);
		if (p->twice)
			__builtin_memcpy(memory + p->store, is, p->store);
		__builtin_memset(is, 0, sizeof is);
		__builtin_memcpy(is, memory + offset, p->load);
	}
	__builtin_memcpy(&value, is, sizeof value);
	return value;
}

static int prepare_forward(struct bench *b, const struct row *row, struct job *job)
{
	const struct forward_spec *spec = row_spec(row, struct forward_spec);
	unsigned char *to = place_of(job, spec->place);
	uint64_t value = random_next(&b->random);

	if (!to)
		return -1;
	for (unsigned i = 0; i < 2 * WIDEST; i++)
		to[i] = (unsigned char)random_next(&b->random);
	const uint64_t args[LOOP_ARGS] = { TURNS, (uintptr_t)to, (uintptr_t)to + spec->offset,
		value };

	job_call(job, spec->pair->loop, 0, args);
	job->expect = forwarded(to, spec->pair, spec->offset, value);
	job->ops = STEPS;
	return 0;
}

/* A pointer to itself, for a chase that stays there. */
static void point_to_itself(unsigned char *p)
{
	const uint64_t at = (uintptr_t)p;

	__builtin_memcpy(p, &at, sizeof at);
}

static bool holds(uint64_t at, uint64_t value)
{
	return !__builtin_memcmp((const void *)(uintptr_t)at, &value, sizeof value);
}

static bool stored_behind(struct bench *b, const struct job *job)
{
	return holds(job->args[2] + job->args[1], job->args[3]);
}

static bool stored(struct bench *b, const struct job *job)
{
	return holds(job->args[1], job->args[2]);
}

/* The load lies `offset` bytes behind the store. */
static int prepare_behind(struct bench *b, const struct row *row, struct job *job)
{
	unsigned char *p = place_of(job, IN_LINE);

	if (!p)
		return -1;
	p += PAGE_4K;
	point_to_itself(p);
	const uint64_t args[LOOP_ARGS] = { TURNS,
		-(uint64_t)row_spec(row, struct forward_spec)->offset, (uintptr_t)p,
		random_next(&b->random) };

	job_call(job, loop_store_chase, 0, args);
	job->expect = (uintptr_t)p;
	job->check = stored_behind;
	job->ops = STEPS;
	return 0;
}

static int prepare_loads(struct bench *b, const struct row *row, struct job *job)
{
	unsigned char *p = place_of(job, row_spec(row, struct split_spec)->place);
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)p, LOADS };

	if (!p)
		return -1;
	point_to_itself(p);
	job_call(job, loop_chase, 1, args);
	job->expect = (uintptr_t)p;
	job->ops = STEPS;
	return 0;
}

static int prepare_stores(struct bench *b, const struct row *row, struct job *job)
{
	unsigned char *p = place_of(job, row_spec(row, struct split_spec)->place);
	const uint64_t args[LOOP_ARGS] = { TURNS, (uintptr_t)p, random_next(&b->random) };

	if (!p)
		return -1;
	job_call(job, loop_stores, 0, args);
	job->expect = TURNS;
	job->check = stored;
	job->ops = STEPS;
	return 0;
}

static void plan_row(struct bench *b, struct row row)
{
	row.page_bytes = common_page(b);
	row.cost_ns = 50 * (b->pace.ns_per_call + STEPS * SLOW * b->pace.ns_per_near_load);
	plan_add(b, &row);
}

static void plan_forward(struct bench *b, const char *variant, enum answer answer,
	struct forward_spec spec)
{
	struct row row = row_new(variant, &unit_ns_op, answer, prepare_forward);

	*row_spec(&row, struct forward_spec) = spec;
	row.needs = spec.pair->needs;
	row_param(&row, "store_bytes", spec.pair->store);
	row_param(&row, "load_bytes", spec.pair->load);
	row_param(&row, "offset_bytes", spec.offset);
	plan_row(b, row);
}

static void plan_behind(struct bench *b, const char *variant, unsigned offset)
{
	struct row row = row_new(variant, &unit_ns_op, ANSWER_FORWARDING, prepare_behind);

	row_spec(&row, struct forward_spec)->offset = offset;
	row_param(&row, "offset_bytes", offset);
	plan_row(b, row);
}

static void plan_split(struct bench *b, const char *variant, enum answer answer, enum place place,
	int (*prepare)(struct bench *, const struct row *, struct job *))
{
	struct row row = row_new(variant, &unit_ns_op, answer, prepare);

	row_spec(&row, struct split_spec)->place = place;
	plan_row(b, row);
}

/* At the store's first byte, at its last, and unaligned between. */
static void plan_sizes(struct bench *b)
{
	for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		const struct store_pair *p = &pairs[i];
		unsigned end = p->store - p->load, offsets[] = { 0, 1, end };

		for (unsigned k = 0; k < (end ? 3 : 1); k++)
			plan_forward(b, "sizes", ANSWER_FORWARDING_SIZES,
				(struct forward_spec){ p, IN_LINE, offsets[k] });
	}
}

static void storeload_plan(struct bench *b)
{
	const enum answer first = ANSWER_FORWARDING, more = ANSWER_FORWARDING_SIZES;

	plan_forward(b, forward, first, (struct forward_spec){ &whole, IN_LINE });
	plan_forward(b, same, first, (struct forward_spec){ &alike, IN_LINE });
	plan_forward(b, other, first, (struct forward_spec){ &plain, IN_LINE });
	plan_forward(b, larger, first, (struct forward_spec){ &wider, IN_LINE });
	plan_behind(b, alias, PAGE_4K);
	plan_behind(b, apart, PAGE_4K - APART);
	plan_split(b, load_in, first, IN_LINE, prepare_loads);
	plan_split(b, load_line, first, ACROSS_LINES, prepare_loads);
	plan_split(b, load_page, first, ACROSS_PAGES, prepare_loads);
	plan_sizes(b);
	plan_forward(b, "larger-vector", more, (struct forward_spec){ &wider_vector, IN_LINE });
	plan_forward(b, "overlap", more, (struct forward_spec){ &whole, IN_LINE, 4 });
	plan_forward(b, "two-stores", more, (struct forward_spec){ &two, IN_LINE });
	plan_forward(b, "forward-line", more, (struct forward_spec){ &whole, ACROSS_LINES });
	plan_forward(b, "forward-page", more, (struct forward_spec){ &whole, ACROSS_PAGES });
	plan_split(b, "store", more, IN_LINE, prepare_stores);
	plan_split(b, "store-line", more, ACROSS_LINES, prepare_stores);
	plan_split(b, "store-page", more, ACROSS_PAGES, prepare_stores);
}

/* Lower the confidence of e by that of its control. */
static struct estimate beside(struct estimate e, const struct estimate *control)
{
	if (!e.reason && control->reason)
		return *control;
	return less_sure(e, 1 - control->confidence);
}

/* A load that its store does not hold whole, unless it takes no longer than one that is held. */
static struct estimate failed(struct bench *b, struct reader *reader, const struct estimate *held)
{
	struct estimate e = beside(row_cycles_estimate(reader, larger), held);

	if (!e.reason && e.value < FAILED * held->value)
		return not_resolved("a load of more than was stored takes no longer");
	return e;
}

/* Returns the cycles of a row less those of its control. */
static struct estimate more_than(struct bench *b, struct reader *reader, const char *variant,
	const char *control, const char *none)
{
	struct estimate c = row_cycles_estimate(reader, control),
			e = beside(row_cycles_estimate(reader, variant), &c);

	if (e.reason)
		return e;
	e.value -= c.value;
	return e.value < LEAST ? not_resolved(none) : e;
}

static void storeload_find(struct bench *b, struct found_values *f)
{
	struct estimate held = row_cycles_estimate(&f->reader, forward);

	found(f, VALUE_store_forward_cycles, held, "storeload forward");
	found(f, VALUE_store_forward_same_cycles, row_cycles_estimate(&f->reader, same),
		"storeload same-register");
	found(f, VALUE_store_forward_fail_cycles, failed(b, &f->reader, &held),
		"storeload larger, forward");
	found(f, VALUE_alias_4k_cycles,
		more_than(b, &f->reader, alias, apart,
			"a load 4 KiB behind a store takes no longer"),
		"storeload alias, apart");
	found(f, VALUE_split_line_cycles,
		more_than(b, &f->reader, load_line, load_in, "a load across lines takes no longer"),
		"storeload load-line, load");
	found(f, VALUE_split_page_cycles,
		more_than(b, &f->reader, load_page, load_in, "a load across pages takes no longer"),
		"storeload load-page, load");
}

static double median_of(const struct bench *b, const char *variant)
{
	const struct result *r = find_row(b, variant, NULL, 0);

	return r ? r->median : 0;
}

static void storeload_meaning(struct bench *b)
{
	double indexed = median_of(b, forward), own = median_of(b, same),
	       another = median_of(b, other);

	if (indexed > 0 && own > 0 && another > 0)
		say(b,
			"  A load of what was just stored takes %.2f ns. If its address has no "
			"index\n  register, it takes %.2f ns by the store's register, %.2f ns by "
			"another one.\n",
			indexed, own, another);
}

const struct hooks probe_storeload = {
	.plan = storeload_plan,
	.find = storeload_find,
	.meaning = storeload_meaning,
};
