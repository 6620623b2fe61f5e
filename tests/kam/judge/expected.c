/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/cpu/cpuid_model.h"
#include "tests/kam/judge/expected.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/judge/unresolvable.h"
#include "tests/kam/judge/bandwidth_bound.h"

struct list {
	struct expected *out;
	size_t n;
	double grid;
};

static struct expected *add(struct list *l, const char *name, double value, double low, double high,
	const char *tolerance)
{
	struct expected *d = &l->out[l->n++];

	if (l->n > EXPECTED_MOST)
		fatal("more than %d expected values", EXPECTED_MOST);
	*d = (struct expected){
		.name = name,
		.value = value,
		.low = low,
		.high = high,
		.claimed = NAN,
		.tolerance = tolerance,
	};
	return d;
}

/* A size that a sweep finds: at most one point of the sweep away. */
static struct expected *capacity(struct list *l, const char *name, double value)
{
	double grid = l->grid * 1.01; /* sizes are rounded to lines */

	struct expected *d =
		add(l, name, value, value / grid, value * grid, "one step of the sweep");

	d->bracketed = true;
	return d;
}

static void percent(struct list *l, const char *name, double value, double p, const char *text)
{
	add(l, name, value, value * (1 - p / 100), value * (1 + p / 100), text);
}

static double claim(uint64_t said, uint64_t truth)
{
	uint64_t value = said == UINT64_MAX ? truth : said;

	return value ? (double)value : NAN;
}

/* Mean cycles for translation with 2 MiB pages: those beyond the first TLB hit in the second. */
static double translated(const struct cpu *c, double bytes)
{
	double pages = bytes / (2 << 20), held = (double)c->dtlb_2m / pages;

	return held < 1 ? (1 - held) * (double)c->stlb_latency : 0;
}

/* Bytes of a row in level "memory", as engine/levels.c chooses them. */
static double place_bytes(const struct cpu *c)
{
	double last = (double)c->level[cpu_levels(c) - 1].bytes, bytes = fmax(256 << 20, 8 * last);

	while (bytes > (double)c->memory_bytes / 8 * 7)
		bytes /= 2;
	return bytes;
}

/*
 * The share of loads of a random cycle through so many bytes that miss a cache: all with LRU, else,
 * as with random replacement, the root m of 1 - m = exp(-r m).
 */
static double missing(const struct cpu_cache *level, double bytes)
{
	double r = bytes / (double)level->bytes, m = 1;
	unsigned i;

	for (i = 0; level->policy != POLICY_LRU && i < 100; i++)
		m = 1 - exp(-r * m);
	return m;
}

/*
 * Accepted is the range from the latency to the mean at the largest size of the sweep that fits the
 * level. The mean is less where a part hits in the level above, and more where pages miss the first
 * TLB. An aggressive prefetcher brings a few lines from behind L2 by chance, when two loads in a
 * row are in one page.
 */
static void latency(struct list *l, const struct cpu *c, const char *name, unsigned i)
{
	bool memory = i == cpu_levels(c);
	double value = (double)(memory ? c->memory_latency : c->level[i].latency);
	double bytes = memory ? place_bytes(c) : (double)c->level[i].bytes, part = 1, above = value;

	if (i > 0) {
		double size =
			exp2(floor(log2(bytes / 1024) / log2(l->grid) + 0.01) * log2(l->grid)) *
			1024;

		part = missing(&c->level[i - 1], size);
		above = (double)c->level[i - 1].latency;
	}
	if (c->stream == STREAM_AGGRESSIVE && i > 1 && !memory)
		part *= 0.97;
	add(l, name, value, 0.99 * (part * value + (1 - part) * above),
		1.01 * (value + translated(c, bytes)), "1 %");
}

static void caches(struct list *l, const struct cpu *c)
{
	static const char *const bytes[] = { "l1d_bytes", "l2_bytes", "l3_bytes", "l4_bytes" };
	static const char *const cycles[] = { "l1d_latency_cycles", "l2_latency_cycles",
		"l3_latency_cycles", "l4_latency_cycles" };
	struct expected *d;
	unsigned i;

	for (i = 0; i < cpu_levels(c); i++) {
		d = capacity(l, bytes[i], (double)c->level[i].bytes);
		d->claimed = cpuid_cache_bytes(c, i + 1);
		if (c->level[i].policy == POLICY_LRU) /* a cliff: between two sizes */
			d->widest = l->grid * 1.05;
		latency(l, c, cycles[i], i);
	}
	latency(l, c, "memory_latency_cycles", i);
}

/*
 * The row `div3-lfence`, which is no summary line: so short that the overhead of the time stamps
 * would show if it were not subtracted. Each stamp may be off by one step of the counter.
 */
static void divisions(struct list *l, const struct cpu *c)
{
	double cycles = 3 * (double)c->divide;
	double step = (double)c->tsc_step * (double)c->hz / (double)c->tsc_hz;

	add(l, "three_divisions", cycles, cycles - 3 - 2 * step, cycles + 3 + 2 * step,
		"3 cycles, 2 steps");
}

static void core(struct list *l, const struct cpu *c)
{
	/*
 * A branch resolves two cycles after the add of its bit entered. The paths for bits 0 and 1 fill
 * groups of four instructions best; a narrower core gains when random bits mix the two paths.
 * The numbers are computed from the groups of the loop.
 */
	static const double resolving[] = { 0, 0, 0.9, 0.1, 1.7 };
	double p = (double)c->penalty + resolving[c->width < 4 ? c->width : 4];

	if (c->width > 3 && c->alus < 3) /* three computations a bit: as if groups were narrower */
		p -= 1.1;

	divisions(l, c);
	percent(l, "core_tsc_ratio", (double)c->hz / (double)c->tsc_hz, 0.2, "0.2 %");
	add(l, "mispredict_cycles", p, p - 1, p + 1, "1 cycle");
	capacity(l, "predictor_branches", (double)c->capacity);
	capacity(l, "branch_targets", (double)c->targets)->slack = 4; /* call, return, loop */
	/* The sweep has steps of 4. */
	add(l, "return_stack", (double)c->returns, (double)c->returns - 4, (double)c->returns,
		"one step of the sweep");
}

static void lines(struct list *l, const struct cpu *c)
{
	double line = (double)c->line;
	double window = (double)c->window, ways = (double)c->level[0].ways;
	double misses = parallel_misses_bound(c, translated(c, place_bytes(c)));

	add(l, "line_bytes", line, line, line, "exact")->claimed = claim(c->claims.line, c->line);
	add(l, "l1d_ways", ways, ways, ways, "exact")->claimed =
		claim(c->claims.l1_ways, c->level[0].ways);
	/* The sweep of profile smoke has steps of 64; 2 are the loads of the chains. */
	add(l, "window_instructions", window, window - 66, window + 2, "one step of the sweep");
	add(l, "parallel_misses", misses, misses - 0.49, misses + 0.49, "exact");
	/* The row with one chain, the base of the speed-up. */
	percent(l, "one_chain_cycles", (double)c->memory_latency + translated(c, place_bytes(c)),
		1.5, "1.5 %");
}

static void translation(struct list *l, const struct cpu *c)
{
	double hit = (double)c->stlb_latency, walk = (double)c->walk;

	capacity(l, "dtlb_4k_entries", (double)c->dtlb_4k);
	capacity(l, "stlb_entries", (double)c->stlb);
	add(l, "stlb_hit_cycles", hit, hit - 1, hit + 1, "1 cycle");
	add(l, "walk_cycles", walk, walk - 1, walk + 1, "1 cycle");
	add(l, "walk_cold_cycles", walk, walk - 1, walk + 1, "1 cycle");
	capacity(l, "dtlb_2m_entries", (double)c->dtlb_2m);
	capacity(l, "stlb_2m_entries", (double)c->stlb);
	add(l, "stlb_2m_hit_cycles", hit, hit - 1, hit + 1, "1 cycle");
	add(l, "walk_2m_cycles", walk, walk - 1, walk + 1, "1 cycle");
	add(l, "walk_2m_cold_cycles", walk, walk - 1, walk + 1, "1 cycle");
}

/* Write-backs compete with fills: how much they cost depends on their order. */
static void stream(struct list *l, enum stream_op kind, const char *name, double rate)
{
	if (kind == STREAM_READ)
		percent(l, name, rate, 3, "3 %");
	else
		add(l, name, rate, 0.5 * rate, 1.03 * rate, "-50 %, +3 %");
}

/*
 * Without a predictor every iteration waits, for a time that depends on the loop. Without LRU a
 * walk through more than a level holds still hits in it.
 */
static void bandwidth(struct list *l, const struct cpu *c)
{
	unsigned kind, i, last = cpu_levels(c);

	if (c->predictor == PREDICTOR_NEVER)
		return;
	for (kind = 0; kind < STREAM_OPS; kind++) {
		percent(l, bandwidth_name(kind, 0), bandwidth_bound(c, kind, 0), 3, "3 %");
		if (c->stream != STREAM_OFF || c->adjacent)
			continue;
		for (i = 1; i < last && c->level[i - 1].policy == POLICY_LRU; i++)
			stream(l, kind, bandwidth_name(kind, i), bandwidth_bound(c, kind, i));
		stream(l, kind, bandwidth_name(kind, CPU_LEVELS), bandwidth_bound(c, kind, last));
	}
}

/*
 * The distance of nodes that no prefetcher brings together, and whether there is a stream
 * prefetcher.
 */
static void prefetchers(struct list *l, const struct cpu *c)
{
	double node = (double)c->line * (c->adjacent ? 2 : 1), stream = c->stream != STREAM_OFF;

	node = node < 64 ? 64 : node;
	add(l, "node_bytes", node, node, node, "exact");
	if (c->line >= 64) /* else a chase from one node to the next leaves out every other line */
		add(l, "stream_prefetcher", stream, stream, stream, "yes or no");
}

/* Section [expect] of the .ini, for what this file does not know: "name = not resolved: reason". */
static void exceptions(struct list *l, const struct cpu *c)
{
	static const char words[] = "not resolved: ";
	size_t i, n;

	for (i = 0; i < c->expects; i++) {
		for (n = 0; n < l->n && strcmp(l->out[n].name, c->expect[i].name); n++)
			;
		if (n == l->n)
			fatal("expect.%s: no expected value has this name", c->expect[i].name);
		if (strncmp(c->expect[i].text, words, strlen(words)))
			fatal("expect.%s: must be '%s' and the reason", c->expect[i].name, words);
		l->out[n].must_be_unresolved = c->expect[i].text + strlen(words);
	}
}

size_t expected_values(const struct cpu *c, double grid, struct expected out[EXPECTED_MOST])
{
	struct list l = { out, 0, grid };

	caches(&l, c);
	lines(&l, c);
	translation(&l, c);
	bandwidth(&l, c);
	prefetchers(&l, c);
	core(&l, c);
	mark_unresolvable(c, grid, out, l.n);
	exceptions(&l, c);
	return l.n;
}
