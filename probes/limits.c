/* SPDX-License-Identifier: MIT */
/*
 * What issues in a cycle: independent instructions of a kind, in two loops of which one has more of
 * them in a turn. Their difference is free of what a turn takes. docs/method.md, "limits".
 */
#include <string.h>

#include "engine/core_clock.h"
#include "lib/math.h"
#include "lib/text.h"
#include "probes/loops/loops.h"
#include "probes/probe.h"

#define LANES        12    /* of a round: probes/loops/limits_loops.S */
#define APART        30720 /* instructions by which two calls differ: 1 us or more */
#define COARSE_MOST  16    /* so many times as many at most, where the TSC has coarse steps */
#define TRIES        3     /* of a sample whose shorter call was interrupted */
#define PATTERN      0x0123456789abcdefULL
#define LIMITS_WORDS 32 /* that a loop may read or write; its argument is the middle of them */
#define MIDDLE       (LIMITS_WORDS / 2)

/* What a loop computes in twelve registers. */
enum limits_sum {
	SUM_NOTHING,
	SUM_ADDED,      /* 1, 2, 3 ...: 1 more at each step */
	SUM_MULTIPLIED, /* three times as much */
	SUM_SHIFTED,    /* twice */
	SUM_VECTOR,     /* the same as ADDED, from 0 */
	SUM_DOUBLES,    /* the bits of doubles, likewise */
	SUM_ADDRESSES,  /* six times n and the address */
};

/* A kind of instruction: two loops of it, of which one has more of them in a turn. */
struct limits_kind {
	const char *variant, *rests_on;
	loop_fn *less, *more;
	unsigned rounds_less, rounds_more; /* of twelve; a turn has eleven besides */
	unsigned apart;                    /* instructions of a turn, from one to the other */
	uint32_t needs;                    /* enum need */
	enum limits_sum sum;
	/* Words of which the last load is in the value, each so many times. */
	unsigned times, loads;
	uint8_t load[4];
	/* Words stored to, and those of them that are in the value. */
	unsigned stores_from, stores;
	uint8_t stored[2];
	bool stores_n; /* else the pattern */
};

/* What may be all that issues is WIDE. */
#define KIND(name, loop, ...)                                                                      \
	{                                                                                          \
		.variant = name, .rests_on = "limits " name, .less = loop_limits_##loop,           \
		.more = loop_limits_##loop##_long, __VA_ARGS__                                     \
	}
#define WIDE                      .rounds_less = 9, .rounds_more = 19, .apart = 120
#define NARROW                    .rounds_less = 4, .rounds_more = 9, .apart = 60
#define NEEDS(what)               .needs = NEED_##what
#define SUM(what)                 .sum = SUM_##what
#define LOADS(each, words, ...)   .times = each, .loads = words, .load = { __VA_ARGS__ }
#define STORES(from, words, last) .stores_from = from, .stores = words, .stored = { from, last }

static const char per_cycle_unit[] = "ops/cycle";

static const struct limits_kind limits_kinds[] = {
	KIND("nop", nop, WIDE),
	KIND("add", add, WIDE, SUM(ADDED)),
	KIND("lea", lea, WIDE, SUM(ADDED)),
	KIND("imul", imul, NARROW, SUM(MULTIPLIED)),
	KIND("shl", shl, NARROW, SUM(SHIFTED)),
	KIND("shlx", shlx, NARROW, NEEDS(BMI2), SUM(SHIFTED)),
	KIND("load-64", load_64, NARROW, LOADS(1, 3, 31, 0, 9)),
	KIND("load-128", load_128, NARROW, LOADS(3, 4, 0, 10, 20, 30)),
	KIND("load-256", load_256, NARROW, NEEDS(AVX2), LOADS(3, 4, 0, 12, 16, 28)),
	KIND("load-512", load_512, NARROW, NEEDS(AVX512), LOADS(3, 4, 0, 8, 16, 24)),
	KIND("store-64", store_64, NARROW, STORES(0, 12, 11)),
	KIND("store-128", store_128, NARROW, STORES(0, 24, 22)),
	KIND("store-256", store_256, NARROW, NEEDS(AVX2), STORES(0, 32, 28)),
	KIND("store-512", store_512, NARROW, NEEDS(AVX512), STORES(0, 32, 24)),
	KIND("load-store", load_store, NARROW, LOADS(1, 3, 9, 2, 4), STORES(16, 6, 21),
		.stores_n = true),
	KIND("branch-not-taken", not_taken, NARROW),
	KIND("branch-taken", taken, .apart = 8),
	KIND("vector-128", vector_128, NARROW, SUM(VECTOR)),
	KIND("vector-256", vector_256, NARROW, NEEDS(AVX2), SUM(VECTOR)),
	KIND("vector-512", vector_512, NARROW, NEEDS(AVX512), SUM(VECTOR)),
	KIND("fma-256", fma_256, NARROW, .needs = NEED_AVX2 | NEED_FMA, SUM(DOUBLES)),
	KIND("fma-512", fma_512, NARROW, NEEDS(AVX512), SUM(DOUBLES)),
	KIND("mix", mix, WIDE, SUM(ADDRESSES), LOADS(1, 1, 7), STORES(24, 2, 25), .stores_n = true),
};

static const unsigned limits_kind_count = sizeof limits_kinds / sizeof *limits_kinds;

/* One of the twelve registers after so many steps. */
static uint64_t lane_value(enum limits_sum sum, unsigned lane, uint64_t steps)
{
	uint64_t value = lane + 1, bits;
	double ones = (double)steps;

	switch (sum) {
	case SUM_ADDED:
		return value + steps;
	case SUM_MULTIPLIED:
		for (uint64_t i = 0; i < steps; i++)
			value *= 3;
		return value;
	case SUM_SHIFTED:
		return steps < 64 ? value << steps : 0;
	case SUM_VECTOR:
		return steps;
	default: /* SUM_DOUBLES */
		__builtin_memcpy(&bits, &ones, sizeof bits);
		return bits;
	}
}

static uint64_t sum_of(const struct limits_kind *k, bool more, uint64_t n, const uint64_t *words)
{
	unsigned rounds = more ? k->rounds_more : k->rounds_less;
	uint64_t sum = 0;

	if (k->sum == SUM_NOTHING)
		return 0;
	if (k->sum == SUM_ADDRESSES)
		return n ? 6 * (n + (uintptr_t)(words + MIDDLE)) : 0;
	for (unsigned lane = 0; lane < LANES; lane++)
		sum += lane_value(k->sum, lane, n * (rounds + (lane + 1 < LANES)));
	return sum;
}

/* What the longer or the shorter loop returns; writes to words what it stores there. */
static uint64_t limits_value(const struct limits_kind *k, bool more, uint64_t n, uint64_t *words,
	uint64_t pattern)
{
	bool chains = k->sum >= SUM_ADDED && k->sum <= SUM_SHIFTED;
	uint64_t value = sum_of(k, more, n, words) + (chains ? 0 : n);

	for (unsigned i = 0; n && i < k->loads; i++)
		value += k->times * words[k->load[i]];
	for (unsigned i = 0; n && i < k->stores; i++)
		words[k->stores_from + i] = k->stores_n ? n : pattern;
	for (unsigned i = 0; k->stores && i < 2; i++)
		value += words[k->stored[i]];
	return value;
}

/* What a row measures. */
struct limits_spec {
	const struct limits_kind *kind;
};

struct limits {
	_Alignas(64) uint64_t words[LIMITS_WORDS];
	uint64_t start
		[LIMITS_WORDS]; /* what is in them before each call: what is stored is proved */
	uint64_t expect[2];     /* of the shorter and the longer call */
};

static struct timed call_anew(struct bench *b, struct job *job, loop_fn *loop)
{
	struct limits *l = job->priv;

	__builtin_memcpy(l->words, l->start, sizeof l->words);
	return call_loop(b, loop, job->args);
}

/* The longer call less the shorter one, between two looks at the clock. */
static int sample(struct bench *b, struct job *job, struct sample *s)
{
	const struct limits_kind *k = row_spec(job->row, struct limits_spec)->kind;
	const struct limits *l = job->priv;
	double before = core_clock_ticks(b, b->clock_turns), after;
	struct timed more, less;

	for (unsigned i = 0; i < TRIES; i++) {
		more = call_anew(b, job, k->more);
		less = call_anew(b, job, k->less);
		if (more.ticks > less.ticks)
			break;
	}
	after = core_clock_ticks(b, b->clock_turns);
	s->core_hz = core_clock_of(b, 2.0 * (double)b->clock_turns, before + after);
	s->disturbed = core_clock_moved(b, before, after);
	s->control = ticks_to_ns(b, (double)less.ticks) / job->ops;
	s->value = ticks_to_ns(b, (double)more.ticks) / job->ops - s->control;
	if (less.value == l->expect[0] && more.value == l->expect[1])
		return 0;
	return job_disproved(job,
		"the loops returned %#llx and %#llx, plain C says %#llx and %#llx",
		(unsigned long long)less.value, (unsigned long long)more.value,
		(unsigned long long)l->expect[0], (unsigned long long)l->expect[1]);
}

static uint64_t turns(const struct bench *b, const struct limits_kind *k)
{
	return (uint64_t)math_clamp(b->tsc_step_ticks, 1, COARSE_MOST) * APART / k->apart;
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct limits_kind *k = row_spec(row, struct limits_spec)->kind;
	struct limits *l = job_alloc(b, job, sizeof *l);
	uint64_t n = turns(b, k);

	if (!l)
		return -1;
	const uint64_t args[LOOP_ARGS] = { n, (uintptr_t)(l->words + MIDDLE), PATTERN };

	for (unsigned i = 0; i < LIMITS_WORDS; i++)
		l->start[i] = random_next(&b->random);
	for (unsigned more = 0; more < 2; more++) {
		__builtin_memcpy(l->words, l->start, sizeof l->words);
		l->expect[more] = limits_value(k, more, n, l->words, PATTERN);
	}
	job_call(job, k->more, 0, args);
	job->ops = (double)n * k->apart;
	job->sampler = sample;
	job->priv = l;
	return 0;
}

static void limits_plan(struct bench *b)
{
	for (unsigned i = 0; i < limits_kind_count; i++) {
		const struct limits_kind *k = &limits_kinds[i];
		struct row row = row_new(k->variant, &unit_ns_op, ANSWER_LIMITS, prepare);

		row_spec(&row, struct limits_spec)->kind = k;
		row.needs = k->needs;
		/* Both calls have up to three times as many instructions as they differ by. */
		row.cost_ns = 50 *
			(2 * b->pace.ns_per_call +
				3.0 * (double)turns(b, k) * k->apart * b->pace.ns_per_near_load);
		plan_add(b, &row);
	}
}

static double rate(const struct bench *b, const struct result *r)
{
	double cycles = row_cycles(b, r);

	return cycles > 0 ? 1 / cycles : NOT_A_NUMBER;
}

/*
 * A turn takes whole cycles at worst: either loop's may have one that is not its share. Where they
 * do not differ by one, as in an emulator that leaves out what does nothing, there is no number.
 */
static struct estimate per_cycle(struct bench *b, const struct limits_kind *k)
{
	struct estimate e = row_estimate(b, k->variant, rate);
	double cycles = k->apart / e.value;

	if (!math_finite(cycles))
		return e;
	if (cycles <= 1)
		return not_resolved("so many instructions took less than a cycle");
	return resolved(e.value, k->apart / (cycles + 1), k->apart / (cycles - 1), e.confidence);
}

static void found_rate(struct bench *b, const char *name, const char *variant)
{
	for (unsigned i = 0; i < limits_kind_count; i++)
		if (!strcmp(limits_kinds[i].variant, variant))
			found(b, name, per_cycle_unit, per_cycle(b, &limits_kinds[i]), NOT_A_NUMBER,
				limits_kinds[i].rests_on);
}

/* The widest total that any row shows. */
static void found_width(struct bench *b)
{
	struct estimate widest = per_cycle(b, &limits_kinds[0]);
	const char *rests_on = limits_kinds[0].rests_on;

	for (unsigned i = 1; i < limits_kind_count; i++) {
		struct estimate e = per_cycle(b, &limits_kinds[i]);

		if (!math_finite(e.value) || (math_finite(widest.value) && e.value <= widest.value))
			continue;
		widest = e;
		rests_on = limits_kinds[i].rests_on;
	}
	found(b, "issue_width", per_cycle_unit, widest, NOT_A_NUMBER, rests_on);
}

static void limits_find(struct bench *b)
{
	found_width(b);
	found_rate(b, "adds_per_cycle", "add");
	found_rate(b, "multiplies_per_cycle", "imul");
	found_rate(b, "loads_per_cycle", "load-64");
	found_rate(b, "stores_per_cycle", "store-64");
}

#define COLUMNS 78 /* of a line */
#define ONE     23 /* of a kind and its number, at most but in an emulator */

/* The table, in lines that a display holds. */
static void limits_meaning(struct bench *b)
{
	char line[2 * COLUMNS];
	size_t used = 0;

	for (unsigned i = 0; i < limits_kind_count; i++) {
		const struct result *r = find_row(b, limits_kinds[i].variant, NULL, 0);
		double is = r ? rate(b, r) : NOT_A_NUMBER;

		if (!math_finite(is))
			continue;
		used += text_format(line + used, sizeof line - used, "%s%s %.2f",
			used ? ", " : "  in a cycle: ", limits_kinds[i].variant, is);
		if (used + ONE > COLUMNS) {
			say(b, "%s\n", line);
			used = 0;
		}
	}
	if (used)
		say(b, "%s\n", line);
}

const struct hooks probe_limits = {
	.plan = limits_plan,
	.find = limits_find,
	.meaning = limits_meaning,
};
